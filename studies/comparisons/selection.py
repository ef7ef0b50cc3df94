"""What is said after a choice, before and now: how often it is true, simulated after the choice that is made.

$ python -m studies.comparisons.selection        a minute

Advice: true differences of normal laws; 100 questions are measured, and where they decide nothing a fresh run
of the number named is made. Precision: a pilot of 100 questions, a run of 200. Lost outright: b loses some
questions and gains a little on the others, equal in the mean. Headline: two models on questions of all kinds;
among the rows that are clear, the largest difference or that of the most answers.
"""

from collections.abc import Iterator
from dataclasses import replace

import click
import numpy as np
import pandas as pd
from scipy.special import stdtrit

from results.normal import LEVEL
from results.paired.differences import mean_differences
from results.paired.needed import Decision, given, known
from results.paired.simultaneous import Measured, level_of_each
from results.stopping.replay import Replay
from results.stopping.rules import RULES
from results.summary.buying import CLOSE, Plan, measured
from results.summary.panels import make_panels
from results.votes.clusters import standard_error
from results.votes.exact import Floats
from results.votes.permutations import random_orders
from tests.results.paired.made import accuracies, better, pools, varied_laws

RUNS, VARIANCE, PILOT = 1000, 0.16, 100
"""Comparisons of each case, the variance of a question's difference, and the questions that measure it."""

Row = dict[str, str]


def main() -> None:
    """Print the table."""
    rows = [*advice(), *precision(), *lost_outright(), *headline(), *report_card(), *agreement()]
    click.echo(pd.DataFrame(rows).to_string(index=False))


def share(values: object) -> str:
    """As a percentage."""
    return f"{100 * np.mean(np.asarray(values, dtype=float)):.1f} %"


def advice() -> Iterator[Row]:
    """After an undecided comparison: how often a fresh run of the number named decides."""
    decision, stderr = Decision(), np.sqrt(VARIANCE / PILOT)
    for scale in (0.02, 0.05, 0.10):
        rng = np.random.default_rng(round(1000 * scale))
        came: dict[str, list[float]] = {"before": [], "now": []}
        for true in rng.normal(0, scale, RUNS):
            seen = rng.normal(true, stderr)
            if abs(seen) > decision.margin(PILOT, VARIANCE):
                continue
            for name, truth in (("before", known(seen)), ("now", given(seen, stderr))):
                number = decision.questions(VARIANCE, truth)
                if np.isfinite(number):
                    came[name].append(decision.decided(number, VARIANCE, known(true)))
        case = f"fresh runs as advised decide (80 % said), true differences of {100 * scale:.0f} points"
        yield {"what": case, **{name: share(values) for name, values in came.items()}}


def precision() -> Iterator[Row]:
    """`precision --compare`: the chance of a verdict that is told, and the one that comes true."""
    decision, stderr = Decision(), np.sqrt(VARIANCE / PILOT)
    for scale in (0.0, 0.02, 0.05, 0.10):
        rng = np.random.default_rng(round(1000 * scale))
        true = rng.normal(0, scale, RUNS)
        seen = rng.normal(true, stderr)
        flat = replace(known(0.0), sds=np.array([stderr]))
        before = [decision.decided(200, VARIANCE, replace(flat, means=np.array([d]))) for d in seen]
        now = [decision.decided(200, VARIANCE, given(d, stderr)) for d in seen]
        true_share = share([decision.decided(200, VARIANCE, known(d)) for d in true])
        case = f"chance of a verdict told by a pilot, true differences of {100 * scale:.0f} points"
        yield {"what": f"{case}: {true_share} comes true", "before": share(before), "now": share(now)}


def lost_outright() -> Iterator[Row]:
    """Equal in the mean: how often b is called better (2.5 % said), and what that costs where it is."""
    for questions, lost in ((20, 0.05), (60, 0.02), (60, 0.05), (200, 0.02), (200, 0.05)):
        rng = np.random.default_rng([questions, round(100 * lost)])
        shape = (questions, 20 * RUNS)
        small = lost / (1 - lost) * rng.uniform(0.5, 1.5, shape)
        differences = np.where(rng.random(shape) < lost, -1.0, small)
        case = f"equal, {100 * lost:.0f} % of {questions} questions lost outright: called better (2.5 % said)"
        yield {"what": case, **_called(differences)}
    for questions, answers, gain in ((20, 16, 0.1), (60, 8, 0.05), (100, 16, 0.05), (60, 8, 0.0)):
        rng = np.random.default_rng([questions, answers])
        laws = varied_laws(questions, rng)
        ns = np.array([1, answers])
        one = accuracies(laws, answers, ns, RUNS, rng)
        other = accuracies(better(laws, gain), answers, ns, RUNS, rng)
        for column, name in ((0, "one answer"), (1, f"vote of {answers}")):
            case = f"{100 * gain:.0f} points better, {questions} questions, {name}: called better"
            yield {"what": case, **_called((other - one)[:, :, column].T)}


