"""Timing of other tools' votes over the first N answers, run in a separate environment (bench_peers.py).

$ .venv/peers/bin/python peer_votes.py < {"answers": [["18", "7"]], "gold": ["18"], "ns": [1, 2]}
{"scorio's maj_at_k": [0.004, [0.5, 0.0]], …}            processor seconds, and the accuracy at each N
"""

import json
import sys
from collections.abc import Callable
from time import process_time

import numpy as np
from lm_eval.filters.selection import MajorityVoteFilter, TakeKFilter
from scorio.eval import maj_at_k

Answers = list[list[str | None]]


def lm_eval_prefix(answers: Answers, gold: list[str], ns: list[int]) -> list[float]:
    """lm-eval's take_first_k and majority_vote: one order, the first seen wins a tie, and nulls vote."""
    accuracy = []
    for n in ns:
        voted = MajorityVoteFilter().apply(list(TakeKFilter(k=n).apply(answers, [])), [])
        accuracy.append(float(np.mean([one[0] == right for one, right in zip(voted, gold, strict=True)])))
    return accuracy


def scorio(answers: Answers, gold: list[str], ns: list[int]) -> list[float]:
    """scorio's vote: right if more than half of the N are, as it sees marks, not answers."""
    marks = np.array([[one == right for one in row] for row, right in zip(answers, gold, strict=True)], int)
    return [float(maj_at_k(marks, n)) for n in ns]


def timed(
    ways: dict[str, Callable[..., list[float]]], *given: object
) -> dict[str, tuple[float, list[float]]]:
    """The processor seconds and result of the second of two runs."""
    found: dict[str, tuple[float, list[float]]] = {}
    for name, way in ways.items():
        way(*given)
        start = process_time()
        accuracy = way(*given)
        found[name] = process_time() - start, accuracy
    return found


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    ways = {"lm-eval, first N answers": lm_eval_prefix, "scorio's `maj_at_k`": scorio}
    sys.stdout.write(json.dumps(timed(ways, asked["answers"], asked["gold"], asked["ns"])))
