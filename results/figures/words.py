"""What figures, tables and sentences call things: curves, settings, lengths and values.

curves_name("llm", "gsm8k", "Llama-3.1-8B")  ->  "Llama-3.1-8B on gsm8k"
setting_name("llm", "120")  ->  "asked for 120 tokens"      show(0.6456)  ->  "64.6 %"
"""

from collections.abc import Sequence
from typing import Any

NBSP = "\N{NO-BREAK SPACE}"

METHOD_NAMES = {
    "majority": "majority vote",
    "best_of_n": "best of N",
    "ensemble": "average of N",
    "greedy": "greedy decoding",
}
METRIC_TITLES = {"accuracy": "accuracy", "risk": "squared error (lower is better)"}
UNITS = {"llm": "tokens", "synthetic": "steps"}
PRICED = "US$ per 1,000 questions"
LENGTH_TITLES = {"llm": "tokens per answer, T", "synthetic": "reasoning steps, T"}

_UNNAMED = "unknown"  # what a table without the column is given


def curves_name(source: str, dataset: str, model: str) -> str:
    """The curves of a model on a dataset; the twin goes by its experiment and what is changed in it."""
    if source == "synthetic":
        return ", ".join(filter(None, [dataset, line_name(model)]))
    if model == dataset != _UNNAMED:
        return f"{model} model, {dataset} questions"
    name = "your answers" if model == _UNNAMED else model
    return name if dataset == _UNNAMED else f"{name} on {dataset}"


def line_name(model: str) -> str:
    """What tells the lines of an experiment of the twin apart; "" where there is one."""
    line = model.removeprefix("linear-attention").strip()
    return line.replace("sigma_eps", "σ_ε").replace("sigma", "σ").replace("=eta", "=η")


def sentence(words: str) -> str:
    """`words` with a capital letter first; the others stay ("best of N")."""
    return words[:1].upper() + words[1:]


def settings_title(source: str, settings: Sequence[str]) -> str:
    """The title of a column or legend of settings: numbers are steps of the twin, or tokens asked for."""
    if not all(setting.isdecimal() for setting in settings):
        return "setting"
    return "steps" if source == "synthetic" else "tokens asked for"


def setting_name(source: str, setting: str) -> str:
    """One setting in a sentence: "200 steps", "asked for 120 tokens" or "setting “high”"."""
    if not setting.isdecimal():
        return f"setting “{setting}”"
    return f"{setting} steps" if source == "synthetic" else f"asked for {setting} tokens"


def setting_used(source: str, setting: str, length: float) -> str:
    """A setting and its length, NaN where unknown: "asked for 120 tokens, used 57"."""
    name = setting_name(source, setting)
    if length != length or (source == "synthetic" and setting.isdecimal()):
        return name
    used = f", used {length:,.0f}"
    return f"{name}{used}" if setting.isdecimal() else f"{name}{used} {UNITS[source]}"


def bought(source: str, row: Any, value: str) -> str:
    """A priced choice, its accuracy in column `value`: "asked for 9 tokens, used 7, N = 8: 95.4 % for …"."""
    used = setting_used(source, str(row["setting"]), row["cost"] / row["N"])
    paid = f"{row['cost']:,.0f} {UNITS[source]} per question"
    return f"{used}, N = {row['N']:.0f}: {show(row[value])} for {paid}."


def show(value: float, metric: str = "accuracy") -> str:
    """A value: per cent for an accuracy, three digits for a risk."""
    text = f"{100 * value:.1f}{NBSP}%" if metric == "accuracy" else f"{value:.3g}"
    return text.replace("-", "−")


def points(gain: float) -> str:
    """A difference of accuracies in percentage points, with its sign: "+3.6", "−0.6"."""
    return f"{100 * gain:+.1f}".replace("-", "−")


def some_of(shown: int, total: int, things: str) -> list[str]:
    """["8 of 15 settings"], or [] where all are shown."""
    return [f"{shown} of {total} {things}"] if shown < total else []


def listed(names: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
