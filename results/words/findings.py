"""What the curves say, in sentences computed from them: the page's first one, and the cards.

    Finding(title="Llama-3.1-8B on gsm8k", about="1,319 questions, 4 settings, …",
            tiles=[("One answer", "41.2 % → 78.0 %", "asked for 10 → 500 tokens"), ...],
            headline="Thinking longer pays; voting pays.", …)

What pays is decided in `results.summary.gains`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from results.methods import METHODS
from results.summary.buying import Plan, measured
from results.summary.gains import Gain, ends, length_gain, vote_gain
from results.summary.panels import Panel
from results.tables.key import Key
from results.words.buying import advice, bought
from results.words.compared import pairs_of, verdict
from results.words.names import (
    UNITS,
    curves_name,
    listed,
    points,
    sentence,
    setting_name,
    setting_used,
    show,
)

WORTH_SAYING = 0.01
"""A smaller share of answers that could not be read, or were cut off, is left to the tables."""

VERBS = {"better": "pays", "worse": "hurts", "undecided": "makes no clear difference"}


@dataclass(frozen=True)
class Finding:
    """The card of one model on one dataset.

    Tiles are label, value and note; `first` is what must be known before the numbers, `notes` come after.
    """

    title: str
    about: str
    first: list[str]
    headline: str
    tiles: list[tuple[str, str, str]]
    notes: list[str]


def opening(plans: Sequence[Plan], comparison: pd.DataFrame | None, panels: Sequence[Panel]) -> list[str]:
    """What the first plan and the first comparison say; without either, which way of spending more pays."""
    lines = [advice(plan) for plan in plans[:1]]
    if comparison is not None:
        first, *others = pairs_of(comparison)
        more = f"{len(others)} more comparisons are" if len(others) > 1 else "One more comparison is"
        lines.append(f"{verdict(first)} {more} below." if others else verdict(first))
    return lines or list(filter(None, [answer(panels)]))


def findings(panels: Sequence[Panel]) -> list[Finding]:
    """One card for each language model and dataset, in the order of the panels."""
    cards: dict[Key, dict[str, Panel]] = {}
    for panel in panels:
        if panel.of_model:
            cards.setdefault(panel.key.whose, {})[panel.key.method] = panel
    return list(map(_finding, cards.values()))


def _finding(by_method: dict[str, Panel]) -> Finding:
    main = by_method.get("majority") or next(iter(by_method.values()))
    return Finding(
        title=curves_name(main.key),
        about=_about(main),
        first=_lengths(main),
        headline=_headline(main),
        tiles=_tiles(main, by_method),
        notes=_cheapest(main) + _lost(main),
    )


def _about(panel: Panel) -> str:
    """Questions, settings and answers of the card's runs."""
    questions, settings = panel.exact["questions"].max(), panel.settings
    parts = []
    if questions > 0:
        parts.append(f"{questions:,.0f} {'question' if questions == 1 else 'questions'}")
    if len(settings) > 1:
        parts.append(f"{len(settings)} settings")
    elif settings[0] != "default":
        parts.append(setting_name(panel.key.source, settings[0]))
    many = panel.ns[-1]
    parts.append(f"up to {many} answers per question" if many > 1 else "1 answer per question")
    return ", ".join(parts)


def _tiles(main: Panel, by_method: Mapping[str, Panel]) -> list[tuple[str, str, str]]:
    """One answer, the vote, the best and all of the answers, and what an answer costs."""
    cheapest, dearest, most = ends(main)
    several = len(main.settings) > 1
    shown = [cheapest, dearest] if several else [dearest]
    label = "One answer"
    if cheapest["N"] > 1:
        label = f"{sentence(METHODS[main.key.method].words)}, N = {cheapest['N']:.0f}"
    values = " → ".join(show(row["value"]) for row in shown)
    tiles = [(label, values, _span(main) if several else "no vote")]
    if main.key.method == "majority" and len(main.ns) > 1:
        note = _judged(vote_gain(main))
        tiles.append((f"Vote over {most['N']:.0f}", show(most["value"]), note))
    for name in _TILES:
        if name in by_method:
            label, note = METHODS[name].tile or ("", "")
            end = ends(by_method[name]).most
            tiles.append((f"{label} {end['N']:.0f}", show(end["value"]), note))
    if main.knows_costs:
        used = " → ".join(f"{row['length']:,.0f}" for row in shown)
        tiles.append(("Tokens used per answer", used, "N answers cost N times as many"))
    return tiles


_TILES = sorted(
    (name for name, method in METHODS.items() if method.tile), key=lambda name: name == "all_of_n"
)
"""The methods that have a tile of their own; the one that can only fall comes last."""


def gain_words(gain: Gain) -> str:
    """ "+4.0 ± 2.8 points"."""
    margin = f" ± {100 * gain.margin:.1f}" if gain.margin < 1 else ""
    return f"{points(gain.value)}{margin} points"


def _verb(gain: Gain) -> str:
    """What it comes to: "pays"."""
    return VERBS[gain.verdict] if gain.known else "cannot be judged"


def _judged(gain: Gain) -> str:
    """A gain, and what keeps it from being clear."""
    if not gain.known:
        return f"{gain_words(gain)}, no standard error"
    noise = ", within the noise" if gain.verdict == "undecided" else ""
    return gain_words(gain) + noise


