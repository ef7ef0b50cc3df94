"""Forecasts of the question law: along N by exact votes, along T by the law of one answer.

    seen: T = 30, 60, 90 at N = 1 … 16     ->     T = 150: N = 1: 0.61, N = 16: 0.78, N = 256: 0.84

At a setting that was seen the law gives every N; its miss at the nearest N seen is carried on. For a new
setting `along_T` forecasts how often one answer is right, on the logit scale; the law then gives every N, and
the miss of the nearest setting is carried on. The interval holds this forecast's own and that of `along_T` on
the accuracy at each N by itself: the two fail in different places.

Curves do not tell questions from each other. `low` … `high` is for these questions: a new run of the same
ones, so of a point's variance only the share 1 − SHARED, the luck of the answers, counts. `new_low` …
`new_high` is for new questions of the same kind: the choice of the questions, SHARED of the variance, shifts
all targets together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import expit, logit

from predict.curves.intervals import SHARED
from predict.curves.law_along_t import along_T
from predict.curves.question_law.fit import UNKNOWN, QuestionLaw, fit
from results.tables.status import Status
from results.votes.exact import Floats, Ints

SIZES = (0.001, 0.0035, 0.012)
"""What the law along T misses, in units of `LOGITS`: 0.02, 0.07 and 0.24 logits."""

LOGITS = 20.0
"""logit Acc(T, 1) from −10 to 10 is `along_T`'s scale from 0 to 1."""

TRUSTED = 0.075
"""A forecast whose interval by the single law is wider is not ok: see studies/figure_3/from_curves.md."""

BEGUN = 0.05
"""Where one answer is right less often than this at every length seen, no rise to come can be told."""

_ENDS = 400
"""Draws from which the width of the single law is read, however many the caller asks for."""


class Places(Protocol):
    """setting, T (NaN where unknown) and N of each place on the curves, all of one length."""

    @property
    def setting(self) -> np.ndarray: ...
    @property
    def T(self) -> Floats: ...
    @property
    def N(self) -> Ints: ...


@dataclass(frozen=True, eq=False)
class Estimate:
    """One forecast a target, all (M,); NaN where there is none.

    low, high: for these questions; new_low, new_high: for new ones; width_of_one_T_law: how wide the interval
    of the question law by itself is, which tells how far it can be trusted; law: the fit.
    """

    mean: Floats
    low: Floats
    high: Floats
    new_low: Floats
    new_high: Floats
    status: np.ndarray
    notes: tuple[str, ...]
    width_of_one_T_law: Floats
    law: QuestionLaw


def estimate(
    points: Places,
    accuracy: Floats,
    stderr: Floats,
    targets: Places,
    *,
    method: str = "majority",
    draws: int = 200,
    seed: int = 0,
    level: float = 0.9,
) -> Estimate:
    """The forecast at M targets from P points, with `accuracy` and `stderr` (P,), NaN where unknown.

    The mean depends neither on `draws` nor on `seed`. Without draws there are no intervals. New settings need
    a known T and two settings of known, different T: else not_identifiable. Raises BadInput as `fit` does.
    """
    law = fit(points.T, points.N, accuracy, stderr, points.setting, method)
    M = len(targets.N)
    mean, width = np.full(M, np.nan), np.full(M, np.nan)
    ends = np.full((4, M), np.nan)
    for asked in _asked(points, accuracy, stderr, law, targets):
        mean[asked.at], by_law = asked.by_law(_ENDS, seed)
        width[asked.at] = np.ptp(_middle(by_law, level), axis=0)
        if draws:
            ends[:, asked.at] = asked.intervals(asked.ways(draws, seed), level, seed)
    low, high = np.fmin(np.clip(ends[::2], 0, 1), mean), np.fmax(np.clip(ends[1::2], 0, 1), mean)
    low, high = (np.where(np.isnan(ends[::2]), np.nan, end) for end in (low, high))
    status = np.where(width > TRUSTED, Status.BOUND_HIT, Status.OK).astype("<U20")
    if np.isfinite(law.T).sum() < 3 or not _begun(law):  # any law goes through two settings
        status[~np.isin(targets.setting, law.settings)] = str(Status.BOUND_HIT)
    status[np.isnan(mean)] = str(Status.NOT_IDENTIFIABLE)
    return Estimate(mean, low[0], high[0], low[1], high[1], status, _notes(law, stderr), width, law)


