"""What the report's drop-down lists offer: figures and tables under one name.

Choice(slug="llm-gsm8k-llama-majority", name="Llama-3.1-8B on gsm8k, majority vote",
       figures=[("A vote over 64 answers adds 9.1 points …", <against N>), ("Going from …", <against T>)])
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from results.figures.answers import answers_figure
from results.figures.comparison import at_cost_figure, comparison_figure
from results.figures.cost import cost_figure, surface_figure
from results.figures.forecast import MORE_ANSWERS, Forecast, forecast_figure, residual_figure
from results.figures.judged import judged_figure
from results.figures.length import length_figure
from results.figures.panels import Panel, axis_range, unique_slug
from results.figures.plan import advice, plan_figure
from results.figures.theme import Figure
from results.figures.words import (
    METHOD_NAMES,
    UNITS,
    curves_name,
    methods_name,
    models_name,
    predictor_name,
)
from results.frontier import MEASURED, Plan
from results.report import compared
from results.report.buying import frontier_table, joint_verdict, plan_table
from results.report.cells import Table, tabled
from results.report.errors import error_table, forecast_table, scores, targets
from results.report.findings import answers_verdict, length_verdict
from results.report.stopping import COLUMNS as STOPPING_COLUMNS
from results.report.stopping import NOTE as STOPPING_NOTE
from results.report.stopping import usual_rows
from results.report.values import fit_table, trend_table, value_table
from results.stopping.advice import advice as advice_on_stopping
from results.stopping.advice import sentences
from results.stopping.figure import stopping_figures


@dataclass(frozen=True)
class Choice:
    """One entry of a drop-down list.

    `figures` come with the sentence above each; `choices` are the entries of a list of its own.
    """

    slug: str
    name: str
    figures: list[tuple[str, Figure]] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    choices: list["Choice"] = field(default_factory=list)

    @property
    def every_figure(self) -> Iterator[Figure]:
        """Its figures and those of its own list."""
        yield from (figure for _, figure in self.figures)
        for choice in self.choices:
            yield from choice.every_figure


def with_most_first(panels: Sequence[Panel]) -> list[Panel]:
    """Language models first, of those the ones with lengths, toys (named like their questions) last.

    Of the twin the paper's Figure 1 is first. The panels of one model stay together.
    """

    def rank(panel: Panel) -> tuple[bool, bool, bool, bool, int]:
        points = len(panel.settings) * len(panel.ns)
        of_figure_1 = panel.source == "synthetic" and panel.dataset.startswith("fig1")
        toy = panel.model == panel.dataset
        return panel.source != "llm", not of_figure_1, not panel.has_lengths, toy, -points

    ranked = sorted(panels, key=rank)
    models = [panel.model for panel in ranked]
    return sorted(ranked, key=lambda panel: (panel.source != "llm", models.index(panel.model)))


def curve_choices(panels: Sequence[Panel]) -> list[Choice]:
    """Accuracy against N and against length, side by side, where there are several of them.

    Judges come last, or first where the first model has no lengths that would fill the page.
    """
    choices = []
    for panel in panels:
        figures, y_range = [], axis_range(panel)
        if len(panel.ns) > 1:
            figures.append((answers_verdict(panel), answers_figure(panel, y_range)))
        if panel.has_lengths:
            figures.append((length_verdict(panel), length_figure(panel, y_range)))
        choices.append(Choice(panel.slug, f"{panel.name}, {METHOD_NAMES[panel.method]}", figures))
    judged = _judged_choices(panels)
    return [*choices, *judged] if panels and panels[0].has_lengths else [*judged, *choices]


def _judged_choices(panels: Sequence[Panel]) -> list[Choice]:
    """Every way of choosing among a model's answers in one picture, where there are scores."""
    by_model: dict[tuple[str, str, str], list[Panel]] = {}
    for panel in panels:
        by_model.setdefault(panel.key, []).append(panel)
    choices = []
    for own in by_model.values():
        figure = judged_figure(own)
        if figure is not None:
            choices.append(Choice(figure.name, f"{own[0].name}, judges side by side", [("", figure)]))
    return choices


def cost_choices(panels: Sequence[Panel]) -> list[Choice]:
    """The cost of the vote (or, without one, of the first method): of models side by side, and of each."""
    chosen: dict[tuple[str, str, str], Panel] = {}
    for panel in panels:
        known = panel.source == "llm" and panel.metric == "accuracy" and panel.exact["length"].notna().all()
        if known and panel.method != "all_of_n" and (panel.key not in chosen or panel.method == "majority"):
            chosen[panel.key] = panel
    choices: list[Choice] = []
    for panel in chosen.values():
        rivals = [one for one in chosen.values() if one.dataset == panel.dataset]
        if len(rivals) > 1 and panel is rivals[0]:
            slug = unique_slug(["models", panel.dataset, "costs"], [choice.slug for choice in choices])
            joint = cost_figure(rivals, slug)
            found = [(joint_verdict(rivals), joint)]
            choices.append(Choice(slug, joint.title, found, [frontier_table(rivals)]))
        slug = f"{panel.slug}-costs"
        figures = [("", one) for one in (cost_figure([panel], slug), surface_figure(panel)) if one]
        choices.append(Choice(slug, panel.name, figures, [frontier_table([panel])]))
    return choices


