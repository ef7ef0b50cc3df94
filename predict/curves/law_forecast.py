"""Forecasts by the question law: along N by exact votes, along T by the law of one answer.

    seen: T = 30, 60, 90 at N = 1 … 16     ->     T = 150: N = 1: 0.61, N = 16: 0.78, N = 256: 0.84

At an observed setting the law gives every N, plus its residual at the nearest observed N. For a new setting
`along_T` forecasts the accuracy of one answer, on the logit scale; the law then gives every N, plus the
residual at the nearest setting. The interval spans that of this forecast and that of `along_T` applied to the
accuracy at each N separately: the two fail in different places.

Curves do not show individual questions. `low` … `high` is for these questions: a new run on the same ones,
so only the share 1 − SHARED of a point's variance, the sampling noise of the answers, counts. `new_low` …
`new_high` is for new questions of the same kind: the choice of questions, SHARED of the variance, shifts all
targets together.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from predict.curves.intervals import SHARED
from predict.curves.law_along_t import along_T
from predict.curves.question_law import UNKNOWN, QuestionLaw, fit
from predict.estimate import Estimate, Options, Status, middle
from predict.evidence.points import Evidence, Floats, Ints, Points, Texts
from results.normal import Interval

SIZES = (0.001, 0.0035, 0.012)
"""s, the sd of the law's error along T, in units of `LOGITS`: 0.02, 0.07 and 0.24 logits."""

LOGITS = 20.0
"""logit Acc(T, 1) from −10 to 10 maps to 0 … 1, the scale of `along_T`."""

TRUSTED = 0.075
"""A forecast is not ok if the single law's interval is wider: see studies/figure_3/from_curves.md."""

BEGUN = 0.05
"""If one answer is right less often than this at every length seen, a later rise cannot be forecast."""

_ENDS = 400
"""Draws for the width of the single law's interval, however many the caller asks for."""


@dataclass(frozen=True, eq=False)
class LawForecast:
    """A forecast by the question law alone: the `estimate` for M targets, and the fitted `law`.

    width: (M,) the width of the single law's interval, which shows how far it can be trusted.
    """

    estimate: Estimate
    width: Floats
    law: QuestionLaw


def forecast_by_law(evidence: Evidence, targets: Points, options: Options) -> LawForecast:
    """Forecast M targets from P points; a standard error that is NaN is replaced by `UNKNOWN`.

    The mean depends neither on the replicates nor on the seed. Without replicates there are no intervals. New
    settings need a known T and two observed settings with known, different T: else not_identifiable. Raises
    BadInput as `fit` does.
    """
    known = _Known(evidence, _law_of(evidence))
    R, seed, level = options.replicates, options.seed, options.level
    M = len(targets)
    mean, width = np.full(M, np.nan), np.full(M, np.nan)
    these, new = np.full((2, M), np.nan), np.full((2, M), np.nan)

    for at in known.parts(targets):
        wanted = targets[at]
        mean[at], by_law = known.by_law(wanted, _ENDS, seed)
        width[at] = np.ptp(middle(by_law, level), axis=0)
        if R:
            ways = known.ways(wanted, R, seed)
            of_questions = known.shift_by_questions(wanted, R, seed)
            these[:, at] = _outermost(ways, level)
            new[:, at] = _outermost([way + of_questions for way in ways], level)

    return LawForecast(
        Estimate(
            mean,
            around(mean, these, level),
            around(mean, new, level),
            _status(known.law, targets, mean, width),
            np.where(np.isnan(mean), np.inf, np.nan),
            _notes(known.law, evidence.stderr),
        ),
        width,
        known.law,
    )


def means_by_law(method: str, points: Points, accuracy: Floats, targets: Points) -> Floats:
    """Only the means of `forecast_by_law`, (M,), from points whose standard errors are not known."""
    evidence = Evidence(points, accuracy, np.full(len(accuracy), np.nan), method=method)
    known = _Known(evidence, _law_of(evidence))
    mean = np.full(len(targets), np.nan)
    for at in known.parts(targets):
        mean[at] = known.by_law(targets[at], 0, 0)[0]
    return mean


def _law_of(evidence: Evidence) -> QuestionLaw:
    points = evidence.points
    return fit(points.T, points.N, evidence.accuracy, evidence.stderr, points.setting, evidence.method)


