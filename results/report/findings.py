"""What the curves say, in sentences computed from them: the cards at the head of the report.

    Finding(title="Llama-3.1-8B on gsm8k",
            tiles=[Tile("One answer", "41.2 % → 78.0 %", "asked for 10 → 500 tokens"), ...],
            headline="Both pay, thinking longer more than voting.",
            notes=["The cheapest choice within one point of the best: …"])

A difference smaller than its 90 % interval is called "no clear difference".
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from results.figures.cost import cost_column, joint_frontier, with_cost
from results.figures.panels import Panel
from results.figures.words import (
    METHOD_NAMES,
    UNITS,
    bought,
    listed,
    points,
    setting_name,
    setting_used,
    show,
)
from results.frontier import best_choice
from results.report.gains import Gain, ends, length_gain, vote_gain

IGNORED = 0.5
"""Tokens used that grow as asked for to a smaller power than this are not set by the budget."""

WORTH_SAYING = 0.01
"""A smaller share of answers that could not be read, or were cut off, is left to the tables."""


@dataclass(frozen=True)
class Tile:
    """One number of a card."""

    label: str
    value: str
    note: str


@dataclass(frozen=True)
class Finding:
    """The card of one model on one dataset; `first` is what must be known before its numbers, or ""."""

    title: str
    about: str
    first: str
    headline: str
    tiles: list[Tile]
    notes: list[str]


def findings(panels: list[Panel]) -> list[Finding]:
    """One card for each language model and dataset, in the order of the panels."""
    cards: dict[tuple[str, str, str], dict[str, Panel]] = {}
    for panel in panels:
        if panel.source == "llm" and panel.metric == "accuracy":
            cards.setdefault(panel.key, {})[panel.method] = panel
    return [_finding(by_method) for by_method in cards.values()]


def _finding(by_method: dict[str, Panel]) -> Finding:
    main = by_method.get("majority") or next(iter(by_method.values()))
    cheap, dear, most = ends(main)
    several = len(main.settings) > 1
    shown = (cheap, dear) if several else (dear,)
    one = "One answer" if cheap["N"] == 1 else f"{METHOD_NAMES[main.method]}, N = {cheap['N']:.0f}"
    values = " → ".join(show(row["value"]) for row in shown)
    tiles = [Tile(one, values, _span(main) if several else "no vote")]
    if main.method == "majority":
        found = vote_gain(main)
        noise = "" if found.direction else ", within the noise"
        tiles.append(Tile(f"Vote over {most['N']:.0f}", show(most["value"]), f"{found}{noise}"))
    if "best_of_n" in by_method:
        best = ends(by_method["best_of_n"])[2]
        note = "if a perfect judge picked the answer"
        tiles.append(Tile(f"Best of {best['N']:.0f}", show(best["value"]), note))
    if main.exact["length"].notna().all():
        used = " → ".join(f"{row['length']:,.0f}" for row in shown)
        tiles.append(Tile("Tokens used per answer", used, "a vote costs N times as many"))
    else:
        tiles.append(Tile("Tokens used per answer", "not recorded", "so costs cannot be compared"))
    questions = main.exact["questions"].max()
    about = [f"{questions:,.0f} questions"] if questions > 0 else []
    about.append(f"{len(main.settings)} settings" if several else "1 setting")
    about.append(f"up to {main.ns[-1]} answers per question")
    notes = [_advice(main), *_lacking(main)]
    return Finding(
        main.name, ", ".join(about), _budgets(main), _headline(main), tiles, list(filter(None, notes))
    )


def _budgets(panel: Panel) -> str:
    """That the tokens asked for hardly set the length of the answers; "" where they do."""
    if not (panel.has_lengths and all(setting.isdecimal() and int(setting) for setting in panel.settings)):
        return ""
    used = panel.exact.groupby("setting")["length"].mean()
    asked = sorted(panel.settings, key=int)
    growth = np.log(used[asked[-1]] / used[asked[0]]) / np.log(int(asked[-1]) / int(asked[0]))
    if growth >= IGNORED:
        return ""
    tokens = listed([f"{used[setting]:,.0f}" for setting in asked])
    return f"The budgets hardly set the length: asked for {listed(asked)} tokens, it used {tokens}."


def _span(panel: Panel) -> str:
    """The cheapest and the dearest setting: "asked for 10 → 500 tokens"."""
    first, last = panel.settings[0], panel.settings[-1]
    if first.isdecimal() and last.isdecimal():
        return f"asked for {first} → {last} tokens"
    return f"setting “{first}” → “{last}”"


def _headline(panel: Panel) -> str:
    """Which of the two ways of spending more pays, in one sentence."""
    voting = "Voting" if panel.method == "majority" else "Asking again"
    vote, length = vote_gain(panel), length_gain(panel)
    does = {1: "pays", 0: "makes no clear difference", -1: "hurts"}
    if len(panel.ns) == 1:
        alone = "One measurement, nothing to compare."
        return f"Thinking longer {does[length.direction]}." if panel.has_lengths else alone
    if not panel.has_lengths:
        return f"{voting} {does[vote.direction]}."
    if vote.direction == length.direction == 0:
        return f"Neither {voting.lower()} nor thinking longer makes a clear difference."
    if vote.direction == length.direction == 1:
        ranked = ["thinking longer", voting.lower()]
        if vote.value > length.value:
            ranked.reverse()
        return f"Both pay, {ranked[0]} more than {ranked[1]}."
    return f"Thinking longer {does[length.direction]}; {voting.lower()} {does[vote.direction]}."


def answers_verdict(panel: Panel) -> str:
    """What more answers change at the dearest setting; "" where there is only one N."""
    _, one, many = ends(panel)
    if one["N"] == many["N"]:
        return ""
    act = {
        "majority": f"A vote over {many['N']:.0f} answers",
        "best_of_n": f"A perfect judge of {many['N']:.0f} answers",
        "ensemble": f"Averaging {many['N']:.0f} paths",
    }[panel.method]
    used = setting_used(panel.source, panel.settings[-1], one["length"])
    place = f" ({used})" if len(panel.settings) > 1 else ""
    return f"{act} {_effect(one, many, vote_gain(panel), panel.metric)}{place}."


def length_verdict(panel: Panel) -> str:
    """What the dearest setting changes against the cheapest at the fewest answers; "" without lengths."""
    if not panel.has_lengths:
        return ""
    cheap, dear, _ = ends(panel)
    origin = "" if panel.source == "synthetic" else f" ({_span(panel)})"
    span = f"{cheap['length']:,.0f} to {dear['length']:,.0f} {UNITS[panel.source]} per answer"
    return f"Going from {span}{origin} {_effect(cheap, dear, length_gain(panel), panel.metric)}."


def _effect(before: Any, after: Any, gain: Gain, metric: str) -> str:
    """ "adds 3.1 ± 1.2 points", "makes no clear difference (+0.2 ± 1.2 points)", "cuts the error from …"."""
    if metric == "risk":
        verb = "cuts" if gain.value < 0 else "raises"
        return f"{verb} the error from {show(before['value'], 'risk')} to {show(after['value'], 'risk')}"
    if not gain.direction:
        return f"makes no clear difference ({gain})"
    return f"{'adds' if gain.value > 0 else 'loses'} {str(gain)[1:]}"


def answer(panels: list[Panel]) -> str:
    """The answer to the page's title: for how many models each way of spending more clearly pays."""
    by_model: dict[tuple[str, str, str], Panel] = {}
    for panel in panels:
        if panel.source == "llm" and panel.metric == "accuracy" and panel.method != "best_of_n":
            by_model.setdefault(panel.key, panel)
    told = []
    ways = {
        "Asking again": [vote_gain(panel) for panel in by_model.values() if len(panel.ns) > 1],
        "thinking longer": [length_gain(panel) for panel in by_model.values() if panel.has_lengths],
    }
    for way, gains in ways.items():
        if gains:
            values = sorted(one.value for one in gains)
            span = " to ".join(dict.fromkeys([points(values[0]), points(values[-1])]))
            clear = sum(one.direction > 0 for one in gains)
            often = f"clearly pays in {clear} of {len(gains)} cases"
            if len(gains) == 1:
                often = "clearly pays" if clear else "does not clearly pay"
            told.append(f"{way} {often} ({span} points)")
    return f"{'; '.join(told)}." if told else ""


