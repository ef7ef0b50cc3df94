"""The rules of the literature that the product leaves out, as `Rule`s: none costs clearly less than a lead.

    LITERATURE["esc"].stops(seen, 5)   ->  True where the last window of 5 answers says one thing

In the formulas a ≥ b are the two largest counts, c all of them, n the votes, K the different answers, t the
threshold.
"""

from functools import lru_cache

import numpy as np
from scipy import special

from results.stopping.rules import HIGH, NEAR, RULES, Rule
from results.stopping.votes_so_far import Bools, Floats, Ints, Seen
from studies.stopping.chances import leader_is_mode, leader_will_win


@lru_cache(maxsize=4)
def _dirichlet_chance(seen: Seen, unknown: bool) -> Floats:
    """P(the leader has the largest share) among the answers seen, with an `unknown` one if requested."""
    chance = np.empty(len(seen.counts))
    for classes in np.unique(seen.classes):
        rows = seen.classes == classes
        columns = max(int(classes), 1) + 1 if unknown else max(int(classes), 2)
        counts = seen.counts[rows][:, :columns]
        missing = columns - counts.shape[1]
        chance[rows] = leader_is_mode(np.pad(counts, ((0, 0), (0, missing))))
    return chance


def _dirichlet(seen: Seen, t: float) -> Bools:
    return np.asarray(_dirichlet_chance(seen, unknown=False) >= t - NEAR)


@lru_cache(maxsize=4)
def _crp_chance(seen: Seen) -> Floats:
    return np.asarray(leader_will_win(np.ascontiguousarray(seen.counts, np.int64), seen.left, 1.0))


def _bayes_factor(seen: Seen, t: float) -> Bools:
    chance = _dirichlet_chance(seen, unknown=True)
    return np.asarray(seen.classes * chance >= t * (1 - chance) - NEAR)


def _entropy(seen: Seen, t: float) -> Bools:
    """If there is only one answer, one vote for another is added, as in the source."""
    counts = np.where((seen.classes == 1)[:, None] & (np.arange(seen.counts.shape[1]) == 1), 1, seen.counts)
    total = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    entropy = -special.xlogy(counts / total, counts / total).sum(axis=1)
    return np.asarray((seen.votes > 1) & (entropy <= t * np.log(np.maximum(seen.classes, 2)) + NEAR))


def _ppr(seen: Seen, t: float) -> Bools:
    log_density = -special.betaln(seen.a + 1, seen.b + 1) - (seen.a + seen.b) * np.log(2)
    return np.asarray(log_density <= np.log(t / np.maximum(seen.classes - 1, 1)) + NEAR)


def _log_evidence(a: Ints, b: Ints) -> Floats:
    """log 2 ∫_½^1 (2p)^a (2(1 − p))^b dp: a test martingale against p ≤ ½, of the votes for two sides."""
    beta = special.betaln(a + 1.0, b + 1.0) + np.log(special.betainc(b + 1.0, a + 1.0, 0.5))
    return np.asarray((a + b + 1) * np.log(2) + beta)


def _mmc(seen: Seen, t: float) -> Bools:
    others = seen.votes - seen.a - seen.b
    least = np.minimum(_log_evidence(seen.a, seen.b), _log_evidence(seen.a, others))
    return np.asarray(least >= -np.log(t) - NEAR)


def _doubling(seen: Seen, t: float) -> Bools:
    power_of_two = (seen.asked > 1) & (seen.asked & (seen.asked - 1) == 0)
    return np.asarray(power_of_two & (seen.a >= t * seen.asked - NEAR))


def _next_power_of_two(asked: Ints) -> Ints:
    """The smallest power of two above each number, at least 2."""
    return np.asarray(2 ** (np.floor(np.log2(np.maximum(asked, 1))) + 1), np.int64)


_SHARE = 0.75
"""The SPRT's expected share of the leader among the two largest."""


def _sprt(seen: Seen, t: float) -> Bools:
    ratio = seen.a * np.log(2 * _SHARE) + seen.b * np.log(2 * (1 - _SHARE))
    return np.asarray(ratio >= np.log((1 - t) / t) - NEAR)


COUNTS = (0.15, 0.049, 0.019, -0.02)
"""The weights of *counts*, fitted by `python -m studies.stopping.fit_counts`."""


def counts_score(seen: Seen, weights: tuple[float, ...] = COUNTS) -> Floats:
    """How settled a vote is according to *counts*, (S,): the lead relative to the answers asked for.

    log(a − b) − w₁ log((a + b)/2 + 1) − w₂ log((most + 1 − asked)/most) + w₃ log(1 + asked − a − b)
    − w₄ log(asked); −∞ on a tie.
    """
    pair, asked = seen.a + seen.b, np.maximum(seen.asked, 1)
    w = weights
    with np.errstate(divide="ignore"):
        lead = np.log((seen.a - seen.b).astype(np.float64))
    long_way = np.log((seen.left + 1) / seen.most)
    rest = np.log(1.0 + seen.asked - pair)
    return np.asarray(
        lead - w[0] * np.log(pair / 2 + 1) - w[1] * long_way + w[2] * rest - w[3] * np.log(asked)
    )


