"""What each approximation of Algorithm 3 costs: it is repaired step by step, and every step is measured.

    python -m studies.figure_3.steps --data ../shared/data/samples        (five minutes)

The sets and what is seen of them are those of from_curves.py, at N ≤ 16. Writes steps.csv, a row for each
set, number of settings seen and step, with the mean absolute error in points, and a table of
docs/figure-3.md.
"""

from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import click
import numpy as np
import pandas as pd

from predict.curves.low_cost_to_high import low_cost_to_high
from predict.curves.question_law import estimate, fit
from predict.estimate import Options
from predict.estimators import ESTIMATORS
from predict.evidence.groups import groups_of_curves
from predict.evidence.hidden import observe
from predict.evidence.points import Evidence, Floats, Points
from results.saturating import fit_curves, rate_grid
from studies.figure_3.from_curves import SEEN, curves_of, sets, short
from studies.forecasts.page import insert

HERE = Path(__file__).resolve().parent

UP_TO = 16
ALIKE = 0.02
"""So little do log-odds differ between questions where all of them count as one."""

KINDS = {
    "rising": "twin, rising",
    "flat": "twin, flat",
    "tiny": "small model",
    "forced": "ended",
    "caps": "caps",
}
"""Kinds of sets and what the page calls them."""

Step = Callable[[Evidence, Points], Floats]


def algorithm_3(seen: Evidence, targets: Points) -> Floats:
    """The paper's, line by line."""
    mean: Floats = low_cost_to_high(seen.points, seen.accuracy[None], targets).mean[0]
    return mean


def one_fit(seen: Evidence, targets: Points) -> Floats:
    """Its formula, but fitted to all points at once, within bounds: no system of two equations."""
    return ESTIMATORS["joint"](seen, targets, Options(replicates=0)).mean


def exact_vote(seen: Evidence, targets: Points) -> Floats:
    """The exact vote on one question in place of Δ²/2; along T one exponential."""
    prior = np.array([np.log(ALIKE), fit.PRIOR[1], np.log(ALIKE), fit.PRIOR[3]])
    width = np.array([0.01, fit.PRIOR_SD[1], 0.01, fit.PRIOR_SD[3]])
    with patch.multiple(fit, PRIOR=prior, PRIOR_SD=width, REACH=4 * width):
        return many_questions(seen, targets)


def many_questions(seen: Evidence, targets: Points) -> Floats:
    """Questions that differ, and the exact vote on each; along T one exponential."""
    with patch.object(estimate, "along_T", exponential):
        return averaged_laws(seen, targets)


def averaged_laws(seen: Evidence, targets: Points) -> Floats:
    """The same, and along T a mean over many laws: the question law."""
    return estimate.estimate(seen.points, seen.accuracy, seen.stderr, targets, draws=0).mean


def exponential(
    T: Floats, scaled: Floats, _variance: Floats, at: Floats, R: int, *_: object
) -> tuple[Floats, Floats]:
    """In the place of `along_T`: γ − κ e^(−μT) through how often one answer is right, as the paper has it.

    Takes and gives what `along_T` does; nothing is drawn.
    """
    single = estimate._accuracy(scaled)
    curve = fit_curves(T, single[None], rates=rate_grid(T), accuracy=True)
    mean = estimate._scaled(np.clip(curve(at)[0], 0.0, 1.0))
    return mean, np.repeat(mean[None], R, axis=0)


STEPS: dict[str, Step] = {
    "Algorithm 3": algorithm_3,
    "two 2 × 2 systems → one fit within bounds": one_fit,
    "Δ²/2 → the exact vote": exact_vote,
    "one question → many": many_questions,
    "one exponential in T → averaged laws: `question-law`": averaged_laws,
}


def errors_of(kind: str, name: str, source: str) -> pd.DataFrame:
    """The mean error in points of each step on one set, at each number of settings seen."""
    (group,) = groups_of_curves(curves_of(kind, name, source), "majority")
    settings = [setting for setting, _ in group.points.settings()]
    rows = []
    for count in dict.fromkeys(min(seen, len(settings) - 1) for seen in SEEN):
        hidden = ~np.isin(group.points.setting, settings[:count])
        seen = observe(group, settings[:count], UP_TO)
        for step, call in STEPS.items():
            off = np.abs(call(seen, group.points[hidden]) - group.accuracy[hidden])
            error = 100 * np.nanmean(off) if np.isfinite(off).any() else np.nan
            rows.append({"kind": kind, "set": name, "settings": count, "step": step, "error": error})
    return pd.DataFrame(rows)


def table_of(found: pd.DataFrame) -> str:
    """A row a step: the median over the cases of each kind, the median over all, and their mean."""
    lines = [f"| step | {' | '.join(KINDS.values())} | all | mean |", "|---" * (len(KINDS) + 3) + "|"]
    for step in STEPS:
        own = found[found["step"] == step]
        by_kind = own.groupby("kind")["error"].median().reindex(list(KINDS))
        numbers = [*by_kind, own["error"].median(), own["error"].mean()]
        lines.append(f"| {step} | {' | '.join(map(short, numbers))} |")
    return "\n".join(lines)


@click.command()
@click.option("--data", type=click.Path(path_type=Path), help="Folder of the boinf files, for caps.")
def main(data: Path | None) -> None:
    """Measure every step on every set and write the table of the page."""
    found = []
    for one in sets(data):
        found.append(errors_of(*one))
        click.echo(one[1])
    table = pd.concat(found, ignore_index=True).round(3)
    table.to_csv(HERE / "steps.csv", index=False)
    insert("steps", table_of(table))


if __name__ == "__main__":
    main()
