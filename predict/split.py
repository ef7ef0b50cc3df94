"""What a predictor may look at and what it is asked: one group cut into observed points and targets.

    --fit-max-n 8            settings 10 … 500, N = 1 … 8 are observed; N = 16 32 64 are held out
    (nothing named)          the cheaper half of the settings is observed, the others are held out

Without any --fit-… or --at-… option the split is: of four settings or more with known T the cheapest half,
rounded up and at least three, with every N; otherwise every setting, with N up to half the largest one.
Naming a limit for one axis leaves the other one whole. Targets are, unless named, all points of the table.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from predict.capped import pools_at, read_capped, seen_of
from predict.curves.intervals import replicate_curves, replicate_samples
from predict.groups import Group, chosen_answers, read_groups
from predict.length.requests import expected_length
from predict.protocol import Floats, Observed, Options, Points, Pool
from predict.survival.forecast import lengths_ahead
from results import BadInput

LARGEST_N = 100_000
"""The exact vote of fresh answers is counted up to here, and no budget goes further."""


@dataclass(frozen=True)
class Request:
    """What the user named; empty or None is "not named"."""

    fit_max_n: int | None = None
    fit_max_tokens: float | None = None
    fit_settings: tuple[str, ...] = ()
    at_n: tuple[int, ...] = ()
    at_settings: tuple[str, ...] = ()
    fit_cap: int | None = None
    at_caps: tuple[int, ...] = ()


@dataclass(frozen=True)
class Task:
    """One group's task: M targets with what is known of them (`truth` NaN, `role` "forecast" if nothing).

    The truth is the exact vote over all answers, also where only some of them are observed.
    """

    observed: Observed
    targets: Points
    truth: Floats
    stderr: Floats
    role: tuple[str, ...]


def read_asked(paths: Sequence[Path], method: str, request: Request) -> list[Group]:
    """What is in the files: a group a model and dataset, or with --fit-cap one a run. Raises BadInput."""
    if request.fit_cap is None and not request.at_caps:
        return read_groups(paths, method, request.at_n)
    if request.fit_cap is None or not request.at_caps:
        raise BadInput("--fit-cap (where the run is stopped) and --at-caps (to forecast) go together")
    if request.fit_settings or request.at_settings or request.fit_max_tokens:
        raise BadInput("--fit-settings, --fit-max-tokens and --at-settings do not go with --fit-cap")
    return read_capped(paths, method, request.fit_cap, request.at_caps, request.at_n)


def split(group: Group, request: Request, options: Options) -> Task:
    """Cut `group` into what is observed and what is asked. Raises BadInput where nothing is left to fit."""
    if max(request.at_n, default=1) > LARGEST_N:
        raise BadInput(f"N = {max(request.at_n):,}: no forecast goes beyond N = {LARGEST_N:,}")
    observed = observe(group, *fitted(group, request), options)
    targets = _targets(group, request, observed, options)
    known = dict(zip(group.points.places(), zip(group.accuracy, group.stderr, strict=True), strict=True))
    used = set(observed.points.places())
    found = [known.get(place, (np.nan, np.nan)) for place in targets.places()]
    roles = ["used" if p in used else "held_out" if p in known else "forecast" for p in targets.places()]
    truth, stderr = np.array(found).T
    return Task(observed, targets, truth, stderr, tuple(roles))


def observe(
    group: Group, settings: Sequence[str], max_n: int, options: Options, draw: int | None = None
) -> Observed:
    """The part of `group` at `settings` with N ≤ max_n.

    Of samples that is max_n answers to each question: the first ones, or with `draw`, the number of a split,
    random ones. Everything a predictor sees, the bootstrap replicates too, is made from these answers alone.
    """
    if group.pools:
        run, seen = None, drawn(group, settings, max_n, options.seed, draw)
        if group.run:
            run, seen = seen_of(group.run, seen[0].answers)
        cut = group.with_pools(seen)
        copies = replicate_samples(
            cut.points, cut.pools, group.method, options.replicates, options.seed + (draw or 0)
        )
        return Observed(cut.points, cut.accuracy, cut.stderr, copies, cut.pools, group.method, run)
    at = np.isin(group.points.setting, list(settings)) & np.less_equal(group.points.N, max_n)
    copies = replicate_curves(group.accuracy[at], group.stderr[at], options.replicates, options.seed)
    return Observed(group.points[at], group.accuracy[at], group.stderr[at], copies, (), group.method)


def drawn(
    group: Group, settings: Sequence[str], n: int, seed: int, draw: int | None, rest: bool = False
) -> list[Pool]:
    """`n` random answers to each question at `settings` in split number `draw`, the first `n` where that is
    None; with `rest` all others."""
    pools = [pool for pool in group.pools if pool.setting in settings]
    if group.run:  # its answers as they came, not as they are at each cap
        pools = [Pool(group.run.setting, np.nan, group.run.answers)]
    orders = [np.arange(len(pool.answers.votes)) for pool in pools]
    if draw is not None:
        rng = np.random.default_rng([seed, draw])
        orders = [rng.permutation(order) for order in orders]
    return [chosen_answers(pool, order, n, rest) for pool, order in zip(pools, orders, strict=True)]


def unseen(group: Group, settings: Sequence[str], n: int, seed: int, draw: int) -> list[Pool]:
    """The answers of a group that split number `draw` hides: of `settings` all but `n`, of others all."""
    rest = drawn(group, settings, n, seed, draw, rest=True)
    if group.run:
        return pools_at(rest[0].answers, group.run.caps.items())
    return [*rest, *(pool for pool in group.pools if pool.setting not in settings)]


def fitted(group: Group, request: Request) -> tuple[list[str], int]:
    """The settings that are observed and the largest N that is. Raises BadInput where there is none."""
    lengths = dict(group.points.settings())
    names = list(lengths)
    largest = int(group.points.N.max())
    if group.run:
        names = names[:1]
    elif request == Request():
        if len(names) >= 4 and np.isfinite(list(lengths.values())).all():
            return names[: max(3, (len(names) + 1) // 2)], largest
        return names, max(int(group.points.N.min()), largest // 2)
    if request.fit_settings:
        for name in request.fit_settings:
            if name not in names:
                raise BadInput(f"{group.name}: no setting {name!r} to fit; it has {', '.join(names)}")
        names = [name for name in names if name in request.fit_settings]
    if request.fit_max_tokens is not None:
        for name in names:
            if not (group.priced and np.isfinite(lengths[name])):
                raise BadInput(f"{group.name}: --fit-max-tokens: setting {name!r} has no token counts")
        shortest = min(lengths[name] for name in names)
        names = [name for name in names if lengths[name] <= request.fit_max_tokens]
        if not names:
            raise BadInput(
                f"{group.name}: no setting takes {request.fit_max_tokens:g} {group.unit} an answer or fewer; "
                f"the shortest takes {shortest:.4g}"
            )
    max_n = request.fit_max_n or largest
    smallest = int(group.points.N[np.isin(group.points.setting, names)].min())
    if smallest > max_n:
        raise BadInput(f"{group.name}: no point with N up to {max_n}; the smallest N is {smallest}")
    return names, max_n


def _targets(group: Group, request: Request, observed: Observed, options: Options) -> Points:
    if observed.run:
        names = np.array(request.at_settings or list(observed.run.caps)[1:])
        lengths = dict(zip(names.tolist(), lengths_ahead(observed.run, names, options)[0], strict=True))
        known = dict(observed.points.settings())
        lengths |= {name: T for name, T in known.items() if name in lengths}
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
