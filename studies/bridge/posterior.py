"""What the answers to a question say of its gap Δ_T at every length: draws, not the plug-in.

    draws = draw_gaps(answers, learn_prior(answers), rng)          # (draws, questions, lengths)
    (draws < 0).all(axis=2).mean(axis=0)                           # P(a wrong answer leads at every length)

At one length the law of a question's answer has two levels, both conjugate. Right, wrong and no answer:
Dirichlet around the shares of all questions, with concentration a. The wrong mass: a Dirichlet process with
concentration θ, so that answers which nobody has given yet have mass as well. (a, θ) of each length maximise
the marginal likelihood of all questions (empirical Bayes).

All lengths cut off the same answers. So answer i has one weight, Gamma(1), at every length; what the prior
adds is drawn from one uniform number for all lengths. At each length alone the draws are exactly those of the
posterior; along lengths, an answer that stays the same moves the gap nowhere.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import gammaincinv, gammaln

from studies.bridge.answers import NULL, RIGHT, Answers, Floats, Ints

STICKS = 24
"""Answers that nobody has given yet, of which the largest may lead."""
LEAST = 1e-3
"""So many right answers in a question are thought to come before any is seen, at the least."""


@dataclass(frozen=True)
class Prior:
    """Of every length: `outcomes` (lengths, 3), a × the shares of right, wrong, null; `theta` (lengths,)."""

    outcomes: Floats
    theta: Floats


@dataclass(frozen=True)
class Laws:
    """Draws of one question's answer law: `right` (draws, lengths), `wrong` (draws, lengths, kinds).

    The wrong answers are those that were given, in the order of their codes, and then STICKS unseen ones.
    """

    right: Floats
    wrong: Floats

    @property
    def gap(self) -> Floats:
        """Δ, (draws, lengths)."""
        return np.asarray(self.right - self.wrong.max(axis=2))


def learn_prior(answers: Answers) -> Prior:
    """The prior of every length that makes the answers to all questions likeliest."""
    outcomes, thetas = [], []
    for at in range(answers.shape[2]):
        codes = answers.codes[:, :, at]
        counts = np.stack([kind.sum(axis=1) for kind in (codes == RIGHT, codes > 0, codes == NULL)])
        share = (counts.sum(axis=1) + 0.5) / (counts.sum() + 1.5)
        outcomes.append(share * np.exp(_best(_outcome_loss, counts, share)))
        thetas.append(np.exp(_best(_kinds_loss, counts[1], _kinds(codes))))
    return Prior(np.maximum(np.stack(outcomes), LEAST), np.asarray(thetas))


def _best(loss: Callable[..., float], *given: Floats | Ints) -> float:
    """Where a loss of one number is least."""
    return float(minimize_scalar(loss, bounds=(-5.0, 6.0), method="bounded", args=given).x)


def _kinds(codes: Ints) -> Ints:
    """(questions,): how many different wrong answers each has."""
    return np.asarray([len({*row[row > 0].tolist()}) for row in codes])


def _outcome_loss(log: float, counts: Ints, share: Floats) -> float:
    """−log of the Dirichlet-multinomial with concentration e^log, up to a constant; log ~ N(0, 3²)."""
    a = np.exp(log)
    alpha = a * share[:, None]
    n = counts.sum(axis=0)
    logs = (gammaln(alpha + counts) - gammaln(alpha)).sum(axis=0) + gammaln(a) - gammaln(a + n)
    return float(log**2 / 18 - logs.sum())


def _kinds_loss(log: float, wrong: Ints, kinds: Ints) -> float:
    """−log of Ewens' formula for so many kinds among so many wrong answers, up to a constant."""
    theta = np.exp(log)
    return float(log**2 / 18 - (kinds * log + gammaln(theta) - gammaln(theta + wrong)).sum())


def draw_laws(answers: Answers, prior: Prior, draws: int, seed: int) -> Iterator[Laws]:
    """The laws of every question, one after the other. A question's draws depend on no other question's."""
    for place, name in enumerate(answers.questions):
        rng = np.random.default_rng([seed, *name.encode()])
        yield _laws(answers.codes[place], prior, draws, rng)


def _laws(codes: Ints, prior: Prior, draws: int, rng: np.random.Generator) -> Laws:
    n, lengths = codes.shape
    weight = rng.standard_exponential((draws, n))
    chance = rng.random((draws, 3))
    before = gammaincinv(prior.outcomes[None], np.repeat(chance[:, None], lengths, axis=1))
    right = weight @ (codes == RIGHT) + before[:, :, 0]
    other = weight @ (codes == NULL) + before[:, :, 2]
    own = weight @ (codes > 0)
    total = right + own + before[:, :, 1] + other
    kinds = int(max(codes.max(), 0))
    given = np.einsum("rn,nlk->rlk", weight, codes[:, :, None] == np.arange(1, kinds + 1))
    fresh = gammaincinv(prior.theta, rng.random((draws, 1)))
    broken = 1 - rng.random((draws, 1, STICKS)) ** (1 / prior.theta[:, None])
    left = np.cumprod(1 - broken, axis=2)
    sticks = broken * np.concatenate([np.ones_like(left[:, :, :1]), left[:, :, :-1]], axis=2)
    split = np.concatenate([given, fresh[:, :, None] * sticks], axis=2) / (own + fresh)[:, :, None]
    wrong = (own + before[:, :, 1]) / total
    return Laws(right / total, split * wrong[:, :, None])


def draw_gaps(answers: Answers, prior: Prior | None = None, draws: int = 1000, seed: int = 0) -> Floats:
    """Draws of Δ of every question at every length, (draws, questions, lengths)."""
    prior = learn_prior(answers) if prior is None else prior
    return np.stack([laws.gap for laws in draw_laws(answers, prior, draws, seed)], axis=1)
