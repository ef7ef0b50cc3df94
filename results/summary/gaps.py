"""The gap Δ of a question: the chance of its right answer minus that of its strongest wrong one.

right  wrong    unread   gap    behind
9      4, 2, 1  0        0.34   0.03      behind: the chance that Δ < 0, so that large votes end wrong
3      7, 2, 2  2       −0.14   0.80      (with the prior 1, 1, 0.1 and 2)

Shares are a poor estimate of Δ: of 10 distinct wrong answers, the largest count is large by
chance. Δ is therefore taken from a posterior. Right, wrong and unread answers have a Dirichlet
prior; the wrong answers, including those not given yet, a Dirichlet process. Both are learnt
from all questions of a setting. studies/bridge measures how far such counts can be trusted.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar
from scipy.special import gammaln

from results.normal import Z90
from results.tables.key import Key
from results.votes.clusters import cluster_sizes, equal_draws, shared_variance
from results.votes.curves import Exact
from results.votes.exact import DIGITS, Floats, Ints, VoteCounts
from results.votes.tokens import budgets_ignored

LENGTHS = 4
"""The fewest settings of different length for showing gaps against length."""
STICKS = 24
"""Number of wrong answers not given yet that are drawn; the largest may lead."""
LEAST = 1e-3
"""The smallest pseudo-count of an outcome in the prior."""
_DRAWS = 500


@dataclass(frozen=True)
class Prior:
    """A setting's prior: `outcomes` (3,), pseudo-counts of right, wrong, unread; `theta` of wrong ones."""

    outcomes: Floats
    theta: float

    @property
    def rounded(self) -> "Prior":
        """The prior with logs rounded to 0.01: minima are no more exact, and machines differ."""
        outcomes, theta = (np.exp(np.log(part).round(2)) for part in (self.outcomes, self.theta))
        return Prior(outcomes, float(theta))


@dataclass(frozen=True)
class Gaps:
    """The gaps of one model's questions against the length of its answers.

    `questions` has the columns question, setting, length, gap, behind. `means` has a row
    per setting: setting, length, gap, low, high (90 %, for the choice of questions and the
    uncertainty given their answers), behind (a share of the questions) and its interval,
    behind_low, behind_high.
    """

    key: Key
    questions: pd.DataFrame
    means: pd.DataFrame


def learn_prior(counts: VoteCounts) -> Prior:
    """The prior that makes the answers to all questions likeliest (empirical Bayes)."""
    kinds = np.diff(counts.starts)
    wrong = counts.pools - counts.correct - counts.nulls
    outcomes = np.stack([counts.correct, wrong, counts.nulls])
    share = (outcomes.sum(axis=1) + 0.5) / (outcomes.sum() + 1.5)
    concentration = np.exp(_least(lambda log: _outcome_loss(log, outcomes, share)))
    theta = np.exp(_least(lambda log: _kinds_loss(log, wrong, kinds)))
    return Prior(np.maximum(share * concentration, LEAST), float(theta))


def _least(loss: Callable[[float], float]) -> float:
    """The number that minimises a loss."""
    return float(minimize_scalar(loss, bounds=(-5.0, 6.0), method="bounded").x)


def _outcome_loss(log: float, counts: Ints, share: Floats) -> float:
    """−log of the Dirichlet-multinomial with concentration e^log and log ~ N(0, 3²), up to a constant."""
    a = np.exp(log)
    alpha = a * share[:, None]
    n = counts.sum(axis=0)
    logs = (gammaln(alpha + counts) - gammaln(alpha)).sum(axis=0) + gammaln(a) - gammaln(a + n)
    return float(log**2 / 18 - logs.sum())


def _kinds_loss(log: float, wrong: Ints, kinds: Ints) -> float:
    """−log of Ewens' formula for the numbers of distinct wrong answers, up to a constant."""
    theta = np.exp(log)
    return float(log**2 / 18 - (kinds * log + gammaln(theta) - gammaln(theta + wrong)).sum())


def sticks(theta: float | Floats, chance: Floats) -> Floats:
    """Stick-breaking shares of a Dirichlet process, (…, STICKS), from as many uniform numbers."""
    broken = 1 - chance ** (1 / theta)
    left = np.cumprod(1 - broken, axis=-1)
    before = np.concatenate([np.ones_like(left[..., :1]), left[..., :-1]], axis=-1)
    return np.asarray(broken * before)


@lru_cache(maxsize=64)
def _largest_stick(theta: float, draws: int) -> Floats:
    """The largest share among new answers, (draws,): the same draws for all questions of a setting."""
    return np.asarray(sticks(theta, np.random.default_rng(1).random((draws, STICKS))).max(axis=1))


