"""The entries of the report's drop-down lists: figures and tables under one name.

Choice(slug="llm-gsm8k-llama-majority", name="Llama-3.1-8B on gsm8k, majority vote",
       figures=[("A vote over 64 answers adds 9.1 points …", <against N>), ("Going from …", <against T>)])
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import pandas as pd

from results.commandline import BadInput
from results.figures.along_n import answers_figure, judged_figure
from results.figures.axes import shared_range
from results.figures.buying import plan_figure
from results.figures.comparison import comparison_figure, grid_figure
from results.figures.forecasts import forecast_figure
from results.figures.gaps import gaps_figure
from results.figures.length import length_figure
from results.figures.stopping import stopping_figure
from results.figures.theme import Figure
from results.stopping.advice import advice as which_rule
from results.stopping.advice import one_by_one, usual_rows
from results.stopping.arena import CLAIRVOYANT
from results.summary.buying import MEASURED, Plan
from results.summary.forecasts import MORE_ANSWERS, Forecast, scores, targets
from results.summary.gaps import Gaps
from results.summary.panels import Panel, unique_slug
from results.summary.samples import grids
from results.tables.key import ANSWERS, PANEL, WHOSE, Key, groups, on_dataset
from results.tables.money import Money
from results.words import compared, stopping
from results.words.buying import advice, goal, plan_table
from results.words.cells import Table, level_of, tabled
from results.words.findings import answers_verdict, gaps_verdict, length_verdict
from results.words.forecasts import error_table, forecast_name, forecast_table
from results.words.names import (
    UNITS,
    curves_name,
    method_name,
    methods_name,
    models_name,
    predictor_name,
)
from results.words.values import fit_table, runs_table, unsteady_table, value_table


@dataclass(frozen=True)
class Choice:
    """One entry of a drop-down list.

    `figures`: each with the sentence above it; `choices`: the entries of a nested list.
    """

    slug: str
    name: str
    figures: list[tuple[str, Figure]] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    choices: list["Choice"] = field(default_factory=list)

    @property
    def every_figure(self) -> Iterator[Figure]:
        """Yield its figures and those of its nested list."""
        yield from (figure for _, figure in self.figures)
        for choice in self.choices:
            yield from choice.every_figure


def _slug(names: Sequence[str], choices: Sequence[Choice]) -> str:
    """A slug that no choice has yet."""
    return unique_slug(names, [choice.slug for choice in choices])


def with_most_first(panels: Sequence[Panel]) -> list[Panel]:
    """Panels of language models first: those with lengths, and last toys, named like their questions.

    Of the twin's panels, the paper's Figure 1 is first. The panels of one model stay together.
    """

    def rank(panel: Panel) -> tuple[bool, bool, bool, bool, int]:
        key, points = panel.key, len(panel.settings) * len(panel.ns)
        of_figure_1 = key.source == "synthetic" and key.dataset.startswith("fig1")
        toy = key.model == key.dataset
        return key.source != "llm", not of_figure_1, not panel.has_lengths, toy, -points

    ranked = sorted(panels, key=rank)
    models = [panel.key.model for panel in ranked]
    return sorted(ranked, key=lambda panel: (panel.key.source != "llm", models.index(panel.key.model)))


def curve_choices(panels: Sequence[Panel], gaps: Sequence[Gaps] = (), shared: bool = False) -> list[Choice]:
    """Accuracy against N and against length, side by side, if there are several N or lengths.

    A majority vote also has the figure of its questions' gaps against length, if known. Judges come last,
    or first if the first model has no lengths.
    shared: panels of one metric share their axes, for a picture with all of them.
    """
    along = {own.key: own for own in gaps}
    choices = []
    for panel in panels:
        beside = [one for one in panels if one.metric == panel.metric] if shared else [panel]
        figures, y_range = [], shared_range(beside)
        if len(panel.ns) > 1:
            ns = sorted({n for one in beside for n in one.ns})
            figures.append((answers_verdict(panel), answers_figure(panel, y_range, ns)))
        if panel.has_lengths:
            lengths = [length for one in beside for length in one.exact["length"].dropna()]
            figures.append((length_verdict(panel), length_figure(panel, y_range, lengths)))
        if panel.key.method == "majority" and (own := along.get(panel.key.whose)):
            figures.append((gaps_verdict(own), gaps_figure(own, f"{panel.slug}-gaps")))
        choices.append(Choice(panel.slug, method_name(panel.key), figures))
    judged = _judged_choices(panels)
    return [*choices, *judged] if panels and panels[0].has_lengths else [*judged, *choices]


def _judged_choices(panels: Sequence[Panel]) -> list[Choice]:
    """All ways of choosing among a model's answers in one figure, if there are scores."""
    by_model: dict[Key, list[Panel]] = {}
    for panel in panels:
        by_model.setdefault(panel.key.whose, []).append(panel)
    choices = []
    for whose, own in by_model.items():
        figure = judged_figure(own)
        if figure is not None:
            name = f"{curves_name(whose)}, judges side by side"
            choices.append(Choice(figure.name, name, [("", figure)]))
    return choices


