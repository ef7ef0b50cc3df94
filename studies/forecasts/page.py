"""The tables, figures and examples of the guide and README.md, from the scores of the backtests.

set     method    seen  predictor  forecasts  mean_error  bias    coverage  width  interval_score
biggsm  majority  4     mixture    24         0.0054      0.0012  1.00      0.031  0.031
"""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import vl_convert

from results.figures.theme import combined_spec
from studies.forecasts.figures import SIMPLE, errors_figure
from studies.pages import insert_into, markdown

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGES = (
    ROOT / "docs" / "forecasting.md",
    HERE / "README.md",
    HERE / "along_t.md",
    HERE.with_name("figure_3") / "README.md",
    HERE.with_name("figure_3") / "from_curves.md",
)

insert = partial(insert_into, PAGES)

METHODS = {"majority": "Majority vote", "best_of_n": "Best of N"}
CURVE = "mixture, curve"

OTHERS = (
    "flat",
    "exponential",
    "power-law",
    "low-cost-to-high",
    "joint",
    "question-law",
    "plug-in",
    "beta-binomial",
)
"""The first columns of a table; after them the rivals from the literature, ours last."""

TIE = 1.05
"""Errors within this ratio tie; then `flat` is named, being the simplest."""


def write(found: pd.DataFrame) -> None:
    """Write the tables and the figure of the page."""
    named = found.assign(set=found["set"] + ", " + found["seen"].astype(str))
    parts = {method: named[named["method"] == method] for method in METHODS}
    for method, part in parts.items():
        insert(method, errors_table(part[part["predictor"] != CURVE]))
    insert("ratio", "\n\n".join(verdict(METHODS[method], part) for method, part in parts.items()))
    insert("curves", curves_table(named))
    figures = [errors_figure(part, method, METHODS[method]) for method, part in parts.items()]
    png = bytes(vl_convert.vegalite_to_png(combined_spec([figures]), scale=1.6))
    (HERE / "errors.png").write_bytes(png)


def errors_table(table: pd.DataFrame) -> str:
    """Mean error in points and (coverage); the smallest is bold, as is `flat` if it ties."""
    present = list(dict.fromkeys(table["predictor"]))
    present = sorted(present, key=lambda name: (name == "mixture", name not in OTHERS))
    error = 100 * table.pivot_table("mean_error", "set", "predictor", sort=False)
    held = table.pivot_table("coverage", "set", "predictor", sort=False)
    present = [name for name in present if name in error]
    lines = []
    for name, row in error.iterrows():
        cells = [str(name)]
        for predictor in present:
            text = "–" if np.isnan(row[predictor]) else f"{row[predictor]:.2f}"
            smallest = row[predictor] <= row.min() * (TIE if predictor == "flat" else 1)
            inside = held.loc[str(name)].get(predictor, np.nan)
            cells.append(
                (f"**{text}**" if smallest else text) + ("" if np.isnan(inside) else f" ({100 * inside:.0f})")
            )
        lines.append(cells)
    return markdown(["set, answers seen", *present], lines)


def verdict(label: str, table: pd.DataFrame) -> str:
    """The mixture against each set's best simple rival and the rivals from the literature."""
    error, score = (
        table.pivot_table(column, "set", "predictor") for column in ("mean_error", "interval_score")
    )
    simple, names = list(SIMPLE), [CURVE, "mixture", "joint", "question-law", *OTHERS]
    published = [name for name in error if name not in names]
    ratio = error["mixture"] / error[simple].min(axis=1)
    known = error["mixture"] / error[published].min(axis=1)
    scored = score["mixture"] / score[simple].min(axis=1)
    ties = (error["flat"] <= TIE * error[simple].min(axis=1)).sum()
    worse = (error["mixture"] > TIE * error["flat"]).sum()
    ours = table[table["predictor"] == "mixture"]
    held, trusted = ours["coverage"], ours["ok"] * ours["forecasts"]
    share = trusted.sum() / ours["forecasts"].sum()
    ok_held = (ours["ok_coverage"].fillna(0) * trusted).sum() / trusted.sum()
    mean, beside, width = (geometric_mean(values) for values in (ratio, known, scored))
    theirs = ", ".join(
        f"{geometric_mean(score['mixture'] / score[name]):.2f} of that of {name}" for name in published
    )
    return (
        f"**{label}**, {len(ratio)} cases (a set and the answers seen):\n\n"
        f"* Beside the published laws: the mixture's error is {beside:.2f} times that of whichever of them "
        f"is best in a case, known afterwards. Its interval score is {theirs} (bootstrap intervals).\n"
        "* Beside the simple rivals (flat, exponential, power law): its error is "
        f"{mean:.2f} times that of the best of them in a case (geometric mean, {ratio.min():.2f} to "
        f"{ratio.max():.2f}), and its interval score {width:.2f} times. `flat` is the best of the three, or "
        f"ties, in {ties} cases, and is nearer than the mixture in {worse}.\n"
        f"* {100 * held.mean():.0f} % of its intervals hold ({100 * held.min():.0f} % in the worst case). "
        f"{100 * share:.0f} % of its forecasts are `ok`, and of these {100 * ok_held:.0f} % hold."
    )


def geometric_mean(ratios: "pd.Series[float]") -> float:
    """The mean of ratios."""
    return float(np.exp(np.log(ratios).mean()))


def curves_table(table: pd.DataFrame) -> str:
    """Votes from curves alone: errors relative to the power law's, geometric means over sets."""
    names = ["flat", "power-law", "exponential", "joint", CURVE]
    votes = table[table["method"] == "majority"]
    error = votes.pivot_table("mean_error", ["seen", "set"], "predictor")[names].clip(lower=1e-3)
    relative = error.div(error["power-law"], axis=0).map(np.log).groupby("seen")
    lines = []
    for seen, row in relative.mean().map(np.exp).iterrows():
        sets = relative.size()[int(str(seen))]
        lines.append([str(seen), str(sets), *(f"{row[name]:.2f}" for name in names)])
    return markdown(["answers seen", "sets", *names], lines)