def forecast_choices(
    forecasts: Sequence[Forecast], prices: Mapping[str, float] | None = None
) -> list[Choice]:
    """The forecasts of each set of curves: a list of predictors, best first, and a table of their errors.

    `prices`: US dollars for a million tokens by model. Each shows, where something was measured that the fit
    did not see, how far off it was.
    """
    groups: dict[tuple[str, str], list[Forecast]] = {}
    for forecast in forecasts:
        groups.setdefault((forecast.name, forecast.question), []).append(forecast)
    choices = []
    names = Counter(own_name for own_name, _ in groups)
    for (own_name, question), members in groups.items():
        plain = question == MORE_ANSWERS and names[own_name] == 1
        name = own_name if plain else f"{own_name}: {question}"
        own = {}
        for one in members:
            figures = [("", figure) for figure in (forecast_figure(one), residual_figure(one)) if figure]
            own[one.predictor] = Choice(one.slug, one.by, figures, [forecast_table(one, prices)])
        ranked = [own[str(predictor)] for predictor in scores(targets(members)).index]
        measured = targets(members)["accuracy"].notna().any()
        errors = [error_table("Error by predictor", targets(members))] if measured else []
        choices.append(Choice(f"{members[0].slug}-group", name, tables=errors, choices=ranked))
    return choices


def plan_choices(plans: Iterable[Plan]) -> list[Choice]:
    """What each plan weighed, its frontier, and the choice that meets its goal."""
    choices: list[Choice] = []
    for plan in plans:
        first, models = plan.options.iloc[0], plan.models
        dataset, predictor = (str(first[name]) for name in ("dataset", "predictor"))
        named = ["models"] if len(models) > 1 else models
        slug = unique_slug(
            ["plan", dataset, *named, *plan.methods, predictor], [choice.slug for choice in choices]
        )
        curves = models_name(str(first["source"]), dataset, models)
        by = "as measured" if predictor == MEASURED else f"by {predictor_name(plan.options)}"
        name = f"{curves}, {methods_name(plan.methods)}, {by}"
        choices.append(Choice(slug, name, [(advice(plan), plan_figure(plan, slug))], [plan_table(plan)]))
    return choices


def comparison_choices(found: pd.DataFrame) -> list[Choice]:
    """The differences of each pair of runs, paired by question, at equal N and at equal cost."""
    note = (
        f"Differences in percentage points, paired by question, with {compared.level_of(found)} intervals "
        "that hold together. Better, worse: questions whose chance to be right rises above one half, or "
        "falls below it. To decide it: what would find a difference of this size in 80 of 100 comparisons."
    )
    choices: list[Choice] = []
    for key, rows in found.groupby(["dataset", "a", "b", "setting_a", "setting_b"], sort=False):
        dataset, one, other, *settings = map(str, key)
        several = rows[(rows["N"] > 1) | (rows["method"] == rows["method"].iloc[0])]
        slug = unique_slug(["compare", *map(str, key)], [choice.slug for choice in choices])
        at = "" if set(settings) == {"default"} else f", {' and '.join(dict.fromkeys(settings))}"
        name = f"{curves_name('llm', dataset, f'{other} − {one}')}{at}"
        level = compared.level_of(rows)
        figures = [("", one) for one in (at_cost_figure(rows, f"{slug}-at-cost", name, level),) if one]
        figures = [(compared.verdict(rows), comparison_figure(rows, slug, name, level)), *figures]
        table = tabled("Differences between the runs", compared.both_ways(several), compared.COLUMNS, note)
        choices.append(Choice(slug, name, figures, [table]))
    return choices


def stopping_choices(found: pd.DataFrame) -> list[Choice]:
    """Agreement against cost by stopping rule, and each rule at its usual threshold, for each setting."""
    choices: list[Choice] = []
    groups = found.groupby(["dataset", "model", "setting"], sort=False)
    for (_, rows), figure in zip(groups, stopping_figures(found), strict=True):
        said = " ".join(sentences(advice_on_stopping(rows)))
        table = tabled("Each rule at its usual threshold", usual_rows(rows), STOPPING_COLUMNS, STOPPING_NOTE)
        choices.append(Choice(figure.name, figure.title, [(said, figure)], [table]))
    return choices


def number_tables(panels: Sequence[Panel], fits: pd.DataFrame | None) -> dict[str, list[Table]]:
    """The values and trends of each model on each dataset, and the fits that were given, by heading."""
    found: dict[str, list[Table]] = {}
    for panel in panels:
        tables = value_table(panel), trend_table(panel)
        found.setdefault(panel.name, []).extend(table for table in tables if table)
    for key, rows in (
        [] if fits is None else fits.groupby(["source", "dataset", "model", "method"], sort=False)
    ):
        source, dataset, model, method = map(str, key)
        name = f"Fits: {curves_name(source, dataset, model)}, {METHOD_NAMES.get(method, method)}"
        found[name] = [fit_table("Fits of the paper's appendix", rows, UNITS[source])]
    return found
