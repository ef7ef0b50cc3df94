"""One group split into observed points and targets, with the measured values of the targets.

--fit-max-n 4 --at-n 2,8,64     N = 2: used    N = 8: held out, the truth is known    N = 64: forecast

The length of answers at a budget that was not run yet, from those at the budgets that were.

    asked for 100, 200, 400: used 61, 118, 190 tokens   ->   asked for 800: 306, give or take 25 %

The number at the end of a setting is its budget ("200", "thinking-16000"). Log tokens are extrapolated along
log budget with the slope between the nearest two settings, limited to 0 … 1. The error is estimated from
rolling origins: each budget from the third on is forecast from the smaller ones.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from predict.evidence.capped import observe
from predict.evidence.groups import Group
from predict.evidence.points import Evidence, Floats, Points
from predict.evidence.request import Request, fitted
from results import BadInput

STRAYS = 0.3
"""Prior standard deviation of log tokens a factor e from the nearest budget; counts as one rolling origin."""


def expected_length(asked: str, lengths: Mapping[str, float]) -> tuple[float, float] | None:
    """The expected tokens of an answer at the setting `asked`, and the standard deviation of their logarithm.

    `lengths` maps the settings seen to their tokens. None unless `asked` ends in a number above 0 and at
    least two settings seen are equal to it except for this number.
    """
    wanted = _request(asked)
    if wanted is None:
        return None
    name, number = wanted
    seen = {}
    for setting, T in lengths.items():
        request = _request(setting)
        if request and request[0] == name and np.isfinite(T) and T > 0:
            seen[request[1]] = T
    if len(seen) < 2:
        return None
    x, y = np.log([(one, seen[one]) for one in sorted(seen)]).T
    at = np.log(number)
    steps = [(y[i] - _carried_on(x[:i], y[:i], x[i])) ** 2 / (x[i] - x[i - 1]) for i in range(2, len(x))]
    variance = (STRAYS**2 + sum(steps)) / (1 + len(steps))
    return float(np.exp(_carried_on(x, y, at))), float(np.sqrt(variance * _far(x, at)))


def _request(setting: str) -> tuple[str, int] | None:
    """The name and budget of a setting: ("thinking-", 16000) of "thinking-16000"; else None."""
    parts = re.fullmatch(r"(.*?)([0-9]+)", setting)
    return (parts[1], int(parts[2])) if parts and int(parts[2]) > 0 else None


def _carried_on(x: Floats, y: Floats, at: float) -> float:
    """Inter- or extrapolate y at `at` from the nearest two settings; x rises."""
    i = int(np.clip(np.searchsorted(x, at), 1, len(x) - 1))
    slope = np.clip((y[i] - y[i - 1]) / (x[i] - x[i - 1]), 0.0, 1.0)
    nearest = np.clip(at, x[0], x[-1])
    return float(np.interp(nearest, x, y) + slope * (at - nearest))


def _far(x: Floats, at: float) -> float:
    """The variance at `at` of a Brownian motion whose values at `x` are known."""
    if x[0] < at < x[-1]:
        i = int(np.searchsorted(x, at))
        return float((at - x[i - 1]) * (x[i] - at) / (x[i] - x[i - 1]))
    return float(np.abs(x - at).min())


@dataclass(frozen=True)
class Task:
    """One group's task: M targets with their measured values (if none: `truth` NaN, `role` "forecast").

    The truth is the exact accuracy over all answers, even if only some of them are observed.
    """

    observed: Evidence
    targets: Points
    truth: Floats
    stderr: Floats
    role: tuple[str, ...]


def split(group: Group, request: Request) -> Task:
    """Split `group` into observed points and targets. Raises BadInput if nothing is left to fit."""
    settings, max_n = fitted(group, request)
    observed = observe(group, settings, max_n)
    targets = _targets(group, request, observed, settings)
    known = dict(zip(group.points.places(), zip(group.accuracy, group.stderr, strict=True), strict=True))
    used = set(observed.points.places())
    measured = [known.get(place, (np.nan, np.nan)) for place in targets.places()]
    roles = ["used" if p in used else "held_out" if p in known else "forecast" for p in targets.places()]
    truth, stderr = np.array(measured).T
    return Task(observed, targets, truth, stderr, tuple(roles))


def _targets(group: Group, request: Request, observed: Evidence, settings: Sequence[str]) -> Points:
    if observed.run:
        known = dict(observed.points.settings())
        names = request.at_settings or list(observed.run.caps)[1:]
        lengths = {name: known.get(name, np.nan) for name in names}  # NaN for larger caps: forecast
        return Points.grid(lengths, sorted(set(request.at_n)) or np.unique(group.points.N))
    if not (request.at_n or request.at_settings):
        return group.points
    known = dict(group.points.settings())
    seen = {name: known[name] for name in settings}
    wanted: dict[str, float] = {}
    unsure: dict[str, float] = {}
    for text in request.at_settings or tuple(known):
        name, given, length = text.rpartition("=")
        if text in known:  # a name may have a "=" in it: temperature=0.3
            wanted[text] = known[text]
        elif given:
            wanted[name] = _new_length(group, text, name, length)
        elif group.priced and (expected := expected_length(text, seen)):
            wanted[text], unsure[text] = expected
        else:
            raise BadInput(
                f"{group.name}: no setting {text!r} to forecast; it has {', '.join(known)}, and "
                f"NAME=LENGTH adds a new one of LENGTH {group.unit} an answer"
            )
    points = Points.grid(wanted, sorted(set(request.at_n)) or np.unique(group.points.N))
    return replace(points, spread=np.array([unsure.get(name, 0.0) for name in points.setting]))


def _new_length(group: Group, text: str, name: str, length: str) -> float:
    """The T of a new setting NAME=LENGTH. Raises BadInput."""
    known = [one for one, _ in group.points.settings() if one == name or one.startswith(f"{name}=")]
    T = pd.to_numeric(length, errors="coerce")
    if not name or known or not 0 < T < np.inf:
        taken = f" ({known[0]} has it)" if known else ""
        raise BadInput(
            f"{group.name}: --at-settings {text!r}: a new setting is NAME=LENGTH, with a NAME that no "
            f"setting has{taken} and a LENGTH above 0"
        )
    if not group.priced:
        raise BadInput(f"{group.name}: --at-settings {text!r}: the table has no lengths to compare it with")
    return float(T)
