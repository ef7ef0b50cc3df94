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
from markupsafe import Markup

from results.figures.axes import log_axis, setting_colour, tooltips, value_axis
from results.figures.forecast import STAR
from results.figures.page import draw_script, figure_data, policy, style, vega
from results.figures.panels import unique_slug, value_range
from results.figures.series import Series
from results.figures.theme import Figure, combined_spec, rendered
from results.figures.words import METHOD_NAMES, UNITS, bought, curves_name, show
from results.tables.files import replacing

FIGURE_SUFFIXES = (".png", ".svg", ".html")

_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>Plan</title><style>{css}</style><body>{body}
<script type="application/json" id="specs">{specs}</script>
<script type="application/json" id="looks">{looks}</script>
<script>{vega}</script><script>{draw}</script></body></html>
"""
_CSS = (
    "body { background: var(--paper); color: var(--ink); max-width: 1160px; margin: auto; padding: 24px; "
    "font: 16px/1.5 system-ui, sans-serif } h1 { font-size: 1.3rem }"
)


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
    def advice(self) -> str:
        """The goal and the choice, as a sentence."""
        unit = UNITS[self.source]
        goal = "The cheapest within a point of the best"
        if self.target_accuracy is not None:
            goal = f"To reach {show(self.target_accuracy)}"
        elif self.token_budget is not None:
            goal = f"Within {self.token_budget:,.0f} {unit}"
        if self.chosen is None:
            return f"{goal}: no choice does."
        return f"{goal}: {bought(self.source, self.chosen, 'predicted')}"


def plan_figure(view: PlanView, name: str = "plan") -> Figure:
    """All choices, the frontier with its intervals, the goal and the choice."""
    rows, front = (
        table.assign(low=table["low"].clip(0, 1), high=table["high"].clip(0, 1))
        for table in (view.options, view.frontier)
    )
    budget = [view.token_budget] if view.token_budget else []
    target = [] if view.target_accuracy is None else [view.target_accuracy]
    values = pd.concat([rows["predicted"], front["low"], front["high"], pd.Series(target, dtype="float64")])
    y_range = value_range(values.dropna(), "accuracy")
    x = log_axis("cost", [*rows["cost"], *budget], f"{UNITS[view.source]} per question")
    y = value_axis("predicted", "accuracy", y_range)
    colour = setting_colour(list(rows.sort_values("T")["setting"].unique()), view.source)
    known = alt.Scale(domain=["measured", "forecast"], range=["circle", "diamond"])
    said = tooltips(["setting", "N", "cost", "predicted", "low", "high", "known"], view.source)
    chosen = pd.DataFrame([] if view.chosen is None else [view.chosen])

    series = Series(name, "setting", x, y, colour)
    series.add(front, "area", "frontier-band", None, y=value_axis("low", "accuracy", y_range), y2="high:Q")
    series.add(front, "line", "frontier-line", None)
    shape = alt.Shape("known:N", scale=known, legend=None)
    series.add(rows, "point", "mark", (0.9, 0.1), clip=False, shape=shape, tooltip=said)
    series.add(pd.DataFrame({"predicted": target}), "rule", "goal", None, x=alt.Undefined)
    series.add(pd.DataFrame({"cost": budget}), "rule", "goal", None, y=alt.Undefined)
    series.add(chosen, "point", "star", None, clip=False, shape=alt.value(STAR))
    return Figure(
        name,
        curves_name(view.source, view.dataset, view.model),
        (
            f"{METHOD_NAMES[view.method].capitalize()} against its cost. {view.advice}",
            "Circles: measured; diamonds: forecast; line: no cheaper choice is as good; band: 90 % interval.",
        ),
        series.layers,
    )


def save_plans(views: list[PlanView], path: Path) -> None:
    """Draw one panel for each model, one below the other, into a .png, .svg or a page that opens offline."""
    figures: list[Figure] = []
    for view in views:
        slug = unique_slug(["plan", view.dataset, view.model], [figure.name for figure in figures])
        figures.append(plan_figure(view, slug))
    if path.suffix == ".html":
        parts = {"vega": vega(), "draw": draw_script(), "css": style(_CSS)}
        rules = policy([parts["vega"], parts["draw"]], [parts["css"]])
        body = Markup("").join(map(_shown, figures))
        data = figure_data({figure.name: figure.page_spec() for figure in figures})
        content = _PAGE.format(policy=rules, body=body, **parts, **data).encode()
    else:
        content = rendered(combined_spec([[figure] for figure in figures]))[path.suffix]
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def _shown(figure: Figure) -> Markup:
    """A chart as wide as the page under its title; names are escaped."""
    above, below = figure.subtitle
    return Markup(
        '<h1>{}</h1><p>{}</p><div class="chart" data-figure="{}" role="img" aria-label="{}"></div><p>{}</p>'
    ).format(figure.title, above, figure.name, figure.description, below)
