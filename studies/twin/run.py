"""The tables of the twin's pages, written from the shipped claims, weights and forecasts.

$ python -m studies.twin.run             every table between its markers, e.g. <!-- begin claims n-l-… -->
$ python -m studies.twin.run --examine   the same, after examining the weights that ship anew (two minutes)
"""

import re
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pandas as pd

from results import read_curves, read_forecast, write_curves
from studies.pages import markdown
from studies.trained.examination import examine, learned_table
from studies.trained.summary import summary
from studies.trained.weights import SHIPPED, read_weights
from synthetic.panels.experiments import EXPERIMENTS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGES = [
    HERE / "README.md",
    HERE / "rewards.md",
    *(HERE.with_name(name) / "README.md" for name in ("figure_3", "trained", "match")),
]
EXAMINED = HERE / "trained.parquet"
"""The curves of the shipped weights: what `studies.trained.run` writes as trained.csv."""
MARKS = {"holds": "", "fails": " ✗", "undecided": " ?"}
"""The mark after a row of a claim."""


def main() -> None:
    """Write the tables of the twin's pages."""
    if "--examine" in sys.argv:
        write_curves(examine(read_weights(SHIPPED), seed=0, tasks=None, paths=256), EXAMINED)
    for path in PAGES:
        path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")


def filled(page: str) -> str:
    """The page with every block rewritten."""

    def block(found: re.Match[str]) -> str:
        start, kind, names, end = found.groups()
        return f"{start}\n{WRITERS[kind](names.split())}\n\n{end}"

    return BLOCK.sub(block, page)


def claims(names: list[str]) -> str:
    """Rows of the shipped claims, each claim under its verdict; rows that do not hold are marked."""
    table = pd.concat(map(pd.read_csv, [ROOT / "results/cached/claims.csv", HERE / "reward-claims.csv"]))
    lines = []
    for name in names:
        rows = table[table["claim"] == name]
        lines.append(f"* `{name}` **{rows['verdict'].iloc[0]}**.")
        for quantity, part in rows.groupby("quantity", sort=False):
            told = (f"{row.setting}: {measured(row)}{MARKS[str(row.outcome)]}" for row in part.itertuples())
            lines.append(f"  {quantity}: {'; '.join(told)}.")
    return "\n".join(lines)


def measured(row: Any) -> str:
    """The value with its interval: at least two digits, the ends with as many decimals."""
    size = abs(row.measured)
    if 0 < size < 1e-4:
        return f"{row.measured:.0e}"
    digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3 if size >= 0.01 else 4
    value, low, high = (f"{one:,.{digits}f}" for one in (row.measured, row.low, row.high))
    return value if low == high else f"{value} [{low}, {high}]"


def settings(names: list[str]) -> str:
    """The settings shared by all lines of an experiment."""
    lines = [line.setting for line in EXPERIMENTS[names[0]].variants]
    shared = {one.name: {getattr(line, one.name) for line in lines} for one in fields(lines[0])}
    numbers = {name: next(iter(values)) for name, values in shared.items() if len(values) == 1}
    shown = (f"{name} = {value:.4g}" for name, value in numbers.items() if isinstance(value, int | float))
    return ", ".join(shown) + "."


def trained(_: list[str]) -> str:
    """What `studies.trained.run` prints, for the shipped weights."""
    told = summary(read_curves(EXAMINED), learned_table(read_weights(SHIPPED)))
    tables = "\n\n".join(f"```\n{title}\n{table}\n```" for title, table in told.items())
    return re.sub(r" +$", "", tables, flags=re.MULTILINE)


def matched(_: list[str]) -> str:
    """How well the twin fits each model's curves and predicts the rest of them."""
    table = read_forecast(HERE / "matched.parquet")
    rows = []
    for dataset, part in table.groupby("dataset", sort=False):
        fits = part.groupby(["model", "setting"])["status"].first().eq("ok")
        beyond = scored(part)
        vote, best = (beyond.loc[beyond["method"] == name, "missed"] for name in ("majority", "best_of_n"))
        rows.append(
            {
                "questions of": dataset,
                "models": part["model"].nunique(),
                "questions × answers": f"{part['questions'].max():.0f} × {part['N'].max()}",
                "curves fitted": f"{fits.sum()} of {len(fits)}",
                "points in 90 % intervals (± points)": f"{beyond['inside'].sum()} of {len(beyond)} "
                f"(± {beyond['half'].mean():.1f})",
                "vote, points off": f"{vote.mean():.1f} (at most {vote.max():.1f})",
                "best-of-N": f"{best.mean():.1f} ({best.max():.1f})",
            }
        )
    return written(pd.DataFrame(rows))


def rivals(_: list[str]) -> str:
    """Mean error of each predictor beyond the points fitted, and its intervals' half-width."""
    files = ("matched", "rivals-majority", "rivals-best_of_n")
    beyond = scored(pd.concat([read_forecast(HERE / f"{name}.parquet") for name in files]))
    if "estimator" in beyond:
        beyond["predictor"] = beyond["estimator"].fillna(beyond["predictor"])
    mean = beyond.groupby(["dataset", "method", "predictor"], sort=False)[["missed", "half"]].mean()
    told = mean.apply(lambda row: f"{row['missed']:.1f} (± {row['half']:.1f})", axis=1).rename("told")
    wide = told.reset_index().pivot_table("told", ["dataset", "method"], "predictor", "first", sort=False)
    order = ["twin", "mixture", "joint", "power-law", "exponential", "flat"]
    return written(wide[order].fillna("–").reset_index())


def scored(table: pd.DataFrame) -> pd.DataFrame:
    """The points that were forecast but not fitted, with their errors in points."""
    table = table[(table["role"] == "held_out") & table["predicted"].notna()]
    return table.assign(
        missed=100 * (table["predicted"] - table["accuracy"]).abs(),
        half=50 * (table["high"] - table["low"]),
        inside=table["accuracy"].between(table["low"], table["high"]),
    )


def written(table: pd.DataFrame) -> str:
    """A table as Markdown."""
    return markdown(table.columns, table.astype(str).to_numpy())


WRITERS: dict[str, Callable[[list[str]], str]] = {
    "claims": claims,
    "setting": settings,
    "trained": trained,
    "match": matched,
    "rivals": rivals,
}
BLOCK = re.compile(rf"(<!-- begin ({'|'.join(WRITERS)}) (.*?) ?-->\n).*?(<!-- end -->)", re.DOTALL)
"""A table between its markers; those of other pages' scripts have other names."""


if __name__ == "__main__":
    main()
