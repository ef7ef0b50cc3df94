"""The planner's picture: what every choice of setting and N costs and brings, and what to buy.

    PlanView("gsm8k", "llama", "majority", "llm", options, frontier, chosen, target_accuracy=0.85, …)
      cost   setting  N   predicted  low   high  known
      1200   100      8   0.791      0.77  0.81  measured

Circles: measured choices; diamonds: forecast ones; line and band: the frontier with its 90 % interval;
star: what to buy.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import altair as alt
import pandas as pd
import vl_convert

from results.figures.axes import log_axis, setting_colour, show, value_axis
from results.figures.forecast import STAR
from results.figures.panels import METHOD_NAMES, curves_name, unique_slug, value_range
from results.figures.theme import INK, Figure, combined_spec, javascript
from results.tables.files import replacing

PLOT_SUFFIXES = (".png", ".svg", ".html")

_GOAL = "#b93289"

_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Plan</title><body style="margin:1.5rem"><div id="plan"></div>
<script>{javascript}</script><script>vegaEmbed("#plan", {spec}, {{"actions": false}});</script></body></html>
"""


@dataclass(frozen=True)
class PlanView:
    """One model's priced choices, its frontier, the choice (None: nothing reaches) and the goal."""

    dataset: str
    model: str
    method: str
    source: str
    options: pd.DataFrame
    frontier: pd.DataFrame
    chosen: "pd.Series[float] | None"
    target_accuracy: float | None = None
    token_budget: float | None = None


def plan_figure(view: PlanView, name: str = "plan") -> Figure:
    """All choices, the frontier with its intervals, the goal and the choice."""
    unit = "steps" if view.source == "synthetic" else "tokens"
    rows = view.options.assign(low=view.options["low"].clip(0, 1), high=view.options["high"].clip(0, 1))
    front = view.frontier.assign(low=view.frontier["low"].clip(0, 1), high=view.frontier["high"].clip(0, 1))
    settings = list(rows.sort_values("T")["setting"].unique())
    costs = [
        float(rows["cost"].min()),
        float(rows["cost"].max()),
        *([view.token_budget] if view.token_budget else []),
    ]
    x = log_axis("cost", min(costs), max(costs), f"{unit} per question")
    goal = [] if view.target_accuracy is None else [view.target_accuracy]
    values = pd.concat([rows["predicted"], front["low"], front["high"], pd.Series(goal, dtype="float64")])
    y_range = value_range(values.dropna(), "accuracy")
    y = value_axis("predicted", "accuracy", y_range)
    known = alt.Scale(domain=["measured", "forecast"], range=["circle", "diamond"])
    shape = alt.Shape("known:N", scale=known, legend=None)
    said = [
        alt.Tooltip("setting:N"),
        alt.Tooltip("N:Q", title="answers N"),
        alt.Tooltip("cost:Q", title=f"{unit} per question", format=",.0f"),
        alt.Tooltip("predicted:Q", title="accuracy", format=".1%"),
        alt.Tooltip("low:Q", format=".1%"),
        alt.Tooltip("high:Q", format=".1%"),
        alt.Tooltip("known:N"),
    ]
    layers = [
        alt.Chart(front)
        .mark_area(opacity=0.13, color=INK, interpolate="step-after")
        .encode(x, value_axis("low", "accuracy", y_range), alt.Y2("high:Q")),
        alt.Chart(front).mark_line(color=INK, strokeWidth=1.4, interpolate="step-after").encode(x, y),
        alt.Chart(rows)
        .mark_point(filled=True, size=52, opacity=0.9)
        .encode(x, y, setting_colour(settings), shape, tooltip=said),
    ]
    if view.target_accuracy is not None:
        line = pd.DataFrame({"predicted": [view.target_accuracy]})
        layers.append(alt.Chart(line).mark_rule(color=_GOAL, strokeDash=[5, 4]).encode(y))
    if view.token_budget is not None:
        line = pd.DataFrame({"cost": [view.token_budget]})
        layers.append(alt.Chart(line).mark_rule(color=_GOAL, strokeDash=[5, 4]).encode(x))
    if view.chosen is not None:
        row = pd.DataFrame([view.chosen])
        layers.append(
            alt.Chart(row)
            .mark_point(shape=STAR, size=190, filled=True, color=_GOAL, stroke="white")
            .encode(x, y)
        )
    return Figure(
        name=name,
        title=curves_name(view.source, view.dataset, view.model),
        subtitle=(
            f"{METHOD_NAMES[view.method].capitalize()} against its cost. {_goal(view, unit)}",
            "Line, band: no cheaper choice is as good; 90 % interval. Circles are measured.",
        ),
        words=f"Accuracy against {unit} per question. {_goal(view, unit)}",
        layers=tuple(layers),
    )


def save_plans(views: list[PlanView], path: Path) -> None:
    """Draw one panel a model, below one another, into a .png, .svg or a page that opens offline."""
    figures: list[Figure] = []
    for view in views:
        slug = unique_slug(["plan", view.dataset, view.model], [figure.name for figure in figures])
        figures.append(plan_figure(view, slug))
    spec = combined_spec([[figure] for figure in figures])
    if path.suffix == ".html":
        page = _PAGE.format(javascript=javascript(), spec=json.dumps(spec).replace("<", "\\u003c"))
        content = page.encode()
    elif path.suffix == ".svg":
        content = str(vl_convert.vegalite_to_svg(spec)).encode()
    else:
        content = bytes(vl_convert.vegalite_to_png(spec, scale=2))
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def _goal(view: PlanView, unit: str) -> str:
    row = view.chosen
    goal = (
        f"To reach {show(view.target_accuracy)}" if view.target_accuracy is not None
        else f"Within {view.token_budget:,.0f} {unit}" if view.token_budget is not None else "Best"
    )  # fmt: skip
    if row is None:
        return f"{goal}: no choice considered."
    return f"{goal}: setting {row['setting']}, N = {row['N']:.0f}."
