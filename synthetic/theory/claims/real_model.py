"""What the paper says of real models (Figure 1, top), on the bundled model, cut off at seven lengths.

    a-real-model-gains-with-length  N=16  vote at 300 tokens − at 20  0.54 [0.45, 0.64]

The same answers to the same questions are cut at every length, so differences are paired by question.
"""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np

import results
from results import read_samples
from results.votes.exact import accuracy_by_question, answer_pools
from synthetic.model.tasks import Array
from synthetic.theory.claim import Claim, ClaimRow, mean_row

ANSWERS = Path(results.__file__).with_name("cached") / "int8-gsm8k-forced.parquet"
VOTES = (1, 4, 16)


@lru_cache(maxsize=1)
def _votes() -> dict[int, Array]:
    """The vote's accuracy at each length, for each question and each of `VOTES`: (questions, votes)."""
    samples = read_samples(ANSWERS)
    tables = {}
    for setting, rows in samples.groupby("setting", sort=False):
        counts = answer_pools(rows).counts()
        tables[int(str(setting).removeprefix("forced="))] = accuracy_by_question(counts, "majority", VOTES)
    return dict(sorted(tables.items()))


def _gains_with_length(_seed: int) -> Iterator[ClaimRow]:
    """At each N the longest reasoning is better than the shortest."""
    votes = _votes()
    shortest, longest = min(votes), max(votes)
    for place, N in enumerate(VOTES):
        gain = np.asarray(votes[longest] - votes[shortest])[:, place]
        yield mean_row(f"N={N}", f"vote at {longest} tokens − at {shortest}", gain, above=0)


def _gains_with_answers(_seed: int) -> Iterator[ClaimRow]:
    """At each length a vote of sixteen is better than one answer."""
    for length, accuracy in _votes().items():
        yield mean_row(
            f"{length} tokens", "vote of 16 − one answer", accuracy[:, -1] - accuracy[:, 0], above=0
        )


REAL_CLAIMS = [
    Claim("a-real-model-gains-with-length", "Fig. 1, top", _gains_with_length),
    Claim("a-real-model-gains-with-answers", "Fig. 1, top", _gains_with_answers),
]
