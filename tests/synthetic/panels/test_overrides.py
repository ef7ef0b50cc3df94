"""Settings changed from the command line."""

import pytest
from click.testing import CliRunner

from results import BadInput, read_curves
from synthetic.cli import cli
from synthetic.panels.experiments import EXPERIMENTS
from synthetic.panels.overrides import swept, with_changes


def test_changes_reach_every_line_and_its_label():
    changed = with_changes(EXPERIMENTS["fig2b"], ["step_rule=eta/n", "decay=1", "n=40"])
    assert len(changed.variants) == len(EXPERIMENTS["fig2b"].variants)
    for line in changed.variants:
        assert (line.setting.step_rule, line.setting.decay, line.setting.n) == ("eta/n", 1.0, 40)
        assert line.label.endswith("step_rule=eta/n decay=1 n=40")
    assert with_changes(changed, ["decay=none"]).variants[0].setting.decay is None


def test_a_sweep_has_one_line_for_each_value():
    lines = swept(EXPERIMENTS["fig2f"], "d=5, 10,5,20").variants
    assert [line.setting.d for line in lines] == [5, 10, 20]
    assert [line.model for line in lines] == [f"linear-attention d={d}" for d in (5, 10, 20)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("dd=5", "FIELD one of n, d"),
        ("d", "expected FIELD=VALUE"),
        ("d=five", "d=five: expected a whole number"),
        ("eta=fast", "eta=fast: expected a number"),
        ("d=5,6", "expected one value"),
        ("k=10", "k=10"),
    ],
)
def test_senseless_changes_are_refused(change, message):
    with pytest.raises(BadInput, match=message):
        with_changes(EXPERIMENTS["fig2f"], [change])


def test_vary_writes_all_lines_to_one_table(tmp_path):
    arguments = ["run", "fig2g", "--vary", "sigma_eps=0,0.5", "--tasks", "2", "--out", str(tmp_path)]
    assert CliRunner().invoke(cli, arguments, standalone_mode=False).exception is None
    models = {f"linear-attention sigma_eps={value}" for value in (0, 0.5)}
    assert set(read_curves(tmp_path / "fig2g.csv")["model"]) == models
