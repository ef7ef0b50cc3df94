"""Settings changed from the command line."""

from dataclasses import replace

import pytest

from results import BadInput
from synthetic.panels.experiments import EXPERIMENTS, with_changes


def test_changes_reach_every_line_and_its_label():
    changed = with_changes(EXPERIMENTS["fig2b"], ["step_rule=eta/n", "decay=1", "n=40"])
    assert len(changed.variants) == len(EXPERIMENTS["fig2b"].variants) - 1  # one had that step before
    for line in changed.variants:
        assert (line.setting.step_rule, line.setting.decay, line.setting.n) == ("eta/n", 1.0, 40)
        assert line.label.endswith("step_rule=eta/n decay=1 n=40")
    assert with_changes(changed, ["decay=none"]).variants[0].setting.decay is None


def test_several_values_make_every_line_once_for_each():
    lines = with_changes(EXPERIMENTS["fig2h"], ["d=5, 10,5", "eta=0.5"]).variants
    assert [(line.setting.d, line.setting.step_rule) for line in lines] == [
        (5, "eta"),
        (10, "eta"),
        (5, "eta/n"),
        (10, "eta/n"),
    ]
    assert [line.model for line in lines[:2]] == [f"linear-attention step=1/2 d={d} eta=0.5" for d in (5, 10)]


@pytest.mark.parametrize(
    ("panel", "changes", "labels"),
    [
        ("fig2h", ["eta=.3"], ["step=3/10 eta=0.3", "step=3/50 eta=0.3"]),
        ("fig2h", ["n=10"], ["step=1 n=10", "step=1/10 n=10"]),
        ("fig2h", ["step_rule=eta/n"], ["step=1/5 step_rule=eta/n"]),
        ("fig1-binary", ["eta=1"], ["eta=1", "step=1/4 eta=1"]),
        ("fig1-continuous", ["noise=linear"], ["linear noise", "linear noise, step=eta/n"]),
        ("fig2b", ["n=40", "noise=constant", "sigma=2"], None),
        ("fig2h", ["dial=0.5,2", "sampler=temperature", "step_rule=eta"], None),
    ],
)
def test_a_label_says_what_its_line_is(panel, changes, labels):
    found = with_changes(EXPERIMENTS[panel], changes).variants
    assert len({line.setting for line in found}) == len(found) == len({line.label for line in found})
    if labels:
        assert [line.label for line in found] == labels


@pytest.mark.parametrize("steps", [(4, 4, 8), (0, 4), (8, 4), ()])
def test_an_experiment_is_read_at_rising_t(steps):
    with pytest.raises(BadInput, match="steps"):
        replace(EXPERIMENTS["fig2h"], steps=steps)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("dd=5", "FIELD one of n, d"),
        ("dial=0.5,1", "it has no dial"),
        ("d", "expected FIELD=VALUE"),
        ("d=five", "d=five: expected a whole number"),
        ("eta=fast", "eta=fast: expected a number"),
        ("k=10", "k=10"),
    ],
)
def test_senseless_changes_are_refused(change, message):
    with pytest.raises(BadInput, match=message):
        with_changes(EXPERIMENTS["fig2f"], [change])
