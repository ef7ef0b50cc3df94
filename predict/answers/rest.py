"""The rest of a pool: each question's unseen answers, simulated given those that were seen.

    seen 3 right, "17" once; 4 more from p = 0.6, a = 0.9   ->   perhaps 5 right, "17" three times

What will be measured is the vote of a whole pool, which includes the answers seen. So each
question is completed many times: draw an atom from its posterior, then which wrong answer
leads (one of those seen or a new one), the shares of the others (Pitman 1996, Corollary 20:
Dirichlet for those seen, a new Ewens process for the rest), and finally the missing answers.
The pool's accuracy at N is then exact, over all its subsets.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from predict.answers.atoms import CHOICES, RESTS, THETAS, A, P, leading, patterns
from predict.answers.best_of_n import RATES
from predict.answers.unread import Unread
from predict.evidence.points import Floats, Ints
from results.votes.exact import VoteCounts, best_of_n, majority_accuracy

STICKS = 24
"""Number of new wrong answers with a share each; any further ones are taken to be all different."""

_THETA = np.array([*THETAS, *(0.0 for _ in CHOICES)])
"""θ of each `rest`; 0 for a choice, which has no answers beyond its options."""

_OPTIONS = np.array([*(0 for _ in THETAS), *(J for J, _ in CHOICES)])
_BETA = np.array([*(0.0 for _ in THETAS), *(beta for _, beta in CHOICES)])
"""J and β of each `rest` that is a choice(J, β); 0 for the others."""


def pool_sizes(seen: Ints, whole: Floats, N: Ints) -> Floats:
    """Size of each pool whose accuracy at N is forecast, (Q, M), where `seen` of its `whole` are known (Q,).

    It is the measured pool if that has N answers to every question and some are unseen. If all
    are seen, nothing is left to forecast about it: the target is the accuracy of fresh answers,
    inf. For a larger N it is a pool of N answers.
    """
    measured = whole if (whole > seen).any() else np.full(len(seen), np.inf)
    inside = whole.min() >= N
    return np.where(inside, measured[:, None], np.maximum(N, seen[:, None]))


@dataclass(frozen=True)
class Worlds:
    """D draws of answer distributions, S for each question of a group with the same wrong counts, and how
    often each answer was seen.

    rows: the questions; wrong: (k,) how often each wrong answer was seen; right, unread: (D,)
    how many were seen; p, a, readable: (D,); leader: (D,) the leading wrong answer; shares: (D,
    kinds) of the other wrong answers.
    """

    rows: Ints
    wrong: Ints
    right: Ints
    unread: Ints
    p: Floats
    a: Floats
    readable: Floats
    leader: Ints
    shares: Floats

    @property
    def seen(self) -> Ints:
        """The answers seen, in the columns of `more`."""
        known = np.concatenate([self.wrong, np.zeros(STICKS + 2, np.int64)])
        kinds = np.broadcast_to(known, (len(self.right), len(known)))
        return np.column_stack([self.right, self.unread, kinds])

    def more(self, answers: Ints, rng: np.random.Generator) -> Ints:
        """Draw and count `answers` (D,) new answers: columns right, unreadable, the kinds, all different."""
        cast = rng.binomial(answers, self.readable)
        right = rng.binomial(cast, self.p)
        lead = rng.binomial(cast - right, self.a)
        kinds = rng.multinomial(cast - right - lead, self.shares)
        kinds[np.arange(len(lead)), self.leader] += lead
        return np.column_stack([right, answers - cast, kinds])


def worlds(
    counts: VoteCounts, atom: Ints, unread: Unread | None, rng: np.random.Generator
) -> Iterator[Worlds]:
    """Yield a draw for each atom (Q, S), grouped by questions with the same wrong counts."""
    S = atom.shape[1]
    p, a, rest = np.unravel_index(atom, (len(P), len(A), RESTS))
    readable = 1 - _unreadable(counts, p, unread, rng)
    alike = patterns(replace(counts, correct=np.zeros_like(counts.correct)))
    for kind, wrong in enumerate(alike.wrong):
        rows = np.flatnonzero(alike.pattern == kind)
        leader, shares = _wrong_shares(wrong, a[rows].ravel(), rest[rows].ravel(), rng)
        right, nulls = (np.repeat(one[rows], S) for one in (counts.correct, counts.nulls))
        yield Worlds(
            rows,
            wrong,
            right,
            nulls,
            P[p[rows].ravel()],
            A[a[rows].ravel()],
            readable[rows].ravel(),
            leader,
            shares,
        )


def votes_of_pools(
    counts: VoteCounts, N: Ints, pools: Ints, atom: Ints, unread: Unread | None, seed: int
) -> Floats:
    """Accuracy (Q, S, M) of the vote of N (M,) in `pools` (Q, M) completed from atoms (Q, S).

    The draws at one N do not depend on the other N.
    """
    value = np.empty((*atom.shape, len(N)))
    rngs = [np.random.default_rng([seed, int(n)]) for n in N]
    for world in worlds(counts, atom, unread, np.random.default_rng([seed, 0])):
        missing = pools[world.rows] - counts.pools[world.rows, None]
        observed = world.seen
        for j, (n, rng) in enumerate(zip(N, rngs, strict=True)):
            pool = observed + world.more(np.repeat(missing[:, j], atom.shape[1]), rng)
            value[world.rows, :, j] = vote_of(pool, int(n)).reshape(len(world.rows), -1)
    return value


def _unreadable(counts: VoteCounts, p: Ints, unread: Unread | None, rng: np.random.Generator) -> Floats:
    """A draw of the rate of unreadable answers for each question and `p`, an index into `P`: (Q, S)."""
    if unread is None:
        return np.zeros(p.shape)
    read = (counts.pools - counts.nulls)[:, None]
    return np.asarray(rng.beta(unread.unread[p] + counts.nulls[:, None], unread.read[p] + read))


def _wrong_shares(wrong: Ints, a: Ints, rest: Ints, rng: np.random.Generator) -> tuple[Ints, Floats]:
    """Which wrong answer leads in each of D draws, (D,), and the shares of the others, (D, kinds).

    The kinds are the k seen with counts `wrong`, a new leader, `STICKS` other new answers, and one
    kind for all further answers, which all differ.
    """
    k, D = len(wrong), len(a)
    leader = _leaders(wrong, a, rest, rng)
    leads = np.arange(k) == leader[:, None]
    theta, beta = _THETA[rest][:, None], _BETA[rest][:, None]

    # Dirichlet weights; the leader's share is separate
    of_seen = np.where(leads, 0.0, wrong + beta)
    of_new_leader = np.zeros((D, 1))
    others_seen = k - leads.sum(axis=1)
    options_left = (_OPTIONS[rest] - others_seen)[:, None]
    of_options = np.where(np.arange(STICKS) < options_left, beta, 0.0)
    alpha = np.concatenate([of_seen, of_new_leader, of_options, theta], axis=1)
    weights = rng.standard_gamma(alpha)

    # stick-breaking for the new answers of an Ewens rest
    broken = rng.beta(1.0, np.maximum(theta, 1e-9), (D, STICKS))
    kept = np.cumprod(1 - broken, axis=1)
    before = np.concatenate([np.ones((D, 1)), kept[:, :-1]], axis=1)
    new = weights[:, -1:]
    weights[:, k + 1 : -1] += new * (broken * before)
    weights[:, -1] *= kept[:, -1]

    nothing = weights.sum(axis=1) <= 0
    weights[nothing, -1] = 1.0
    return leader, weights / weights.sum(axis=1, keepdims=True)


def _leaders(wrong: Ints, a: Ints, rest: Ints, rng: np.random.Generator) -> Ints:
    """Which wrong answer leads in each of D draws: the index of one that was seen, or k for a new one."""
    k, D = len(wrong), len(a)
    up_to = np.cumsum(leading(wrong), axis=0)[:, a, rest]  # none of the answers seen, then each of them
    drawn = rng.random(D) * up_to[-1]
    passed = (drawn >= up_to).sum(axis=0)
    return np.where(passed == 0, k, passed - 1)


def vote_of(counts: Ints, N: int) -> Floats:
    """Accuracy (D,) of the vote of N from pools counted in the columns of `Worlds.more`."""
    right, null, kinds, different = counts[:, 0], counts[:, 1], counts[:, 2:-1], counts[:, -1]
    if (counts.sum(axis=1) == N).all():
        most = np.maximum(kinds.max(axis=1, initial=0), different > 0)
        tied = (kinds == right[:, None]).sum(axis=1) + different * (right == 1)
        wins = (right >= most) & (right > 0)
        return np.asarray(wins / (1.0 + tied))
    row, kind = np.nonzero(kinds)
    given = np.bincount(row, minlength=len(kinds))
    starts = np.concatenate([[0], np.cumsum(given + different)])
    place = np.arange(len(row)) - np.repeat(np.cumsum(given) - given, given)
    wrong = np.ones(starts[-1], np.int64)  # ones for the all-different answers, which follow the kinds
    wrong[starts[row] + place] = kinds[row, kind]
    return majority_accuracy(VoteCounts(right, wrong, starts, null), [N])[:, 0]


def bests_of_pools(counts: VoteCounts, N: Ints, pools: Ints, atom: Ints, seed: int) -> Floats:
    """Accuracy (Q, S, M) of best-of-N in `pools` (Q, M) completed from rates (Q, S)."""
    value = np.empty((*atom.shape, len(N)))
    for j, n in enumerate(N):
        size, rng = pools[:, j, None], np.random.default_rng([seed, int(n)])
        more = rng.binomial(size - counts.pools[:, None], RATES[atom])
        value[:, :, j] = best_of_n(size, counts.correct[:, None] + more, n)
    return value
