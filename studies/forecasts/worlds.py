"""Forecasts along N where the truth is known: fourteen worlds, most of them not as the forecaster thinks.

$ python -m studies.forecasts.worlds [SETS]        ten minutes for 20 sets of each

From 4 answers to each of 150 questions (of twenty: 20) the vote of 16 and of 64 is forecast, and held against
the exact vote of the laws that drew the answers. `allowed`: the width of what the answers alone allow, and
how often that holds the truth. `ok`: how many forecasts are, and how many of those hold.
"""

import sys
from collections.abc import Callable, Iterator

import click
import numpy as np
import pandas as pd

from predict.answers.mixture import mixture
from predict.estimate import Options
from results.votes.exact import Floats
from results.votes.multinomial import vote_accuracy
from tests.predict.answers.pools import observed, pool_of, targets

ANSWERS, QUESTIONS, ASKED = 8, 150, [5, 16, 64]
Rng = np.random.Generator


def wrong(p: Floats, rng: Rng, evenness: float = 1.0) -> Floats:
    """Laws (Q, ANSWERS) whose right answer has the chances p, wrong ones at random."""
    others = rng.dirichlet(np.full(ANSWERS - 1, evenness), len(p))
    return np.column_stack([p, (1 - p)[:, None] * others])


def leading(p: Floats, share: float) -> Floats:
    """The same where one wrong answer has that share of all wrong ones."""
    others = np.full(ANSWERS - 1, (1 - share) / (ANSWERS - 2))
    others[0] = share
    return np.column_stack([p, (1 - p)[:, None] * others])


def either(which: np.ndarray, one: Floats, other: Floats) -> Floats:
    """Of each question the law of one or of the other."""
    return np.where(which[:, None], one, other)


def softmax(logits: Floats) -> Floats:
    """Laws of these logits, sharpened, as many answers as there are filled up with chances of 0."""
    powers = np.exp(2 * logits)
    laws = powers / powers.sum(axis=1, keepdims=True)
    return np.pad(laws, ((0, 0), (0, ANSWERS - laws.shape[1])))


def two_clusters(rng: Rng, Q: int) -> Floats:
    """Half of the questions are hard, and share a wrong answer."""
    return either(rng.random(Q) < 0.5, leading(rng.beta(8, 12, Q), 0.75), wrong(rng.beta(16, 4, Q), rng))


def close_rival(rng: Rng, Q: int) -> Floats:
    """In half of the questions a wrong answer lies within six points of the right one."""
    both, lead = rng.uniform(0.7, 0.95, Q), rng.uniform(-0.06, 0.06, Q)
    rest = np.repeat((1 - both)[:, None] / (ANSWERS - 2), ANSWERS - 2, axis=1)
    near = np.column_stack([(both + lead) / 2, (both - lead) / 2, rest])
    return either(rng.random(Q) < 0.5, near, wrong(rng.beta(3, 2, Q), rng))


def guesses(rng: Rng, Q: int) -> Floats:
    """Two in five are guessed among four options."""
    return either(rng.random(Q) < 0.4, softmax(np.zeros((Q, 4))), wrong(rng.beta(4, 2, Q), rng))


def never_right(rng: Rng, Q: int) -> Floats:
    """A quarter is never answered right."""
    return wrong(rng.beta(2, 1.5, Q) * (rng.random(Q) > 0.25), rng)


def nulls(rng: Rng, Q: int) -> Floats:
    """What is hard is often not answered."""
    p = rng.beta(1.5, 1.2, Q)
    return wrong(p, rng) * (1 - 0.6 * (1 - p) ** 2)[:, None]


def mixed_skills(rng: Rng, Q: int) -> Floats:
    """Most questions are known, the others hardly ever, each with few wrong answers."""
    p = np.where(rng.random(Q) < 0.7, rng.beta(9, 1, Q), rng.beta(1, 4, Q))
    return wrong(p, rng, 0.3)


