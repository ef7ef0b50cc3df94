"""Statements made after a choice: how often they are true, simulated including the choice.

Advice: normal true differences; 100 questions are measured, and if undecided, a fresh run of the advised size
is made. Precision: a pilot of 100 questions, a run of 200. Lost outright: b loses some questions entirely and
gains a little on the others, equal on average. Headline: two models on questions of all kinds; of the clear
rows, the one with the most answers.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from results.normal import LEVEL
from results.paired.differences import mean_differences
from results.paired.needed import POWER, Decision, given, questions_needed
from results.paired.sequential import Open
from results.paired.simultaneous import Measured, level_of_each
from results.stopping.replay import Replay
from results.stopping.rules import RULES
from results.summary.buying import CLOSE
from results.summary.buying import measured as plan_of
from results.summary.panels import make_panels
from results.votes.clusters import standard_error
from results.votes.exact import AnswerPools, Floats
from results.votes.permutations import random_orders
from results.votes.scored import accuracy_by_score
from studies.promises.rows import Found, Row, at_least, at_most, mean, share
from tests.results.paired.made import accuracies, better, pools, varied_laws

RUNS, VARIANCE, PILOT = 1000, 0.16, 100
"""Comparisons per case, the variance of a question's difference, and the questions measured."""

BETTER = at_most((1 - LEVEL) / 2)

ADVICE = "a fresh run of as many questions as advised"
ADDED = "equal models, questions added until decided"
CHANCE = "the chance of a verdict told by a pilot"
LOST = "equal, some questions lost outright"
FOUND = "one model better"
HEADLINE = "“b beats a by X”, said where it is clear"
CHEAPEST = "the cheapest measured choice of equal settings"
AGREEMENT = "agreement with the mode, lead:4, at most 16 answers"
WEIGHTED = "the weighted vote by sharp scores"


