"""The names of curves, settings, lengths and values in figures, tables and sentences.

curves_name(Key("llm", "gsm8k", "Llama-3.1-8B"))  ->  "Llama-3.1-8B on gsm8k"
setting_name("llm", "120")  ->  "asked for 120 tokens"      show(0.6456)  ->  "64.6 %"
"""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from math import isfinite
from typing import Any

import pandas as pd

from results.methods import METHODS
from results.tables.key import UNNAMED, Key, model_on, on_dataset
from results.terminal import NBSP, plural

PAPER = (
    "Xingwu Chen, Miao Lu, Beining Wu, Difan Zou: “Towards Theoretical Understanding of Transformer "
    "Test-Time Computing: Investigation on In-Context Linear Regression”, arXiv:2508.07571"
)
"""The paper that this project is about."""

UNKNOWN = "–"
"""The text for an unknown value."""

PLACES = 7
"""Decimal places of values in pictures."""

METHOD_NAMES = {name: method.words for name, method in METHODS.items()}

METRIC_TITLES = {"accuracy": "accuracy", "risk": "squared error (lower is better)"}
UNITS = {"llm": "tokens", "synthetic": "steps"}
PRICED = "US$ per 1,000 questions"
LENGTH_TITLES = {"llm": "tokens per answer, T", "synthetic": "reasoning steps, T"}


def curves_name(key: Key) -> str:
    """The curves of a model on a data set; for the twin, its experiment and what varies in it."""
    if key.source == "synthetic":
        return ", ".join(filter(None, [key.dataset, line_name(key.model)]))
    if key.model == key.dataset != UNNAMED:
        return f"{key.model} model, {key.dataset} questions"
    return model_on(key.model, key.dataset)


def method_name(key: Key) -> str:
    """The curves with their method: "Llama-3.1-8B on gsm8k, majority vote"."""
    return f"{curves_name(key)}, {METHOD_NAMES.get(key.method, key.method)}"


def models_name(source: str, dataset: str, models: Sequence[str]) -> str:
    """The curves of one or several models on one data set: "2 models on gsm8k"."""
    if len(models) == 1:
        return curves_name(Key(source, dataset, models[0]))
    return f"{len(models)} models{on_dataset(dataset)}"


def line_name(model: str) -> str:
    """What varies between the lines of one of the twin's experiments; "" if there is only one."""
    line = model.removeprefix("linear-attention").strip()
    return line.replace("sigma_eps", "σ_ε").replace("sigma", "σ").replace("=eta", "=η")


def sentence(words: str) -> str:
    """`words` with the first letter capitalised, and no other changed ("best of N")."""
    return words[:1].upper() + words[1:]


def settings_title(source: str, settings: Sequence[str]) -> str:
    """The title of a column or legend of settings: numbers are the twin's steps, or tokens asked for."""
    if not all(setting.isdecimal() for setting in settings):
        return "setting"
    return "steps" if source == "synthetic" else "tokens asked for"


def setting_name(source: str, setting: str) -> str:
    """One setting in a sentence: "200 steps", "asked for 120 tokens" or "setting “high”"."""
    if not setting.isdecimal():
        return f"setting “{setting}”"
    return plural(setting, "step") if source == "synthetic" else f"asked for {setting} tokens"


def setting_used(source: str, setting: str, length: float) -> str:
    """A setting and its length (NaN: unknown): "asked for 120 tokens, used 57"."""
    name = setting_name(source, setting)
    if pd.isna(length) or (source == "synthetic" and setting.isdecimal()):
        return name
    used = f", used {length:,.0f}"
    return f"{name}{used}" if setting.isdecimal() else f"{name}{used} {UNITS[source]}"


def methods_name(methods: Sequence[str]) -> str:
    """ "majority vote", or a common name for several."""
    return METHOD_NAMES.get(methods[0], methods[0]) if len(methods) == 1 else "votes and choices by score"


def percent(share: float, sign: str = "") -> str:
    """A share in per cent, as d3 writes it in pictures: 0.4375 is 43.8, and 0.3125 is 31.3.

    Both round the same double, 100 times the share to PLACES, ties away from 0. `sign`: "+" to show any sign.
    """
    if not isfinite(share):
        return UNKNOWN
    exact = Decimal(100 * round(float(share), PLACES))
    tenths = exact.quantize(Decimal("0.1"), ROUND_HALF_UP) + 0  # removes the sign of −0.0
    return f"{tenths:{sign}}".replace("-", "−")


def interval(low: float | None, high: float | None) -> str:
    """ "83.6 … 90.0 %"; an end far outside 0–100 % becomes "< −100" or "> 200 %"; "–" if one is unknown."""
    if pd.isna(low) or pd.isna(high):
        return UNKNOWN
    first = "< −100" if low < -1 else percent(low)
    return f"{first} … {f'> 200{NBSP}%' if high > 2 else show(high)}"


def show(value: float | None, metric: str = "accuracy") -> str:
    """A value: per cent for an accuracy, three digits for a risk; "–" if it is unknown."""
    if pd.isna(value):
        return UNKNOWN
    if metric == "accuracy":
        return f"{percent(value)}{NBSP}%"
    return f"{value:.3g}".replace("-", "−")


def points(gain: float) -> str:
    """A difference of accuracies in percentage points, with its sign: "+3.6", "−0.6"."""
    return percent(gain, "+")


def points_within(gain: float, low: float, high: float) -> str:
    """A difference in points with its interval, if any: "+3.6 (+1.2 … +6.0)"."""
    return points(gain) if pd.isna(low) else f"{points(gain)} ({points(low)} … {points(high)})"


def some_of(shown: int, total: int, things: str) -> list[str]:
    """["8 of 15 settings"], or [] if all are shown."""
    return [f"{shown} of {total} {things}"] if shown < total else []


def predictor_name(rows: Any, name: str = "") -> str:
    """ "default (mixture)": a predictor, and its estimator if the name does not give it.

    name: by default the only predictor of the rows. A table need not have a column `estimator`.
    """
    name = name or str(rows["predictor"].iloc[0])
    made_by = rows["estimator"].dropna().unique() if "estimator" in rows else []
    others = [str(estimator) for estimator in made_by if estimator != name]
    return f"{name} ({listed(others)})" if others else name


def listed(names: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def run_names(runs: Sequence[Key]) -> list[str]:
    """Names that distinguish the runs of a data set: their models, their settings, or both."""
    models = {run.model for run in runs}
    if len(models) == len(runs):
        return [run.model for run in runs]
    return [run.setting if len(models) == 1 else f"{run.model}, {run.setting}" for run in runs]
