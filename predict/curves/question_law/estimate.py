"""Forecasts of the question law: along N by exact votes, along T by the law of one answer.

    seen: T = 30, 60, 90 at N = 1 … 16     ->     T = 150: N = 1: 0.61, N = 16: 0.78, N = 256: 0.84

At a setting that was seen the law gives every N; the miss at the nearest N seen is carried on. For a new
setting `along_T` forecasts how often one answer is right, on the logit scale; the law then gives every N. Its
interval holds this forecast's and that of `along_T` on the accuracy at each N by itself: the two fail in
different places. What curves cannot tell, whether these questions or new ones were drawn, enters as `SHARED`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, ndtri

from predict.curves.intervals import SHARED
from predict.curves.law_along_t import along_T
from predict.curves.question_law.fit import UNKNOWN, Fitted, QuestionLaw, fit
from predict.estimate import Estimate, Options, Status, everywhere, middle
from predict.evidence.points import Evidence, Floats, Ints, Points
from results.normal import Interval

SIZES = (0.001, 0.0035, 0.012)
"""What the law along T misses, in units of `LOGITS`: 0.02, 0.07 and 0.24 logits."""

LOGITS = 20.0
"""logit Acc(T, 1) from −10 to 10 is `along_T`'s scale from 0 to 1."""

WIDE = 0.10
"""An interval of the law alone that is wider than this is not ok: see docs/forecasting/from_curves.md."""

LAWS = 100
"""So many draws of the law carry its doubt."""

AROUND = ndtri(np.array([0.1, 0.3, 0.5, 0.7, 0.9]))
"""Normal scores of log T at which a setting is forecast whose T is itself a forecast."""


@dataclass(frozen=True)
class _Curves:
    """The forecasts of one group of targets: mean (M,), and draws (R, M) of each way to forecast them."""

    mean: Floats
    ways: tuple[Floats, ...]


def question_law(evidence: Evidence, targets: Points, options: Options) -> Estimate:
    """The estimate at every target; what was observed is kept. See the module's docstring.

    A setting without T, or of fewer than two different T, has no forecast at new settings: not_identifiable.
    """
    points = evidence.points
    fitted = fit(points, evidence.accuracy, evidence.stderr, evidence.method)
    lengths = dict(points.settings())
    seen = np.isin(targets.setting, list(lengths))
    T = np.array(list(lengths.values()))
    M, R = len(targets), max(options.replicates, 1)
    rng = np.random.default_rng([options.seed, 7])
    laws = fitted.drawn(LAWS, rng)
    mean, width = np.full(M, np.nan), np.full(M, np.nan)
    low, high = np.full((2, 2, M), np.nan)
    status = everywhere(Status.NOT_IDENTIFIABLE, M)
    parts = []
    if seen.any():
        parts.append((seen, _along_n(evidence, fitted, laws, targets[seen], R, rng)))
    possible = ~seen & np.isfinite(targets.T) & (targets.T > 0)
    if possible.any() and np.isfinite(T).all() and (T > 0).all() and len(np.unique(T)) > 1:
        parts.append((possible, _along_t(evidence, fitted, laws, targets[possible], R, options.seed)))
    for at, found in parts:
        mean[at] = found.mean
        common = np.sqrt(SHARED) * _stderr_near(evidence, targets[at])
        luck = rng.standard_normal((R, 1))
        for k, shift in enumerate((0.0, common)):
            ends = np.stack([middle(way + shift * luck, options.level) for way in found.ways])
            low[k, at], high[k, at] = ends[:, 0].min(axis=0), ends[:, 1].max(axis=0)
        alone = middle(found.ways[0], options.level)
        width[at] = alone[1] - alone[0]
        status[at] = np.where(width[at] > WIDE, Status.BOUND_HIT, Status.OK).astype("<U20")
    if len(np.unique(T[np.isfinite(T)])) < 3:
        status[possible & (status == Status.OK)] = str(Status.BOUND_HIT)
    if not options.replicates:
        low, high = np.full((2, 2, M), np.nan)
    these, new = (
        Interval(
            np.minimum(np.clip(low[k], 0, 1), mean), np.maximum(np.clip(high[k], 0, 1), mean), options.level
        )
        for k in range(2)
    )
    return Estimate(mean, these, new, status, np.where(np.isnan(mean), np.inf, np.nan))


def _along_n(
    evidence: Evidence,
    fitted: Fitted,
    laws: Sequence[QuestionLaw],
    targets: Points,
    R: int,
    rng: np.random.Generator,
) -> _Curves:
    """At settings that were seen."""
    names = [name for name, _ in evidence.points.settings()]
    N, column = np.unique(targets.N, return_inverse=True)
    row = np.array([names.index(str(name)) for name in targets.setting])
    carried = _carried_on(evidence, fitted.law, targets)
    mean = np.clip(fitted.law.at(fitted.law.logits, N)[row, column] + carried, 0.0, 1.0)
    drawn = np.stack([law.at(law.logits, N)[row, column] for law in laws])
    off = drawn - fitted.law.at(fitted.law.logits, N)[row, column]
    known, own = _known(evidence, targets)
    off = np.where(known, 0.0, off)[rng.integers(len(laws), size=R)]
    draws = mean + off + own * rng.standard_normal((R, 1))
    return _Curves(mean, (draws,))