def measured(times: float) -> Iterator[Row]:
    """Measure all of them; `times` multiplies RUNS."""
    runs = max(50, round(times * RUNS))
    yield from advice(runs)
    yield from added(runs)
    yield from precision(runs)
    yield from lost_outright(runs)
    yield from headline(runs // 2)
    yield from report_card(runs // 5)
    yield from agreement(runs)
    yield from sharp_scores(runs)


def advice(runs: int) -> Iterator[Row]:
    """How often a fresh run of the advised size decides after an undecided comparison."""
    decision, stderr = Decision(), np.sqrt(VARIANCE / PILOT)
    for scale in (0.02, 0.05, 0.10):
        rng = np.random.default_rng(round(1000 * scale))
        came = []
        for true in rng.normal(0, scale, runs):
            seen = rng.normal(true, stderr)
            if abs(seen) > decision.margin(PILOT, VARIANCE):
                continue
            number = decision.questions(VARIANCE, given(seen, stderr))
            if np.isfinite(number):
                came.append(decision.decided(number, VARIANCE, given(true, 0.0)))
        case = f"true differences of {100 * scale:.0f} points"
        yield Row(ADVICE, case, "decides, %", *share(came), at_least(POWER))


def added(runs: int) -> Iterator[Row]:
    """How often equal models are called different if questions are added as advised after undecided looks."""
    most, looks = 5000, 5
    rng = np.random.default_rng(5)
    told: dict[str, list[bool]] = {"looked at as if once": [], "by `--sequential`": []}
    for _ in range(runs):
        differences = rng.choice([-1.0, 0.0, 1.0], most, p=[VARIANCE / 2, 1 - VARIANCE, VARIANCE / 2])
        for name, verdicts in told.items():
            questions, decided = PILOT, False
            for _ in range(looks):
                seen = differences[:questions]
                found = mean_differences(seen[:, None])
                interval = found.interval if name == "looked at as if once" else Open().look(seen).interval
                decided = bool(np.any(interval.low > 0) or np.any(interval.high < 0))
                if decided or questions == most:
                    break
                questions = int(min(most, max(questions + 1, questions_needed(found)[0])))
            verdicts.append(decided)
    for name, verdicts in told.items():
        promised = "" if "once" in name else at_most(1 - LEVEL)
        yield Row(ADDED, name, "called different, %", *share(verdicts), promised)


def precision(runs: int) -> Iterator[Row]:
    """`precision --compare`: the predicted probability of a verdict, and the one that comes true."""
    decision, stderr = Decision(), np.sqrt(VARIANCE / PILOT)
    every = []
    for scale in (0.0, 0.02, 0.05, 0.10):
        rng = np.random.default_rng(round(1000 * scale))
        true = rng.normal(0, scale, runs)
        seen = rng.normal(true, stderr)
        told = np.array([decision.decided(200, VARIANCE, given(d, stderr)) for d in seen])
        comes = np.array([decision.decided(200, VARIANCE, given(d, 0.0)) for d in true])
        every += [(told, comes)] if scale else []
        yield chance_of_a_verdict(f"true differences of {100 * scale:.0f} points", told, comes)
    both = np.concatenate(every, axis=1)
    yield chance_of_a_verdict("of 2, 5 and 10 points together", *both)


def chance_of_a_verdict(case: str, told: Floats, comes: Floats) -> Row:
    """The predicted probability against the one that comes true; the error is of their difference."""
    _, error, runs = mean(told - comes, 100)
    promised = f"= {100 * comes.mean():.1f}"
    return Row(CHANCE, case, "told, %", 100 * float(told.mean()), error, runs, promised)


def lost_outright(runs: int) -> Iterator[Row]:
    """How often b is called better when equal on average, and when really better."""
    for questions, lost in ((20, 0.05), (60, 0.02), (60, 0.05), (60, 0.1), (200, 0.02), (200, 0.05)):
        rng = np.random.default_rng([questions, round(100 * lost)])
        shape = (questions, 20 * runs)
        small = lost / (1 - lost) * rng.uniform(0.5, 1.5, shape)
        differences = np.where(rng.random(shape) < lost, -1.0, small)
        case = f"{100 * lost:.0f} % of {questions} questions"
        yield Row(LOST, case, "called better, %", *called(differences), BETTER)
    for questions, answers, gain in ((20, 16, 0.1), (60, 8, 0.05), (100, 16, 0.05)):
        rng = np.random.default_rng([questions, answers])
        laws = varied_laws(questions, rng)
        ns = np.array([1, answers])
        one = accuracies(laws, answers, ns, runs, rng)
        other = accuracies(better(laws, gain), answers, ns, runs, rng)
        for column, name in ((0, "one answer"), (1, f"vote of {answers}")):
            case = f"{100 * gain:.0f} points better, {questions} questions, {name}"
            found = called((other - one)[:, :, column].T)
            yield Row(FOUND, case, "called better, %", *found)


def called(differences: Floats) -> Found:
    """How often b is called better, from differences (Q, runs)."""
    return share(mean_differences(differences).interval.low > 0)


def headline(runs: int) -> Iterator[Row]:
    """The bias of the headline's difference, and the coverage of its interval."""
    for questions, gain in ((60, 0.03), (60, 0.06), (300, 0.03)):
        rng = np.random.default_rng([questions, round(100 * gain)])
        ns = 2 ** np.arange(5)
        over: list[float] = []
        held: list[bool] = []
        laws = varied_laws(questions * runs, rng)
        sides = [accuracies(side, 16, ns, 1, rng)[0, :, : ns.size] for side in (laws, better(laws, gain))]
        true = (sides[1] - sides[0]).mean(axis=0)
        for run in np.split(sides[1] - sides[0], runs):
            level = level_of_each([Measured(range(questions), run)], LEVEL)
            found = mean_differences(run, LEVEL, level)
            clear = np.flatnonzero((found.interval.low > 0) | (found.interval.high < 0))
            if clear.size:
                most = clear[-1]
                over.append(found.mean[most] - true[most])
                held.append(bool(found.interval.low[most] <= true[most] <= found.interval.high[most]))
        case = f"{questions} questions, gain {100 * gain:.0f}"
        yield Row(HEADLINE, case, "X too high, points", *mean(over, 100))
        yield Row(HEADLINE, case, "its interval holds, %", *share(held), at_least(LEVEL))


def report_card(runs: int) -> Iterator[Row]:
    """The bias and cost of the recommended choice among settings that are equally good."""
    questions, answers, ns = 40, 16, 2 ** np.arange(5)
    for settings in (4, 8):
        rng = np.random.default_rng(settings)
        laws = varied_laws(questions * runs, rng)
        many = [accuracies(laws, answers, ns, 1, rng)[0, :, : ns.size] for _ in range(settings)]
        true = np.mean([side.mean(axis=0) for side in many], axis=0)
        enough = ns[true >= true.max() - CLOSE][0] * 100
        lengths = np.geomspace(100, 800, settings)
        over, cost = [], []
        for run in zip(*(np.split(side, runs) for side in many), strict=True):
            rows = [
                {
                    "setting": f"{length:.0f}",
                    "tokens_per_answer": length,
                    "N": n,
                    "accuracy": side[:, k].mean(),
                    "stderr": standard_error(side)[k],
                    "stderr_vs_cheapest": standard_error(side - run[0])[k] if place else np.nan,
                }
                for place, (length, side) in enumerate(zip(lengths, run, strict=True))
                for k, n in enumerate(ns)
            ]
            table = pd.DataFrame(rows).assign(method="majority", permutation="exact", questions=questions)
            chosen = plan_of(make_panels(table.assign(source="llm", dataset="d", model="m"))).chosen
            assert chosen is not None
            over.append(chosen["predicted"] - true[ns == chosen["N"]][0])
            cost.append(chosen["cost"] / enough)
        case = f"{settings} settings, {questions} questions"
        yield Row(CHEAPEST, case, "too high, points", *mean(over, 100), "= 0")
        yield Row(CHEAPEST, case, "its price over the cheapest's", *mean(cost))


def agreement(runs: int) -> Iterator[Row]:
    """`stop`: the agreement of a lead of four, as estimated from the pool and with the mode of the law."""
    for pool in (16, 32, 64):
        rng = np.random.default_rng(pool)
        laws = varied_laws(runs, rng)
        drawn = pools(laws, pool, rng)
        replay = Replay(drawn, random_orders(drawn, 10, seed=0), 16)
        stops = replay.stop(RULES["lead"], 4)
        agrees = np.zeros((10, runs))
        for i, (order, asked) in enumerate(zip(replay.orders, stops.asked, strict=True)):
            for q, (start, n) in enumerate(zip(drawn.starts, asked, strict=False)):
                votes = np.bincount(drawn.votes[start + order[start : start + n]], minlength=4)
                taken = votes == votes.max()
                agrees[i, q] = taken[laws[q].argmax()] / taken.sum()
        told = replay.outcome(stops).agreement
        true = agrees.mean(axis=0)
        case = f"pool of {pool}"
        yield Row(AGREEMENT, case, "comes true, %", *mean(true, 100))
        yield Row(AGREEMENT, case, "told too high, points", *mean(told - true, 100), "= 0")


def sharp_scores(runs: int) -> Iterator[Row]:
    """A vote weighted by scores of very different sizes, against random subsets with exact weights."""
    questions, draws = max(5, runs // 25), 20 * runs
    for pool, sharpness in ((64, 1.5), (64, 4.0), (256, 8.0)):
        rng = np.random.default_rng([pool, round(10 * sharpness)])
        votes = np.array([rng.choice(len(law), pool, p=law) for law in varied_laws(questions, rng)])
        logs = sharpness * (rng.standard_normal((questions, pool)) + 0.5 * (votes == 0))
        n = np.array([pool // 4])
        starts = np.arange(questions + 1) * pool
        names = [f"q{place}" for place in range(questions)]
        every = AnswerPools(names, starts, votes.ravel(), np.ones(starts[-1]), logs.ravel(), logs=True)
        told = accuracy_by_score(every, "weighted_majority", n)[:, 0]
        pairs = zip(votes, logs, strict=True)
        true = np.array([by_subsets(v, np.exp(w - w.max()), int(n[0]), draws, rng) for v, w in pairs])
        case = f"pool of {pool}, weights over {np.exp(sharpness):,.0f} times"
        yield Row(WEIGHTED, case, "off, points", *mean(told - true, 100), "= 0")


def by_subsets(votes: np.ndarray, weights: Floats, n: int, draws: int, rng: np.random.Generator) -> float:
    """How often answer 0 has the largest weight among n answers."""
    right = 0.0
    for part in np.array_split(np.arange(draws), max(1, draws // 2000)):
        places = rng.random((part.size, votes.size)).argpartition(n, axis=1)[:, :n]
        each = [(weights[places] * (votes[places] == kind)).sum(axis=1) for kind in range(votes.max() + 1)]
        right += float((np.argmax(each, axis=0) == 0).sum())
    return right / draws
