"""Evaluation of forecasts from curves alone: longer T at every N from 3, 4 or 6 cheap settings and small N.

    python -m studies.figure_3.from_curves --data ../shared/data/samples --jobs 3

Sets: lines of the twin whose accuracy rises with T (fig2e, fig2f, fig2h at step 1/5) or is soon flat (fig2g,
fig2h at step 1, both of fig1-binary), the tiny model with requested lengths (tiny), the tiny model and a real
one cut off at lengths (forced), and real runs treated as if each answer had been stopped at one of ten caps,
the 10 to 99.9 % quantiles of the answers' lengths. The cheapest 3, 4 or 6 settings (at most all but one) are
seen at N ≤ 4 or N ≤ 16; the targets are all longer ones at every N. A row of the CSV is a (set, settings
seen, N seen, predictor, status, width): targets, forecasts given, their mean absolute error in points, how
many are within 3.5 points, how many 90 % intervals cover the truth, and the interval score (width + 20 ×
miss, in points). width: that of the question law alone, in points, the upper end of its class. A set that
is already in the CSV is not measured again; with --again NAME that predictor is. The tables go into
from_curves.md. The paper's algorithm is measured by evidence.py.
"""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path

import click
import numpy as np
import pandas as pd

from predict.curves.law_forecast import forecast_by_law
from predict.estimate import Estimate, Options
from predict.estimators import ESTIMATORS
from predict.evidence.capped import observe
from predict.evidence.groups import Group, groups_of_curves
from predict.evidence.points import Floats
from results import build_curves, read_curves, read_samples
from results.votes.caps import cap_samples
from studies.forecasts.along_t import caps_of
from studies.forecasts.page import insert
from studies.forecasts.rivals import JOINT
from studies.pages import markdown
from synthetic import run_panel

HERE = Path(__file__).resolve().parent

PANELS = {
    "fig2e": ["rising"],
    "fig2f": ["rising"],
    "fig2g": ["flat"],
    "fig2h": ["flat", "rising"],
    "fig1-binary": ["flat", "flat"],
}
"""The kind of each line of a panel."""

SEEN = (3, 4, 6)
UP_TO = (4, 16)
CAPS = 10
NAMES = ("question-law", "exponential", "joint", "flat", "power-law")
FORMER = "former default"
"""The mixture's forecast from curves before the question law; its rows are kept but no longer measured."""

WIDTHS = (1, 2, 3.5, 5, 7.5, 10, 15, 20, 30, 100)
OPTIONS = Options(replicates=100)
NEAR = 3.5


def sets(data: Path | None) -> Iterator[tuple[str, str, str]]:
    """(kind, name, source) of each set."""
    for panel, kinds in PANELS.items():
        for line, kind in enumerate(kinds):
            yield kind, f"{panel} {line + 1}", panel
    yield "tiny", "tiny", "results/cached/tiny.csv"
    yield "forced", "tiny-forced", "studies/figure_3/tiny-forced.csv"
    yield "forced", "qwen-forced", "results/cached/int8-gsm8k-forced.csv"
    for file in sorted(data.glob("boinf-*.csv")) if data else []:
        yield "caps", file.stem.removeprefix("boinf-"), str(file)


def curves_of(kind: str, name: str, source: str) -> pd.DataFrame:
    """The curves of one set."""
    if kind in ("tiny", "forced"):
        return read_curves(source)
    if kind == "caps":
        samples = read_samples(source)
        return build_curves(cap_samples(samples, caps_of(samples, CAPS)), permutations=0)
    lines = [line for _, line in run_panel(source).groupby("model", sort=False)]
    return lines[int(name.split()[-1]) - 1]


def measured(kind: str, name: str, source: str, predictors: tuple[str, ...]) -> pd.DataFrame:
    """The rows of one set."""
    (group,) = groups_of_curves(curves_of(kind, name, source), "majority")
    settings = [setting for setting, _ in group.points.settings()]
    cases = [(min(count, len(settings) - 1), most) for count in SEEN for most in UP_TO]
    rows = [case(group, settings[:count], most, predictors) for count, most in cases]
    return pd.concat(rows, ignore_index=True).assign(kind=kind, set=name)


