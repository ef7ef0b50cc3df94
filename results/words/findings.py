"""Findings from curves: the page's first sentences, a table of models, and a sentence above each figure.

model         data set  one answer       vote             best of N        tokens per answer  pays
Llama-3.1-8B  gsm8k     41.2 % → 78.0 %  87.1 % (N = 64)  97.0 % (N = 64)  57 → 312           thinking, voting

`results.summary.gains` decides what pays.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from results.methods import METHODS
from results.summary.buying import Plan
from results.summary.gains import Gain, ends, length_gain, vote_gain
from results.summary.gaps import Gaps
from results.summary.panels import Panel
from results.tables.key import WHOSE, Key, keys
from results.words.buying import advice
from results.words.cells import Table, number
from results.words.compared import lead_in, pairs_of, rankings, ranks_sentence, verdict
from results.words.names import (
    UNITS,
    UNKNOWN,
    curves_name,
    interval,
    listed,
    percent,
    points,
    sentence,
    setting_name,
    setting_used,
    show,
)

WORTH_SAYING = 0.01
"""Smaller shares of unreadable or cut-off answers are shown only in the tables."""

VERBS = {"better": "pays", "worse": "hurts", "undecided": "makes no clear difference"}


def opening(plans: Sequence[Plan], comparison: pd.DataFrame, panels: Sequence[Panel]) -> list[str]:
    """Sentences on the first plan and the comparison; without either, what pays for the first model.

    If there are several data sets, each line names its own, and a line about one of several models names it.
    """
    models = [_main(by_method) for by_method in _by_model(panels)]
    bought = [(str(plan.options["dataset"].iloc[0]), plan) for plan in plans]
    datasets = {main.key.dataset for main in models} | {dataset for dataset, _ in bought}
    names = {model for plan in plans for model in plan.models} | {main.key.model for main in models}

    def alone(of: Sequence[str]) -> str:
        return of[0] if len(of) == 1 < len(names) else ""

    lines = [(dataset, advice(plan), alone(plan.models)) for dataset, plan in bought[:1]]
    if len(comparison):
        datasets |= set(comparison["dataset"])
        lines.append((*_of_comparison(comparison), ""))
    lines = lines or [(main.key.dataset, headline(main), alone([main.key.model])) for main in models[:1]]
    return [lead_in(dataset, len(datasets) > 1, model=model) + line for dataset, line, model in lines]


def _of_comparison(comparison: pd.DataFrame) -> tuple[str, str]:
    """The data set of the last ranking, or else of the first pair, and a sentence on it."""
    if ranked := rankings(comparison):
        return ranked[-1]["dataset"].iloc[0], ranks_sentence(ranked[-1])
    first, *others = pairs_of(comparison)
    more = f" {len(others)} more below." if others else ""
    return first["dataset"].iloc[0], f"{verdict(first)}{more}"


def _by_model(panels: Sequence[Panel]) -> list[dict[str, Panel]]:
    """The panels of each language model on each data set, by method, in their order."""
    by_model: dict[Key, dict[str, Panel]] = {}
    for panel in panels:
        if panel.of_model:
            by_model.setdefault(panel.key.whose, {})[panel.key.method] = panel
    return list(by_model.values())


def _main(by_method: Mapping[str, Panel]) -> Panel:
    return by_method.get("majority") or next(iter(by_method.values()))


def model_notes(panels: Sequence[Panel]) -> list[str]:
    """Notes on the models that readers of their numbers need."""
    mains = [_main(by_method) for by_method in _by_model(panels)]
    return [f"{curves_name(main.key)}: {line}" for main in mains for line in _ignored(main) + _lost(main)]


def models_table(panels: Sequence[Panel]) -> Table | None:
    """A row per language model and data set, in the order of the panels; None without any."""
    rows = [_of_model(by_method) for by_method in _by_model(panels)]
    columns = [column for column in _COLUMNS if any(column in row for row in rows)]
    note = "One answer, tokens per answer: cheapest → dearest setting; everything else: dearest setting."
    cells = [[row.get(column, UNKNOWN) for column in columns] for row in rows]
    return Table("What more answers and longer answers bring", columns, cells, note) if rows else None


_ENDS = {name: method.words for name, method in METHODS.items() if method.of != "other"}
_COLUMNS = ("model", "data set", "questions", "one answer", *_ENDS.values(), "tokens per answer", "pays")


def _of_model(by_method: Mapping[str, Panel]) -> dict[str, str]:
    """The cells of a model: its first and last setting, the largest N of each method, what pays."""
    main = _main(by_method)
    cheapest, dearest, *_ = ends(main)
    shown = [cheapest, dearest] if len(main.settings) > 1 else [dearest]
    row = {"model": main.key.model, "data set": main.key.dataset}
    row["questions"] = number(main.exact["questions"].max(), ",.0f")
    if cheapest["N"] == dearest["N"] == 1:
        row["one answer"] = " → ".join(show(end["value"]) for end in shown)
    for name, panel in by_method.items():
        most = ends(panel).most
        if most["N"] > 1 and name in _ENDS:
            row[_ENDS[name]] = f"{show(most['value'])} (N = {most['N']:.0f})"
    if main.knows_costs:
        row["tokens per answer"] = " → ".join(f"{end['length']:,.0f}" for end in shown)
    return row | {"pays": headline(main)}


def gain_words(gain: Gain) -> str:
    """ "+4.0 ± 2.8 points"."""
    margin = f" ± {percent(gain.margin)}" if gain.margin < 1 else ""
    return f"{points(gain.value)}{margin} points"


def _verb(gain: Gain) -> str:
    """The verb for a gain: "pays"."""
    return VERBS[gain.verdict] if gain.known else "cannot be judged"


def _ignored(panel: Panel) -> list[str]:
    """A note that token budgets hardly affect the length of answers; [] if they do."""
    if not panel.ignores_budgets:
        return []
    budgets = sorted(panel.settings, key=int)
    tokens = listed([f"{panel.lengths[setting]:,.0f}" for setting in budgets])
    return [
        f"Asked for {listed(budgets)} tokens, the model used {tokens}: the budgets hardly set the length. "
        "A larger budget may act through its mention in the prompt, not through longer thinking."
    ]


def _span(panel: Panel) -> str:
    """The cheapest and the most expensive setting: "asked for 10 → 500 tokens"."""
    first, last = panel.settings[0], panel.settings[-1]
    if first.isdecimal() and last.isdecimal():
        return f"asked for {first} → {last} tokens"
    return f"setting “{first}” → “{last}”"


def headline(panel: Panel) -> str:
    """Whether thinking longer pays, and whether more answers do, in one sentence."""
    parts = []
    if panel.has_lengths:
        way = "a larger budget in the prompt" if panel.ignores_budgets else "thinking longer"
        parts.append(f"{way} {_verb(length_gain(panel))}")
    spending = METHODS[panel.key.method].spending
    if len(panel.ns) > 1 and spending:
        parts.append(f"{spending} {_verb(vote_gain(panel))}")
    return sentence("; ".join(parts) or "one measurement, nothing to compare") + "."


def answers_verdict(panel: Panel) -> str:
    """What more answers change at the most expensive setting."""
    *_, few, many = ends(panel)
    act = METHODS[panel.key.method].act.format(N=f"{many['N']:.0f}")
    used = setting_used(panel.key.source, panel.settings[-1], few["length"])
    place = f" ({used})" if len(panel.settings) > 1 else ""
    against = "" if panel.metric == "risk" else f", against N = {few['N']:.0f}"
    return f"{act} {_effect(few, many, vote_gain(panel), panel.metric)}{against}{place}."


def length_verdict(panel: Panel) -> str:
    """What the most expensive setting changes against the cheapest, at the smallest N."""
    cheapest, dearest, *_ = ends(panel)
    unit = UNITS[panel.key.source]
    span = f"{cheapest['length']:,.0f} to {dearest['length']:,.0f} {unit} per answer"
    if cheapest["N"] != dearest["N"]:
        return f"The effect of going from {span} is unknown: no N was measured at both."
    effect = _effect(cheapest, dearest, length_gain(panel), panel.metric)
    effect += f", at N = {dearest['N']:.0f}" if dearest["N"] > 1 else ""
    if panel.ignores_budgets:
        first, last = panel.settings[0], panel.settings[-1]
        return (
            f"Asking for {last} instead of {first} tokens {effect}. The budgets hardly set the length, "
            f"{span}: the change may come from the prompt."
        )
    origin = "" if panel.key.source == "synthetic" else f" ({_span(panel)})"
    return f"Going from {span}{origin} {effect}."


def gaps_verdict(gaps: Gaps) -> str:
    """In how many questions a wrong answer leads, at the shortest and at the greatest length."""
    first, last = gaps.means.iloc[0], gaps.means.iloc[-1]
    unit = UNITS[gaps.key.source]
    many, few = (
        f"{show(end['behind'])} ({interval(end['behind_low'], end['behind_high'])})" for end in (first, last)
    )
    return (
        f"At {first['length']:,.0f} {unit} per answer a wrong answer leads in an estimated {many} of the "
        f"questions, at {last['length']:,.0f} in {few}: a vote over very many answers gets those wrong."
    )


def _effect(before: Any, after: Any, gain: Gain, metric: str) -> str:
    """ "adds 3.1 ± 1.2 points", "makes no clear difference, +0.2 ± 1.2 points", "cuts the error from …"."""
    words = gain_words(gain)
    if metric == "risk":
        verb = "cuts" if gain.value < 0 else "raises"
        return f"{verb} the error from {show(before['value'], 'risk')} to {show(after['value'], 'risk')}"
    if not gain.known:
        return f"changes the accuracy by {words}; without a standard error that may be noise"
    if gain.verdict == "undecided":
        return f"makes no clear difference, {words}"
    return f"{'adds' if gain.value > 0 else 'loses'} {words[1:]}"


def fewer_questions(panel: Panel) -> str:
    """A note that a setting has answers to fewer questions than another; "" if none has."""
    rows = panel.exact.sort_values("questions")
    fewest, most = rows["questions"].min(), rows["questions"].max()
    if not fewest < most:
        return ""
    place = setting_name(panel.key.source, str(rows["setting"].iloc[0]))
    return f"{curves_name(panel.key)}: {fewest:,.0f} of {most:,.0f} questions ({place})."


def left_out(panels: Sequence[Panel], plans: Sequence[Plan]) -> list[str]:
    """Notes on the models without choices in any plan."""
    planned = {key for plan in plans for key in keys(plan.options, WHOSE)}
    unplanned = dict.fromkeys(panel.key.whose for panel in panels if panel.of_model)
    why = "is in no plan, because the tokens of its answers are unknown"
    return [f"{curves_name(key)} {why}." for key in unplanned if key not in planned]


def _lost(panel: Panel) -> list[str]:
    """Notes on answers that cast no vote, or were cut off."""
    lines = []
    reasons = {"unreadable": "could not be read", "cut_off": "were cut off by a token limit"}
    for column, what in reasons.items():
        known = panel.exact.dropna(subset=[column]).sort_values(column)
        if known.empty or known[column].iloc[-1] < WORTH_SAYING:
            continue
        worst: Any = known.iloc[-1]
        share, place = f"{show(worst[column])} of the answers {what}", ""
        if len(panel.settings) > 1:
            share = f"Up to {share}"
            place = f" ({setting_name(panel.key.source, str(worst['setting']))})"
        lines.append(f"{share}{place}.")
    return lines
