"""What the curves say, in sentences computed from them: the page's first one, and the cards.

    Finding(title="Llama-3.1-8B on gsm8k", about="1,319 questions, 4 settings, …",
            tiles=[("One answer", "41.2 % → 78.0 %", "asked for 10 → 500 tokens"), ...],
            headline="Thinking longer pays; voting pays.", …)

What pays is decided in `results.report.gains`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from results.figures.cost import with_cost
from results.figures.panels import Panel
from results.figures.words import (
    METHOD_NAMES,
    UNITS,
    bought,
    listed,
    points,
    sentence,
    setting_name,
    setting_used,
    show,
)
from results.frontier import best_choice
from results.report.gains import Gain, ends, length_gain, length_ignored, vote_gain

WORTH_SAYING = 0.01
"""A smaller share of answers that could not be read, or were cut off, is left to the tables."""

COMBINED = {
    "majority": "voting",
    "best_of_n": "asking again with a perfect judge",
    "best_by_score": "picking by score",
    "weighted_majority": "voting by score",
    "ensemble": "averaging",
}
"""The methods that more answers are meant to improve, as ways of spending; "all of N" can only fall."""


@dataclass(frozen=True)
class Finding:
    """The card of one model on one dataset.

    Tiles are label, value and note; `partial` tells of what is missing, `first` what must be known before
    the numbers, `notes` come after them.
    """

    title: str
    about: str
    partial: list[str]
    first: list[str]
    headline: str
    tiles: list[tuple[str, str, str]]
    notes: list[str]


def findings(panels: Sequence[Panel], unfinished: Mapping[str, str] | None = None) -> list[Finding]:
    """One card for each language model and dataset, in the order of the panels.

    `unfinished` tells of runs that lack answers, by name of their curves.
    """
    cards: dict[tuple[str, str, str], dict[str, Panel]] = {}
    for panel in panels:
        if panel.source == "llm" and panel.metric == "accuracy":
            cards.setdefault(panel.key, {})[panel.method] = panel
    return [_finding(by_method, unfinished or {}) for by_method in cards.values()]


def _finding(by_method: dict[str, Panel], unfinished: Mapping[str, str]) -> Finding:
    main = by_method.get("majority") or next(iter(by_method.values()))
    partial = [unfinished[main.name]] if main.name in unfinished else []
    return Finding(
        title=main.name,
        about=_about(main),
        partial=partial + _partial(main),
        first=_lengths(main),
        headline=_headline(main),
        tiles=_tiles(main, by_method),
        notes=_cheapest(main) + _lost(main),
    )


def _about(panel: Panel) -> str:
    """Questions, settings and answers of the card's runs."""
    questions, settings = panel.exact["questions"].max(), panel.settings
    told = [f"{questions:,.0f} {'question' if questions == 1 else 'questions'}"] if questions > 0 else []
    if len(settings) > 1:
        told.append(f"{len(settings)} settings")
    elif settings[0] != "default":
        told.append(setting_name(panel.source, settings[0]))
    many = panel.ns[-1]
    told.append(f"up to {many} answers per question" if many > 1 else "1 answer per question")
    return ", ".join(told)


def _tiles(main: Panel, by_method: Mapping[str, Panel]) -> list[tuple[str, str, str]]:
    """One answer, the vote, the best and all of the answers, and what an answer costs."""
    cheap, dear, most = ends(main)
    shown = (cheap, dear) if len(main.settings) > 1 else (dear,)
    one = "One answer" if cheap["N"] == 1 else f"{sentence(METHOD_NAMES[main.method])}, N = {cheap['N']:.0f}"
    values = " → ".join(show(row["value"]) for row in shown)
    tiles = [(one, values, _span(main) if len(shown) > 1 else "no vote")]
    if main.method == "majority" and len(main.ns) > 1:
        tiles.append((f"Vote over {most['N']:.0f}", show(most["value"]), _judged(vote_gain(main))))
    for method, label, note in (
        ("best_of_n", "Best of", "if a perfect judge picked the answer"),
        ("best_by_score", "Best score of", "if the score picked the answer"),
        ("weighted_majority", "Weighted vote over", "each answer counted with its score"),
        ("all_of_n", "All of", "if every answer had to be right"),
    ):
        if method in by_method:
            end = ends(by_method[method])[2]
            tiles.append((f"{label} {end['N']:.0f}", show(end["value"]), note))
    if main.exact["length"].notna().all():
        used = " → ".join(f"{row['length']:,.0f}" for row in shown)
        tiles.append(("Tokens used per answer", used, "N answers cost N times as many"))
    return tiles


def _judged(gained: Gain) -> str:
    """A gain, and what keeps it from being clear."""
    if not gained.known:
        return f"{gained}, no standard error"
    return f"{gained}{'' if gained.direction else ', within the noise'}"


def _cheapest(panel: Panel) -> list[str]:
    """The cheapest choice that is about as good as the best; [] where costs are not known."""
    if panel.method == "all_of_n" or not panel.exact["length"].notna().all():
        return []
    chosen = best_choice(with_cost([panel]), "value")
    enough = bought(panel.source, chosen, "value", len(panel.settings) == 1)
    return [f"Cheapest measured choice within a point of the best: {enough}."]


