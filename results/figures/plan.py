"""The planner's picture: what every choice of setting and N costs and brings, and which one to buy.

    PlanView("gsm8k", "llama", "majority", "llm", options, frontier, chosen, target_accuracy=0.85, …)
      cost   setting  N   predicted  low   high  known
      1200   100      8   0.791      0.77  0.81  measured

Circles: measured choices; diamonds: forecast ones; line and band: the frontier with its 90 % interval;
star: the choice to buy.
"""

from dataclasses import dataclass
from pathlib import Path

import altair as alt
import pandas as pd

from results.figures.axes import log_axis, setting_colour, tooltips, value_axis
from results.figures.forecast import STAR
from results.figures.panels import unique_slug, value_range
from results.figures.theme import INK, Figure, combined_spec, in_script, javascript, rendered
from results.figures.words import METHOD_NAMES, UNITS, curves_name, setting_name, show
from results.tables.files import replacing

FIGURE_SUFFIXES = (".png", ".svg", ".html")

_GOAL = "#b93289"

_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Plan</title><body style="margin:1.5rem"><div id="plan"></div>
<script>{javascript}</script><script>vegaEmbed("#plan", {spec}, {{"actions": false}});</script></body></html>
"""


@dataclass(frozen=True)
class PlanView:
    """One model's priced choices, its frontier, the goal, and the choice to buy (None: none reaches it)."""

    dataset: str
    model: str
    method: str
    source: str
    options: pd.DataFrame
    frontier: pd.DataFrame
    chosen: "pd.Series[float] | None"
    target_accuracy: float | None = None
    token_budget: float | None = None

    @property
    def goal(self) -> str:
        """The goal and the choice, as a sentence."""
        if self.target_accuracy is not None:
            goal = f"To reach {show(self.target_accuracy)}"
        elif self.token_budget is not None:
            goal = f"Within {self.token_budget:,.0f} {UNITS[self.source]}"
        else:
            goal = "Best"
        if self.chosen is None:
            return f"{goal}: no choice considered."
        return (
            f"{goal}: {setting_name(self.source, str(self.chosen['setting']))}, N = {self.chosen['N']:.0f}."
        )


def plan_figure(view: PlanView, name: str = "plan") -> Figure:
    """All choices, the frontier with its intervals, the goal and the choice."""
    rows, front = (
        table.assign(low=table["low"].clip(0, 1), high=table["high"].clip(0, 1))
        for table in (view.options, view.frontier)
    )
    budget = [view.token_budget] if view.token_budget else []
    target = [] if view.target_accuracy is None else [view.target_accuracy]
    costs = [*rows["cost"].astype(float), *budget]
    values = pd.concat([rows["predicted"], front["low"], front["high"], pd.Series(target, dtype="float64")])
    y_range = value_range(values.dropna(), "accuracy")
    x = log_axis("cost", min(costs), max(costs), f"{UNITS[view.source]} per question")
    y = value_axis("predicted", "accuracy", y_range)
    colour = setting_colour(list(rows.sort_values("T")["setting"].unique()), view.source)
    known = alt.Scale(domain=["measured", "forecast"], range=["circle", "diamond"])
    said = tooltips(["setting", "N", "cost", "predicted", "low", "high", "known"], view.source)
    layers = [
        alt.Chart(front)
        .mark_area(opacity=0.13, color=INK, interpolate="step-after")
        .encode(x, value_axis("low", "accuracy", y_range), alt.Y2("high:Q")),
        alt.Chart(front).mark_line(color=INK, strokeWidth=1.4, interpolate="step-after").encode(x, y),
        alt.Chart(rows)
        .mark_point(filled=True, size=52, opacity=0.9)
        .encode(x, y, colour, alt.Shape("known:N", scale=known, legend=None), tooltip=said),
    ]
    for column, limit, axis in (("predicted", target, y), ("cost", budget, x)):
        if limit:
            line = alt.Chart(pd.DataFrame({column: limit}))
            layers.append(line.mark_rule(color=_GOAL, strokeDash=[5, 4]).encode(axis))
    if view.chosen is not None:
        star = alt.Chart(pd.DataFrame([view.chosen]))
        star = star.mark_point(shape=STAR, size=190, filled=True, color=_GOAL, stroke="white")
        layers.append(star.encode(x, y))
    return Figure(
        name=name,
        title=curves_name(view.source, view.dataset, view.model),
        subtitle=(
            f"{METHOD_NAMES[view.method].capitalize()} against its cost. {view.goal}",
            "Line and band: no cheaper choice is as good; 90 % interval. Circles are measured.",
        ),
        layers=tuple(layers),
    )


def save_plans(views: list[PlanView], path: Path) -> None:
    """Draw one panel for each model, one below the other, into a .png, .svg or a page that opens offline."""
    figures: list[Figure] = []
    for view in views:
        slug = unique_slug(["plan", view.dataset, view.model], [figure.name for figure in figures])
        figures.append(plan_figure(view, slug))
    spec = combined_spec([[figure] for figure in figures])
    if path.suffix == ".html":
        content = _PAGE.format(javascript=javascript(), spec=in_script(spec)).encode()
    else:
        content = rendered(spec)[path.suffix]
    with replacing(path) as temporary:
        temporary.write_bytes(content)