WORLDS: dict[str, Callable[[Rng, int], Floats]] = {
    "two clusters, the hard ones share a wrong answer": two_clusters,
    "a rival within 6 points in half": close_rival,
    "40 % guesses of four options": guesses,
    "20 questions": lambda rng, Q: wrong(rng.beta(1.5, 1.2, Q), rng),
    "25 % never right": never_right,
    "rare wrong answers": lambda rng, Q: wrong(rng.beta(3, 2, Q), rng, 20.0),
    "unread where hard": nulls,
    "sharpened softmax": lambda rng, Q: softmax(
        rng.normal(0, 1, (Q, ANSWERS)) + np.outer(rng.normal(0.8, 1, Q), np.arange(ANSWERS) == 0)
    ),
    "2,000 questions, 2 answers": lambda rng, Q: wrong(rng.beta(1.5, 1.2, Q), rng),
    "ours: a beta law": lambda rng, Q: wrong(rng.beta(1.2, 0.8, Q), rng),
    "ours: four options": lambda rng, Q: softmax(
        rng.normal(0, 0.6, (Q, 4)) + np.outer(rng.normal(0.7, 0.9, Q), [1, 0, 0, 0])
    ),
    "ours: all questions alike": lambda _, Q: leading(np.full(Q, 0.45), 0.45),
    "ours: a wrong answer leads": lambda rng, Q: leading(rng.uniform(0.1, 0.45, Q), 0.8),
    "ours: known or hardly ever": mixed_skills,
}
SIZES = {"20 questions": (20, 4), "2,000 questions, 2 answers": (2000, 2)}


def forecasts(name: str, sets: int) -> Iterator[dict[str, object]]:
    """A row for each set of questions and N."""
    questions, answers = SIZES.get(name, (QUESTIONS, 4))
    for seed in range(sets):
        rng = np.random.default_rng([seed, *name.encode()])
        laws = WORLDS[name](rng, questions)
        truth = vote_accuracy(laws, np.zeros(questions, np.int64), ASKED).mean(axis=0)
        ladder = np.column_stack([laws.cumsum(axis=1), np.full(questions, np.inf)])[:, None]
        raw = (rng.random((questions, answers, 1)) > ladder).sum(axis=2)
        raw[raw == ANSWERS] = -1
        evidence, _ = observed(pool_of(raw), answers)
        found = mixture(evidence, targets(ASKED), Options(300, allowed=True))
        assert found.allowed is not None  # as it is asked for
        for i, n in enumerate(ASKED):
            low, high = found.allowed.low[i], found.allowed.high[i]
            yield {
                "world": name,
                "N": n,
                "bias": 100 * (found.mean[i] - truth[i]),
                "held": found.these.low[i] <= truth[i] <= found.these.high[i],
                "width": 100 * (found.these.high[i] - found.these.low[i]),
                "allowed": 100 * (high - low),
                "allowed_held": low <= truth[i] <= high,
                "ok": found.status[i] == "ok",
            }


def main(sets: int) -> None:
    """Print the table."""
    click.echo("| truth | N | bias | held | width | allowed | holds | ok | of those held |")
    click.echo("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    every = []
    for name in WORLDS:
        rows = pd.DataFrame(forecasts(name, sets))
        every.append(rows)
        for n, own in rows.groupby("N"):
            mean = own.drop(columns="world").astype(float).mean()
            right = own.loc[own["ok"], "held"]
            of_ok = f"{100 * right.mean():.0f} %" if len(right) else "–"
            click.echo(
                f"| {name} | {n} | {mean['bias']:+.1f} | {100 * mean['held']:.0f} % | {mean['width']:.1f} | "
                f"{mean['allowed']:.1f} | {100 * mean['allowed_held']:.0f} % | {100 * mean['ok']:.0f} % | "
                f"{of_ok} |"
            )
    table = pd.concat(every)
    right = table.loc[table["ok"].astype(bool), "held"].astype(float)
    click.echo(f"\nOf {len(right)} ok forecasts {100 * right.mean():.0f} % hold.")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 6)
