"""Change the settings of an experiment: `step_rule=eta/n`, `noise_scale=raw`, `sigma_eps=0.5,1,2`.

    with_changes(EXPERIMENTS["fig2h"], ["step_rule=eta/n"])   ->  the same panel at the other step rule
    with_changes(EXPERIMENTS["fig2f"], ["d=5,10,20"])         ->  one line for each d
    with_changes(EXPERIMENTS["fig2f"], ["reward=context"])    ->  best-of-N by that reward, too
    read_at(EXPERIMENTS["fig2f"], steps=(8, 50))              ->  the same panel at t = 8 and 50

FIELD is any field of `BinarySetting` or `ContinuousSetting`, or `reward`.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields, replace
from typing import Any

from results import BadInput
from synthetic.model.settings import check_count, check_name
from synthetic.panels.experiments import Experiment, Variant, rewards_of

REWARD = "reward"
ORACLE = "oracle"


def with_changes(experiment: Experiment, changes: Sequence[str]) -> Experiment:
    """The experiment with every line at each value of `key=value,value,…`, and the change in its label.

    `reward=name,name,…` changes no line: it says by which rewards best-of-N is taken. Raises BadInput on an
    unknown field or reward, a value of the wrong kind, or one that the setting refuses.
    """
    for change in changes:
        key, _, names = change.partition("=")
        if key == REWARD:
            experiment = _judged(experiment, names)
            continue
        lines = [varied for line in experiment.variants for varied in _varied(line, change)]
        experiment = replace(experiment, variants=tuple(lines))
    return experiment


def read_at(experiment: Experiment, steps: Sequence[int] = (), votes: Sequence[int] = ()) -> Experiment:
    """The experiment at these t and N, where there are any. Raises BadInput on counts below one."""
    for name, counts in (("steps", steps), ("N", votes)):
        for count in counts:
            check_count(name, count, high=100_000)
    own_steps, own_votes = tuple(sorted(set(steps))), tuple(sorted(set(votes)))
    return replace(experiment, steps=own_steps or experiment.steps, votes=own_votes or experiment.votes)


def _judged(experiment: Experiment, names: str) -> Experiment:
    """The experiment with these rewards in place of its own; the oracle's is its best_of_n."""
    known = rewards_of(experiment)
    asked = [name.strip() for name in names.split(",")]
    for name in asked:
        check_name(REWARD, name, known)
    kept = [method for method in experiment.methods if method not in known]
    methods = dict.fromkeys([*kept, *("best_of_n" if name == ORACLE else name for name in asked)])
    return replace(experiment, methods=tuple(methods))


def _varied(line: Variant, change: str) -> list[Variant]:
    """The line at each value of `key=value,value,…`."""
    names = [field.name for field in fields(line.setting)]
    key, equals, text = change.partition("=")
    if not equals or key not in names:
        raise BadInput(f"{change!r}: expected FIELD=VALUE with FIELD one of {', '.join(names)}, {REWARD}")
    settings = [replace(line.setting, **{key: _value(part.strip())}) for part in text.split(",")]
    return [
        Variant(setting, f"{line.label} {key}={getattr(setting, key)}".strip())
        for setting in dict.fromkeys(settings)
    ]


def _value(text: str) -> Any:
    """A number where it is one; settings refuse what is not of the kind they need."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return None if text.lower() == "none" else text
