"""Compiled loops behind `results.stopping.replay`."""

from typing import Any

import numpy as np
from numba import njit

from results.stopping.votes_so_far import Ints


@njit(cache=True)  # type: ignore[untyped-decorator]
def walk(
    votes: Ints,
    starts: Ints,
    places: Any,
    modes: Any,
    salt: Any,
    names: Any,
    streaks: Any,
    right: Any,
    agree: Any,
) -> None:
    """Write the state, streak and results of the vote at each visit, (orders, Q, most).

    votes: (answers,) −1 unreadable, 0 right, 1 … wrong answers; modes: (answers,) the chance that the vote is
    the mode of very many; places: the answers in the order in which they are used. A state's name is a hash:
    the sum of a random number for each count and one for the answers asked for, `salt` (2, most + 1). States
    with the same name have the same counts, in any order, except with a probability of about
    (states)² / 2^65.
    """
    for p in range(places.shape[0]):
        for q in range(places.shape[1]):
            pool = starts[q + 1] - starts[q]
            tally, of_pool = np.zeros(pool + 1, np.int64), np.zeros(pool + 1)
            for i in range(starts[q], starts[q + 1]):
                if votes[i] >= 0:
                    of_pool[votes[i]] = modes[i]
            any_read = of_pool.any()
            top, leaders, agreeing, streak, last = 0, 0, 0.0, 0, -1
            name = np.uint64(0)
            for i in range(places.shape[2]):
                vote = votes[places[p, q, i]]
                if vote < 0:
                    streak = 0
                else:
                    streak = streak + 1 if vote == last else 1
                    tally[vote] += 1
                    now = tally[vote]
                    name += salt[0, now]
                    if now > 1:
                        name -= salt[0, now - 1]
                    if now > top:
                        top, leaders, agreeing = now, 1, of_pool[vote]
                    elif now == top:
                        leaders += 1
                        agreeing += of_pool[vote]
                last = vote
                names[p, q, i] = name + salt[1, i + 1]
                streaks[p, q, i] = streak
                if top == 0:
                    right[p, q, i] = 0.0
                    agree[p, q, i] = 0.0 if any_read else 1.0
                else:
                    right[p, q, i] = 1.0 / leaders if tally[0] == top else 0.0
                    agree[p, q, i] = agreeing / leaders


@njit(cache=True)  # type: ignore[untyped-decorator]
def count_votes(votes: Ints, places: Any, rows: Ints, asked: Ints) -> Ints:
    """Counts (S, most) of the answers in the first `asked` of each row of `places`, in descending order."""
    counts = np.zeros((rows.size, max(places.shape[1], 2)), np.int64)
    tally = np.zeros(votes.max() + 2, np.int64)
    for s in range(rows.size):
        for i in range(asked[s]):
            tally[votes[places[rows[s], i]] + 1] += 1
        tally[0] = 0
        count = 0
        for i in range(asked[s]):
            vote = votes[places[rows[s], i]] + 1
            if tally[vote] > 0:
                counts[s, count] = tally[vote]
                tally[vote] = 0
                count += 1
        counts[s, :count] = np.sort(counts[s, :count])[::-1]
    return counts


@njit(cache=True)  # type: ignore[untyped-decorator]
def stop_times(visits: Any, ends: Any, steps: Ints, first: int, asked: Ints, rounds: Ints) -> None:
    """Write the answers and rounds, (orders, Q), after which each vote ends.

    ends, steps: by state, whether the vote ends and, if not, how many answers it asks for; first: how many
    it starts with. A block is cut short at the last answer.
    """
    most = visits.shape[2]
    for p in range(visits.shape[0]):
        for q in range(visits.shape[1]):
            n, r = min(first, most), 1
            while n < most and not ends[visits[p, q, n - 1]]:
                n = min(n + steps[visits[p, q, n - 1]], most)
                r += 1
            asked[p, q], rounds[p, q] = n, r