def gap_draws(right: int, wrong: Sequence[int], unread: int, prior: Prior, draws: int = _DRAWS) -> Floats:
    """Draws of Δ of one question, (draws,), given how often each answer was given.

    The draws depend only on these counts, so that neither names nor the order of rows change
    them.
    """
    rng = np.random.default_rng(0)
    before_right, before_wrong, before_unread = prior.outcomes
    mass_right = rng.standard_gamma(right + before_right, draws)
    mass_unread = rng.standard_gamma(unread + before_unread, draws)
    mass_wrong = rng.standard_gamma(sum(wrong) + before_wrong, draws)
    fresh = rng.standard_gamma(prior.theta, draws)
    given = rng.standard_gamma(sorted(wrong, reverse=True), (draws, len(wrong)))
    stick, all_wrong = _largest_stick(prior.theta, draws), given.sum(axis=1) + fresh
    largest = np.maximum(given.max(axis=1, initial=0.0), fresh * stick)
    # If no wrong answer was given, the mass of new ones may underflow to 0, as for yes-or-no answers.
    share = np.divide(largest, all_wrong, out=stick.copy(), where=all_wrong > 0)
    return np.asarray((mass_right - mass_wrong * share) / (mass_right + mass_wrong + mass_unread))


def gaps_along_lengths(votes: Sequence[Exact]) -> list[Gaps]:
    """The gaps of each model with answers of at least LENGTHS different lengths to the same questions.

    `votes`: the exact votes by question of every setting; those by majority provide the
    answers.
    """
    by_model: dict[Key, list[Exact]] = {}
    for vote in votes:
        if vote.key.method == "majority" and np.isfinite(vote.group.tokens):
            by_model.setdefault(vote.key.whose, []).append(vote)
    return [gaps for key, own in by_model.items() if (gaps := _along_lengths(key, own))]


def _along_lengths(key: Key, votes: Sequence[Exact]) -> Gaps | None:
    votes = sorted(votes, key=lambda vote: vote.group.tokens)
    lengths = {vote.key.setting: vote.group.tokens for vote in votes}
    common = set.intersection(*(set(vote.group.pools.question_ids) for vote in votes))
    if len(set(lengths.values())) < LENGTHS or budgets_ignored(lengths) or not common:
        return None
    tables, means = [], []
    for vote in votes:
        setting, length = vote.key.setting, vote.group.tokens
        table = _of_setting(vote)
        rows = table[table["question"].isin(common)]
        tables.append(rows.assign(setting=setting, length=length))
        means.append({"setting": setting, "length": length, **_mean(rows)})
    questions = pd.concat(tables, ignore_index=True)[["question", "setting", "length", "gap", "behind"]]
    return Gaps(key, questions, pd.DataFrame(means))


def _of_setting(vote: Exact) -> pd.DataFrame:
    """Each question's gap, its variance given the answers, and the chance that it is below 0."""
    pools = vote.group.pools
    counts = pools.counts()
    prior = learn_prior(counts).rounded
    known: dict[tuple[int, ...], tuple[float, float, float]] = {}
    rows = []
    for right, unread, wrong in _questions(counts):
        law = (right, unread, *sorted(wrong, reverse=True))
        if law not in known:
            draws = gap_draws(right, wrong, unread, prior)
            known[law] = float(draws.mean()), float(draws.var()), float((draws < 0).mean())
        rows.append(known[law])
    table = pd.DataFrame(rows, columns=["gap", "variance", "behind"]).round(DIGITS)
    return table.assign(question=pools.question_ids, cluster=pools.clusters or pools.question_ids)


def _questions(counts: VoteCounts) -> Iterator[tuple[int, int, list[int]]]:
    """Yield each question's counts of right, unread and distinct wrong answers."""
    for place, (right, unread) in enumerate(zip(counts.correct, counts.nulls, strict=True)):
        yield int(right), int(unread), counts.wrong[counts.starts[place] : counts.starts[place + 1]].tolist()


def _mean(table: pd.DataFrame) -> dict[str, float]:
    """The mean gap with its 90 % interval, and the share of questions behind with Wilson's interval."""
    questions = len(table)
    gap, clusters = table["gap"].to_numpy(), table["cluster"].tolist()
    of_one = gap.var(ddof=1) + table["variance"].mean() if questions > 1 else np.nan
    together = shared_variance(gap[:, None], clusters)[0]
    margin = Z90 * np.sqrt((of_one + together) / questions)
    behind = float(table["behind"].mean())
    draws = equal_draws(cluster_sizes(questions, clusters))
    centre = (behind + Z90**2 / (2 * draws)) / (1 + Z90**2 / draws)
    reach = Z90 * np.sqrt(behind * (1 - behind) / draws + (Z90 / (2 * draws)) ** 2) / (1 + Z90**2 / draws)
    return {
        "gap": float(gap.mean()),
        "low": float(gap.mean() - margin),
        "high": float(gap.mean() + margin),
        "behind": behind,
        "behind_low": float(centre - reach),
        "behind_high": float(centre + reach),
        "questions": float(questions),
    }
