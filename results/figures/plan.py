"""The planner's picture: what every choice of setting and N costs and brings, and which one to buy.

    PlanView("llm", "gsm8k", "llama", "majority", options, target_accuracy=0.85)
      cost   setting  N   predicted  low   high  known
      1200   100      8   0.791      0.77  0.81  measured

Circles: measured choices; diamonds: forecast ones; line and band: the frontier with its 90 % interval;
star: the choice to buy.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import altair as alt
import pandas as pd

from results.figures.axes import log_axis, setting_colour, tooltips, value_axis
from results.figures.forecast import STAR
from results.figures.page import figures_page
from results.figures.panels import order_settings, unique_slug, value_range
from results.figures.series import Series
from results.figures.theme import Figure, combined_spec, rendered
from results.figures.words import METHOD_NAMES, UNITS, bought, curves_name, sentence, show
from results.frontier import best_choice, pareto_frontier
from results.tables.files import replacing

FIGURE_SUFFIXES = (".png", ".svg", ".html")


@dataclass(frozen=True)
class PlanView:
    """One model's priced choices and at most one goal: an accuracy, or tokens for each question."""

    source: str
    dataset: str
    model: str
    method: str
    options: pd.DataFrame
    target_accuracy: float | None = None
    token_budget: float | None = None

    @cached_property
    def frontier(self) -> pd.DataFrame:
        """The choices that nothing as cheap equals, cheapest first."""
        return pareto_frontier(self.options, "predicted")

    @cached_property
    def chosen(self) -> "pd.Series[float] | None":
        """The choice to buy; None where none reaches the goal."""
        return best_choice(self.options, "predicted", self.target_accuracy, self.token_budget)

    @property
    def advice(self) -> str:
        """The goal and the choice, as a sentence."""
        goal = "The cheapest within a point of the best"
        if self.target_accuracy is not None:
            goal = f"To reach {show(self.target_accuracy)}"
        elif self.token_budget is not None:
            goal = f"Within {self.token_budget:,.0f} {UNITS[self.source]}"
        if self.chosen is None:
            return f"{goal}: no choice does."
        return f"{goal}: {bought(self.source, self.chosen, 'predicted')}"


def plan_figure(view: PlanView, name: str = "plan") -> Figure:
    """All choices, the frontier with its intervals, the goal and the choice."""
    rows, front = (
        table.assign(low=table["low"].clip(0, 1), high=table["high"].clip(0, 1))
        for table in (view.options, view.frontier)
    )
    target = pd.Series([view.target_accuracy], dtype="float64").dropna()
    budget = pd.Series([view.token_budget], dtype="float64").dropna()
    chosen = pd.DataFrame([] if view.chosen is None else [view.chosen])
    values = pd.concat([rows["predicted"], front["low"], front["high"], target])
    y_range = value_range(values.dropna(), "accuracy")
    x = log_axis("cost", [*rows["cost"], *budget], f"{UNITS[view.source]} per question")
    y = value_axis("predicted", "accuracy", y_range)
    colour = setting_colour(order_settings(rows.assign(length=rows["cost"] / rows["N"])), view.source)
    known = alt.Scale(domain=["measured", "forecast"], range=["circle", "diamond"])
    shape = alt.Shape("known:N", scale=known, legend=None)
    said = tooltips(["setting", "N", "cost", "predicted", "low", "high", "known"], view.source)

    series = Series(name, "setting", x, y, colour)
    series.add(front, "area", "frontier-band", None, y=value_axis("low", "accuracy", y_range), y2="high:Q")
    series.add(front, "line", "frontier-line", None)
    series.add(rows, "point", "mark", (0.9, 0.1), clip=False, shape=shape, tooltip=said)
    series.add(target.to_frame("predicted"), "rule", "goal", None, x=alt.Undefined)
    series.add(budget.to_frame("cost"), "rule", "goal", None, y=alt.Undefined)
    series.add(chosen, "point", "star", None, clip=False, shape=alt.value(STAR))
    return series.figure(
        curves_name(view.source, view.dataset, view.model),
        f"{sentence(METHOD_NAMES[view.method])} against its cost. {view.advice}",
        "Circles: measured; diamonds: forecast; line: no cheaper choice is as good; band: 90 % interval.",
    )


def save_plans(views: list[PlanView], path: Path) -> None:
    """Draw one panel for each model, one below the other, into a .png, .svg or a page that opens offline."""
    figures: list[Figure] = []
    for view in views:
        slug = unique_slug(["plan", view.dataset, view.model], [figure.name for figure in figures])
        figures.append(plan_figure(view, slug))
    if path.suffix == ".html":
        content = figures_page("Plan", figures)
    else:
        content = rendered(combined_spec([[figure] for figure in figures]))[path.suffix]
    with replacing(path) as temporary:
        temporary.write_bytes(content)
