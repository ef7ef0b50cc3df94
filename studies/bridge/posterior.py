"""The posterior of a question's gap Δ_T at every length given its answers: draws, not the plug-in.

    draws = draw_gaps(answers, learn_prior(answers), rng)          # (draws, questions, lengths)
    (draws < 0).all(axis=2).mean(axis=0)                           # P(a wrong answer leads at every length)

At one length the law of a question's answers is that of `results/summary/gaps.py`.
All lengths cut off the same answers. So answer i has the same weight, Gamma(1), at every length, and the
prior's part is drawn from one uniform number for all lengths. At each single length the draws are exactly
those of the posterior; along lengths, an answer that stays the same does not change the gap.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincinv

from results.summary.gaps import STICKS, sticks
from results.summary.gaps import learn_prior as learn_at
from results.votes.exact import VoteCounts
from studies.bridge.answers import NULL, RIGHT, Answers, Floats, Ints


@dataclass(frozen=True)
class Prior:
    """By length: `outcomes` (lengths, 3), a × the shares of right, wrong and null; `theta` (lengths,)."""

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
    """The maximum-likelihood prior at every length, given the answers to all questions."""
    priors = [learn_at(_counts(answers.codes[:, :, at])) for at in range(answers.shape[2])]
    outcomes = np.stack([prior.outcomes for prior in priors])
    return Prior(outcomes, np.asarray([prior.theta for prior in priors]))


def _counts(codes: Ints) -> VoteCounts:
    """How often each answer was given at one length; `codes` (questions, answers)."""
    by_question = [np.unique(row[row > 0], return_counts=True)[1] for row in codes]
    starts = np.cumsum([0, *map(len, by_question)])
    right, unread = (np.sum(codes == kind, axis=1) for kind in (RIGHT, NULL))
    return VoteCounts(right, np.concatenate(by_question), starts, unread)


def draw_laws(answers: Answers, prior: Prior, draws: int, seed: int) -> Iterator[Laws]:
    """Yield the laws of each question. A question's draws do not depend on those of other questions."""
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
    new = sticks(prior.theta[:, None], rng.random((draws, 1, STICKS)))
    split = np.concatenate([given, fresh[:, :, None] * new], axis=2) / (own + fresh)[:, :, None]
    wrong = (own + before[:, :, 1]) / total
    return Laws(right / total, split * wrong[:, :, None])


def draw_gaps(answers: Answers, prior: Prior | None = None, draws: int = 1000, seed: int = 0) -> Floats:
    """Draws of Δ of every question at every length, (draws, questions, lengths)."""
    prior = learn_prior(answers) if prior is None else prior
    return np.stack([laws.gap for laws in draw_laws(answers, prior, draws, seed)], axis=1)
