"""Change a setting from the command line: `step_rule=eta/n`, `noise_scale=raw`, `sigma_eps=0.5,1,2`.

    with_changes(EXPERIMENTS["fig2h"], ["step_rule=eta/n"])   ->  the same panel at the other step rule
    swept(EXPERIMENTS["fig2f"], "d=5,10,20")                  ->  one line for each d

FIELD is any field of `BinarySetting` or `ContinuousSetting`.
"""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from results import BadInput
from synthetic.panels.experiments import Experiment, Variant


def with_changes(experiment: Experiment, changes: Sequence[str]) -> Experiment:
    """The experiment with every line's setting changed by `key=value` items, and the change in its label.

    Raises BadInput on an unknown field, a value of the wrong kind, or one that the setting refuses.
    """
    if not changes:
        return experiment
    note = " ".join(changes)
    lines = []
    for line in experiment.variants:
        setting = line.setting
        for change in changes:
            key, value = one_value(change, fields_of(setting))
            setting = replace(setting, **{key: value})
        lines.append(Variant(setting, f"{line.label} {note}".strip()))
    return replace(experiment, variants=tuple(lines))


def swept(experiment: Experiment, vary: str) -> Experiment:
    """The experiment's first line once for each value of `key=value,value,…`. Raises BadInput."""
    first = experiment.variants[0]
    key, values = _parsed(vary, fields_of(first.setting))
    lines = tuple(
        Variant(replace(first.setting, **{key: value}), f"{first.label} {key}={value}".strip())
        for value in dict.fromkeys(values)
    )
    return replace(experiment, variants=lines)


def fields_of(of: Any) -> dict[str, str]:
    """The fields of a dataclass, and their types in words."""
    return {field.name: str(field.type) for field in fields(of)}


def one_value(change: str, known: dict[str, str]) -> tuple[str, Any]:
    """The field and the value of `FIELD=VALUE`, FIELD one of `known`. Raises BadInput."""
    key, values = _parsed(change, known)
    if len(values) != 1:
        raise BadInput(f"{change!r}: expected one value, as in {key}={values[0]}")
    return key, values[0]


def _parsed(change: str, known: dict[str, str]) -> tuple[str, list[Any]]:
    key, equals, text = change.partition("=")
    if not equals or key not in known:
        raise BadInput(f"{change!r}: expected FIELD=VALUE with FIELD one of {', '.join(known)}")
    return key, [_value(key, known[key], part.strip()) for part in text.split(",")]


def _value(key: str, kind: str, text: str) -> Any:
    if "float" not in kind and "int" not in kind:
        return text
    if "None" in kind and text.lower() == "none":
        return None
    try:
        return float(text) if "float" in kind else int(text)
    except ValueError:
        expected = "a number" if "float" in kind else "a whole number"
        raise BadInput(f"{key}={text}: expected {expected}") from None
