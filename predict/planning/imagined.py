"""Answers that have not been sampled yet, drawn from what the sampled ones say.

    question  seen: 3 right, "17" twice, one unreadable   ->   4 more: right, right, "17", a new wrong one

Each question's rate of unreadable and of right answers is drawn from its beta posterior (both beta laws
fitted to all questions); a wrong answer repeats one given c times with chance c/(θ + m) after m wrong ones,
else it is new: the Chinese restaurant process (Ewens' law), θ by maximum likelihood. Drawing with the
posterior, not with the observed frequencies, keeps the surprises that more answers bring.
"""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import gammaln

from predict.answers.beta_binomial import fit_beta
from predict.evidence.cuts import renumbered
from predict.evidence.points import Floats, Ints
from results.votes.exact import AnswerPools, VoteCounts


def imagine(answers: AnswerPools, more: int, rng: np.random.Generator) -> AnswerPools:
    """The pools with `more` drawn answers appended to every question, of the mean number of tokens."""
    counts = answers.counts()
    cast = counts.pools - counts.nulls
    shape = (len(cast), more)
    votes = _wrong_answers(counts, more, rng)
    right, blank = _rates(counts.correct, cast, rng), _rates(counts.nulls, counts.pools, rng)
    votes[rng.random(shape) < right[:, None]] = 0
    votes[rng.random(shape) < blank[:, None]] = -1
    known = answers.tokens[np.isfinite(answers.tokens)]
    new_tokens = np.full(votes.size, known.mean() if known.size else np.nan)
    place = np.repeat(answers.starts[1:], more)
    starts = answers.starts + more * np.arange(len(answers.starts))
    question = np.repeat(np.arange(len(cast)), np.diff(starts))
    return AnswerPools(
        answers.question_ids,
        starts,
        renumbered(question, np.insert(answers.votes, place, votes.ravel())),
        np.insert(answers.tokens, place, new_tokens),
    )


def with_twins(answers: AnswerPools) -> AnswerPools:
    """The pools with each question twice: what as many more questions of the kind may look like."""
    Q, sizes = len(answers.question_ids), answers.sizes
    names = [*answers.question_ids, *(f"{name}, again" for name in answers.question_ids)]
    order = np.argsort(names, kind="stable")
    of = order % Q
    starts = np.concatenate([[0], np.cumsum(sizes[of])])
    kept = np.concatenate([np.arange(answers.starts[q], answers.starts[q + 1]) for q in of])
    return AnswerPools([names[i] for i in order], starts, answers.votes[kept], answers.tokens[kept])


def _rates(successes: Ints, trials: Ints, rng: np.random.Generator) -> Floats:
    """One draw of each question's rate from its beta posterior, shape (Q,); 0 without any success."""
    if not successes.any():
        return np.zeros(len(successes))
    a, b = fit_beta(successes, trials)
    return np.asarray(rng.beta(a + successes, b + trials - successes))


def _wrong_answers(counts: VoteCounts, more: int, rng: np.random.Generator) -> Ints:
    """`more` wrong answers for each question as their numbers 1, 2, …, shape (Q, more).

    Each repeats one of the wrong answers before it, or with weight θ is new. All of them continue the seen
    ones: those that turn out right or unreadable are overwritten later, which changes no law, since the
    process is exchangeable.
    """
    kinds, theta = np.diff(counts.starts), agreement(counts)
    given = counts.pools - counts.nulls - counts.correct
    rows, last = np.arange(len(kinds)), np.cumsum(given)
    votes = np.zeros((len(kinds), given.max(initial=0) + more), np.int64)
    first = np.repeat(counts.starts[:-1], kinds)
    seen = np.repeat(np.arange(len(counts.wrong)) - first + 1, counts.wrong)
    votes[np.repeat(rows, given), np.arange(len(seen)) - np.repeat(last - given, given)] = seen
    for i in range(more):
        drawn = (rng.random(len(kinds)) * (given + i + theta)).astype(np.int64)
        new = drawn >= given + i
        kinds = kinds + new
        votes[rows, given + i] = np.where(new, kinds, votes[rows, np.where(new, 0, drawn)])
    return np.asarray(votes[rows[:, None], given[:, None] + np.arange(more)])


def agreement(counts: VoteCounts) -> float:
    """θ of Ewens' law by maximum likelihood: small where wrong answers agree, within 0.01 … 10,000."""
    kinds = np.diff(counts.starts)
    totals = counts.pools - counts.nulls - counts.correct
    sizes, times = np.unique(totals[totals > 0], return_counts=True)
    if not len(sizes):
        return 1.0

    def loss(log_theta: float) -> float:
        theta = np.exp(log_theta)
        rising = gammaln(theta + sizes) - gammaln(theta)
        return float(times @ rising - kinds.sum() * log_theta)

    found = minimize_scalar(loss, bounds=(np.log(0.01), np.log(1e4)), method="bounded")
    return float(np.exp(found.x))