def means(points: Places, accuracy: Floats, targets: Places, method: str) -> Floats:
    """The means of `estimate` alone, (M,), from points whose standard errors are not known."""
    unknown = np.full(len(accuracy), np.nan)
    law = fit(points.T, points.N, accuracy, unknown, points.setting, method)
    mean = np.full(len(targets.N), np.nan)
    for asked in _asked(points, accuracy, unknown, law, targets):
        mean[asked.at] = asked.by_law(0, 0)[0]
    return mean


def _asked(
    points: Places, accuracy: Floats, stderr: Floats, law: QuestionLaw, targets: Places
) -> Iterator["_Asked"]:
    """The targets at settings that were seen, and those at new ones of known T, where there are any."""
    doubts = law.drawn()
    seen = np.isin(targets.setting, law.settings)
    enough = len(np.unique(law.T[_usable(law.T)])) > 1
    for new, part in ((False, seen), (True, ~seen & _usable(targets.T) & enough)):
        if part.any():
            yield _Asked(points, accuracy, stderr, law, doubts, targets, np.flatnonzero(part), new)


@dataclass(frozen=True, eq=False)
class _Asked:
    """Some of the targets, by number `at`, and all that their forecast needs; `new`: settings not seen."""

    points: Places
    accuracy: Floats
    stderr: Floats
    law: QuestionLaw
    doubts: Sequence[QuestionLaw]
    targets: Places
    at: Ints
    new: bool

    def by_law(self, R: int, seed: int) -> tuple[Floats, Floats]:
        """The mean (m,), and draws (R, m) of the question law."""
        return self._along_t(R, seed) if self.new else self._along_n(R, seed)

    def ways(self, R: int, seed: int) -> list[Floats]:
        """Draws (R, m) of each way to forecast: of new settings also `along_T` at each N."""
        by_law = self.by_law(R, seed)[1]
        if not self.new:
            return [by_law]
        order, _, luck = self._of_draws(R, seed)
        return [by_law, self._plain(R, seed)[order] + luck]

    def _along_n(self, R: int, seed: int) -> tuple[Floats, Floats]:
        N, column = np.unique(self.targets.N[self.at], return_inverse=True)
        row = np.array([self.law.settings.index(str(name)) for name in self.targets.setting[self.at]])
        by_law = self.law.seen(N)[row, column]
        near = self._nearest()
        mean = np.clip(by_law + self._missed()[near], 0.0, 1.0)
        if not R:
            return mean, np.empty((0, len(mean)))
        known = self.points.N[near] == self.targets.N[self.at]
        off = np.stack([law.seen(N)[row, column] for law in self.doubts]) - by_law
        off -= np.where(known, off, 0.0)
        rng = np.random.default_rng([seed, 7])
        luck = np.sqrt(1 - SHARED) * self._noise()[near] * rng.standard_normal((R, 1))
        return mean, mean + off[rng.integers(len(off), size=R)] + luck

    def _along_t(self, R: int, seed: int) -> tuple[Floats, Floats]:
        usable = _usable(self.law.T)
        T, at = np.unique(self.targets.T[self.at], return_inverse=True)
        N, column = np.unique(self.targets.N[self.at], return_inverse=True)
        carried = self._missed()[self._nearest()]
        order, which, luck = self._of_draws(R, seed)

        single = _scaled(self.law.seen([1])[usable, 0])
        unsure = _scaled(np.stack([law.seen([1])[usable, 0] for law in self.doubts])).var(axis=0)
        centre, scaled = along_T(self.law.T[usable], single, unsure, T, R, seed, SIZES)
        mean = self.law.at(self.law.logits_of(_accuracy(centre)), N)[at, column] + carried
        drawn = np.empty((R, len(self.at)))
        for i in np.unique(which):
            law, mine = self.doubts[i], which == i
            logits = law.logits_of(_accuracy(scaled[order][mine]))
            curves = law.at(logits.ravel(), N).reshape(*logits.shape, len(N))
            drawn[mine] = curves[:, at, column] + carried
        return np.clip(mean, 0.0, 1.0), drawn + luck

    def intervals(self, ways: Sequence[Floats], level: float, seed: int) -> Floats:
        """low, high, new_low, new_high (4, m): each end is the outermost of all ways."""
        rng = np.random.default_rng([seed, 9])
        normal = rng.standard_normal((len(ways[0]), 1))
        shift = np.sqrt(SHARED) * self._noise()[self._nearest()] * normal
        these, new = ([_middle(way + k * shift, level) for way in ways] for k in (0, 1))
        rows = []
        for found in (these, new):
            ends = np.array(found)  # (ways, 2, M)
            rows += [ends[:, 0].min(axis=0), ends[:, 1].max(axis=0)]
        return np.stack(rows)

    def _plain(self, R: int, seed: int) -> Floats:
        """`along_T` on the accuracy at each N by itself: draws (R, m)."""
        T, at = np.unique(self.targets.T[self.at], return_inverse=True)
        N, column = np.unique(self.targets.N[self.at], return_inverse=True)
        usable = np.flatnonzero(_usable(self.law.T))
        value, doubt = self.law.seen(N), np.stack([law.seen(N) for law in self.doubts]).var(axis=0)
        missed, noise = self._missed(), self._noise()
        for i in usable:
            here = np.flatnonzero(self.points.setting == self.law.settings[i])
            for j, n in enumerate(N):
                near = here[_closest(self.points.N[here], n)]
                value[i, j] += missed[near]
                doubt[i, j] *= self.points.N[near] != n
                doubt[i, j] += (1 - SHARED) * noise[near] ** 2
        value = np.clip(value, 0.0, 1.0)
        known = self.law.T[usable]
        each = [along_T(known, value[usable, j], doubt[usable, j], T, R, seed)[1] for j in range(len(N))]
        return np.stack(each, axis=2)[:, at, column]

    def _missed(self) -> Floats:
        """What the law misses at each point, (P,)."""
        N, column = np.unique(self.points.N, return_inverse=True)
        row = np.array([self.law.settings.index(str(name)) for name in self.points.setting])
        return np.asarray(self.accuracy - self.law.seen(N)[row, column])

    def _of_draws(self, R: int, seed: int) -> tuple[Ints, Ints, Floats]:
        """Of R draws at new settings: their ranks along T, their laws, and the luck (R, m) of the answers."""
        rng = np.random.default_rng([seed, 8])
        order, which = rng.permutation(R), rng.integers(len(self.doubts), size=R)
        luck = np.sqrt(1 - SHARED) * self._noise()[self._nearest()] * rng.standard_normal((R, 1))
        return order, which, luck

    def _noise(self) -> Floats:
        return np.nan_to_num(self.stderr, nan=UNKNOWN)

    def _nearest(self) -> Ints:
        """The point nearest to each target, (m,): of its setting or of the nearest in T, then in N."""
        usable = _usable(self.law.T)
        found = []
        for name, T, N in zip(
            *(x[self.at] for x in (self.targets.setting, self.targets.T, self.targets.N)), strict=True
        ):
            mine = str(name)
            if mine not in self.law.settings:
                away = np.where(usable, np.abs(np.log(np.where(usable, self.law.T, 1.0) / T)), np.inf)
                mine = self.law.settings[int(np.argmin(away))]
            here = np.flatnonzero(self.points.setting == mine)
            found.append(here[_closest(self.points.N[here], N)])
        return np.array(found)


