"""One group cut into what is observed and what is asked, with what is known of the latter.

--fit-max-n 4 --at-n 2,8,64     N = 2: used    N = 8: held out, the truth is known    N = 64: forecast
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from predict.evidence.groups import Group
from predict.evidence.hidden import observe
from predict.evidence.lengths import expected_length
from predict.evidence.points import Evidence, Floats, Points
from predict.evidence.request import Request, fitted
from results import BadInput


@dataclass(frozen=True)
class Task:
    """One group's task: M targets with what is known of them (`truth` NaN, `role` "forecast" if nothing).

    The truth is the exact vote over all answers, also where only some of them are observed.
    """

    observed: Evidence
    targets: Points
    truth: Floats
    stderr: Floats
    role: tuple[str, ...]


def split(group: Group, request: Request) -> Task:
    """Cut `group` into what is observed and what is asked. Raises BadInput where nothing is left to fit."""
    observed = observe(group, *fitted(group, request))
    targets = _targets(group, request, observed)
    known = dict(zip(group.points.places(), zip(group.accuracy, group.stderr, strict=True), strict=True))
    used = set(observed.points.places())
    found = [known.get(place, (np.nan, np.nan)) for place in targets.places()]
    roles = ["used" if p in used else "held_out" if p in known else "forecast" for p in targets.places()]
    truth, stderr = np.array(found).T
    return Task(observed, targets, truth, stderr, tuple(roles))


def _targets(group: Group, request: Request, observed: Evidence) -> Points:
    if observed.run:
        known = dict(observed.points.settings())
        names = request.at_settings or list(observed.run.caps)[1:]
        lengths = {name: known.get(name, np.nan) for name in names}  # of dearer caps they are forecast
        return Points.grid(lengths, sorted(set(request.at_n)) or np.unique(group.points.N))
    if not (request.at_n or request.at_settings):
        return group.points
    known = dict(group.points.settings())
    seen = {name: known[name] for name in fitted(group, request)[0]}
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
