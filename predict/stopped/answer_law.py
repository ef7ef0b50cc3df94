"""The law of an answer to one question: when it ends, if it ever does, and whether it is then right.

    question with mode m = log 9000, scale 0.2, level a = 1.1
    ends within 8000 tokens: 0.36    is right if it ends at 8000: 0.74    never ends: 0.01

Log tokens follow a two-piece logistic law about the question's mode m, wider to the right; its tail in
tokens is a power law. A share of the answers never ends (the cure fraction of survival analysis). An answer
that ends y scales beyond the mode is right with logit a + slope·y + bend·log(1 + e^y). Some questions are
never answered right. Over questions, m is normal with a tilt (skewed to one side), a is normal and correlated
with m, and log scale is normal; the shares that never end and are never right rise with m. A share of the
questions is slow: of a second kind, whose m is larger by a delay. All integrals over questions are sums over
the fixed nodes of a `Grid`.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, exprel

from predict.evidence.points import Floats

PARAMETERS: dict[str, tuple[float, float]] = {
    "centre": (0.0, 3.0),  # the median m of questions that are not slow, relative to log cap
    "tilt": (0.0, 0.2),  # of the law of m over questions
    "log_ratio": (1.4, 0.4),  # log (spread of m over questions of one kind / s)
    "level": (2.5, 2.5),  # mean of a
    "log_level_spread": (1.4, 0.7),  # log sd of a
    "correlation": (-1.25, 0.4),  # atanh of the correlation of m and a
    "log_scale": (-1.8, 0.5),  # log s, the median question's scale
    "log_scale_spread": (-1.05, 0.3),  # log sd of log scale over questions
    "skew": (0.4, 0.2),  # log (right scale / left scale)
    "slope": (-0.15, 0.2),
    "bend": (-0.4, 0.25),
    "never_ends": (-4.5, 1.0),  # logit of the share, for the median question
    "never_ends_rise": (0.7, 0.5),  # per sd of m
    "never_right": (-3.5, 1.2),  # logit of the share of questions, at the median m
    "slow": (-2.5, 1.2),  # logit of the share of questions that are slow
    "delay": (1.2, 0.5),  # of their m, in log tokens
}
"""Every parameter with the mean and standard deviation of its normal prior: wide enough for the nearly
complete runs of the four development sets of along_t.md and, for levels, for very similar questions. Those of
slow questions and of the ratio were chosen on a world with two kinds of questions and on all sets there."""

PRIOR_MEAN, PRIOR_SD = (np.array(column) for column in zip(*PARAMETERS.values(), strict=True))

NEVER_RIGHT_RISE = 1.0
"""Rise of the logit of the share never answered right, per sd of m."""

NEVER_RIGHT = -12.0
"""The logit used for "never right"."""

FARTHEST = 8.0
"""The logit of being right levels off this many scales from the mode."""

REACH = 4.0
"""The nodes span ± this many standard deviations."""

LEVELS, SCALES = 19, 5


@dataclass(frozen=True)
class Grid:
    """Nodes over questions, as standard normal scores: `modes` (I,), `levels` (J,), `scales` (S,), each with
    the weights of its nodes. The modes of slow questions, marked by 1 in `slow`, follow those of the others,
    and each kind's weights sum to 1. One more level, "never right", comes last and is not among `levels`."""

    modes: Floats
    slow: Floats
    mode_weights: Floats
    levels: Floats
    level_weights: Floats
    scales: Floats
    scale_weights: Floats


def make_grid(modes: int) -> Grid:
    """A grid of `modes` × 19 evenly spaced nodes of each kind and five Gauss–Hermite nodes of the scale.

    Even spacing is as good as exact once it is finer than the spread of a question's posterior.
    """
    scales, weights = np.polynomial.hermite_e.hermegauss(SCALES)
    of_each_kind, mode_weights = (np.tile(one, 2) for one in _even(modes))
    slow = np.repeat([0.0, 1.0], modes)
    return Grid(of_each_kind, slow, mode_weights, *_even(LEVELS), scales, weights / weights.sum())


def _even(points: int) -> tuple[Floats, Floats]:
    u = np.linspace(-REACH, REACH, points)
    weights = np.exp(-(u**2) / 2)
    return u, weights / weights.sum()


