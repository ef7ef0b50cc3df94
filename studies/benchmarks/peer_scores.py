"""Choices by score against scorio's different estimators: the largest difference in each comparison.

    $ pip install scorio==0.2.3; python studies/benchmarks/peer_scores.py
    max_at_k, 50 tables of 3 questions × 80 answers: 3.3e-16
    best_of_n over all subsets of 60 pools of 4 to 10 answers: 2.2e-16

`max_at_k` is the expected best reward of k answers (Bagirov et al. 2025). Here it is the probability that the
chosen reward is at least r (an accuracy) times the distance of r from the next lower level, summed over r.
"""

from itertools import combinations

import click
import numpy as np
from scorio.aggregate import best_of_n
from scorio.eval import max_at_k

from results import best_of_n_curve

KS = [1, 2, 4, 8, 16, 32, 64, 80]


def best_reward(rng: np.random.Generator) -> float:
    """Compare one table of rewards with many ties."""
    levels = int(rng.integers(2, 13))
    rewards, worth = rng.integers(0, levels, (3, 80)), np.sort(rng.random(levels))
    ours = np.full(len(KS), worth[0])
    for level in range(1, levels):
        answers = np.where(rewards >= level, "enough", "less").tolist()
        curve = best_of_n_curve(answers, ["enough"] * 3, ns=KS, scores=rewards.tolist())
        ours += (worth[level] - worth[level - 1]) * curve["accuracy"].to_numpy()
    return float(abs(ours - [max_at_k(rewards, k, w=worth) for k in KS]).max())


def every_subset(rng: np.random.Generator) -> float:
    """Compare one pool with some unreadable answers; no scores tie, as scorio would take the first."""
    n = int(rng.integers(4, 11))
    answers = [(None, "1", "2", "3")[kind] for kind in rng.choice(4, n, p=[0.1, 0.4, 0.3, 0.2])]
    answers[0], scores = "1", rng.random(n).tolist()
    ours = best_of_n_curve([answers], ["1"], ns=range(1, n + 1), scores=[scores])["accuracy"]
    theirs = []
    for k in range(1, n + 1):
        chosen = [
            best_of_n([answers[i] for i in one], [scores[i] for i in one])
            for one in combinations(range(n), k)
        ]
        theirs.append(np.mean([one == "1" for one in chosen]))
    return float(abs(ours - theirs).max())


def main() -> None:
    rng = np.random.default_rng(0)
    worst = max(best_reward(rng) for _ in range(50))
    click.echo(f"max_at_k, 50 tables of 3 questions × 80 answers: {worst:.1e}")
    worst = max(every_subset(rng) for _ in range(60))
    click.echo(f"best_of_n over all subsets of 60 pools of 4 to 10 answers: {worst:.1e}")


if __name__ == "__main__":
    main()