def _lengths(panel: Panel) -> list[str]:
    """That the tokens asked for hardly set the length of the answers; [] where they do."""
    if not length_ignored(panel):
        return []
    asked = sorted(panel.settings, key=int)
    used = panel.exact.groupby("setting")["length"].mean()
    tokens = listed([f"{used[setting]:,.0f}" for setting in asked])
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
    told = []
    if panel.has_lengths:
        way = "a larger budget in the prompt" if length_ignored(panel) else "thinking longer"
        told.append(f"{way} {length_gain(panel).verb}")
    if len(panel.ns) > 1 and panel.method in COMBINED:
        told.append(f"{COMBINED[panel.method]} {vote_gain(panel).verb}")
    return sentence("; ".join(told) or "one measurement, nothing to compare") + "."


def answers_verdict(panel: Panel) -> str:
    """What more answers change at the dearest setting."""
    _, one, many = ends(panel)
    act = {
        "majority": f"A vote over {many['N']:.0f} answers",
        "best_of_n": f"A perfect judge of {many['N']:.0f} answers",
        "all_of_n": f"Asking that all {many['N']:.0f} answers be right",
        "best_by_score": f"Picking the highest score of {many['N']:.0f} answers",
        "weighted_majority": f"A vote over {many['N']:.0f} answers, weighted by score,",
        "ensemble": f"Averaging {many['N']:.0f} paths",
    }[panel.method]
    used = setting_used(panel.source, panel.settings[-1], one["length"])
    place = f" ({used})" if len(panel.settings) > 1 else ""
    return f"{act} {_effect(one, many, vote_gain(panel), panel.metric)}{place}."


def length_verdict(panel: Panel) -> str:
    """What the dearest setting changes against the cheapest at the fewest answers."""
    cheap, dear, _ = ends(panel)
    effect = _effect(cheap, dear, length_gain(panel), panel.metric)
    span = f"{cheap['length']:,.0f} to {dear['length']:,.0f} {UNITS[panel.source]} per answer"
    if length_ignored(panel):
        first, last = panel.settings[0], panel.settings[-1]
        return (
            f"Asking for {last} instead of {first} tokens {effect}. The answers hardly grow, from {span}: "
            "the change may come from the prompt."
        )
    origin = "" if panel.source == "synthetic" else f" ({_span(panel)})"
    return f"Going from {span}{origin} {effect}."


def _effect(before: Any, after: Any, gain: Gain, metric: str) -> str:
    """ "adds 3.1 ± 1.2 points", "makes no clear difference, +0.2 ± 1.2 points", "cuts the error from …"."""
    if metric == "risk":
        verb = "cuts" if gain.value < 0 else "raises"
        return f"{verb} the error from {show(before['value'], 'risk')} to {show(after['value'], 'risk')}"
    if not gain.known:
        return f"changes the accuracy by {gain}; without a standard error that may be noise"
    if not gain.direction:
        return f"makes no clear difference, {gain}"
    return f"{'adds' if gain.value > 0 else 'loses'} {str(gain)[1:]}"


def answer(panels: Sequence[Panel]) -> str:
    """The answer to the page's title: for how many models each way of spending more pays."""
    by_model: dict[tuple[str, str, str], Panel] = {}
    for panel in panels:
        if panel.source == "llm" and panel.metric == "accuracy" and panel.method in ("majority", "ensemble"):
            by_model.setdefault(panel.key, panel)
    several = [panel for panel in by_model.values() if len(panel.ns) > 1]
    longer = [panel for panel in by_model.values() if panel.has_lengths and not length_ignored(panel)]
    ignored = [panel for panel in by_model.values() if length_ignored(panel)]
    told = [
        _counted("asking again", [vote_gain(panel) for panel in several]),
        _counted("thinking longer", [length_gain(panel) for panel in longer]),
        _counted(
            "a larger budget in the prompt, which hardly lengthened the answers,",
            [length_gain(panel) for panel in ignored],
        ),
    ]
    said = "; ".join(part for part in told if part)
    return f"{sentence(said)}." if said else ""


def _counted(way: str, gains: Sequence[Gain]) -> str:
    """ "asking again pays in 5 of 6 cases (−0.6 to +39.0 points)"; "" where there is no case."""
    values = sorted(one.value for one in gains)
    if not values:
        return ""
    if len(gains) == 1:
        return f"{way} {gains[0].verb} ({gains[0]})"
    unknown = sum(not one.known for one in gains)
    unjudged = f", {unknown} without a standard error" if unknown else ""
    pays = sum(one.direction > 0 for one in gains)
    span = " to ".join(dict.fromkeys([points(values[0]), points(values[-1])]))
    return f"{way} pays in {pays} of {len(gains)} cases ({span} points{unjudged})"


def _partial(panel: Panel) -> list[str]:
    """That a setting has answers to fewer questions than another."""
    asked = panel.exact.sort_values("questions")
    fewest, most = asked["questions"].min(), asked["questions"].max()
    if not fewest < most:
        return []
    place = setting_name(panel.source, str(asked["setting"].iloc[0]))
    return [f"{fewest:,.0f} of {most:,.0f} questions ({place})."]


def _lost(panel: Panel) -> list[str]:
    """That answers cast no vote, or were ended by a limit."""
    said = []
    for column, what in (("unreadable", "could not be read"), ("cut_off", "were cut off by a token limit")):
        worst = panel.exact.sort_values(column).dropna(subset=[column]).tail(1)
        for _, row in worst[worst[column] >= WORTH_SAYING].iterrows():
            place = f" ({setting_name(panel.source, str(row['setting']))})"
            most, where = ("Up to ", place) if len(panel.settings) > 1 else ("", "")
            said.append(f"{most}{show(row[column])} of the answers {what}{where}.")
    return said
