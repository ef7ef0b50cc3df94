"""What the curves say, in sentences computed from them: the cards at the head of the report.

    Finding(title="Llama-3.1-8B on gsm8k",
            tiles=[Tile("One answer", "41.2 % → 78.0 %", "setting 10 → 500"), ...],
            headline="Thinking longer and voting both pay, thinking longer more.",
            verdict="A vote over 64 answers adds 9.1 points at setting 500; …")

A difference smaller than the 90 % interval of its own standard error is called "no clear difference". The two
ends of a difference share their questions, which makes the true interval narrower than the one used here.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from results.figures.axes import NBSP, show
from results.figures.cost import with_cost
from results.figures.panels import METHOD_NAMES, Panel
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
    """One model on one dataset: its card."""

    title: str
    about: str
    tiles: list[Tile]
    headline: str
    verdict: str


def findings(panels: list[Panel]) -> list[Finding]:
    """One card for each language model and dataset, in the order of the panels."""
    llm = [panel for panel in panels if panel.source == "llm" and panel.metric == "accuracy"]
    keys = list(dict.fromkeys(panel.key for panel in llm))
    return [_finding({panel.method: panel for panel in llm if panel.key == key}) for key in keys]


def _finding(by_method: dict[str, Panel]) -> Finding:
    main = by_method.get("majority") or next(iter(by_method.values()))
    judged = by_method.get("best_of_n")
    cheap, dear, voted = ends(main)
    tiles = [_single_tile(main, cheap, dear)]
    if main.method == "majority":
        tiles.append(Tile(f"Vote over {_n(voted)}", show(voted["value"]), _change(dear, voted, main)))
    if judged is not None:
        best = ends(judged)[2]
        tiles.append(Tile(f"Best of {_n(best)}", show(best["value"]), "if a perfect judge picked"))
    tiles.append(_token_tile(main, cheap, dear))
    sentences = [length_verdict(main), _advice(main)]
    questions = int(main.exact["questions"].max()) if main.exact["questions"].notna().any() else 0
    about = [f"{questions:,} questions"] if questions else []
    about.append("1 setting" if len(main.settings) == 1 else f"{len(main.settings)} settings")
    about.append(f"up to {main.ns[-1]} answers a question")
    verdict = " ".join(text for text in sentences if text)
    return Finding(main.name, ", ".join(about), tiles, _headline(main), verdict)


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
            else "One measurement: nothing to compare."
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
    first = _at(panel, panel.settings[0])
    last = _at(panel, panel.settings[-1])
    return first.iloc[0], last.iloc[0], last.iloc[-1]


def _at(panel: Panel, setting: str) -> pd.DataFrame:
    return panel.exact[panel.exact["setting"] == setting].sort_values("N")


def answers_verdict(panel: Panel) -> str:
    """What more answers change at the dearest setting; "" where there is only one N."""
    _, one, many = ends(panel)
    if one["N"] == many["N"]:
        return ""
    where = f" at setting “{panel.settings[-1]}”" if len(panel.settings) > 1 else ""
    act = {
        "majority": f"A vote over {_n(many)} answers",
        "best_of_n": f"A perfect judge of {_n(many)} answers",
        "ensemble": f"Averaging {_n(many)} paths",
    }[panel.method]
    return f"{act} {_effect(one, many, panel)}{where}."


def length_verdict(panel: Panel) -> str:
    """What the dearest setting changes against the cheapest at the fewest answers; "" without lengths."""
    cheap, dear, _ = ends(panel)
    if not panel.has_lengths:
        return ""
    unit = "steps" if panel.source == "synthetic" else "tokens"
    times = dear["length"] / cheap["length"]
    return (
        f"Going from setting “{panel.settings[0]}” to “{panel.settings[-1]}” "
        f"{_effect(cheap, dear, panel)} for {times:.3g} times the {unit}."
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
    """1 or −1 where the value clearly rises or falls between two rows, 0 where noise could be all of it."""
    gain = float(after["value"] - before["value"])
    errors = np.nan_to_num(np.array([before["stderr"], after["stderr"]], dtype=np.float64))
    return int(np.sign(gain)) if abs(gain) > Z90 * np.hypot(*errors) else 0


def points(gain: float) -> str:
    """A difference of accuracies in percentage points, with its sign: "+3.6", "−0.6"."""
    return f"{100 * gain:+.1f}".replace("-", "−")


def _advice(panel: Panel) -> str:
    """The cheapest choice within one point of the best accuracy measured."""
    if not panel.exact["length"].notna().all():
        return ""
    choices = pareto_frontier(with_cost(panel), "value")
    enough = choices[choices["value"] >= choices["value"].max() - 0.01].iloc[0]
    return (
        f"The cheapest way to within a point of the best measured is setting “{enough['setting']}” with "
        f"N{NBSP}={NBSP}{_n(enough)}: {show(enough['value'])} for {enough['cost']:,.0f} tokens a question."
    )


def _single_tile(panel: Panel, cheap: Any, dear: Any) -> Tile:
    label = "One answer" if cheap["N"] == 1 else f"{METHOD_NAMES[panel.method]}, N = {_n(cheap)}"
    if len(panel.settings) == 1:
        return Tile(label, show(dear["value"]), "no vote")
    span = f"setting “{panel.settings[0]}” → “{panel.settings[-1]}”"
    return Tile(label, f"{show(cheap['value'])} → {show(dear['value'])}", span)


def _token_tile(panel: Panel, cheap: Any, dear: Any) -> Tile:
    if not panel.exact["length"].notna().all():
        return Tile("Tokens per answer", "not recorded", "so costs cannot be compared")
    if len(panel.settings) == 1:
        return Tile("Tokens per answer", f"{dear['length']:,.0f}", "times N for a vote")
    value = f"{cheap['length']:,.0f} → {dear['length']:,.0f}"
    return Tile("Tokens per answer", value, "times N for a vote")


def _change(before: Any, after: Any, panel: Panel) -> str:
    where = f" at setting “{panel.settings[-1]}”" if len(panel.settings) > 1 else ""
    noise = "" if direction(before, after) else ": within the noise"
    return f"{points(after['value'] - before['value'])} points{where}{noise}"


def _n(row: Any) -> str:
    return f"{row['N']:.0f}"
