"""Forecasts from curves alone, measured: dearer T at every N from 3, 4 or 6 cheap settings and small N.

    python docs/forecasting/from_curves.py --data ../shared/data/samples --jobs 2          (8 minutes)

Sets: panels of the twin whose accuracy rises with T (fig2e, fig2f, fig2h at step 1/5) or is soon flat (fig2g,
fig2h at step 1, fig1-binary), the small model, and real runs looked at as if each answer had been stopped at
one of ten caps (the 10 … 99.9 % quantiles of the answer lengths). Seen are the cheapest 3, 4 or 6 settings at
N ≤ 4 or N ≤ 16; asked are all dearer ones at every N. Each (set, settings seen, N seen, predictor, status)
gives one row: targets, mean absolute error in points, how many intervals of 90 % hold the truth, interval
score (width + 20 × miss, in points).
"""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import click
import numpy as np
import pandas as pd
from page import HERE, insert
from predict.answers.from_curve import from_curves as mixture

from predict.curves.question_law.estimate import question_law
from predict.curves.rival_interval import RIVALS
from predict.estimate import Estimator, Options
from predict.evidence.groups import groups_of_curves
from predict.evidence.points import Evidence
from results import build_curves, read_curves, read_samples
from results.tables.files import write_raw
from results.votes.caps import cap_samples
from synthetic import run_panel

PANELS = {"rising": ("fig2e", "fig2f", "fig2h 1/5"), "flat": ("fig2g", "fig2h", "fig1-binary")}
SEEN = (3, 4, 6)
UP_TO = (4, 16)
CAPS = 10
ESTIMATORS: dict[str, Estimator] = {"question-law": question_law, **RIVALS, "mixture": mixture}


def sets(data: Path | None) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """(kind, name, curves) of each set."""
    for kind, panels in PANELS.items():
        for name in panels:
            panel, _, step = name.partition(" ")
            curves = run_panel(panel)
            lines = list(curves.groupby("model", sort=False))
            yield kind, name, lines[1 if step else 0][1]
    yield "tiny", "tiny", read_curves("results/cached/tiny.csv")
    for file in sorted(data.glob("boinf-*.csv")) if data else []:
        samples = read_samples(file)
        caps = [round(cap) for cap in np.quantile(samples["tokens"], np.linspace(0.1, 0.999, CAPS))]
        capped = cap_samples(samples, caps)
        yield "caps", file.stem.removeprefix("boinf-"), build_curves(capped, permutations=0)


def measured(kind: str, name: str, curves: pd.DataFrame) -> pd.DataFrame:
    """The rows of one set."""
    (group,) = groups_of_curves(curves, "majority")
    points, settings = group.points, [setting for setting, _ in group.points.settings()]
    rows = []
    for count in SEEN:
        known = np.isin(points.setting, settings[:count])
        for most in UP_TO:
            fitted = known & (most >= points.N)
            evidence = Evidence(points[fitted], group.accuracy[fitted], group.stderr[fitted])
            for predictor, estimate in ESTIMATORS.items():
                found = estimate(evidence, points[~known], Options(200))
                low, high, truth = found.these.low, found.these.high, group.accuracy[~known]
                miss = np.maximum(low - truth, 0) + np.maximum(truth - high, 0)
                each = pd.DataFrame(
                    {
                        "status": found.status,
                        "error": 100 * np.abs(found.mean - truth),
                        "held": (miss == 0) & np.isfinite(low),
                        "score": 100 * (high - low + 20 * miss),
                    }
                )
                by = each.groupby("status", as_index=False)
                told = by.agg(targets=("held", "size"), error=("error", "mean"), held=("held", "sum"),
                              score=("score", "mean"))  # fmt: skip
                rows.append(told.assign(predictor=predictor, settings=count, N=most))
    return pd.concat(rows, ignore_index=True).assign(kind=kind, set=name)


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Error, share held and score by kind of set and predictor, over all that was asked."""
    weighted = table.assign(error=table["error"] * table["targets"], score=table["score"] * table["targets"])
    every = pd.concat([weighted, weighted.assign(kind="all")])
    columns = ["targets", "error", "held", "score"]
    case = every.groupby(["kind", "set", "settings", "N", "predictor"], sort=False)[columns].sum()
    per_case = case[["error", "held", "score"]].div(case["targets"], axis=0)
    return per_case.groupby(["predictor", "kind"], sort=False).mean().unstack("kind")


def trusted(table: pd.DataFrame) -> pd.DataFrame:
    """What each status of the question law meant: targets, share held, error."""
    own = table[table["predictor"] == "question-law"]
    own = own.assign(error=own["error"] * own["targets"])
    total = own.groupby(["kind", "status"])[["targets", "held", "error"]].sum()
    return total.assign(held=total["held"] / total["targets"], error=total["error"] / total["targets"])


def page_table(table: pd.DataFrame) -> str:
    """The summary as the table of from_curves.md."""
    found = summary(table)
    kinds = ["rising", "flat", "tiny", "caps", "all"]
    lines = ["| predictor | " + " | ".join(kinds) + " | held | score |", "|---" * 8 + "|"]
    for name in ESTIMATORS:
        errors = [f"{found.loc[name, ('error', kind)]:.1f}" for kind in kinds]
        held, score = found.loc[name, ("held", "all")], found.loc[name, ("score", "all")]
        lines.append(f"| {name} | {' | '.join(errors)} | {100 * held:.0f} % | {score:.0f} |")
    return "\n".join(lines)


@click.command()
@click.option(
    "--data", type=click.Path(path_type=Path), help="Folder of the boinf files; without it no caps."
)
@click.option("--jobs", default=1, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default=HERE / "from_curves.csv")
def main(data: Path | None, jobs: int, out: Path) -> None:
    """Measure, write the CSV, print the tables and put the first into docs/forecasting/from_curves.md."""
    with ProcessPoolExecutor(jobs) as pool:
        tables = [pool.submit(measured, *one) for one in sets(data)]
        table = pd.concat([one.result() for one in tables], ignore_index=True)
    write_raw(table.round(4), out)
    print(page_table(table))
    print(trusted(table).round(3).to_string())
    if out == HERE / "from_curves.csv":
        insert("from-curves", page_table(table))


if __name__ == "__main__":
    main()