def twin_verdict(llm: Panel, twin: Panel) -> str:
    """Whether the twin gains where the language model gains: the answer to the question it is drawn for."""
    if twin.metric != "accuracy":
        return ""
    asked = {"More answers": (vote_gain(llm), vote_gain(twin))}
    if llm.has_lengths and twin.has_lengths:
        asked["Longer answers"] = (length_gain(llm), length_gain(twin))
    told = [
        f"{what}: {real} for the model, {exact} for the twin, "
        f"{'the same' if real.direction == exact.direction else 'not the same'} direction."
        for what, (real, exact) in asked.items()
    ]
    return f"{llm.name}, and the twin {twin.name}. {' '.join(told)}"


def joint_verdict(panels: list[Panel]) -> str:
    """Which of several models to ask at which budget."""
    best = joint_frontier(panels)
    first = best[best["model"] != best["model"].shift()]
    if len(first) == 1:
        return f"{first['model'].iloc[0]} is the one to ask, whatever the budget."
    by, words = cost_column(panels), {"cost": "{:,.0f} tokens", "usd": "US$ {:,.2f}"}
    starts = first[by].map(words[by].format)
    told = [f"from {start} {model}" for start, model in zip(starts, first["model"], strict=True)][:4]
    if len(first) > 4:
        told.append("and so on")
    budget = "budget for 1,000 questions" if by == "usd" else "budget"
    return f"The model to ask depends on the {budget}: {', '.join(told)}."


def _advice(panel: Panel) -> str:
    if not panel.exact["length"].notna().all():
        return ""
    enough = best_choice(with_cost(panel), "value")
    return f"Cheapest of those measured within a point of the best: {bought(panel.source, enough, 'value')}"


def _lacking(panel: Panel) -> list[str]:
    """What the accuracies lack: questions, answers that cast no vote, answers that a limit ended."""
    said = []
    fewest, most = panel.exact["questions"].min(), panel.exact["questions"].max()
    if fewest < most:
        short = panel.exact.sort_values("questions")["setting"].iloc[0]
        place = setting_name(panel.source, str(short))
        said.append(f"Partial ({place}): {fewest:,.0f} of {most:,.0f} questions.")
    for column, what in (("unreadable", "could not be read"), ("cut_off", "were cut off by a token limit")):
        worst = panel.exact.sort_values(column).dropna(subset=[column]).tail(1)
        for _, row in worst[worst[column] >= WORTH_SAYING].iterrows():
            place = setting_name(panel.source, str(row["setting"]))
            said.append(f"Up to {show(row[column])} of the answers {what} ({place}).")
    return said