def _called(differences: Floats) -> dict[str, str]:
    """How often b is better, where a question that was missed differs by one half, and by 1."""
    questions = len(differences)
    mean, stderr = differences.mean(axis=0), differences.std(axis=0, ddof=1) / np.sqrt(questions)
    half = stdtrit(questions - 1, (1 + LEVEL) / 2) * np.maximum(stderr, 0.5 / questions)
    return {"before": share(mean > half), "now": share(mean_differences(differences).interval.low > 0)}


def headline() -> Iterator[Row]:
    """By how much the difference told is larger than the true one, and how often its interval holds it."""
    for questions, gain in ((60, 0.03), (60, 0.06), (300, 0.03)):
        rng = np.random.default_rng([questions, round(100 * gain)])
        ns = 2 ** np.arange(5)
        over: dict[str, list[float]] = {"before": [], "now": []}
        held: list[bool] = []
        laws = varied_laws(questions * RUNS // 2, rng)
        sides = [accuracies(side, 16, ns, 1, rng)[0, :, : ns.size] for side in (laws, better(laws, gain))]
        true = (sides[1] - sides[0]).mean(axis=0)
        for run in np.split(sides[1] - sides[0], RUNS // 2):
            level = level_of_each([Measured(range(questions), run)], LEVEL)
            found = mean_differences(run, LEVEL, level)
            clear = np.flatnonzero((found.interval.low > 0) | (found.interval.high < 0))
            if clear.size:
                largest, most = clear[np.abs(found.mean[clear]).argmax()], clear[-1]
                over["before"].append(100 * (found.mean[largest] - true[largest]))
                over["now"].append(100 * (found.mean[most] - true[most]))
                held.append(bool(found.interval.low[most] <= true[most] <= found.interval.high[most]))
        case = f"headline, {questions} questions, gain {100 * gain:.0f}: points too much"
        yield {"what": case, **{name: f"{np.mean(values):+.1f}" for name, values in over.items()}}
        yield {"what": "  its interval, given that it is clear, holds", "before": "–", "now": share(held)}


def report_card() -> Iterator[Row]:
    """The cheapest measured choice of settings that are equally good: what is told of it, and its cost."""
    questions, answers, ns = 40, 16, 2 ** np.arange(5)
    for settings in (4, 8):
        rng = np.random.default_rng(settings)
        laws = varied_laws(questions * RUNS // 5, rng)
        many = [accuracies(laws, answers, ns, 1, rng)[0, :, : ns.size] for _ in range(settings)]
        true = np.mean([side.mean(axis=0) for side in many], axis=0)
        enough = ns[true >= true.max() - CLOSE][0] * 100
        lengths = np.geomspace(100, 800, settings)
        over: dict[str, list[float]] = {"before": [], "now": []}
        cost: dict[str, list[float]] = {"before": [], "now": []}
        for run in zip(*(np.split(side, RUNS // 5) for side in many), strict=True):
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
            plan = measured(make_panels(table.assign(source="llm", dataset="d", model="m")))
            alone = Plan(plan.options.drop(columns="expected"))
            for name, chosen in (("before", alone.chosen), ("now", plan.chosen)):
                assert chosen is not None
                over[name].append(100 * (chosen["predicted"] - true[ns == chosen["N"]][0]))
                cost[name].append(chosen["cost"] / enough)
        case = f"cheapest measured choice of {settings} equal settings, {questions} questions"
        yield {"what": f"{case}: points too much", **{k: f"{np.mean(v):+.1f}" for k, v in over.items()}}
        price = {name: f"{np.mean(times):.1f}" for name, times in cost.items()}
        yield {"what": "  its price, times that of the truly cheapest", **price}


def agreement() -> Iterator[Row]:
    """`stop`: how often a lead of four agrees, as told by its pool, and with the mode of the law."""
    for pool in (16, 32, 64):
        rng = np.random.default_rng(pool)
        laws = varied_laws(RUNS, rng)
        drawn = pools(laws, pool, rng)
        replay = Replay(drawn, random_orders(drawn, 10, seed=0), 16)
        stops = replay.stop(RULES["lead"], 4)
        true, of_pool = [], []
        for order, asked in zip(replay.orders, stops.asked, strict=True):
            for law, start, end, n in zip(laws, drawn.starts, drawn.starts[1:], asked, strict=False):
                votes = np.bincount(drawn.votes[start + order[start : start + n]], minlength=4)
                whole = np.bincount(drawn.votes[start:end], minlength=4)
                taken = votes == votes.max()
                true.append(taken[law.argmax()] / taken.sum())
                of_pool.append(taken[whole == whole.max()].sum() / taken.sum())
        case = f"agreement of lead:4, at most 16 answers, pool of {pool}: {share(true)} with the mode"
        yield {"what": case, "before": share(of_pool), "now": share(replay.outcome(stops).agreement)}


if __name__ == "__main__":
    main()
