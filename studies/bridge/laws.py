"""Laws of the gap along lengths, fitted to half of the answers and judged by the other half.

    fit_exponential(Half(gaps, noise), tokens, rates)     Δ_T = γ − κ e^(−μT), questions drawn from one law
    score(prediction, other)                               squared error and log score of each question

y (questions, lengths) are posterior means of the gap. The two halves of the answers are equally large, so y
has the same expectation in both, and half the covariance of their difference is the noise of each.

Given μ, Δ_T is linear in its values at the first and the last length, which are normal over questions:
y ~ N(B m, B S Bᵀ + C). The paper has one μ for all questions; *free* has a weight for each μ of a grid. The
law without a shape has any mean and any covariance over lengths, and uses nothing from the paper.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import logsumexp

from studies.bridge.answers import Floats, Ints

RATES = 1 / np.array([15, 25, 40, 60, 90, 130, 200, 300, 450, 700, 1100, 2000], np.float64)
"""The μ tried, 1/μ from 15 to 2,000 tokens: over the lengths of a run, from a step to a straight line."""
ROUNDS, SMALL = 200, 1e-3
"""Limits of EM: the maximum rounds, and the gain in log likelihood at which it stops."""
RIDGE = 1e-4
"""Added to covariances to make them invertible: the square of a hundredth of the largest gap, 1."""


@dataclass(frozen=True)
class Half:
    """The data of half of the answers: `gaps` (questions, lengths) and their `noise` (lengths, lengths)."""

    gaps: Floats
    noise: Floats


@dataclass(frozen=True)
class Predicted:
    """A law's prediction of all gaps: `mean` (questions, lengths), `covariance` (questions, l, l)."""

    mean: Floats
    covariance: Floats


def noise_of(one: Floats, other: Floats) -> Floats:
    """The covariance (lengths, lengths) of the noise in the gaps of a half."""
    return np.asarray(np.cov((one - other).T) / 2 + RIDGE * np.eye(one.shape[1]))


def basis(tokens: Floats, rate: float, ends: Floats | None = None) -> Floats:
    """B (lengths, 2): the gap at `tokens` from its values at the two `ends`, first and last."""
    first, last = (tokens[0], tokens[-1]) if ends is None else ends
    falling = np.exp(-rate * (tokens - first))
    end = np.exp(-rate * (last - first))
    weight = (falling - end) / (1 - end)
    return np.stack([weight, 1 - weight], axis=1)


@dataclass(frozen=True)
class Exponential:
    """Questions drawn from one law: `weights` (rates,) of μ, `mean` (2,) and `spread` (2, 2) of the ends."""

    rates: Floats
    weights: Floats
    mean: Floats
    spread: Floats
    ends: Floats
    loglik: float

    def predict(self, half: Half, tokens: Floats, asked: Floats) -> Predicted:
        """Predict the gaps at `asked` from those of `half` at `tokens`."""
        parts = [self._given(half, tokens, asked, rate) for rate in self.rates]
        logs = np.stack([part[0] for part in parts]) + np.log(self.weights)[:, None]
        share = np.exp(logs - logsumexp(logs, axis=0))
        means = np.stack([part[1] for part in parts])
        mean = np.einsum("gq,gql->ql", share, means)
        within = np.einsum("gq,glm->qlm", share, np.stack([part[2] for part in parts]))
        off = means - mean
        return Predicted(mean, within + np.einsum("gq,gql,gqm->qlm", share, off, off))

    def _given(self, half: Half, tokens: Floats, asked: Floats, rate: float) -> tuple[Floats, Floats, Floats]:
        seen, wanted = basis(tokens, rate, self.ends), basis(asked, rate, self.ends)
        logs, ends, covariance = _ends_of(half, seen, self.mean, self.spread)
        return logs, ends @ wanted.T, wanted @ covariance @ wanted.T


def _ends_of(half: Half, seen: Floats, mean: Floats, spread: Floats) -> tuple[Floats, Floats, Floats]:
    """The posterior of the values at both ends, with prior N(mean, spread), given gaps with basis `seen`.

    Returns the log density of each question's gaps (questions,), and the ends' means (questions, 2)
    and covariance (2, 2).
    """
    own = seen @ spread @ seen.T + half.noise
    off = half.gaps - seen @ mean
    gain = np.linalg.solve(own, seen @ spread).T  # (2, lengths)
    return _log_normal(off, own), mean + off @ gain.T, spread - gain @ seen @ spread