def case(group: Group, settings: list[str], most: int, predictors: tuple[str, ...]) -> pd.DataFrame:
    """The rows of all predictors for one choice of the evidence."""
    hidden = ~np.isin(group.points.setting, settings)
    targets, truth = group.points[hidden], group.accuracy[hidden]
    observed = observe(group, settings, most)
    law = forecast_by_law(observed, targets, Options())
    widths = np.array(WIDTHS)[np.minimum(np.searchsorted(WIDTHS, 100 * law.width), len(WIDTHS) - 1)]
    found = {name: {**ESTIMATORS, **JOINT}[name](observed, targets, OPTIONS) for name in predictors}
    each = [
        scored(one, truth).assign(predictor=name, status=one.status, width=widths)
        for name, one in found.items()
    ]
    by = pd.concat(each).groupby(["predictor", "status", "width"], sort=False)
    told = by.agg(
        targets=("held", "size"),
        given=("error", "count"),
        error=("error", "mean"),
        near=("near", "sum"),
        held=("held", "sum"),
        score=("score", "mean"),
    )
    return told.reset_index().assign(settings=len(settings), N=most)


def scored(found: Estimate, truth: Floats) -> pd.DataFrame:
    """Each forecast with its error and score in points, and whether it is near and covered."""
    mean, low, high = found.mean, found.these.low, found.these.high
    miss = np.maximum(low - truth, 0) + np.maximum(truth - high, 0)
    error = 100 * np.abs(mean - truth)
    return pd.DataFrame(
        {"error": error, "near": error <= NEAR, "held": miss <= 1e-9, "score": 100 * (high - low + 20 * miss)}
    )


def by_case(table: pd.DataFrame) -> pd.DataFrame:
    """Error, share held and score of each case (set, settings, N) and predictor."""
    whole = table.assign(error=table["error"] * table["given"], score=table["score"] * table["targets"])
    by = whole.groupby(["predictor", "kind", "set", "settings", "N"], sort=False)
    total = by[["targets", "given", "error", "held", "score"]].sum()
    return pd.DataFrame(
        {
            "error": total["error"] / total["given"],
            "held": 100 * total["held"] / total["targets"],
            "score": total["score"] / total["targets"],
        }
    )


def errors_table(cases: pd.DataFrame) -> str:
    """Mean over cases; the last columns are over all of them."""
    kinds = ["rising", "flat", "tiny", "forced", "caps"]
    lines = []
    for name in (*NAMES, FORMER):
        own = cases.loc[name]
        error = own["error"]
        numbers = [*error.groupby("kind").mean().reindex(kinds), error.mean(), error.median()]
        lines.append([name, *map(short, numbers), f"{own['held'].mean():.0f} %", short(own["score"].mean())])
    return markdown(["predictor", *kinds, "all", "median", "held", "score"], lines)


def short(points: float) -> str:
    """A number of points; huge values are abbreviated."""
    if np.isnan(points):
        return "–"
    return f"{points:.1f}" if points < 1000 else "> 1000"


def status_table(table: pd.DataFrame) -> str:
    """The table of how informative the question law's status was."""
    lines = []
    own = table[(table["predictor"] == "question-law") & (table["given"] > 0)]
    for (kind, status), part in pd.concat([own, own.assign(kind="all")]).groupby(["kind", "status"]):
        total = int(part["targets"].sum())
        near, held = (f"{100 * part[name].sum() / total:.0f} %" for name in ("near", "held"))
        lines.append([str(kind), str(status), str(total), near, held])
    return markdown(["kind", "status", "forecasts", "within 3.5 points", "held"], lines)


@click.command()
@click.option("--data", type=click.Path(path_type=Path), help="Folder of the boinf files, for caps.")
@click.option("--jobs", default=1, show_default=True)
@click.option("--again", type=click.Choice(NAMES), help="Measure this predictor again, at every set.")
@click.option("--out", type=click.Path(path_type=Path), default=HERE / "from_curves.csv")
def main(data: Path | None, jobs: int, again: str | None, out: Path) -> None:
    """Measure what the CSV lacks, one set after the other, and write the tables of the page."""
    done = pd.read_csv(out) if out.exists() else pd.DataFrame({"set": [], "predictor": []})
    predictors: tuple[str, ...] = NAMES
    if again:
        done, predictors = done[done["predictor"] != again], (again,)
    had = set(done["set"])
    asked = [one for one in sets(data) if again or one[1] not in had]
    with ProcessPoolExecutor(jobs) as pool:
        found = pool.map(measured, *zip(*asked, strict=True), repeat(predictors)) if asked else ()
        for table in found:
            done = pd.concat([done, table.round(3)], ignore_index=True)
            if not again:
                done.to_csv(out, index=False)
            click.echo(table["set"].iloc[0])
    done.to_csv(out, index=False)
    cases = by_case(done)
    if out == HERE / "from_curves.csv":
        four = cases.query("settings == 4 and N == 16")
        insert("from-curves", errors_table(cases))
        insert("from-four-settings", errors_table(four))
        insert("status", status_table(done))
    else:
        click.echo(errors_table(cases))


if __name__ == "__main__":
    main()