@dataclass(frozen=True, eq=False)
class _Known:
    """What a forecast is based on: the observed points, and the law fitted to them.

    The targets `asked` in one call are all at observed settings, or all at new ones.
    """

    evidence: Evidence
    law: QuestionLaw

    @cached_property
    def doubts(self) -> list[QuestionLaw]:
        """Draws of laws that fit about as well."""
        return self.law.drawn()

    @cached_property
    def noise(self) -> Floats:
        """The standard error of each point, (P,)."""
        return np.nan_to_num(self.evidence.stderr, nan=UNKNOWN)

    @cached_property
    def missed(self) -> Floats:
        """The law's residual at each point, (P,)."""
        points = self.evidence.points
        N, column = np.unique(points.N, return_inverse=True)
        return np.asarray(self.evidence.accuracy - self.law.seen(N)[self.rows(points), column])

    def rows(self, points: Points) -> Ints:
        """The index of each point's setting among those of the law."""
        return np.array([self.law.settings.index(str(name)) for name in points.setting])

    def parts(self, targets: Points) -> list[Ints]:
        """The indices of the targets at observed settings, and of those at new ones that can be forecast."""
        seen = np.isin(targets.setting, self.law.settings)
        enough = len(np.unique(self.law.T[_usable(self.law.T)])) > 1
        new = ~seen & _usable(targets.T) & enough
        return [np.flatnonzero(part) for part in (seen, new) if part.any()]

    def are_new(self, asked: Points) -> bool:
        """Whether these targets are at settings that were not observed."""
        return str(asked.setting[0]) not in self.law.settings

    def by_law(self, asked: Points, R: int, seed: int) -> tuple[Floats, Floats]:
        """The mean (m,) and draws (R, m) by the question law."""
        return self._along_t(asked, R, seed) if self.are_new(asked) else self._along_n(asked, R, seed)

    def ways(self, asked: Points, R: int, seed: int) -> list[Floats]:
        """Draws (R, m) by each way to forecast; at new settings `along_T` at each N is the second."""
        by_law = self.by_law(asked, R, seed)[1]
        if not self.are_new(asked):
            return [by_law]
        order, _, luck = self._of_draws(asked, R, seed)
        return [by_law, self._each_n_by_itself(asked, R, seed)[order] + luck]

    def shift_by_questions(self, asked: Points, R: int, seed: int) -> Floats:
        """R draws of the shift in accuracy due to new questions, common to all targets: (R, m)."""
        normal = np.random.default_rng([seed, 9]).standard_normal((R, 1))
        return np.asarray(np.sqrt(SHARED) * self.noise[self._nearest(asked)] * normal)

    def _along_n(self, asked: Points, R: int, seed: int) -> tuple[Floats, Floats]:
        N, column = np.unique(asked.N, return_inverse=True)
        row, near = self.rows(asked), self._nearest(asked)
        by_law = self.law.seen(N)[row, column]
        mean = np.clip(by_law + self.missed[near], 0.0, 1.0)
        if not R:
            return mean, np.empty((0, len(mean)))

        off = np.stack([law.seen(N)[row, column] for law in self.doubts]) - by_law
        measured_here = self.evidence.points.N[near] == asked.N
        off[:, measured_here] = 0.0  # measured: the law does not matter
        rng = np.random.default_rng([seed, 7])
        luck = np.sqrt(1 - SHARED) * self.noise[near] * rng.standard_normal((R, 1))
        drawn_law = rng.integers(len(off), size=R)
        return mean, mean + off[drawn_law] + luck

    def _along_t(self, asked: Points, R: int, seed: int) -> tuple[Floats, Floats]:
        usable = _usable(self.law.T)
        T, at = np.unique(asked.T, return_inverse=True)
        N, column = np.unique(asked.N, return_inverse=True)
        carried = self.missed[self._nearest(asked)]
        order, drawn_law, luck = self._of_draws(asked, R, seed)

        single = _scaled(self.law.seen([1])[usable, 0])
        of_doubts = np.stack([law.seen([1])[usable, 0] for law in self.doubts])
        unsure = _scaled(of_doubts).var(axis=0)
        centre, scaled = along_T(self.law.T[usable], single, unsure, T, R, seed, SIZES)
        curves = self.law.at(self.law.logits_of(_accuracy(centre)), N)
        mean = np.clip(curves[at, column] + carried, 0.0, 1.0)

        drawn = np.empty((R, len(asked)))
        for number in np.unique(drawn_law):
            law, mine = self.doubts[number], drawn_law == number
            logits = law.logits_of(_accuracy(scaled[order][mine]))
            curves = law.at(logits.ravel(), N).reshape(*logits.shape, len(N))
            drawn[mine] = curves[:, at, column] + carried
        return mean, drawn + luck

    def _each_n_by_itself(self, asked: Points, R: int, seed: int) -> Floats:
        """Draws (R, m) by `along_T` on the accuracy at each N separately."""
        T, at = np.unique(asked.T, return_inverse=True)
        N, column = np.unique(asked.N, return_inverse=True)
        usable = np.flatnonzero(_usable(self.law.T))
        value = self.law.seen(N)
        doubt = np.stack([law.seen(N) for law in self.doubts]).var(axis=0)
        points = self.evidence.points
        for i in usable:
            here = np.flatnonzero(points.setting == self.law.settings[i])
            for j, n in enumerate(N):
                near = here[_closest(points.N[here], n)]
                value[i, j] += self.missed[near]
                if points.N[near] == n:
                    doubt[i, j] = 0.0
                doubt[i, j] += (1 - SHARED) * self.noise[near] ** 2
        value = np.clip(value, 0.0, 1.0)
        known = self.law.T[usable]
        each = [along_T(known, value[usable, j], doubt[usable, j], T, R, seed)[1] for j in range(len(N))]
        return np.stack(each, axis=2)[:, at, column]

    def _of_draws(self, asked: Points, R: int, seed: int) -> tuple[Ints, Ints, Floats]:
        """For R draws at new settings: their ranks along T, their laws, and the answers' noise (R, m)."""
        rng = np.random.default_rng([seed, 8])
        order, drawn_law = rng.permutation(R), rng.integers(len(self.doubts), size=R)
        luck = np.sqrt(1 - SHARED) * self.noise[self._nearest(asked)] * rng.standard_normal((R, 1))
        return order, drawn_law, luck

    def _nearest(self, asked: Points) -> Ints:
        """The point nearest each target, (m,): at its setting or the one nearest in T, then nearest in N."""
        points, usable = self.evidence.points, _usable(self.law.T)
        log_T = np.log(np.where(usable, self.law.T, 1.0))
        nearest = []
        for name, T, N in zip(asked.setting, asked.T, asked.N, strict=True):
            setting = str(name)
            if setting not in self.law.settings:
                away = np.where(usable, np.abs(log_T - np.log(T)), np.inf)
                setting = self.law.settings[int(np.argmin(away))]
            here = np.flatnonzero(points.setting == setting)
            nearest.append(here[_closest(points.N[here], N)])
        return np.array(nearest)


