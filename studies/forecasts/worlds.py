"""Forecasts along N where the truth is known: seventeen worlds, most of them not as the forecaster thinks.

$ python -m studies.forecasts.worlds [SETS]        20 sets take some 20 minutes of a core

To each of 150 questions (or 20) 64 answers are drawn, and 4 of them shown. The votes of 5, 16 and 64 are
forecast and held against what two readers will see:

    N    who has no more answers tops each question up to N; the answers shown are among these
    64   who backtests knows the exact vote over all 64 answers

`allowed`: the width of what the answers alone allow, and how often that holds the vote over all 64. `ok`: how
many forecasts are, and how many of those hold, for either reader.
"""

import sys
from collections.abc import Callable, Iterator

import click
import numpy as np
import pandas as pd

from predict.answers.mixture import mixture
from predict.estimate import Estimate, Options
from results.votes.exact import Floats, majority_accuracy
from tests.predict.answers.pools import observed, pool_of, targets

ANSWERS, QUESTIONS, ASKED, POOL = 8, 150, [5, 16, 64], 64
ROUNDING = 1e-9
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
    "fresh: yes or no": lambda rng, Q: leading(rng.beta(2, 1.2, Q), 1.0),
    "fresh: five grades": lambda rng, Q: leading(rng.choice([0.1, 0.35, 0.55, 0.75, 0.95], Q), 0.5),
    "fresh: a coin is tossed": lambda rng, Q: wrong(rng.uniform(0.4, 0.6, Q), rng, 0.5),
}
SIZES = {"20 questions": (20, 4), "2,000 questions, 2 answers": (2000, 2)}


def forecasts(name: str, sets: int) -> Iterator[dict[str, object]]:
    """A row for each set of questions, reader and N."""
    questions, answers = SIZES.get(name, (QUESTIONS, 4))
    for seed in range(sets):
        rng = np.random.default_rng([seed, *name.encode()])
        laws = WORLDS[name](rng, questions)
        ladder = np.column_stack([laws.cumsum(axis=1), np.full(questions, np.inf)])[:, None]
        raw = (rng.random((questions, POOL, 1)) > ladder).sum(axis=2)
        raw[raw == ANSWERS] = -1
        topped_up = np.concatenate([vote_of(raw[:, :n], [n]) for n in ASKED])
        whole = vote_of(raw, ASKED)
        alone = forecast(raw[:, :answers], answers, allowed=True)
        among = forecast(raw, answers)
        assert alone.allowed is not None  # as it is asked for
        low, high = alone.allowed.low, alone.allowed.high
        for i, n in enumerate(ASKED):
            yield {
                "N": n,
                "bias": 100 * (alone.mean[i] - topped_up[i]),
                "held": holds(alone, i, topped_up),
                "width": 100 * (alone.these.high[i] - alone.these.low[i]),
                "bias of 64": 100 * (among.mean[i] - whole[i]),
                "held of 64": holds(among, i, whole),
                "width of 64": 100 * (among.these.high[i] - among.these.low[i]),
                "allowed": 100 * (high[i] - low[i]),
                "allowed holds": low[i] <= whole[i] <= high[i],
                "ok": alone.status[i] == "ok",
            }


def vote_of(raw: Floats, N: list[int]) -> Floats:
    """The exact vote of N (M,) over pools (Q, answers), the mean over questions: (M,)."""
    of_each = majority_accuracy(pool_of(raw).answers.counts(), N)
    return np.asarray(of_each.mean(axis=0), dtype=np.float64)


def forecast(raw: Floats, answers: int, *, allowed: bool = False) -> Estimate:
    """The forecasts from the first `answers` to each question of a pool (Q, answers)."""
    evidence, _ = observed(pool_of(raw), answers)
    return mixture(evidence, targets(ASKED), Options(300, allowed=allowed))


def holds(found: Estimate, i: int, truth: Floats) -> bool:
    """Whether the interval of target `i` has the truth."""
    return bool(found.these.low[i] - ROUNDING <= truth[i] <= found.these.high[i] + ROUNDING)


HEAD = "| truth | N | bias | held | width | bias, 64 | held | width | allowed | holds | ok | held | of 64 |"
COLUMNS = {
    "bias": "{:+.1f}",
    "held": "{:.0%}",
    "width": "{:.1f}",
    "bias of 64": "{:+.1f}",
    "held of 64": "{:.0%}",
    "width of 64": "{:.1f}",
    "allowed": "{:.1f}",
    "allowed holds": "{:.0%}",
    "ok": "{:.0%}",
    "ok held": "{:.0%}",
    "ok held of 64": "{:.0%}",
}


def main(sets: int) -> None:
    """Print the table, and what is true of all ok forecasts."""
    click.echo(f"{HEAD}\n|---{'|---:' * (HEAD.count('|') - 2)}|")
    worlds = []
    for name in WORLDS:
        rows = pd.DataFrame(forecasts(name, sets)).astype(float)
        for column in ("held", "held of 64"):
            rows[f"ok {column}"] = rows[column].where(rows["ok"] == 1)
        worlds.append(rows)
        for n, mean in rows.groupby("N").mean().iterrows():
            cells = [form.format(mean[column]) for column, form in COLUMNS.items()]
            click.echo(f"| {name} | {n:.0f} | {' | '.join(cells)} |".replace("nan%", "–"))
    every = pd.concat(worlds, keys=WORLDS, names=["world"])
    click.echo(f"\n{every['ok'].sum():.0f} of {len(every)} forecasts are ok.")
    for column, pool in (("ok held", "N"), ("ok held of 64", str(POOL))):
        by_world = every.groupby("world", sort=False)[column].mean()
        click.echo(
            f"Of a pool of {pool}: {every[column].mean():.0%} of them hold, {by_world.mean():.0%} on average "
            f"over worlds; the fewest, {by_world.min():.0%}, where {by_world.idxmin()}."
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
