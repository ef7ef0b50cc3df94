"""One budget over all open votes: which question gets the next answer?

$ DATA_DIR=../shared/data python -m studies.stopping.allocation        two minutes of processor time

An index measures how much a vote needs its next answer; the question with the largest index
gets it, until the budget is spent. Such an allocation is equivalent to a stopping rule whose
threshold is set by the budget: a vote continues while its index is above the level that the
budget reaches (`asked`), so only the index matters.
"""

from collections.abc import Callable
from pathlib import Path

import click
import numpy as np
import pandas as pd
from scipy import special, stats

from results.stopping.replay import Replay, Stops
from results.stopping.votes_so_far import Bools, Floats, Ints, Seen
from results.votes.exact import answer_pools
from results.votes.permutations import random_orders
from studies.options import DATA
from studies.pages import markdown
from studies.stopping.run import insert, percent
from studies.stopping.sets import load

MOST, ORDERS = 40, 100
"""The maximum answers per question, and the number of replayed orders, as in the page's other tables."""

BUDGETS = (4, 8, 16)
"""The mean number of answers per question."""

Index = Callable[[Seen], Floats]


def lead(seen: Seen) -> Floats:
    """The smallest lead first."""
    return np.asarray(seen.b - seen.a, np.float64)


def certainty(seen: Seen) -> Floats:
    """The smallest P(Beta(a + 1, b + 1) > ½) first, as in Adaptive-Consistency (arXiv:2305.11860)."""
    return np.asarray(-special.betainc(seen.b + 1.0, seen.a + 1.0, 0.5))


def _leader_is_right(a: Ints, b: Ints) -> Floats:
    """The probability that the leader of two answers, with a and b votes, is the likelier one."""
    chance = special.betainc(b + 1.0, a + 1.0, 0.5)
    return np.asarray(np.maximum(chance, 1 - chance))


def _gains(most: int) -> Floats:
    """The gain per vote, from m further votes, in the probability that the leader is the likelier answer.

    (most + 1, most + 1, most + 1): by a, by b, and the maximum over all m up to the third
    index. The votes are beta-binomial: the shares of the two answers are uniform before the
    first vote.
    """
    largest = np.zeros((most + 1, most + 1, most + 1))
    for a in range(most + 1):
        for b in range(min(a, most - a) + 1):
            now = _leader_is_right(np.array(a), np.array(b))
            for m in range(1, most - a - b + 1):
                to_a = np.arange(m + 1)
                chances = stats.betabinom.pmf(to_a, m, a + 1, b + 1)
                then = chances @ _leader_is_right(a + to_a, b + m - to_a)
                largest[a, b, m] = max(largest[a, b, m - 1], (then - now) / m)
            largest[a, b, most - a - b + 1 :] = largest[a, b, most - a - b]
    return largest


def gain(seen: Seen) -> Floats:
    """The largest expected gain of a further answer: a vote that stays undecided is given up."""
    return np.asarray(_gains(seen.most)[seen.a, seen.b, seen.left])


INDICES: dict[str, Index] = {"lead": lead, "certainty": certainty, "gain": gain}


def settled(seen: Seen) -> Bools:
    """Votes that no further answer can change."""
    return np.asarray(seen.a - seen.b > seen.left)


def asked(wanted: Floats, budget: int) -> Ints:
    """Answers to each question, (orders, Q), when `budget` answers in all go to the largest index.

    wanted: (orders, Q, most), the index of each vote after 1, 2, … answers; −∞ once it is
    settled. Every question gets one answer. A later answer is bought at the lowest index
    before it.
    """
    orders, questions, most = wanted.shape
    lowest = np.minimum.accumulate(wanted[:, :, :-1], axis=2)
    numbers = np.broadcast_to(np.arange(most - 1), lowest.shape)
    counts = np.ones((orders, questions), np.int64)
    for order in range(orders):
        first_bought = np.lexsort((numbers[order].ravel(), -lowest[order].ravel()))
        bought = first_bought[: max(budget - questions, 0)]
        alive = np.isfinite(lowest[order].ravel()[bought])
        question = bought[alive] // (most - 1)
        counts[order] += np.bincount(question, minlength=questions)
    return counts


def agreement(replay: Replay, index: Index, budget: int) -> tuple[float, float]:
    """The mean agreement of an allocation of `budget` answers per question, and the answers it spent."""
    place, seen = replay.states
    values = np.where(settled(seen), -np.inf, index(seen))
    counts = asked(values[place], budget * place.shape[1])
    ended = Stops(counts, counts, np.zeros_like(counts, np.bool_))
    return float(replay.outcome(ended).agreement.mean()), float(counts.mean())


def replay_of(samples: pd.DataFrame) -> Replay:
    """The answers of one set in the orders of the page's other tables."""
    pools = answer_pools(samples)
    most = min(MOST, int(pools.sizes.min()))
    return Replay(pools, random_orders(pools, ORDERS, 0), most)


def times_fewer(replay: Replay, reached: float, spent: float) -> float:
    """The answers that a fixed vote needs for the same agreement (at most all), relative to those spent."""
    fixed = np.maximum.accumulate(replay.agreement)
    needed = float(np.interp(reached, fixed, np.arange(1, replay.most + 1)))
    return needed / spent


def allocated(sets: dict[str, tuple[str, pd.DataFrame]]) -> pd.DataFrame:
    """A row for each set, budget and index: agreement, that of a fixed vote, and the times fewer."""
    rows = []
    for name, (_, samples) in sets.items():
        replay = replay_of(samples)
        for budget in BUDGETS:
            if budget >= replay.most:
                continue
            fixed = float(replay.agreement[budget - 1])
            for index, function in INDICES.items():
                reached, spent = agreement(replay, function, budget)
                fewer = times_fewer(replay, reached, spent)
                rows.append((name, budget, index, fixed, reached, fewer))
    return pd.DataFrame(rows, columns=["set", "budget", "index", "fixed", "agreement", "fewer"])


def allocation_table(table: pd.DataFrame) -> str:
    """The table of means over the sets, with the range of answers saved."""
    rows = []
    for (budget, index), sets in table.groupby(["budget", "index"]):
        fewer = sets["fewer"]
        rows.append(
            [
                str(budget),
                str(index),
                str(len(sets)),
                percent(sets["fixed"].mean()),
                percent(sets["agreement"].mean()),
                f"{fewer.mean():.1f} ({fewer.min():.1f} … {fewer.max():.1f})",
            ]
        )
    head = ["answers to a question", "index", "sets", "fixed, %", "allocated, %", "a fixed vote needs, times"]
    return markdown(head, rows)


@click.command()
@DATA
def main(data: Path) -> None:
    """Remake the table on one budget."""
    insert("allocation", allocation_table(allocated(load(data))))


if __name__ == "__main__":
    main()