def _outermost(ways: list[Floats], level: float) -> Floats:
    """The ends (2, m) of the interval that spans those of all `ways`."""
    ends = np.array([middle(way, level) for way in ways])
    return np.stack([ends[:, 0].min(axis=0), ends[:, 1].max(axis=0)])


def around(mean: Floats, ends: Floats, level: float) -> Interval[Floats]:
    """The interval with these ends (2, M), clipped to [0, 1] and containing the mean; NaN without ends."""
    low, high = np.clip(ends, 0.0, 1.0)
    return Interval(np.minimum(low, mean), np.maximum(high, mean), level)


def _status(law: QuestionLaw, targets: Points, mean: Floats, width: Floats) -> Texts:
    status = np.where(width > TRUSTED, Status.BOUND_HIT, Status.OK).astype("<U20")
    if np.isfinite(law.T).sum() < 3 or not _begun(law):  # any law along T goes through two settings
        status[~np.isin(targets.setting, law.settings)] = str(Status.BOUND_HIT)
    status[np.isnan(mean)] = str(Status.NOT_IDENTIFIABLE)
    return status


def _closest(N: Ints, n: int) -> int:
    """The index of the N (P,) nearest to n in log N; of two equally near, the smaller."""
    away = np.abs(np.log(N) - np.log(n)).round(9)
    return int(np.lexsort((N, away))[0])


def _usable(T: Floats) -> NDArray[np.bool_]:
    return np.asarray(np.isfinite(T) & (T > 0))


def _scaled(accuracy: Floats) -> Floats:
    """Accuracies on the scale used here for `along_T`."""
    return np.asarray(0.5 + np.clip(logit(np.clip(accuracy, 1e-9, 1 - 1e-9)) / LOGITS, -0.5, 0.5))


def _accuracy(scaled: Floats) -> Floats:
    return np.asarray(expit(LOGITS * (scaled - 0.5)))


def _begun(law: QuestionLaw) -> bool:
    """Whether accuracy has risen off the floor at some observed length."""
    return bool(law.seen([1]).max() >= BEGUN)


def _notes(law: QuestionLaw, stderr: Floats) -> tuple[str, ...]:
    notes = ["curves do not show single questions: one law of questions is fitted to all points"]
    if np.isnan(stderr).any():
        notes.append(f"standard errors that are missing are taken to be {UNKNOWN}")
    if len(law.settings) < 3:
        notes.append("fewer than three settings: nothing checks a law along T")
    if not _begun(law):
        notes.append(
            f"one answer is right in fewer than {BEGUN:.0%} at every length seen: when that rises is unknown"
        )
    return tuple(notes)