def _cheapest(panel: Panel) -> list[str]:
    """The cheapest choice that is about as good as the best; [] where costs are not known."""
    if panel.key.method == "all_of_n" or not panel.knows_costs:
        return []
    enough = bought(measured([panel]).chosen, alone=len(panel.settings) == 1)
    return [f"Cheapest measured choice within a point of the best: {enough}."]


def _lengths(panel: Panel) -> list[str]:
    """That the tokens asked for hardly set the length of the answers; [] where they do."""
    if not panel.ignores_budgets:
        return []
    asked = sorted(panel.settings, key=int)
    tokens = listed([f"{panel.lengths[setting]:,.0f}" for setting in asked])
    return [
        f"Asked for {listed(asked)} tokens, the model used {tokens}: the budgets hardly set the length. What "
        "a larger one changes may come from the prompt, which names it, not from longer thinking."
    ]


def _span(panel: Panel) -> str:
    """The cheapest and the dearest setting: "asked for 10 → 500 tokens"."""
    first, last = panel.settings[0], panel.settings[-1]
    if first.isdecimal() and last.isdecimal():
        return f"asked for {first} → {last} tokens"
    return f"setting “{first}” → “{last}”"


def _headline(panel: Panel) -> str:
    """Which of the two ways of spending more pays, in one sentence."""
    parts = []
    if panel.has_lengths:
        way = "a larger budget in the prompt" if panel.ignores_budgets else "thinking longer"
        parts.append(f"{way} {_verb(length_gain(panel))}")
    spending = METHODS[panel.key.method].spending
    if len(panel.ns) > 1 and spending:
        parts.append(f"{spending} {_verb(vote_gain(panel))}")
    return sentence("; ".join(parts) or "one measurement, nothing to compare") + "."


def answers_verdict(panel: Panel) -> str:
    """What more answers change at the dearest setting."""
    _, few, many = ends(panel)
    act = METHODS[panel.key.method].act.format(N=f"{many['N']:.0f}")
    used = setting_used(panel.key.source, panel.settings[-1], few["length"])
    place = f" ({used})" if len(panel.settings) > 1 else ""
    return f"{act} {_effect(few, many, vote_gain(panel), panel.metric)}{place}."


def length_verdict(panel: Panel) -> str:
    """What the dearest setting changes against the cheapest at the fewest answers."""
    cheapest, dearest, _ = ends(panel)
    effect = _effect(cheapest, dearest, length_gain(panel), panel.metric)
    unit = UNITS[panel.key.source]
    span = f"{cheapest['length']:,.0f} to {dearest['length']:,.0f} {unit} per answer"
    if panel.ignores_budgets:
        first, last = panel.settings[0], panel.settings[-1]
        return (
            f"Asking for {last} instead of {first} tokens {effect}. The answers hardly grow, from {span}: "
            "the change may come from the prompt."
        )
    origin = "" if panel.key.source == "synthetic" else f" ({_span(panel)})"
    return f"Going from {span}{origin} {effect}."


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


def answer(panels: Sequence[Panel]) -> str:
    """The answer to the page's title: for how many models each way of spending more pays."""
    models: dict[Key, Panel] = {}
    for panel in panels:
        if panel.of_model and panel.key.method in ("majority", "ensemble"):
            models.setdefault(panel.key.whose, panel)
    ways: dict[str, list[Gain]] = {
        "asking again": [],
        "thinking longer": [],
        "a larger budget in the prompt, which hardly lengthened the answers,": [],
    }
    votes, longer, ignored = ways.values()
    for panel in models.values():
        if len(panel.ns) > 1:
            votes.append(vote_gain(panel))
        if panel.ignores_budgets:
            ignored.append(length_gain(panel))
        elif panel.has_lengths:
            longer.append(length_gain(panel))
    parts = [_counted(way, gains) for way, gains in ways.items() if gains]
    return f"{sentence('; '.join(parts))}." if parts else ""


def _counted(way: str, gains: Sequence[Gain]) -> str:
    """ "asking again pays in 5 of 6 cases (−0.6 to +39.0 points)"."""
    if len(gains) == 1:
        return f"{way} {_verb(gains[0])} ({gain_words(gains[0])})"
    values = sorted(gain.value for gain in gains)
    span = " to ".join(dict.fromkeys([points(values[0]), points(values[-1])]))
    unknown = sum(not gain.known for gain in gains)
    unjudged = f", {unknown} without a standard error" if unknown else ""
    pays = sum(gain.verdict == "better" for gain in gains)
    return f"{way} pays in {pays} of {len(gains)} cases ({span} points{unjudged})"


def fewer_questions(panel: Panel) -> str:
    """That a setting has answers to fewer questions than another; "" where none has."""
    rows = panel.exact.sort_values("questions")
    fewest, most = rows["questions"].min(), rows["questions"].max()
    if not fewest < most:
        return ""
    place = setting_name(panel.key.source, str(rows["setting"].iloc[0]))
    return f"{curves_name(panel.key)}: {fewest:,.0f} of {most:,.0f} questions ({place})."


def _lost(panel: Panel) -> list[str]:
    """That answers cast no vote, or were ended by a limit."""
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
