"""Forecasts from curves alone, measured: dearer T at every N from 3, 4 or 6 cheap settings and small N.

    python docs/forecasting/from_curves.py --data ../shared/data/samples --jobs 3

Sets: lines of the twin whose accuracy rises with T (fig2e, fig2f, fig2h at step 1/5) or is soon flat (fig2g,
fig2h at step 1, both of fig1-binary), the small model, and real runs looked at as if each answer had been
stopped at one of ten caps (the 10 … 99.9 % quantiles of the answer lengths). Seen are the cheapest 3, 4 or 6
settings (at most all but one) at N ≤ 4 or N ≤ 16; asked are all dearer ones at every N. Each (set,
settings seen, N seen, predictor, status, width) is a row: targets, mean absolute error in points, how many
are off by at most 3.5 points, how many intervals of 90 % hold the truth, interval score (width + 20 × miss).
width: that of the question law alone, in points, the upper end of its class. apart: the mean distance of the
paper's forecasts from the question law's. A set that the CSV has already is not measured again.
"""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import click
import numpy as np
import pandas as pd
from page import HERE

from predict.curves.question_law.estimate import distance_to_algorithm_3, estimate
from predict.estimate import Estimate, Options
from predict.estimators import ESTIMATORS
from predict.evidence.groups import Group, groups_of_curves
from predict.evidence.hidden import observe
from predict.evidence.points import Floats
from results import build_curves, read_curves, read_samples
from results.votes.caps import cap_samples
from synthetic import run_panel

PANELS = {"fig2e": ["rising"], "fig2f": ["rising"], "fig2g": ["flat"], "fig2h": ["flat", "rising"],
          "fig1-binary": ["flat", "flat"]}  # fmt: skip
"""The kind of each line."""

SEEN = (3, 4, 6)
UP_TO = (4, 16)
CAPS = 10
NAMES = ("question-law", "exponential", "joint", "flat", "power-law", "mixture", "low-cost-to-high")
WIDTHS = (1, 2, 3.5, 5, 7.5, 10, 15, 20, 30, 100)
OPTIONS = Options(replicates=100)
NEAR = 3.5


def sets(data: Path | None) -> Iterator[tuple[str, str, str]]:
    """(kind, name, where it comes from) of each set."""
    for panel, kinds in PANELS.items():
        for line, kind in enumerate(kinds):
            yield kind, f"{panel} {line + 1}", panel
    yield "tiny", "tiny", "results/cached/tiny.csv"
    for file in sorted(data.glob("boinf-*.csv")) if data else []:
        yield "caps", file.stem.removeprefix("boinf-"), str(file)


def curves_of(kind: str, name: str, source: str) -> pd.DataFrame:
    """The curves of one set."""
    if kind == "tiny":
        return read_curves(source)
    if kind == "caps":
        samples = read_samples(source)
        caps = [round(cap) for cap in np.quantile(samples["tokens"], np.linspace(0.1, 0.999, CAPS))]
        return build_curves(cap_samples(samples, caps), permutations=0)
    lines = [line for _, line in run_panel(source).groupby("model", sort=False)]
    return lines[int(name.split()[-1]) - 1]


def measured(kind: str, name: str, source: str) -> pd.DataFrame:
    """The rows of one set."""
    (group,) = groups_of_curves(curves_of(kind, name, source), "majority")
    settings = [setting for setting, _ in group.points.settings()]
    cases = [(min(count, len(settings) - 1), most) for count in SEEN for most in UP_TO]
    rows = [case(group, settings[:count], most) for count, most in cases]
    return pd.concat(rows, ignore_index=True).assign(kind=kind, set=name)


def case(group: Group, settings: list[str], most: int) -> pd.DataFrame:
    """All predictors on one choice of what is seen."""
    hidden = ~np.isin(group.points.setting, settings)
    targets, truth = group.points[hidden], group.accuracy[hidden]
    observed = observe(group, settings, most)
    points = observed.points
    law = estimate(points, observed.accuracy, observed.stderr, targets, draws=0)
    widths = np.array(WIDTHS)[
        np.minimum(np.searchsorted(WIDTHS, 100 * law.width_of_one_T_law), len(WIDTHS) - 1)
    ]
    found = {name: ESTIMATORS[name](observed, targets, OPTIONS) for name in NAMES}
    apart = 100 * distance_to_algorithm_3(found["low-cost-to-high"].mean, law.mean)
    each = [
        scored(one.mean, one.these.low, one.these.high, truth).assign(
            predictor=name, status=one.status, width=widths
        )
        for name, one in found.items()
    ]
    by = pd.concat(each).groupby(["predictor", "status", "width"], sort=False)
    told = by.agg(targets=("held", "size"), given=("error", "count"), error=("error", "mean"),
                  near=("near", "sum"), held=("held", "sum"), score=("score", "mean"))  # fmt: skip
    return told.reset_index().assign(settings=len(settings), N=most, apart=apart)


def scored(found: Estimate, truth: Floats) -> pd.DataFrame:
    """Error and score in points, and whether near and held, of each forecast."""
    mean, low, high = found.mean, found.these.low, found.these.high
    miss = np.maximum(low - truth, 0) + np.maximum(truth - high, 0)
    error = 100 * np.abs(mean - truth)
    return pd.DataFrame(
        {"error": error, "near": error <= NEAR, "held": miss <= 1e-9, "score": 100 * (high - low + 20 * miss)}
    )


@click.command()
@click.option(
    "--data", type=click.Path(path_type=Path), help="Folder of the boinf files; without it no caps."
)
@click.option("--jobs", default=1, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default=HERE / "from_curves.csv")
def main(data: Path | None, jobs: int, out: Path) -> None:
    """Measure what the CSV lacks, one set after the other."""
    done = pd.read_csv(out) if out.exists() else pd.DataFrame({"set": []})
    asked = [one for one in sets(data) if one[1] not in set(done["set"])]
    with ProcessPoolExecutor(jobs) as pool:
        for table in pool.map(measured, *zip(*asked, strict=True)) if asked else ():
            done = pd.concat([done, table.round(3)], ignore_index=True)
            done.to_csv(out, index=False)
            click.echo(table["set"].iloc[0])


if __name__ == "__main__":
    main()
