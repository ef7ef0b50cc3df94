"""How often the answers to a question cannot be read, and what that says about its difficulty.

    p = 0.1: 45 of 100 unread, p = 0.9: 1 of 100   ->   3 of 4 unread says that p is small

A question's share of unread answers is Beta(s·m, s·(1 − m)). Its mean m depends on the chance p of a right
answer, logit m = β₀ + β₁ u with u = arcsin √p scaled to −1 … 1: hard questions are often not answered, or
run out of tokens. So unread answers are informative about p; if taken to be independent of it, the questions
with the fewest readable answers would seem easier than they are.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import betaln, digamma, expit

from predict.answers.atoms import P, U
from predict.evidence.points import Floats, Ints

CENTRE, SPREAD = np.array([-2.0, 0.0, 1.5]), np.array([10.0, 1.0, 2.0])
"""Prior means of β₀, β₁ and log s, and their standard deviations."""

DIGITS = 3
"""Decimals to which the fit is rounded, so that machines agree."""


@dataclass(frozen=True)
class Unread:
    """The law Beta(unread, read) of the share of answers that cannot be read, at each p: both (P,)."""

    unread: Floats
    read: Floats

    def log_likelihood(self, nulls: Ints, pools: Ints) -> Floats:
        """log P(`nulls` unread of `pools` answers, in a given order | p): (Q, P)."""
        after = betaln(self.unread + nulls[:, None], self.read + (pools - nulls)[:, None])
        return np.asarray(after - betaln(self.unread, self.read))


def fit_unread(nulls: Ints, pools: Ints, chance: Floats) -> Unread:
    """The posterior mode of the law, from counts (Q,) and each question's distribution over p (Q, P)."""
    kinds, which = np.unique(np.stack([nulls, pools]), axis=1, return_inverse=True)
    n, s = (one[:, None].astype(float) for one in (kinds[0], kinds[1] - kinds[0]))

    def loss(x: Floats) -> tuple[float, Floats]:
        law = _law(x)
        logs = law.log_likelihood(kinds[0], kinds[1])[which.ravel()]
        top = logs.max(axis=1, keepdims=True)
        mass = chance * np.exp(logs - top)
        marginal = mass.sum(axis=1, keepdims=True)
        by_kind = np.zeros((kinds.shape[1], len(P)))
        np.add.at(by_kind, which.ravel(), mass / marginal)
        both = digamma(law.unread + law.read) - digamma(law.unread + law.read + n + s)
        more = law.unread * (digamma(law.unread + n) - digamma(law.unread) + both)
        less = law.read * (digamma(law.read + s) - digamma(law.read) + both)
        m = law.unread / (law.unread + law.read)
        along_m = (by_kind * ((1 - m) * more - m * less)).sum(axis=0)
        off = (x - CENTRE) / SPREAD
        slopes = np.array([along_m.sum(), along_m @ U, (by_kind * (more + less)).sum()])
        value = (np.log(marginal) + top).sum() - off @ off / 2
        return -float(value), off / SPREAD - slopes

    share = np.clip(nulls.sum() / pools.sum(), 0.01, 0.99)
    start = np.array([np.log(share / (1 - share)), 0.0, CENTRE[2]])
    best = minimize(loss, start, jac=True, method="L-BFGS-B", options={"ftol": 0.0, "gtol": 1e-7})
    return _law(best.x.round(DIGITS))


def _law(x: Floats) -> Unread:
    m, s = expit(x[0] + x[1] * U), np.exp(x[2])
    return Unread(s * m, s * (1 - m))