def fit_exponential(half: Half, tokens: Floats, shared: bool, rates: Floats = RATES) -> Exponential:
    """The likeliest law with one μ of `rates` for all questions (`shared`), or with a weight for each."""
    ends = tokens[[0, -1]]
    if not shared:
        return _em(half, tokens, rates, ends)
    fits = [_em(half, tokens, rates[[at]], ends) for at in range(len(rates))]
    return max(fits, key=lambda fit: fit.loglik)


def _em(half: Half, tokens: Floats, rates: Floats, ends: Floats) -> Exponential:
    bases = [basis(tokens, rate, ends) for rate in rates]
    weights, mean = np.full(len(rates), 1 / len(rates)), half.gaps[:, [0, -1]].mean(axis=0)
    spread = np.cov(half.gaps[:, [0, -1]].T) + RIDGE * np.eye(2)
    before = -np.inf
    for _ in range(ROUNDS):
        logs, means, covs = zip(*(_ends_of(half, seen, mean, spread) for seen in bases), strict=True)
        joint = np.stack(logs) + np.log(weights)[:, None]
        total = logsumexp(joint, axis=0)
        if total.sum() - before < SMALL:
            break
        before = total.sum()
        share = np.exp(joint - total)
        weights = np.maximum(share.mean(axis=1), 1e-6)
        weights /= weights.sum()
        mean = np.einsum("gq,gqe->e", share, np.stack(means)) / len(half.gaps)
        off = np.stack(means) - mean
        spread = np.einsum("gq,gqe,gqf->ef", share, off, off) + np.einsum("gq,gef->ef", share, np.stack(covs))
        spread = spread / len(half.gaps) + RIDGE * np.eye(2)
    return Exponential(rates, weights, mean, spread, ends, float(total.sum()))


@dataclass(frozen=True)
class Shapeless:
    """Any mean (lengths,) and any covariance (lengths, lengths) of the gaps over questions."""

    mean: Floats
    spread: Floats

    def predict(self, half: Half, seen: Ints) -> Predicted:
        """Predict the gaps at all lengths from those of `half` at the indices `seen`."""
        own = self.spread[np.ix_(seen, seen)] + half.noise[np.ix_(seen, seen)]
        gain = np.linalg.solve(own, self.spread[seen]).T
        mean = self.mean + (half.gaps[:, seen] - self.mean[seen]) @ gain.T
        covariance = self.spread - gain @ self.spread[seen]
        return Predicted(mean, np.broadcast_to(covariance, (len(mean), *covariance.shape)))


def fit_shapeless(half: Half) -> Shapeless:
    """The likeliest mean and covariance (EM, as for a factor model with known noise)."""
    mean = half.gaps.mean(axis=0)
    off = half.gaps - mean
    spread = np.cov(half.gaps.T) + RIDGE * np.eye(len(mean))
    for _ in range(ROUNDS):
        gain = np.linalg.solve(spread + half.noise, spread).T
        at = off @ gain.T
        spread = at.T @ at / len(off) + spread - gain @ spread + RIDGE * np.eye(len(mean)) / len(off)
    return Shapeless(mean, spread)


def rising(gaps: Floats, noise: Floats) -> Floats:
    """The rising sequences nearest to each question's gaps (isotonic regression, weighted by noise)."""
    weights = 1 / np.diag(noise)
    return np.stack([isotonic_regression(row, weights=weights).x for row in gaps])


def squared_error(predicted: Floats, half: Half) -> Floats:
    """(questions,): mean squared error against the other half's gaps, less the part due to noise."""
    return np.asarray(((predicted - half.gaps) ** 2 - np.diag(half.noise)).mean(axis=1))


def log_score(predicted: Predicted, half: Half) -> Floats:
    """(questions,): log density of the other half's gaps, nats per question."""
    off = half.gaps - predicted.mean
    return np.array(
        [
            _log_normal(row[None], own + half.noise)[0]
            for row, own in zip(off, predicted.covariance, strict=True)
        ]
    )


def _log_normal(off: Floats, covariance: Floats) -> Floats:
    _, volume = np.linalg.slogdet(2 * np.pi * covariance)
    square = (off * np.linalg.solve(covariance, off.T).T).sum(axis=1)
    return np.asarray(-(square + volume) / 2)