def forecast_choices(forecasts: Sequence[Forecast], money: Money) -> list[Choice]:
    """The forecasts for each set of curves: a list of predictors, best first, and a table of their errors.

    The table is left out if nothing was measured that the fit did not see.
    """
    tasks: dict[tuple[Key, str, str], list[Forecast]] = {}
    for forecast in forecasts:
        tasks.setdefault(forecast.task, []).append(forecast)
    times = Counter((key, file) for key, file, _ in tasks)
    choices = []
    for (key, file, question), members in tasks.items():
        name = forecast_name(members[0])
        if question != MORE_ANSWERS or times[key, file] > 1:
            name = f"{name}: {question}"
        own = {}
        for forecast in members:
            figures = [("", forecast_figure(forecast))] if forecast.has_points else []
            by = predictor_name(forecast.rows, forecast.predictor)
            table = forecast_table(forecast, money)
            own[forecast.predictor] = Choice(forecast.slug, by, figures, [table])
        rows = targets(members)
        ranked = [own[str(predictor)] for predictor in scores(rows).index]
        measured_too = rows["accuracy"].notna().any()
        errors = [error_table("Error by predictor", rows)] if measured_too else []
        choices.append(Choice(f"{members[0].slug}-group", name, tables=errors, choices=ranked))
    return choices


def plan_choices(plans: Iterable[Plan]) -> list[Choice]:
    """The options of each plan, its frontier, and the choice that meets its goal."""
    choices: list[Choice] = []
    for plan in plans:
        source, dataset, predictor = map(str, plan.options[["source", "dataset", "predictor"]].iloc[0])
        models = ["models"] if len(plan.models) > 1 else plan.models
        slug = _slug(["plan", dataset, *models, *plan.methods, predictor], choices)
        by = "as measured" if predictor == MEASURED else f"by {predictor_name(plan.options)}"
        curves = models_name(source, dataset, plan.models)
        name = ", ".join(filter(None, (curves, methods_name(plan.methods), by, goal(plan))))
        figures = [(advice(plan), plan_figure(plan, slug))]
        choices.append(Choice(slug, name, figures, [plan_table(plan)]))
    return choices


def comparison_choices(comparison: pd.DataFrame) -> list[Choice]:
    """The differences of each pair of runs, paired by question, at equal N and at equal cost."""
    note = (
        f"Differences in percentage points, paired by question, with {level_of(comparison)} "
        "intervals that hold jointly. Better, worse: questions that b, or a, alone has right more often "
        "than not. To decide it: what a fresh run would take to decide in 80 of 100 cases, "
        "given what the answers leave open of the true difference."
    )
    choices: list[Choice] = []
    for rows in compared.pairs_of(comparison, compared.PAIR_AT):
        names = [str(cell) for cell in rows[list(compared.PAIR_AT)].iloc[0]]
        dataset, a, b, *settings = names
        slug = _slug(["compare", *names], choices)
        at = "" if set(settings) == {"default"} else f", {' and '.join(dict.fromkeys(settings))}"
        name = f"{curves_name(Key('llm', dataset, f'{b} − {a}'))}{at}"
        figures = [(compared.verdict(rows), comparison_figure(rows, slug, name))]
        both = compared.both_ways(compared.without_repeats(rows))
        table = tabled("Differences between the runs", both, compared.COLUMNS, note)
        choices.append(Choice(slug, name, figures, [table]))
    return choices


def ranks_tables(comparison: pd.DataFrame) -> list[tuple[str, Table]]:
    """The possible ranks of three or more runs, with a sentence above each table."""
    level = level_of(comparison)
    each = compared.rankings(comparison)
    return [(compared.ranks_sentence(runs), compared.ranks_table(runs, level)) for runs in each]


def grid_choices(samples: pd.DataFrame) -> list[Choice]:
    """How often each question is answered right, for all runs of a data set side by side."""
    if samples.empty:
        return []
    sampled = samples[samples["decoding"] != "greedy"]
    places = {key: place for place, (key, _) in enumerate(groups(sampled, WHOSE))}
    choices: list[Choice] = []
    for grid in grids(sampled):
        slug, several = _slug(["grid", grid.dataset], choices), grid.shares.shape[1] > 1
        figures = [("", grid_figure(grid, slug, places))] if several else []
        tables = [runs_table(grid)] if several else []
        if grid.unsteady.to_numpy().any():
            tables.append(unsteady_table(grid))
        if tables:
            choices.append(Choice(slug, f"all questions{on_dataset(grid.dataset)}", figures, tables))
    return choices


def stopping_choices(table: pd.DataFrame) -> list[Choice]:
    """Agreement against cost by stopping rule, and each rule at its usual threshold, for each setting.

    Raises BadInput for a setting of which the table, or what is left of it, has no rule to show.
    """
    choices: list[Choice] = []
    note, several = stopping.RULES_NOTE + stopping.FIXED_NOTE, len(set(table["setting"])) > 1
    for key, rows in groups(table, ANSWERS):
        slug = _slug(["stop", *key.names[1:]], choices)
        name = curves_name(key) + (f", setting {key.setting}" if several else "")
        if one_by_one(rows)["rule"].isin([CLAIRVOYANT]).all():
            raise BadInput(f"stopping of {name}: no row of a rule with order random and batch 1")
        line = " ".join(stopping.sentences(which_rule(rows)))
        rules = tabled("Each rule at its usual threshold", usual_rows(rows), stopping.RULES, note)
        choices.append(Choice(slug, name, [(line, stopping_figure(rows, slug, name))], [rules]))
    return choices


def number_tables(panels: Sequence[Panel], fits: pd.DataFrame) -> dict[str, list[Table]]:
    """The values of each model on each data set, and the given fits, by heading."""
    by_heading: dict[str, list[Table]] = {}
    for panel in panels:
        by_heading.setdefault(curves_name(panel.key), []).append(value_table(panel))
    for key, rows in groups(fits, PANEL):
        by_heading[f"Fits: {method_name(key)}"] = [fit_table(rows, UNITS[key.source])]
    return by_heading