_LOW = (0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01, 0.005, 0.001)
_ASC = "Adaptive-Consistency, arXiv:2305.11860"

_TABLE = (
    Rule(
        name="first-to",
        formula="a ≥ t",
        source="inverse sampling, Haldane 1945",
        stops=lambda seen, t: seen.a >= t,
        usual=4,
        thresholds=(2, 3, 4, 5, 6, 7, 8, 10, 12),
    ),
    Rule(
        name="asc-dirichlet",
        formula="P(p₁ largest | Dirichlet(c + 1)) ≥ t",
        source=_ASC,
        stops=_dirichlet,
        usual=0.95,
        thresholds=HIGH,
        delta=lambda t: 1 - t,
    ),
    Rule(
        name="asc-entropy",
        formula="entropy of c / log K ≤ t, n > 1",
        source=_ASC,
        stops=_entropy,
        usual=0.75,
        thresholds=(0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4),
        ahead=lambda seen, _: np.ones_like(seen.asked),
    ),
    Rule(
        name="asc-majority",
        formula="a / n ≥ t, n > 1",
        source=_ASC,
        stops=lambda seen, t: (seen.votes > 1) & (seen.a >= t * seen.votes - NEAR),
        usual=0.8,
        thresholds=(0.55, 0.6, 0.65, 0.7, 0.75, 0.85, 0.9, 0.95),
    ),
    Rule(
        name="asc-crp",
        formula="P(the leader wins at the largest N | Chinese restaurant process) ≥ t",
        source="scorio 0.2.3",
        stops=lambda seen, t: _crp_chance(seen) >= t - NEAR,
        usual=0.95,
        thresholds=(0.4, 0.55, *HIGH),
        delta=lambda t: 1 - t,
    ),
    Rule(
        name="esc",
        formula="a window of t answers says one thing",
        source="ESC, arXiv:2401.10480",
        stops=lambda seen, t: (seen.asked % t == 0) & (seen.streak >= t),
        usual=5,
        thresholds=(2, 3, 4, 6, 8, 10),
        ahead=lambda seen, t: np.asarray(t - seen.asked % t, np.int64),
        ordered=True,
    ),
    Rule(
        name="doubling",
        formula="asked is 2, 4, 8, … and a ≥ t · asked",
        source="its_hub, adaptive self-consistency",
        stops=_doubling,
        usual=0.75,
        thresholds=(0.51, 0.6, 0.7, 0.8, 0.9, 1.0),
        ahead=lambda seen, _: _next_power_of_two(seen.asked) - seen.asked,
    ),
    Rule(
        name="boinf",
        formula="K P / (1 − P) ≥ t, P as in asc-dirichlet with one answer unknown",
        source="Best-of-∞, arXiv:2509.21091",
        stops=_bayes_factor,
        usual=30,
        thresholds=(3, 5, 7, 10, 15, 20, 50, 70, 100, 300, 1000),
    ),
    Rule(
        name="ppr",
        formula="density of Beta(a + 1, b + 1) at ½ ≤ t / (K − 1)",
        source="PPR-1v1, Anand Jain et al., AISTATS 2022",
        stops=_ppr,
        usual=0.05,
        thresholds=_LOW,
        delta=lambda t: t,
    ),
    Rule(
        name="mmc",
        formula="evidence for a against b, and against the others, ≥ 1 / t",
        source="Martingale Majority Certificate, arXiv:2510.17472",
        stops=_mmc,
        usual=0.05,
        thresholds=_LOW,
        delta=lambda t: t,
    ),
    Rule(
        name="sprt",
        formula="a ln(.75 / ½) + b ln(.25 / ½) ≥ ln((1 − t) / t)",
        source="Wald 1945; of votes, arXiv:2503.17587",
        stops=_sprt,
        usual=0.05,
        thresholds=_LOW[1:],
        delta=lambda t: t,
    ),
    Rule(
        name="counts",
        formula="see counts_score",
        source="learnt here: studies/stopping/fit_counts.py",
        stops=lambda seen, t: counts_score(seen) >= t - NEAR,
        usual=1.16,
        thresholds=(-0.1, 0.3, 0.58, 0.7, 0.8, 0.88, 0.96, 1.08, 1.24, 1.34, 1.44, 1.54, 1.64, 1.8),
    ),
)

LITERATURE = RULES | {rule.name: rule for rule in _TABLE}
"""Every rule by its name, the product's own first."""