def _along_t(
    evidence: Evidence, fitted: Fitted, laws: Sequence[QuestionLaw], targets: Points, R: int, seed: int
) -> _Curves:
    """At new settings."""
    T = np.array([t for _, t in evidence.points.settings()])
    spread = np.zeros(len(targets)) if targets.spread is None else targets.spread
    steps = AROUND if spread.any() else np.zeros(1)
    N, column = np.unique(targets.N, return_inverse=True)
    lengths, place = np.unique(targets.T, return_inverse=True)
    unsure = np.array([spread[place == i].max() for i in range(len(lengths))])
    at = lengths[:, None] * np.exp(unsure[:, None] * steps)
    rng = np.random.default_rng([seed, 8])
    step = rng.integers(len(steps), size=R)
    law_of = rng.integers(len(laws), size=R)
    order = rng.permutation(R)

    single, single_draws = _one_answer_along_t(fitted, laws, T, at.ravel(), R, seed)
    single = single.reshape(at.shape).mean(axis=1)
    single_draws = single_draws.reshape(R, *at.shape)[np.arange(R), :, step][order]
    carried = _carried_on(evidence, fitted.law, targets)
    mean = fitted.law.at(fitted.law.logits_of(single), N)[place, column] + carried

    draws = np.empty((R, len(targets)))
    for i, law in enumerate(laws):
        mine = law_of == i
        logits = law.logits_of(single_draws[mine])
        curves = law.at(logits.ravel(), N).reshape(*logits.shape, len(N))
        draws[mine] = curves[:, place, column] + carried
    plain = _plain(evidence, fitted, laws, T, N, at, R, seed)[np.arange(R), :, :, step][order]
    return _Curves(np.clip(mean, 0.0, 1.0), (draws, plain[:, place, column]))


def _one_answer_along_t(
    fitted: Fitted, laws: Sequence[QuestionLaw], T: Floats, at: Floats, R: int, seed: int
) -> tuple[Floats, Floats]:
    """Acc(T, 1) at `at` (m,): the mean and R sorted draws, by `along_T` on the logit scale."""
    single = fitted.law.at(fitted.law.logits, [1])[:, 0]
    drawn = np.stack([law.at(law.logits, [1])[:, 0] for law in laws])
    scaled, scaled_draws = _scaled(single), _scaled(drawn)
    mean, draws = along_T(T, scaled, scaled_draws.var(axis=0), at, R, seed, SIZES)
    return expit(LOGITS * (mean - 0.5)), expit(LOGITS * (draws - 0.5))


def _scaled(accuracy: Floats) -> Floats:
    return np.asarray(0.5 + np.clip(logit(np.clip(accuracy, 1e-9, 1 - 1e-9)) / LOGITS, -0.5, 0.5))


def _plain(
    evidence: Evidence,
    fitted: Fitted,
    laws: Sequence[QuestionLaw],
    T: Floats,
    N: Ints,
    at: Floats,
    R: int,
    seed: int,
) -> Floats:
    """`along_T` on the accuracy at each N: draws (R, lengths, len(N), steps)."""
    lengths = dict(evidence.points.settings())
    grid = Points.grid(lengths, N)
    shape = len(lengths), len(N)
    law_at = fitted.law.at(fitted.law.logits, N)
    value = np.clip(law_at.ravel() + _carried_on(evidence, fitted.law, grid), 0.0, 1.0).reshape(shape)
    known, own = _known(evidence, grid)
    unsure = np.stack([law.at(law.logits, N) for law in laws]).std(axis=0)
    variance = np.hypot(own.reshape(shape), np.where(known.reshape(shape), 0.0, unsure)) ** 2
    draws = [along_T(T, value[:, j], variance[:, j], at.ravel(), R, seed)[1] for j in range(len(N))]
    return np.stack(draws, axis=2).reshape(R, *at.shape, len(N)).swapaxes(2, 3)


def _carried_on(evidence: Evidence, law: QuestionLaw, targets: Points) -> Floats:
    """What the law misses at the N nearest to each target's, (M,): of its setting, or of the nearest in T."""
    points = evidence.points
    names = [name for name, _ in points.settings()]
    T = np.array([t for _, t in points.settings()])
    N, column = np.unique(points.N, return_inverse=True)
    row = np.array([names.index(str(name)) for name in points.setting])
    missed = evidence.accuracy - law.at(law.logits, N)[row, column]
    carried = np.empty(len(targets))
    for i, (name, t, n) in enumerate(zip(targets.setting, targets.T, targets.N, strict=True)):
        mine = names.index(str(name)) if name in names else int(np.nanargmin(np.abs(np.log(T) - np.log(t))))
        here = np.flatnonzero(row == mine)
        carried[i] = missed[here[np.argmin(np.abs(np.log(points.N[here]) - np.log(n)))]]
    return carried


def _known(evidence: Evidence, targets: Points) -> tuple[np.ndarray, Floats]:
    """Which targets were observed, and the standard error that each point has to itself, (M,)."""
    places = {place: i for i, place in enumerate(evidence.points.places())}
    known = np.array([place in places for place in targets.places()])
    return known, np.sqrt(1 - SHARED) * _stderr_near(evidence, targets)


def _stderr_near(evidence: Evidence, targets: Points) -> Floats:
    """The standard error of the point nearest to each target, in N and, for a new setting, in T: (M,)."""
    points, stderr = evidence.points, np.nan_to_num(evidence.stderr, nan=UNKNOWN)
    near = np.empty(len(targets))
    for i, (name, t, n) in enumerate(zip(targets.setting, targets.T, targets.N, strict=True)):
        away = np.abs(np.log(points.N) - np.log(n))
        other = points.setting != name
        if other.all():
            away = away + 100 * np.abs(np.log(points.T) - np.log(t))
        else:
            away = np.where(other, np.inf, away)
        near[i] = stderr[np.argmin(away)]
    return near
