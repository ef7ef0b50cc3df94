"""How fast the vote's error falls with N: the paper's Δ²/2, Chernoff's exponent, and the exact vote.

    chernoff(right, wrong)        P(wrong rival has as many votes) ≤ (1 − (√p − √r)²)^N, the largest rival's

The paper uses 1 − Acc(T, N) ~ e^(−N Δ²/2), Hoeffding's bound, which depends only on Δ. Chernoff's bound is
tight to first order: if an answer is right with chance p and the rival's with chance r, the minimum of
p e^(−s) + r e^s + 1 − p − r over s is 1 − (√p − √r)².
"""

from dataclasses import dataclass

import numpy as np

from results.votes.exact import VoteCounts, majority_accuracy
from results.votes.multinomial import vote_accuracy
from studies.bridge.answers import NULL, RIGHT, Answers, Floats
from studies.bridge.posterior import Laws, draw_laws, learn_prior

LEADS = 0.9
"""A (question, length) counts if one half of the answers shows a lead of the right one this surely."""
FROM, TO = 8, 32
"""The exact vote's exponent is the rate of its fall between these numbers of answers."""
DRAWS = 6


@dataclass(frozen=True)
class Exponents:
    """For one question and length, means over draws: `gap`, the three exponents, and errors at each N.

    `bounds` (3, N): e^(−NΔ²/2), e^(−N chernoff) and the exact vote's error, from one half of the answers;
    `seen` (N,): the error of votes of the other half, exact over its subsets. `question` is its place.
    """

    question: int
    length: int
    gap: float
    hoeffding: float
    chernoff: float
    exact: float
    bounds: Floats
    seen: Floats


def chernoff(right: Floats, rival: Floats) -> Floats:
    """−log(1 − (√p − √r)²) where the right answer leads, else 0."""
    ahead = np.maximum(np.sqrt(right) - np.sqrt(rival), 0)
    return np.asarray(-np.log1p(-np.minimum(ahead**2, 1 - 1e-12)))


def exponents(answers: Answers, ns: tuple[int, ...], seed: int = 0, draws: int = DRAWS) -> list[Exponents]:
    """The exponents where one half of the answers shows a lead, with the other half's votes; both ways."""
    found = []
    halves = answers.halves()
    for own, other in (halves, halves[::-1]):
        seen = np.stack([_vote_error(other, at, ns) for at in range(answers.shape[2])], axis=1)
        laws = draw_laws(own, learn_prior(own), 200, seed)
        for question, law in enumerate(laws):
            for length in np.flatnonzero((law.gap > 0).mean(axis=0) > LEADS):
                found.append(_of(law, question, int(length), ns, seen[question, length], draws))
    return found


def _of(law: Laws, question: int, length: int, ns: tuple[int, ...], seen: Floats, draws: int) -> Exponents:
    right, wrong = law.right[:draws, length], law.wrong[:draws, length]
    rival = wrong.max(axis=1)
    gap = np.maximum(right - rival, 0)
    p = np.concatenate([right[:, None], wrong], axis=1)
    error = 1 - vote_accuracy(p, 0, (*ns, FROM, TO))
    slope = np.log(np.maximum(error[:, -2], 1e-12) / np.maximum(error[:, -1], 1e-12)) / (TO - FROM)
    rate = gap**2 / 2, chernoff(right, rival)
    several = np.asarray(ns)
    bounds = [np.exp(-one[:, None] * several).mean(axis=0) for one in rate]
    return Exponents(
        question,
        length,
        float(gap.mean()),
        float(rate[0].mean()),
        float(rate[1].mean()),
        float(slope.mean()),
        np.stack([*bounds, error[:, : len(ns)].mean(axis=0)]),
        seen,
    )


def _vote_error(answers: Answers, length: int, ns: tuple[int, ...]) -> Floats:
    """(questions, N): 1 − the exact mean accuracy of votes over all subsets of N of the answers."""
    codes = answers.codes[:, :, length]
    counts = [np.bincount(row[row > 0])[1:] for row in codes]
    wrong = [row[row > 0] for row in counts]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in wrong])])
    joined = np.concatenate(wrong).astype(np.int64)
    pools = VoteCounts((codes == RIGHT).sum(axis=1), joined, starts, (codes == NULL).sum(axis=1))
    return np.asarray(1 - majority_accuracy(pools, [*ns]))
