"""What a command needs is checked before its work: a wrong value is reported once the input is read."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import tts
from tests.predict.conftest import simulated_samples

WORK = (
    *("results.votes.curves.accuracy_by", "results.report.inputs.curves_and_votes"),
    *("results.report.page.make_panels", "results.paired.runs.level_of_each", "results.stopping.arena.arena"),
    *("predict.cli.forecast.forecast", "predict.cli.backtest.backtest", "predict.cli.fits.appendix_fits"),
    *("predict.cli.plan.forecast_choices", "predict.cli.plan.measured_choices"),
    "predict.planning.imagined_runs.fit_population",
    *("synthetic.panels.running.run_experiment", "synthetic.theory.claims.claims_table.evaluate"),
    *("harness.cli.drawing.draw", "harness.exports.publish._write"),
)
"""Where the work of each command begins."""

SAMPLING = "sample tiny --out run"


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The current folder, with small.csv and large.csv; a command that reaches its work fails."""

    def fail(*_: Any, **__: Any) -> None:
        raise AssertionError("the work was reached")

    for name in WORK:
        module, _, function = name.rpartition(".")
        monkeypatch.setattr(import_module(module), function, fail)
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(("small", "large")):
        samples = simulated_samples(8, 4, ("40", "80"), seed)
        samples.assign(model=name, dataset="sums").to_csv(f"{name}.csv", index=False)
    return tmp_path


NOWHERE = "small.csv/x.csv"
"""A path that cannot be written: its parent is a file."""


@pytest.mark.parametrize(
    "line",
    [
        *(
            f"{name} small.csv --out {out}"
            for name in ("curves", "stop", "fits", "precision", "forecast")
            for out in (NOWHERE, "x.txt")
        ),
        *(
            f"{name} small.csv --out x.csv {options}"
            for name in ("curves", "compare", "stop", "forecast", "plan")
            for options in ("--bare", "--width 3.3in", "--plot x.html --bare", "--plot x.pdf --width 3.3")
        ),
        *(
            f"{name} small.csv --out x.csv --plot {plot}"
            for name in ("stop", "forecast", "plan")
            for plot in ("x.txt", "small.csv/x.svg")
        ),
        "curves small.csv --out x.csv --method best_by_score",
        "curves small.csv --out x.csv --method nope",
        "compare small.csv large.csv --out x.txt",
        "compare small.csv large.csv --price small=1 --price nope=1",
        "compare small.csv large.csv --at 900",
        "compare small.csv large.csv --method best_by_score",
        "compare small.csv large.csv --level 95",
        "stop small.csv --out x.csv --rule nope",
        "forecast small.csv --out x.csv --predictor nope",
        "forecast small.csv --out x.csv --predictor survival",
        "forecast small.csv --out x.csv --fit-settings nope",
        "forecast small.csv --out x.csv --at-settings nope",
        "forecast small.csv --out x.csv --then nope.csv",
        "forecast small.csv large.csv --out x.csv --fit-max-tokens 1",
        f"backtest small.csv --fit-max-n 2 --out {NOWHERE}",
        "backtest small.csv --fit-max-n 2 --out x.csv --at-n 900",
        "backtest small.csv --fit-max-n 2 --out x.csv --predictor survival",
        "backtest small.csv --fit-max-n 900 --out x.csv",
        "plan small.csv --predictor nope",
        "plan small.csv --predictor survival",
        "plan small.csv --at-settings nope",
        "plan small.csv --score nope",
        "plan small.csv --price nope=1",
        "plan small.csv --target-accuracy 80",
        "precision small.csv --answers 5000",
        "report small.csv --out small.csv",
        "report small.csv --out small.csv/x",
        "report small.csv --out x --price nope=1",
        "page small.csv --out x --price nope=1",
        "page small.csv --out x --target-accuracy 80",
        "page small.csv --out small.csv/x",
        "twin run fig1-binary --out small.csv/x",
        "twin run fig1-binary --set nope=1 --out x",
        "twin claims --out x.txt",
        f"twin claims --out {NOWHERE}",
        f"{SAMPLING} --curves x.txt",
        f"{SAMPLING} --curves {NOWHERE}",
        f"{SAMPLING} --set readers=nope",
        "export small.csv --out small.csv/x",
    ],
)
@pytest.mark.usefixtures("idle")
def test_a_wrong_value_is_told_before_the_work(line: str) -> None:
    done = CliRunner().invoke(tts.cli, line.split())
    assert done.exit_code == 2, (done.exception, done.output)
    assert not Path("x.csv").exists()
    assert not Path("x").exists()
