"""What the curves say, in sentences computed from them: the cards at the head of the report.

    Finding(title="Llama-3.1-8B on gsm8k", about="1,319 questions, 4 settings, …",
            tiles=[("One answer", "41.2 % → 78.0 %", "asked for 10 → 500 tokens"), ...],
            headline="Thinking longer pays; voting pays.", …)

A difference smaller than its 90 % interval is called "no clear difference". The same questions are answered
at every N and setting: a standard error of the difference that is paired by question is taken at its word;
where the table has none, those of both values count as independent, and the interval is too wide.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from results.figures.cost import cost_column, frontier, with_cost
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
from results.normal import Z90

IGNORED = 0.5
"""Tokens used that grow as asked for to a smaller power than this are not set by the budget."""

WORTH_SAYING = 0.01
"""A smaller share of answers that could not be read, or were cut off, is left to the tables."""


@dataclass(frozen=True)
class Gain:
    """A difference of two accuracies (or risks) and the half-width of its 90 % interval."""

    value: float
    margin: float

    @property
    def direction(self) -> int:
        """1 or −1 where the value clearly rises or falls, 0 where all of it could be noise."""
        return int(np.sign(self.value)) if abs(self.value) > self.margin else 0

    def __str__(self) -> str:
        margin = f" ± {100 * self.margin:.1f}" if self.margin else ""
        return f"{points(self.value)}{margin} points"


def gain(before: Any, after: Any, paired: str) -> Gain:
    """The difference of two rows of a panel; `paired` is the column with its standard error.

    That column is null in the row that the others are compared with.
    """
    stderr = after[paired]
    if pd.isna(stderr) or pd.notna(before[paired]):
        stderr = np.hypot(*pd.Series([before["stderr"], after["stderr"]], dtype="float64").fillna(0))
    return Gain(float(after["value"] - before["value"]), Z90 * float(stderr))


def ends(panel: Panel) -> tuple[Any, Any, Any]:
    """Three exact rows: fewest answers at the cheapest setting and at the dearest, most at the dearest."""
    rows = panel.exact.sort_values("N")
    first, last = (rows[rows["setting"] == panel.settings[end]] for end in (0, -1))
    return first.iloc[0], last.iloc[0], last.iloc[-1]


def vote_gain(panel: Panel) -> Gain:
    """What the most answers gain over the fewest at the dearest setting."""
    return gain(*ends(panel)[1:], "stderr_vs_first_n")


def length_gain(panel: Panel) -> Gain:
    """What the dearest setting gains over the cheapest at the fewest answers."""
    return gain(*ends(panel)[:2], "stderr_vs_cheapest")


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
    cheap, dear, most = ends(main)
    shown = (cheap, dear) if len(main.settings) > 1 else (dear,)
    one = "One answer" if cheap["N"] == 1 else f"{sentence(METHOD_NAMES[main.method])}, N = {cheap['N']:.0f}"
    values = " → ".join(show(row["value"]) for row in shown)
    tiles = [(one, values, _span(main) if len(shown) > 1 else "no vote")]
    if main.method == "majority" and len(main.ns) > 1:
        gained = vote_gain(main)
        noise = "" if gained.direction else ", within the noise"
        tiles.append((f"Vote over {most['N']:.0f}", show(most["value"]), f"{gained}{noise}"))
    if "best_of_n" in by_method:
        best = ends(by_method["best_of_n"])[2]
        note = "if a perfect judge picked the answer"
        tiles.append((f"Best of {best['N']:.0f}", show(best["value"]), note))
    notes = []
    if main.exact["length"].notna().all():
        used = " → ".join(f"{row['length']:,.0f}" for row in shown)
        tiles.append(("Tokens used per answer", used, "a vote costs N times as many"))
        enough = bought(main.source, best_choice(with_cost([main]), "value"), "value")
        notes = [f"Cheapest measured choice within a point of the best: {enough}"]
    questions = main.exact["questions"].max()
    about = [f"{questions:,.0f} questions"] if questions > 0 else []
    about.append(f"{len(main.settings)} settings" if len(shown) > 1 else "1 setting")
    about.append(f"up to {main.ns[-1]} answers per question")
    partial = [unfinished[main.name]] if main.name in unfinished else []
    return Finding(
        main.name, ", ".join(about), partial + _partial(main), _budgets(main), _headline(main), tiles,
        notes + _lost(main),
    )  # fmt: skip


def _budgets(panel: Panel) -> list[str]:
    """That the tokens asked for hardly set the length of the answers; [] where they do."""
    if not (panel.has_lengths and all(setting.isdecimal() and int(setting) for setting in panel.settings)):
        return []
    used = panel.exact.groupby("setting")["length"].mean()
    asked = sorted(panel.settings, key=int)
    growth = np.log(used[asked[-1]] / used[asked[0]]) / np.log(int(asked[-1]) / int(asked[0]))
    if growth >= IGNORED:
        return []
    tokens = listed([f"{used[setting]:,.0f}" for setting in asked])
    return [f"The budgets hardly set the length: asked for {listed(asked)} tokens, the model used {tokens}."]


def _span(panel: Panel) -> str:
    """The cheapest and the dearest setting: "asked for 10 → 500 tokens"."""
    first, last = panel.settings[0], panel.settings[-1]
    if first.isdecimal() and last.isdecimal():
        return f"asked for {first} → {last} tokens"
    return f"setting “{first}” → “{last}”"


def _headline(panel: Panel) -> str:
    """Which of the two ways of spending more pays, in one sentence."""
    does = {1: "pays", 0: "makes no clear difference", -1: "hurts"}
    told = []
    if panel.has_lengths:
        told.append(f"thinking longer {does[length_gain(panel).direction]}")
    if len(panel.ns) > 1:
        way = "voting" if panel.method == "majority" else "asking again"
        told.append(f"{way} {does[vote_gain(panel).direction]}")
    return sentence("; ".join(told) or "one measurement, nothing to compare") + "."


def answers_verdict(panel: Panel) -> str:
    """What more answers change at the dearest setting."""
    _, one, many = ends(panel)
    act = {
        "majority": f"A vote over {many['N']:.0f} answers",
        "best_of_n": f"A perfect judge of {many['N']:.0f} answers",
        "ensemble": f"Averaging {many['N']:.0f} paths",
    }[panel.method]
    used = setting_used(panel.source, panel.settings[-1], one["length"])
    place = f" ({used})" if len(panel.settings) > 1 else ""
    return f"{act} {_effect(one, many, vote_gain(panel), panel.metric)}{place}."


def length_verdict(panel: Panel) -> str:
    """What the dearest setting changes against the cheapest at the fewest answers."""
    cheap, dear, _ = ends(panel)
    origin = "" if panel.source == "synthetic" else f" ({_span(panel)})"
    span = f"{cheap['length']:,.0f} to {dear['length']:,.0f} {UNITS[panel.source]} per answer"
    return f"Going from {span}{origin} {_effect(cheap, dear, length_gain(panel), panel.metric)}."


def _effect(before: Any, after: Any, gain: Gain, metric: str) -> str:
    """ "adds 3.1 ± 1.2 points", "makes no clear difference, +0.2 ± 1.2 points", "cuts the error from …"."""
    if metric == "risk":
        verb = "cuts" if gain.value < 0 else "raises"
        return f"{verb} the error from {show(before['value'], 'risk')} to {show(after['value'], 'risk')}"
    if not gain.direction:
        return f"makes no clear difference, {gain}"
    return f"{'adds' if gain.value > 0 else 'loses'} {str(gain)[1:]}"


def answer(panels: Sequence[Panel]) -> str:
    """The answer to the page's title: for how many models each way of spending more clearly pays."""
    by_model: dict[tuple[str, str, str], Panel] = {}
    for panel in panels:
        if panel.source == "llm" and panel.metric == "accuracy" and panel.method != "best_of_n":
            by_model.setdefault(panel.key, panel)
    ways = {
        "Asking again": [vote_gain(panel) for panel in by_model.values() if len(panel.ns) > 1],
        "thinking longer": [length_gain(panel) for panel in by_model.values() if panel.has_lengths],
    }
    told = []
    for way, gains in ways.items():
        if gains:
            values = sorted(one.value for one in gains)
            span = " to ".join(dict.fromkeys([points(values[0]), points(values[-1])]))
            clear = sum(one.direction > 0 for one in gains)
            often = f"clearly pays in {clear} of {len(gains)} cases (all: "
            if len(gains) == 1:
                often = "clearly pays (" if clear else "does not clearly pay ("
            told.append(f"{way} {often}{span} points)")
    return f"{'; '.join(told)}." if told else ""


def joint_verdict(panels: Sequence[Panel]) -> str:
    """Which of several models to ask at which budget."""
    best, by = frontier(panels), cost_column(panels)
    first = best[best["model"] != best["model"].shift()]
    if len(first) == 1:
        return f"{first['model'].iloc[0]} is the one to ask, whatever the budget."
    budget, words = "budget", "{:,.0f} tokens"
    if by == "usd":
        budget, words = "budget for 1,000 questions", "US$ {:,.2f}"
    starts = zip(first[by].map(words.format), first["model"], strict=True)
    told = ", ".join(f"from {start} {model}" for start, model in starts)
    return f"The model to ask depends on the {budget}: {told}."


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
            place = setting_name(panel.source, str(row["setting"]))
            said.append(f"Up to {show(row[column])} of the answers {what} ({place}).")
    return said
