"""A vote counted by hand, which the tests of every exact vote are held against."""

import itertools
from collections import Counter
from collections.abc import Hashable, Sequence
from statistics import mean


def voted(answers: Sequence[Hashable], right: Hashable = "r", null: Hashable = None) -> float:
    """The share of the credit that the answer `right` has in one vote; `null` answers cast none."""
    counts = Counter(answer for answer in answers if answer != null)
    leaders = [answer for answer, count in counts.items() if count == max(counts.values())]
    return leaders.count(right) / len(leaders) if leaders else 0.0


def by_subsets(
    answers: Sequence[Hashable],
    n: int,
    method: str = "majority",
    right: Hashable = "r",
    null: Hashable = None,
) -> float:
    """The mean of a vote, or of best-of-n, over every subset of `n` answers."""
    chosen = itertools.combinations(answers, n)
    return mean(voted(one, right, null) if method == "majority" else float(right in one) for one in chosen)
