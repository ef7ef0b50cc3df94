"""Forecasts along N with a known truth: seventeen worlds, most of which violate the forecaster's model.

$ python -m studies.promises.run --part forecasts

For each of 150 questions (or 20), 64 answers are drawn, and 4 of them shown. The votes of 5, 16 and 64 are
forecast and compared with what two readers will see:

    N    a reader without more answers extends each question to N; the answers shown are among these
    64   a reader who backtests knows the exact vote over all 64 answers

The second is also compared with an oracle, which sees the same answers and knows the law of the questions:
whatever a question's answers look like, the oracle has many other questions that look the same.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from predict.answers.mixture import mixture
from predict.estimate import Estimate, Options, middle
from results.normal import FORECAST_LEVEL, Interval, held, interval_score
from results.votes.exact import Floats, Ints, majority_accuracy
from tests.predict.answers.pools import observed, pool_of, targets

ANSWERS, QUESTIONS, ASKED, POOL = 8, 150, [5, 16, 64], 64
BANK, REPLICATES = 100_000, 2000
"""The number of questions that the oracle knows, and of its draws."""

Rng = np.random.Generator


def wrong(p: Floats, rng: Rng, evenness: float = 1.0) -> Floats:
    """Laws (Q, ANSWERS) with probabilities p of the right answer, and random wrong ones."""
    others = rng.dirichlet(np.full(ANSWERS - 1, evenness), len(p))
    return np.column_stack([p, (1 - p)[:, None] * others])


def leading(p: Floats, share: float) -> Floats:
    """The same, with one wrong answer having the given share of all wrong ones."""
    others = np.full(ANSWERS - 1, (1 - share) / (ANSWERS - 2))
    others[0] = share
    return np.column_stack([p, (1 - p)[:, None] * others])


def either(which: np.ndarray, one: Floats, other: Floats) -> Floats:
    """Each question has the law of one or of the other."""
    return np.where(which[:, None], one, other)


def softmax(logits: Floats) -> Floats:
    """Laws from these logits, sharpened, and padded with probabilities of 0 to ANSWERS."""
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
    """Hard questions are often not answered."""
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


def forecasts(name: str, sets: int) -> pd.DataFrame:
    """A row for each set of questions and N: the forecast, and the truth for either reader."""
    questions, answers = SIZES.get(name, (QUESTIONS, 4))
    known = Oracle(name, answers)
    return pd.concat([forecast_of(name, questions, answers, seed, known) for seed in range(sets)])


def forecast_of(name: str, questions: int, answers: int, seed: int, known: "Oracle") -> pd.DataFrame:
    """The rows of one set."""
    rng = np.random.default_rng([seed, *name.encode()])
    raw = drawn(name, questions, rng)
    topped_up = np.concatenate([vote_of(raw[:, :n], [n]) for n in ASKED])
    whole = vote_of(raw, ASKED)
    alone = forecast(raw[:, :answers], answers, allowed=True)
    among = forecast(raw, answers)
    assert alone.allowed is not None  # as it is asked for
    readers = {"": (alone.these, topped_up), " of 64": (among.these, whole)}
    readers |= {" of the oracle": (known.interval(raw[:, :answers], rng), whole)}
    columns = {"set": seed, "N": ASKED, "ok": alone.status == "ok", "bias": among.mean - whole}
    for reader, (interval, truth) in readers.items():
        told = pd.DataFrame({"low": interval.low, "high": interval.high, "accuracy": truth})
        columns[f"held{reader}"], columns[f"score{reader}"] = held(told), interval_score(told)
    columns["allowed holds"] = (alone.allowed.low <= whole) & (whole <= alone.allowed.high)
    return pd.DataFrame(columns)


def drawn(name: str, questions: int, rng: Rng) -> Ints:
    """Answers (questions, POOL) of a world, 0 right, −1 unread."""
    laws = WORLDS[name](rng, questions)
    ladder = np.column_stack([laws.cumsum(axis=1), np.full(questions, np.inf)])[:, None]
    raw = (rng.random((questions, POOL, 1)) > ladder).sum(axis=2)
    return np.where(raw == ANSWERS, -1, raw)


class Oracle:
    """An oracle that knows the law of the questions: the votes of many draws, by their first answers.

    Given first answers, questions are drawn from those that look the same (the posterior by
    rejection sampling, which is exact, as the data are discrete).
    """

    def __init__(self, name: str, answers: int) -> None:
        raw = drawn(name, BANK, np.random.default_rng([BANK, *name.encode()]))
        self.votes = majority_accuracy(pool_of(raw).answers.counts(), ASKED)  # (BANK, len(ASKED))
        looks = looks_of(raw[:, :answers])
        order = np.argsort(looks, kind="stable")
        names, starts = np.unique(looks[order], return_index=True)
        self.alike = dict(zip(names.tolist(), np.split(order, starts[1:]), strict=True))

    def interval(self, seen: Ints, rng: Rng) -> Interval[Floats]:
        """The central 90 % interval of the vote, given these answers (Q, answers)."""
        total = np.zeros((REPLICATES, len(ASKED)))
        for look in looks_of(seen).tolist():
            alike = self.alike.get(look, np.arange(BANK))  # a pattern not in the bank may be any
            total += self.votes[rng.choice(alike, REPLICATES)]
        low, high = middle(total / len(seen), FORECAST_LEVEL)
        return Interval(low, high, FORECAST_LEVEL)


def looks_of(seen: Ints) -> Ints:
    """A code (Q,) for the pattern of answers (Q, answers): how many are right, unreadable, equal."""
    answers = seen.shape[1]
    times = (seen[:, :, None] == np.arange(-1, ANSWERS)).sum(axis=1)
    times[:, 2:] = -np.sort(-times[:, 2:], axis=1)
    kept = times[:, : 2 + answers]
    return np.asarray(kept @ (answers + 1) ** np.arange(kept.shape[1]))


def vote_of(raw: Ints, N: list[int]) -> Floats:
    """The exact vote of N (M,) over pools (Q, answers), the mean over questions: (M,)."""
    of_each = majority_accuracy(pool_of(raw).answers.counts(), N)
    return np.asarray(of_each.mean(axis=0), dtype=np.float64)


def forecast(raw: Ints, answers: int, *, allowed: bool = False) -> Estimate:
    """The forecasts from the first `answers` to each question of a pool (Q, answers)."""
    evidence, _ = observed(pool_of(raw), answers)
    return mixture(evidence, targets(ASKED), Options(300, allowed=allowed))
