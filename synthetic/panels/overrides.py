"""Change the settings of an experiment: `step_rule=eta/n`, `noise_scale=raw`, `sigma_eps=0.5,1,2`.

    with_changes(EXPERIMENTS["fig2h"], ["step_rule=eta/n"])   ->  the same panel at the other step rule
    with_changes(EXPERIMENTS["fig2f"], ["d=5,10,20"])         ->  one line for each d
    read_at(EXPERIMENTS["fig2f"], steps=(8, 50))              ->  the same panel at t = 8 and 50

FIELD is any field of `BinarySetting` or `ContinuousSetting`.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any, get_args

from results import BadInput
from synthetic.model.settings import ContinuousSetting, Setting, StepRule
from synthetic.panels.experiments import Experiment, Variant


def with_changes(experiment: Experiment, changes: Sequence[str]) -> Experiment:
    """The experiment with every line at each value of `key=value,value,…`, and a label that says so.

    Lines that come out with one setting are one line. Raises BadInput on an unknown field, a value of the
    wrong kind, or one that the setting refuses.
    """
    # what a dial is, its sampler says
    for change in sorted(changes, key=lambda change: change.startswith("dial=")):
        lines = [varied for line in experiment.variants for varied in _varied(line, change)]
        first = {line.setting: line for line in reversed(lines)}
        kept = _told_apart([line for line in lines if first[line.setting] is line])
        experiment = replace(experiment, variants=tuple(kept))
    return experiment


def read_at(experiment: Experiment, steps: Sequence[int] = (), votes: Sequence[int] = ()) -> Experiment:
    """The experiment at these t and N, where there are any. Raises BadInput on counts below one."""
    own_steps, own_votes = tuple(sorted(set(steps))), tuple(sorted(set(votes)))
    return replace(experiment, steps=own_steps or experiment.steps, votes=own_votes or experiment.votes)


def _varied(line: Variant, change: str) -> list[Variant]:
    """The line at each value of `key=value,value,…`."""
    names = [field.name for field in fields(line.setting)]
    key, equals, text = change.partition("=")
    if not equals or key not in names:
        raise BadInput(f"{change!r}: expected FIELD=VALUE with FIELD one of {', '.join(names)}")
    settings = [replace(line.setting, **{key: _value(part.strip())}) for part in text.split(",")]
    return [Variant(setting, _label(line, setting, key)) for setting in dict.fromkeys(settings)]


def _label(line: Variant, changed: Setting, key: str) -> str:
    """The label of the line after a change of `key`: what it says of the line before is mended."""
    before = line.setting

    def mended(said: re.Match[str]) -> str:
        name, text = said.groups()
        if name == "step":
            by_rule = text in get_args(StepRule)
            step = changed.step_rule if by_rule else Fraction(changed.step).limit_denominator(10**6)
            return said[0] if changed.step == before.step else f"step={step}"
        now = getattr(changed, name, None)
        return said[0] if now == getattr(before, name, None) else f"{name}={now}"

    label = re.sub(r"(\w+)=([^\s,]+)", mended, line.label)
    if isinstance(before, ContinuousSetting) and isinstance(changed, ContinuousSetting):
        label = label.replace(f"{before.noise} noise", f"{changed.noise} noise")
    value = getattr(changed, key)
    told = re.search(rf"\b{key}=|\b{re.escape(str(value))} {key}\b", label)  # as "linear noise"
    return label if told else f"{label} {key}={value}".strip()


def _told_apart(lines: Sequence[Variant]) -> list[Variant]:
    """The lines, with what they differ in where several came to have one label."""
    found = []
    for line in lines:
        alike = [other.setting for other in lines if other.label == line.label]
        differ = [name for name in vars(line.setting) if len({vars(one)[name] for one in alike}) > 1]
        words = [f"{name}={vars(line.setting)[name]}" for name in differ]
        found.append(replace(line, label=" ".join([line.label, *words]).strip()))
    return found


def _value(text: str) -> Any:
    """A number where it is one; settings refuse what is not of the kind they need."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return None if text.lower() == "none" else text