@dataclass(frozen=True)
class Times:
    """`ends` (K, I, S): P(an answer ends in each of K bins of log tokens); `lives` (I, S): P(in none)."""

    ends: Floats
    lives: Floats


@dataclass(frozen=True)
class Grades:
    """`logits` (K, I, J + 1) of being right if ended in a bin; `weights` (I, J + 1) of the nodes (m, a)."""

    logits: Floats
    weights: Floats


class Law:
    """The law for one set of parameters at the nodes of a grid; m is measured from `origin`, in log tokens.

    `spread` is the standard deviation of m over questions of one kind, apart from its tilt.
    """

    def __init__(self, theta: Floats, grid: Grid, origin: float) -> None:
        self.at = dict(zip(PARAMETERS, theta, strict=True))
        self.grid, u = grid, grid.modes
        tilted = self.at["tilt"] * u
        self.spread = np.exp(self.at["log_ratio"] + self.at["log_scale"])
        self._bent = u * exprel(tilted)
        self._bent_slope = u**2 * _exprel_slope(tilted)
        quick = origin + self.at["centre"] + self.spread * self._bent
        self.modes = quick + self.at["delay"] * grid.slow
        self._slow = expit(self.at["slow"])
        self.mode_weights = np.where(grid.slow, self._slow, 1 - self._slow) * grid.mode_weights
        self.scales = np.exp(self.at["log_scale"] + np.exp(self.at["log_scale_spread"]) * grid.scales)
        self.never = expit(self.at["never_ends"] + self.at["never_ends_rise"] * u)[:, None]

    def times(self, edges: Floats) -> Times:
        """When answers end, for bins of log tokens between `edges` (K + 1,)."""
        beyond = survival(edges[:, None, None] - self.modes[:, None], self.scales, self.at["skew"])
        lives = self.never + (1 - self.never) * beyond
        return Times(np.maximum(lives[:-1] - lives[1:], 1e-12), lives[-1])

    def grades(self, middles: Floats) -> Grades:
        """Whether answers are right, for bins with `middles` (K,)."""
        at, grid = self.at, self.grid
        y, _ = self._late(middles)
        level = at["level"] + np.exp(at["log_level_spread"]) * self._deviation()[0]
        logits = level + (at["slope"] * y + at["bend"] * np.logaddexp(0.0, y))[:, :, None]
        lost = self._lost()
        weights = np.concatenate([(1 - lost) * grid.level_weights, lost], axis=1)
        never = np.full((*y.shape, 1), NEVER_RIGHT)
        return Grades(np.concatenate([logits, never], axis=2), self.mode_weights[:, None] * weights)

    def times_slope(self, edges: Floats, by_ends: Floats, by_lives: Floats) -> Floats:
        """The gradient in theta of a function of the tables of `times`, from its gradients in these."""
        u, skew = self.grid.modes, self.at["skew"]
        off = edges[1:, None, None] - self.modes[:, None]  # at the first edge, −inf, nothing changes
        late = off > 0
        side = np.where(late, skew, -skew)
        width = self.scales * np.exp(side / 2)
        share = 2 * expit(side)
        tail = expit(-np.abs(off) / width)
        density = share * tail * (1 - tail) / width
        beyond = np.where(late, share * tail, 1 - share * tail)

        # survival beyond an edge takes from the bin before it and adds to the bin after it
        by_living = -by_ends
        by_living[:-1] += by_ends[1:]
        by_living[-1] += by_lives
        by_beyond = by_living * (1 - self.never)
        by_mode = (by_beyond * density).sum(axis=(0, 2))
        by_log_scale = (by_beyond * density * off).sum(axis=(0, 1))
        beyond_by_skew = 2 * expit(skew) * expit(-skew) * tail + density * np.abs(off) / 2
        never_by_logit = (self.never * (1 - self.never))[:, 0]
        by_never = (by_living * (1 - beyond)).sum(axis=(0, 2)) * never_by_logit

        slopes = self._modes_slope(by_mode)
        slopes["log_scale"] += by_log_scale.sum()
        slopes["log_scale_spread"] = np.exp(self.at["log_scale_spread"]) * (by_log_scale @ self.grid.scales)
        slopes["skew"] = (by_beyond * beyond_by_skew).sum()
        slopes["never_ends"] = by_never.sum()
        slopes["never_ends_rise"] = by_never @ u
        return _in_order(slopes)

    def grades_slope(self, middles: Floats, by_logits: Floats, by_weights: Floats) -> Floats:
        """The gradient in theta of a function of the tables of `grades`, from its gradients in these."""
        at, grid = self.at, self.grid
        by_answered = by_logits[:, :, :-1]  # the logit of the last level, never right, is fixed
        by_time, by_level = by_answered.sum(axis=2), by_answered.sum(axis=0)
        y, steep = self._late(middles)
        by_late = by_time * (at["slope"] + at["bend"] * expit(y)) * steep
        scale, level_spread = np.exp(at["log_scale"]), np.exp(at["log_level_spread"])
        deviation, turn = self._deviation()
        lost = self._lost()[:, 0]
        by_answerable = by_weights[:, :-1] @ grid.level_weights
        by_lost = by_weights[:, -1] - by_answerable
        by_mode_weights = by_answerable + lost * by_lost
        by_slow = by_mode_weights @ (np.where(grid.slow, 1.0, -1.0) * grid.mode_weights)

        slopes = self._modes_slope(-by_late.sum(axis=0) / scale)
        slopes["log_scale"] -= (by_late * (middles[:, None] - self.modes)).sum() / scale
        slopes["slope"] = (by_time * y).sum()
        slopes["bend"] = (by_time * np.logaddexp(0.0, y)).sum()
        slopes["level"] = by_level.sum()
        slopes["log_level_spread"] = level_spread * (by_level * deviation).sum()
        slopes["correlation"] = level_spread * (by_level * turn).sum()
        slopes["never_right"] = (by_lost * self.mode_weights * lost * (1 - lost)).sum()
        slopes["slow"] = by_slow * self._slow * (1 - self._slow)
        return _in_order(slopes)

    def _late(self, middles: Floats) -> tuple[Floats, Floats]:
        """How many scales each bin is after each mode, (K, I), levelling off; and the derivative."""
        y = np.tanh((middles[:, None] - self.modes) / np.exp(self.at["log_scale"]) / FARTHEST)
        return FARTHEST * y, 1 - y**2

    def _deviation(self) -> tuple[Floats, Floats]:
        """(a − mean) / sd at every node, (I, J), and its derivative in `correlation`."""
        r, u, v = np.tanh(self.at["correlation"]), self.grid.modes[:, None], self.grid.levels
        rest = np.sqrt(1 - r**2)
        return r * u + rest * v, (1 - r**2) * u - r * rest * v

    def _lost(self) -> Floats:
        """The share of questions never answered right, (I, 1)."""
        return np.asarray(expit(self.at["never_right"] + NEVER_RIGHT_RISE * self.grid.modes[:, None]))

    def _modes_slope(self, by_modes: Floats) -> dict[str, float]:
        """The derivatives of a function in the parameters of the modes, from those in the modes (I,)."""
        by_spread = float(by_modes @ self._bent) * self.spread
        by_tilt = float(by_modes @ self._bent_slope) * self.spread
        return {
            "centre": by_modes.sum(),
            "delay": by_modes @ self.grid.slow,
            "log_ratio": by_spread,
            "log_scale": by_spread,
            "tilt": by_tilt,
        }


def _exprel_slope(x: Floats) -> Floats:
    """The derivative of (exp x − 1) / x: near 0, where differences of exp cancel, by its series."""
    near = np.abs(x) < 1e-2
    far = np.where(near, 1.0, x)
    series = 1 / 2 + x / 3 + x**2 / 8 + x**3 / 30 + x**4 / 144
    return np.where(near, series, (np.exp(far) - exprel(far)) / far)


def _in_order(slopes: dict[str, float]) -> Floats:
    """The derivatives in the order of `PARAMETERS`; 0 for any that is not named."""
    return np.array([slopes.get(name, 0.0) for name in PARAMETERS])


def survival(late: Floats, scale: Floats, skew: float) -> Floats:
    """P(log tokens > mode + `late`) of the two-piece logistic law, for answers that end."""
    left, right = scale * np.exp(-skew / 2), scale * np.exp(skew / 2)
    beyond = 2 * expit(skew) * expit(-np.maximum(late, 0.0) / right)
    before = 1 - 2 * expit(-skew) * expit(np.minimum(late, 0.0) / left)
    return np.where(late > 0, beyond, before)
