"""What the curves say, in sentences computed from them: the cards at the head of the report.

    Finding(title="Llama-3.1-8B on gsm8k",
            tiles=[Tile("One answer", "41.2 % → 78.0 %", "asked for 10 → 500 tokens"), ...],
            headline="Both pay, thinking longer more than voting.",
            advice="The cheapest choice within one point of the best: …")

A difference smaller than the 90 % interval of its own standard error is called "no clear difference". Both
values come from the same questions, so the true interval is narrower than the one used here.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from results.figures.cost import with_cost
from results.figures.panels import Panel
from results.figures.words import METHOD_NAMES, UNITS, points, setting_name, setting_used, show
from results.frontier import pareto_frontier
from results.normal import Z90


@dataclass(frozen=True)
class Tile:
    """One number of a card."""

    label: str
    value: str
    note: str


@dataclass(frozen=True)
class Finding:
    """The card of one model on one dataset."""

    title: str
    about: str
    headline: str
    tiles: list[Tile]
    advice: str


def findings(panels: list[Panel]) -> list[Finding]:
    """One card for each language model and dataset, in the order of the panels."""
    llm = [panel for panel in panels if panel.source == "llm" and panel.metric == "accuracy"]
    keys = list(dict.fromkeys(panel.key for panel in llm))
    return [_finding({panel.method: panel for panel in llm if panel.key == key}) for key in keys]


def _finding(by_method: dict[str, Panel]) -> Finding:
    main = by_method.get("majority") or next(iter(by_method.values()))
    judged = by_method.get("best_of_n")
    cheap, dear, voted = ends(main)
    several = len(main.settings) > 1
    one = "One answer" if cheap["N"] == 1 else f"{METHOD_NAMES[main.method]}, N = {_n(cheap)}"
    accuracy = [show(row["value"]) for row in ((cheap, dear) if several else (dear,))]
    tiles = [Tile(one, " → ".join(accuracy), _span(main) if several else "no vote")]
    if main.method == "majority":
        noise = "" if direction(dear, voted) else ", within the noise"
        gain = f"{points(voted['value'] - dear['value'])} points{noise}"
        tiles.append(Tile(f"Vote over {_n(voted)}", show(voted["value"]), gain))
    if judged is not None:
        best = ends(judged)[2]
        tiles.append(Tile(f"Best of {_n(best)}", show(best["value"]), "if a perfect judge picked the answer"))
    used = [f"{row['length']:,.0f}" for row in ((cheap, dear) if several else (dear,))]
    if main.exact["length"].notna().all():
        tiles.append(Tile("Tokens used per answer", " → ".join(used), "a vote costs N times as many"))
    else:
        tiles.append(Tile("Tokens used per answer", "not recorded", "so costs cannot be compared"))
    questions = int(main.exact["questions"].max()) if main.exact["questions"].notna().any() else 0
    about = [f"{questions:,} questions"] if questions else []
    about.append(f"{len(main.settings)} settings" if several else "1 setting")
    about.append(f"up to {main.ns[-1]} answers per question")
    return Finding(main.name, ", ".join(about), _headline(main), tiles, _advice(main))


def _span(panel: Panel) -> str:
    """The cheapest and the dearest setting: "asked for 10 → 500 tokens"."""
    first, last = panel.settings[0], panel.settings[-1]
    if first.isdecimal() and last.isdecimal():
        return f"asked for {first} → {last} tokens"
    return f"setting “{first}” → “{last}”"


def _headline(panel: Panel) -> str:
    """Which of the two ways of spending more pays, in one sentence."""
    cheap, dear, many = ends(panel)
    name = "Voting" if panel.method == "majority" else "Asking again"
    vote, length = direction(dear, many), direction(cheap, dear)
    does = {1: "pays", 0: "makes no clear difference", -1: "hurts"}
    if dear["N"] == many["N"]:
        return (
            f"Thinking longer {does[length]}."
            if panel.has_lengths
            else "One measurement, nothing to compare."
        )
    if not panel.has_lengths:
        return f"{name} {does[vote]}."
    if vote == length == 0:
        return f"Neither {name.lower()} nor thinking longer makes a clear difference."
    if vote == length == 1:
        ranked = ["thinking longer", name.lower()]
        if many["value"] - dear["value"] > dear["value"] - cheap["value"]:
            ranked.reverse()
        return f"Both pay, {ranked[0]} more than {ranked[1]}."
    return f"Thinking longer {does[length]}; {name.lower()} {does[vote]}."


def ends(panel: Panel) -> tuple[Any, Any, Any]:
    """Three exact rows: fewest answers at the cheapest setting and at the dearest, most at the dearest."""
    rows = panel.exact.sort_values("N")
    first, last = (rows[rows["setting"] == panel.settings[end]] for end in (0, -1))
    return first.iloc[0], last.iloc[0], last.iloc[-1]


def answers_verdict(panel: Panel) -> str:
    """What more answers change at the dearest setting; "" where there is only one N."""
    _, one, many = ends(panel)
    if one["N"] == many["N"]:
        return ""
    act = {
        "majority": f"A vote over {_n(many)} answers",
        "best_of_n": f"A perfect judge of {_n(many)} answers",
        "ensemble": f"Averaging {_n(many)} paths",
    }[panel.method]
    place = (
        f" ({setting_used(panel.source, panel.settings[-1], one['length'])})"
        if len(panel.settings) > 1
        else ""
    )
    return f"{act} {_effect(one, many, panel)}{place}."


def length_verdict(panel: Panel) -> str:
    """What the dearest setting changes against the cheapest at the fewest answers; "" without lengths."""
    cheap, dear, _ = ends(panel)
    if not panel.has_lengths:
        return ""
    unit = UNITS[panel.source]
    origin = "" if panel.source == "synthetic" else f" ({_span(panel)})"
    return (
        f"Going from {cheap['length']:,.0f} to {dear['length']:,.0f} {unit} per answer{origin} "
        f"{_effect(cheap, dear, panel)}."
    )


def _effect(before: Any, after: Any, panel: Panel) -> str:
    """ "adds 3.1 points", "makes no clear difference (+0.2 points)", "cuts the error from 61.3 to 31.5"."""
    gain = float(after["value"] - before["value"])
    if panel.metric == "risk":
        verb = "cuts" if gain < 0 else "raises"
        return f"{verb} the error from {show(before['value'], 'risk')} to {show(after['value'], 'risk')}"
    if not direction(before, after):
        return f"makes no clear difference ({points(gain)} points)"
    return f"{'adds' if gain > 0 else 'loses'} {100 * abs(gain):.1f} points"


def direction(before: Any, after: Any) -> int:
    """1 or −1 where the value clearly rises or falls between two rows, 0 where all of it could be noise."""
    gain = float(after["value"] - before["value"])
    errors = np.nan_to_num(np.array([before["stderr"], after["stderr"]], dtype=np.float64))
    return int(np.sign(gain)) if abs(gain) > Z90 * np.hypot(*errors) else 0


def cheapest_near_best(panel: Panel) -> "pd.Series[Any]":
    """The cheapest choice within one point of the best accuracy measured: a row with `cost`."""
    choices = pareto_frontier(with_cost(panel), "value")
    near: pd.Series[Any] = choices[choices["value"] >= choices["value"].max() - 0.01].iloc[0]
    return near


def _advice(panel: Panel) -> str:
    if not panel.exact["length"].notna().all():
        return ""
    enough = cheapest_near_best(panel)
    answers = "1 answer" if enough["N"] == 1 else f"{_n(enough)} answers"
    return (
        f"The cheapest choice within one point of the best: {answers}, "
        f"{setting_name(panel.source, str(enough['setting']))}. It reaches {show(enough['value'])} for "
        f"{enough['cost']:,.0f} tokens per question."
    )


def _n(row: Any) -> str:
    return f"{row['N']:.0f}"
