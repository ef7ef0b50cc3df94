"""The figure of the arena: agreement against cost, a line per rule over its thresholds."""

import altair as alt
import pandas as pd

from results.figures.axes import colour, log_axis, with_hues
from results.figures.series import Series
from results.figures.theme import Figure
from results.stopping.advice import DEFAULT, advice, one_by_one, unit_of
from results.stopping.arena import CLAIRVOYANT
from results.summary.buying import pareto_frontier
from results.words.stopping import sentences


def stopping_figure(table: pd.DataFrame, name: str, title: str) -> Figure:
    """The figure for the rows of one data set, model and setting."""
    rows = one_by_one(table).sort_values(["rule", "share"])
    rules = list(dict.fromkeys(table.loc[table["rule"] != CLAIRVOYANT, "rule"]))
    tried, floor = rows[rows["rule"] != CLAIRVOYANT], rows[rows["rule"] == CLAIRVOYANT]
    unit = unit_of(table)
    n_max, lowest = int(table["n_max"].iloc[0]), rows["agreement"].min()
    x = log_axis("share", rows["share"], f"{unit}, share of those of {n_max} answers")
    x = x.axis(format="~%", labelOverlap="greedy")
    scale = alt.Scale(domain=[lowest, 1.0], nice=False, zero=False)
    y = alt.Y(
        "agreement:Q",
        scale=scale,
        axis=alt.Axis(format="~%", tickCount=6),
        title="agreement with very many answers",
    )
    shown = [
        alt.Tooltip("rule:N"),
        alt.Tooltip("threshold:Q"),
        alt.Tooltip("share:Q", title=f"share of {unit}", format=".1%"),
        alt.Tooltip("answers:Q", format=".1f"),
        alt.Tooltip("agreement:Q", format=".1%"),
        alt.Tooltip("worst_tenth:Q", title="in the worst tenth", format=".1%"),
        alt.Tooltip("accuracy:Q", format=".1%"),
    ]
    front = pareto_frontier(tried, "agreement", "share")
    tried, names = with_hues(tried, "rule", rules, [DEFAULT, *front["rule"]])
    series = Series(name, "hue", x, y, colour("hue:N", names, None))
    series.add(front, "line", "frontier", None)
    series.add(floor, "line", "baseline", None)
    series.add(tried[tried["rule"] != DEFAULT], "line", "thin", (0.85, 0.1), detail="rule:N")
    series.add(tried[tried["rule"] == DEFAULT], "line", "curve")
    series.add(tried, "circle", "point", clip=False, tooltip=shown)
    marks = ["Grey band: no rule is as good for less."] if len(front) > 1 else []
    marks.append("Dashes: who knows the best lead for each question.")
    return series.figure(title, " ".join(sentences(advice(table))), " ".join(marks))
