"""The law of an answer to one question: when it ends, if it ever does, and whether it is right then.

    question with mode m = log 9000, scale 0.2, level a = 1.1
    ends within 8000 tokens: 0.36    is right if it ends at 8000: 0.74    never ends: 0.01

Log tokens follow a two-piece logistic law about the question's mode m, wider to the right; its tail in
tokens is a power law. A share of the answers never ends (the cure fraction of survival analysis). An answer
that ends y scales beyond the mode is right with logit a + slope·y + bend·log(1 + e^y). Some questions are
never answered right. Over questions m is normal with a tilt (longer to one side), a is normal and correlates
with m, log scale is normal; the shares that never end and are never right rise with m. All integrals over
questions are sums over the fixed nodes of a `Grid`.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from predict.protocol import Floats

PARAMETERS: dict[str, tuple[float, float]] = {
    "centre": (0.0, 3.0),  # the middle question's m, from log of the cap
    "tilt": (0.0, 0.2),  # of the law of m over questions
    "log_ratio": (1.5, 0.3),  # log (spread of m over questions / s)
    "level": (2.5, 2.5),  # mean of a
    "log_level_spread": (1.4, 0.3),  # log sd of a
    "correlation": (-1.25, 0.4),  # atanh of the correlation of m and a
    "log_scale": (-1.8, 0.5),  # log s, the middle question's scale
    "log_scale_spread": (-1.05, 0.3),  # log sd of log scale over questions
    "skew": (0.4, 0.2),  # log (right scale / left scale)
    "slope": (-0.15, 0.2),
    "bend": (-0.4, 0.25),
    "never_ends": (-4.5, 1.0),  # logit of the share, for the middle question
    "never_ends_rise": (0.7, 0.5),  # per sd of m
    "never_right": (-3.5, 1.2),  # logit of the share of questions, for the middle question
}
"""Every parameter with the mean and standard deviation of its normal prior. They are wide enough for the four
development sets named in docs/along-t.md, whose nearly complete runs they were set by."""

PRIOR_MEAN, PRIOR_SD = (np.array(column) for column in zip(*PARAMETERS.values(), strict=True))

NEVER_RIGHT_RISE = 1.0
"""Rise of the logit of the share never answered right, per sd of m."""

NEVER_RIGHT = -12.0
"""The logit that stands for "never"."""

FARTHEST = 8.0
"""The logit of being right stops changing this many scales from the mode."""

REACH = 4.0
"""The nodes go as far as this many standard deviations."""

LEVELS, SCALES = 19, 5


@dataclass(frozen=True)
class Grid:
    """Nodes over questions, as standard normal numbers: `modes` (I,), `levels` (J,), `scales` (S,), each with
    the weight of a node. The last level is "never right" and is not among `levels`."""

    modes: Floats
    mode_weights: Floats
    levels: Floats
    level_weights: Floats
    scales: Floats
    scale_weights: Floats


def make_grid(modes: int) -> Grid:
    """A grid of `modes` × 19 evenly spaced nodes and five Gauss–Hermite nodes of the scale.

    Even spacing is as good as exact once it is below the spread of a question's posterior.
    """
    scales, weights = np.polynomial.hermite_e.hermegauss(SCALES)
    return Grid(*_even(modes), *_even(LEVELS), scales, weights / weights.sum())


def _even(points: int) -> tuple[Floats, Floats]:
    u = np.linspace(-REACH, REACH, points)
    weights = np.exp(-(u**2) / 2)
    return u, weights / weights.sum()


@dataclass(frozen=True)
class Times:
    """`ends` (K, I, S): chance to end in each of K bins of log tokens; `lives` (I, S): not to end in any."""

    ends: Floats
    lives: Floats


@dataclass(frozen=True)
class Grades:
    """`logits` (K, I, J + 1) of being right when ending in a bin; `weights` (I, J + 1) of nodes (m, a)."""

    logits: Floats
    weights: Floats


def times(theta: Floats, grid: Grid, edges: Floats, origin: float) -> Times:
    """When answers end, for bins of log tokens between `edges` (K + 1,); m is counted from `origin`."""
    at = dict(zip(PARAMETERS, theta, strict=True))
    m = modes(theta, grid, origin)[:, None]
    scale = np.exp(at["log_scale"] + np.exp(at["log_scale_spread"]) * grid.scales)
    never = expit(at["never_ends"] + at["never_ends_rise"] * grid.modes)[:, None]
    lives = never + (1 - never) * survival(edges[:, None, None], m, scale, at["skew"])
    return Times(np.maximum(lives[:-1] - lives[1:], 1e-12), lives[-1])


def grades(theta: Floats, grid: Grid, middles: Floats, origin: float) -> Grades:
    """Whether answers are right, for bins with `middles` (K,)."""
    at = dict(zip(PARAMETERS, theta, strict=True))
    y = (middles[:, None] - modes(theta, grid, origin)) / np.exp(at["log_scale"])
    y = FARTHEST * np.tanh(y / FARTHEST)
    r = np.tanh(at["correlation"])
    deviation = r * grid.modes[:, None] + np.sqrt(1 - r**2) * grid.levels
    level = at["level"] + np.exp(at["log_level_spread"]) * deviation
    logits = level + (at["slope"] * y + at["bend"] * np.logaddexp(0.0, y))[:, :, None]
    lost = at["never_right"] + NEVER_RIGHT_RISE * grid.modes[:, None]
    weights = np.concatenate([expit(-lost) * grid.level_weights, expit(lost)], axis=1)
    return Grades(
        np.concatenate([logits, np.full((*y.shape, 1), NEVER_RIGHT)], axis=2),
        grid.mode_weights[:, None] * weights,
    )


def modes(theta: Floats, grid: Grid, origin: float) -> Floats:
    """m at every node, shape (I,): log tokens."""
    at = dict(zip(PARAMETERS, theta, strict=True))
    tilt = at["tilt"] if abs(at["tilt"]) > 1e-7 else 1e-7
    bent = np.expm1(tilt * grid.modes) / tilt
    return np.asarray(origin + at["centre"] + np.exp(at["log_ratio"] + at["log_scale"]) * bent)


def survival(x: Floats, m: Floats, scale: Floats, skew: float) -> Floats:
    """P(log tokens > x) of the two-piece logistic law with mode m, for answers that end."""
    left, right = scale * np.exp(-skew / 2), scale * np.exp(skew / 2)
    beyond = 2 * right / (left + right) * expit(-np.maximum(x - m, 0.0) / right)
    before = 1 - 2 * left / (left + right) * expit(np.minimum(x - m, 0.0) / left)
    return np.where(x > m, beyond, before)
