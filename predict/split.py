"""What a predictor may look at and what it is asked: one group cut into observed points and targets.

    --fit-max-n 8            settings 10 … 500, N = 1 … 8 are looked at; N = 16 32 64 are held out
    (nothing named)          the cheaper half of the settings is looked at, the others are held out

Without any --fit-… or --at-… option the split is: of four settings or more with known T the cheapest half,
rounded up and at least three, with every N; otherwise every setting, with N up to half the largest one.
Naming a limit for one axis leaves the other one whole. Targets are, unless named, all points of the table.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from predict.curves.intervals import replicate_curves, replicate_samples
from predict.groups import Group, first_answers, group_of_pools
from predict.protocol import Floats, Observed, Points
from results import BadInput


@dataclass(frozen=True)
class Request:
    """What the user named; empty or None is "not named"."""

    fit_max_n: int | None = None
    fit_max_tokens: float | None = None
    fit_settings: tuple[str, ...] = ()
    at_n: tuple[int, ...] = ()
    at_settings: tuple[str, ...] = ()
    replicates: int = 0
    seed: int = 0

    @property
    def names_a_split(self) -> bool:
        """Whether the default split is off."""
        return bool(
            self.fit_max_n or self.fit_max_tokens or self.fit_settings or self.at_n or self.at_settings
        )


@dataclass(frozen=True)
class Question:
    """One group's task: M targets with what is known of them (`truth` NaN, `role` "forecast" if nothing)."""

    observed: Observed
    targets: Points
    truth: Floats
    stderr: Floats
    role: tuple[str, ...]


def ask(group: Group, request: Request) -> Question:
    """Cut `group` into what is observed and what is asked. Raises BadInput where nothing is left to fit."""
    names, max_n = fitted(group, request)
    observed = observe(group, names, max_n, request.replicates, request.seed)
    targets = _targets(group, request)
    seen = _index(observed.points)
    known = _index(group.points)
    truth, stderr = np.full(len(targets), np.nan), np.full(len(targets), np.nan)
    roles = []
    for i, place in enumerate(zip(targets.setting.tolist(), targets.N.tolist(), strict=True)):
        if place in seen:
            roles.append("used")
            truth[i], stderr[i] = observed.accuracy[seen[place]], observed.stderr[seen[place]]
        elif place in known:
            roles.append("held_out")
            truth[i], stderr[i] = group.accuracy[known[place]], group.stderr[known[place]]
        else:
            roles.append("forecast")
    return Question(observed, targets, truth, stderr, tuple(roles))


def observe(group: Group, names: Sequence[str], max_n: int, replicates: int, seed: int) -> Observed:
    """The part of `group` at settings `names` with N ≤ max_n; of samples, the first max_n answers."""
    pools = tuple(first_answers(pool, max_n) for pool in group.pools if pool.setting in names)
    if pools:
        cut = group_of_pools(group.source, group.dataset, group.model, group.method, pools)
        copies = replicate_samples(cut.points, pools, group.method, replicates, seed)
        return Observed(cut.points, cut.accuracy, cut.stderr, copies, pools, group.method)
    at = np.isin(group.points.setting, list(names)) & np.less_equal(group.points.N, max_n)
    points = Points(group.points.setting[at], group.points.T[at], group.points.N[at])
    copies = replicate_curves(group.accuracy[at], group.stderr[at], replicates, seed)
    return Observed(points, group.accuracy[at], group.stderr[at], copies, (), group.method)


def fitted(group: Group, request: Request) -> tuple[list[str], int]:
    """The settings that are looked at and the largest N that is. Raises BadInput where there is none."""
    settings = group.points.settings()
    names = [name for name, _ in settings]
    largest = int(group.points.N.max())
    if not request.names_a_split:
        if len(names) >= 4 and all(np.isfinite(T) for _, T in settings):
            return names[: max(3, (len(names) + 1) // 2)], largest
        return names, max(1, largest // 2)
    if request.fit_settings:
        unknown = [name for name in request.fit_settings if name not in names]
        if unknown:
            raise BadInput(
                f"{group.name}: no setting {unknown[0]!r} to fit on, expected some of {', '.join(names)}"
            )
        names = [name for name in names if name in request.fit_settings]
    if request.fit_max_tokens is not None:
        missing = [name for name in names if name not in group.cost]
        if missing:
            raise BadInput(f"{group.name}: setting {missing[0]!r} has no token counts for --fit-max-tokens")
        names = [name for name in names if group.cost[name] <= request.fit_max_tokens]
        if not names:
            cheapest = min(group.cost.values())
            raise BadInput(
                f"{group.name}: no setting within {request.fit_max_tokens:g} tokens per answer, "
                f"expected at least {cheapest:.4g} (the cheapest one)"
            )
    max_n = request.fit_max_n or largest
    if not group.points.N[np.isin(group.points.setting, names)].min() <= max_n:
        raise BadInput(
            f"{group.name}: no point with N up to {max_n}, expected at least {group.points.N.min()}"
        )
    return names, max_n


def _targets(group: Group, request: Request) -> Points:
    if not (request.at_n or request.at_settings):
        return group.points
    table = dict(group.points.settings())
    wanted = {}
    for text in request.at_settings or tuple(table):
        name, given, T = text.partition("=")
        if given and (name in table or not name):
            meant = f"{name!r} has its length from the table" if name else "a new setting needs a name"
            raise BadInput(
                f"{group.name}: --at-settings {text!r}: {meant}, expected NAME=LENGTH of a new one"
            )
        if given:
            wanted[name] = _length(group, text, T)
        elif name in table:
            wanted[name] = table[name]
        else:
            raise BadInput(
                f"{group.name}: no setting {name!r} to forecast, expected one of {', '.join(table)}, "
                "or NAME=LENGTH for a new one"
            )
    ns = sorted(set(request.at_n)) or sorted(set(group.points.N.tolist()))
    places = [(name, T, n) for name, T in wanted.items() for n in ns]
    return Points(
        np.array([p[0] for p in places]),
        np.array([p[1] for p in places], dtype=np.float64),
        np.array([p[2] for p in places], dtype=np.int64),
    )


def _length(group: Group, text: str, T: str) -> float:
    """A new setting's T on the fitting scale: tokens per answer for language models, steps for the twin."""
    try:
        length = float(T)
    except ValueError:
        length = np.nan
    if not 0 < length < np.inf:
        raise BadInput(f"--at-settings {text!r}: expected NAME=LENGTH with a number above 0 as length")
    if group.source == "synthetic":
        return length
    questions = max(group.questions.values(), default=0)
    if not questions:
        raise BadInput(f"{group.name}: --at-settings {text!r} needs the number of questions in the table")
    return length * questions / group.scale


def _index(points: Points) -> dict[tuple[str, int], int]:
    return {place: i for i, place in enumerate(zip(points.setting.tolist(), points.N.tolist(), strict=True))}