def _closest(N: Ints, n: int) -> int:
    """Where N (P,) is nearest to n, the smaller one of two that are equally near."""
    away = np.abs(np.log(N) - np.log(n)).round(9)
    return int(np.lexsort((N, away))[0])


def _usable(T: Floats) -> np.ndarray:
    return np.asarray(np.isfinite(T) & (T > 0))


def _scaled(accuracy: Floats) -> Floats:
    """Accuracies on the scale on which `along_T` works here."""
    return np.asarray(0.5 + np.clip(logit(np.clip(accuracy, 1e-9, 1 - 1e-9)) / LOGITS, -0.5, 0.5))


def _accuracy(scaled: Floats) -> Floats:
    return np.asarray(expit(LOGITS * (scaled - 0.5)))


def _middle(draws: Floats, level: float) -> Floats:
    return np.asarray(np.percentile(draws, [50 - 50 * level, 50 + 50 * level], axis=0))


def _begun(law: QuestionLaw) -> bool:
    """Whether accuracy has left the floor at some length that was seen."""
    return bool(law.seen([1]).max() >= BEGUN)


def _notes(law: QuestionLaw, stderr: Floats) -> tuple[str, ...]:
    notes = ["curves do not tell questions apart: one law of questions is fitted to all points"]
    if np.isnan(stderr).any():
        notes.append(f"standard errors that are missing are taken to be {UNKNOWN}")
    if len(law.settings) < 3:
        notes.append("fewer than three settings: nothing checks a law along T")
    if not _begun(law):
        notes.append(
            f"one answer is right in fewer than {BEGUN:.0%} at every length seen: when that rises is not told"
        )
    return tuple(notes)
