"""What the report's drop-down lists offer: figures and tables under one name.

Choice(slug="llm-gsm8k-llama-majority", name="Llama-3.1-8B on gsm8k, majority vote",
       figures=[("A vote over 64 answers adds 9.1 points …", <against N>), ("Going from …", <against T>)])
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from results.figures.answers import answers_figure
from results.figures.cost import cost_figure, joint_figure
from results.figures.forecast import Forecast, forecast_figure, residual_figure
from results.figures.length import length_figure
from results.figures.panels import Panel, axis_range, unique_slug
from results.figures.surface import has_surface, surface_figure
from results.figures.theme import Figure
from results.figures.words import METHOD_NAMES
from results.report.errors import error_table, forecast_table, scores, targets
from results.report.findings import answers_verdict, joint_verdict, length_verdict
from results.report.tables import Table, frontier_table, joint_table, trend_table, value_table


@dataclass(frozen=True)
class Choice:
    """One entry of a drop-down list.

    `figures` come with the sentence above each; `absent` names figures that cannot be drawn ("answers" or
    "lengths"); `choices` are the entries of a list of its own.
    """

    slug: str
    name: str
    figures: list[tuple[str, Figure]] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    choices: list["Choice"] = field(default_factory=list)

    @property
    def every_figure(self) -> Iterator[Figure]:
        """Its figures and those of its own list."""
        yield from (figure for _, figure in self.figures)
        for choice in self.choices:
            yield from choice.every_figure


def with_most_first(panels: Sequence[Panel]) -> list[Panel]:
    """Language models first, of those the ones with lengths, toys (named like their questions) last."""

    def rank(panel: Panel) -> tuple[bool, bool, bool, int]:
        points = len(panel.settings) * len(panel.ns)
        return panel.source != "llm", not panel.has_lengths, panel.model == panel.dataset, -points

    return sorted(panels, key=rank)


def curve_choices(panels: Sequence[Panel]) -> list[Choice]:
    """Accuracy against N and against length, side by side."""
    choices = []
    for panel in panels:
        y_range = axis_range(panel)
        choice = Choice(panel.slug, f"{panel.name}, {METHOD_NAMES[panel.method]}")
        if len(panel.ns) > 1:
            choice.figures.append((answers_verdict(panel), answers_figure(panel, y_range)))
        else:
            choice.absent.append("answers")
        if panel.has_lengths:
            choice.figures.append((length_verdict(panel), length_figure(panel, y_range)))
        else:
            choice.absent.append("lengths")
        choices.append(choice)
    return choices


def cost_choices(panels: Sequence[Panel]) -> list[Choice]:
    """The cost of the vote (or, without one, of the first method): of models side by side, and of each."""
    chosen: dict[tuple[str, str, str], Panel] = {}
    for panel in panels:
        priced = panel.source == "llm" and panel.metric == "accuracy" and panel.exact["length"].notna().all()
        if priced and (panel.key not in chosen or panel.method == "majority"):
            chosen[panel.key] = panel
    choices: list[Choice] = []
    for panel in chosen.values():
        rivals = [one for one in chosen.values() if one.dataset == panel.dataset]
        if len(rivals) > 1 and panel is rivals[0]:
            slug = unique_slug(["models", panel.dataset, "costs"], [choice.slug for choice in choices])
            joint, verdict = joint_figure(rivals, slug), joint_verdict(rivals)
            choices.append(Choice(slug, joint.title, [(verdict, joint)], [joint_table(rivals)]))
        figures = [("", cost_figure(panel)), *([("", surface_figure(panel))] if has_surface(panel) else [])]
        choices.append(Choice(f"{panel.slug}-costs", panel.name, figures, [frontier_table(panel)]))
    return choices


def number_choices(panels: Sequence[Panel]) -> list[Choice]:
    """The values and trends of each model on each dataset."""
    choices: dict[tuple[str, str, str], Choice] = {}
    for panel in panels:
        choice = choices.setdefault(panel.key, Choice(panel.slug, panel.name))
        choice.tables.extend(table for table in (value_table(panel), trend_table(panel)) if table)
    return list(choices.values())


def forecast_figures(forecast: Forecast) -> list[tuple[str, Figure]]:
    """The forecast and, where something was measured that the fit did not see, how far off it was."""
    below = residual_figure(forecast)
    return [("", forecast_figure(forecast)), *([("", below)] if below else [])]


def forecast_choices(groups: Mapping[str, Sequence[Forecast]]) -> list[Choice]:
    """The forecasts of each set of curves: a list of predictors, best first, and a table of their errors."""
    choices = []
    for name, members in groups.items():
        order = list(scores(targets(members)).index)
        members = sorted(members, key=lambda forecast: order.index(forecast.predictor))
        own = [
            Choice(one.slug, one.predictor, forecast_figures(one), [forecast_table(one)]) for one in members
        ]
        choices.append(Choice(f"{own[0].slug}-group", name, tables=[error_table(members)], choices=own))
    return choices
