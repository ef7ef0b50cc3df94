"""Time of the exact curves of one setting of GSM8K's size on one core: plain vote, by score, weighted.

    $ python -m studies.benchmarks.bench_scores
    | questions | answers each | majority | best_by_score | weighted_majority | weighted, scores 0 and 1 |

All N = 1, 2, 4, … and the pool. Answers are drawn as in bench_votes.py; scores are uniform, so that weights
fall on all steps of the grid.
"""

import time

import click
import numpy as np

from results.votes.exact import AnswerPools, answer_pools, majority_accuracy
from results.votes.scored import accuracy_by_score
from results.votes.setting import powers_and
from studies.benchmarks.bench_votes import drawn_samples

SIZES = ((1319, 16), (1319, 32), (1319, 64), (200, 128))


def seconds(pools: AnswerPools, method: str) -> float:
    """The processor seconds of one curve, after loops are compiled."""
    ns = np.array(sorted(powers_and(int(pools.sizes.min()))))
    start = time.process_time()
    if method == "majority":
        majority_accuracy(pools.counts(), ns)
    else:
        accuracy_by_score(pools, method, ns)
    return time.process_time() - start


def scored(pools: AnswerPools, scores: np.ndarray) -> AnswerPools:
    return AnswerPools(pools.question_ids, pools.starts, pools.votes, pools.tokens, scores)


def main() -> None:
    click.echo(
        "| questions | answers each | majority | best_by_score | weighted_majority | weighted, 0 or 1 |"
    )
    click.echo("|---:|---:|---:|---:|---:|---:|")
    rng = np.random.default_rng(0)
    for questions, answers in ((3, 4), *SIZES):
        pools = answer_pools(drawn_samples(questions, 1, answers))
        uniform = scored(pools, rng.random(len(pools.votes)))
        whole = scored(pools, rng.integers(0, 2, len(pools.votes)).astype(np.float64))
        taken = [seconds(uniform, method) for method in ("majority", "best_by_score", "weighted_majority")]
        taken.append(seconds(whole, "weighted_majority"))
        if questions > 3:  # the first only compiles
            cells = " | ".join(f"{one:.2f}" for one in taken)
            click.echo(f"| {questions:,} | {answers} | {cells} |")


if __name__ == "__main__":
    main()
