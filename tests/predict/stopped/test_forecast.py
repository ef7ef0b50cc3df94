"""predict.stopped: the evidence, the forecasts from it, and that nothing else is used."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from predict.estimate import Estimate, Options
from predict.evidence.points import Evidence, Points, Run
from predict.library import forecast
from predict.stopped.answer_law import PRIOR_MEAN
from predict.stopped.fit import Fit
from predict.stopped.observed import stopped, thinned
from predict.stopped.pace import ORIGINS, misses
from predict.stopped.survival import ahead_of, survival
from results.votes.exact import AnswerPools, best_of_n, majority_accuracy
from tests.predict.stopped.simulated import THETA, answers, questions, table_of

pytestmark = pytest.mark.integration  # many seconds

CAP, CAPS = 9000, (11000, 15000, 22000)
NAMES = np.array([str(cap) for cap in CAPS])


@pytest.fixture(scope="module")
def world() -> tuple[AnswerPools, AnswerPools]:
    """60 questions, none slow, with 8 observed answers each, and 400 others that serve as the truth."""
    rng = np.random.default_rng(1)
    of = questions(60, rng, THETA | {"slow": -12.0})
    return answers(of, 8, rng), answers(of, 400, rng)


def run_of(pools: AnswerPools, cap: int = CAP) -> Run:
    return Run("s", pools, cap, {str(one): one for one in (cap, *CAPS)}, pools.sizes.clip(400))


@pytest.fixture(scope="module")
def run(world: tuple[AnswerPools, AnswerPools]) -> Run:
    return run_of(world[0])


def accuracy(run: Run, ns: list[int], method: str, **options: object) -> Estimate:
    """The forecast at all of CAPS and `ns`."""
    nothing = Points.grid({}, [])
    observed = Evidence(nothing, np.empty(0), np.empty(0), method=method, run=run)
    asked = replace(Options(replicates=100), **options)
    return survival(observed, Points.grid(dict.fromkeys(NAMES.tolist(), 0.0), ns), asked)


METHODS, NS = ("majority", "best_of_n"), [1, 4, 8, 16, 64]


@pytest.fixture(scope="module")
def forecasts(run: Run) -> dict[str, Estimate]:
    """The forecasts at NS by method, from one look ahead."""
    ahead = ahead_of(run, 400, 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("predict.stopped.survival.ahead_of", lambda *_: ahead)
        return {method: accuracy(run, NS, method, replicates=400) for method in METHODS}


def test_nothing_beyond_the_cap_is_looked_at(run: Run) -> None:
    """The forecast is bitwise the same, whatever longer answers say and however long they are."""
    pools = thinned(run.answers, 20, 8)
    longer = pools.tokens > CAP
    rng = np.random.default_rng(5)
    other = replace(
        pools,
        votes=np.where(longer, rng.integers(-1, 9, len(longer)), pools.votes),
        tokens=np.where(longer, CAP + 1 + rng.integers(0, 10**6, len(longer)), pools.tokens),
    )
    assert (other.votes != pools.votes).any()
    told = []
    for one in (run_of(pools), run_of(other)):
        found = accuracy(one, [1, 8], "majority", replicates=20)
        assert found.lengths
        spent = found.lengths.interval
        told.append([found.mean, found.these.low, found.these.high, spent.low, spent.high])
    assert np.array_equal(*told)


def test_forecasts_of_a_world_that_follows_the_law(
    world: tuple[AnswerPools, AnswerPools], forecasts: dict[str, Estimate]
) -> None:
    """The truth lies within the interval widened by half its width on both sides, as 99 of 100 such truths
    do; the 30 truths here are strongly correlated. No interval is wider than 30 points."""
    for method, found in forecasts.items():
        counts = [stopped(world[1], cap).counts() for cap in CAPS]
        if method == "majority":
            truth = np.concatenate([majority_accuracy(one, NS).mean(axis=0) for one in counts])
        else:
            each = [best_of_n(one.pools[:, None], one.correct[:, None], np.array(NS)) for one in counts]
            truth = np.concatenate([one.mean(axis=0) for one in each])
        spare = (found.these.high - found.these.low) / 2
        assert ((found.these.low - spare < truth) & (truth < found.these.high + spare)).all(), method
        assert (found.these.high - found.these.low < 0.3).all()
        assert (found.these.low < found.mean).all()
        assert (found.mean < found.these.high).all()
    lengths = forecasts["majority"].lengths
    assert lengths
    mean, low, high = (
        values[:: len(NS)] for values in (lengths.mean, lengths.interval.low, lengths.interval.high)
    )
    spent = np.array([np.minimum(world[1].tokens, cap).mean() for cap in CAPS])
    assert (low - (high - low) / 2 < spent).all()
    assert (spent < high + (high - low) / 2).all()
    assert (np.diff(mean) > 0).all()


def test_new_questions_are_less_certain_than_these(forecasts: dict[str, Estimate]) -> None:
    these, new = forecasts["majority"].these, forecasts["majority"].new
    few = np.tile(np.isin(NS, (1, 8)), len(CAPS))
    assert ((new.high - new.low)[few] > 1.1 * (these.high - these.low)[few]).all()


def test_the_pace_is_that_of_answers_at_earlier_cuts(world: tuple[AnswerPools, AnswerPools]) -> None:
    """It is about 0 where the law holds, and lower if most answers after the first cut are delayed."""
    pools = world[0]
    start = Fit(PRIOR_MEAN, np.eye(len(PRIOR_MEAN)))
    first = np.quantile(pools.tokens[pools.tokens <= CAP], ORIGINS[0])
    late = (pools.tokens > first) & (np.arange(len(pools.tokens)) % 4 > 0)
    held_up = replace(pools, tokens=np.where(late, 2 * CAP, pools.tokens))
    (lawful, _), (slow, _) = (misses(one, CAP, start, 0) for one in (pools, held_up))
    assert abs(lawful) < 0.3
    assert slow < -1


def test_answers_that_may_end_after_all_leave_their_run_open_and_no_other() -> None:
    """At every cap and N, readable or not: two in five answers of one run take thirty times as long."""
    rng, tables = np.random.default_rng(2), []
    for setting, share in (("low", 0.0), ("high", 0.4)):
        pools = answers(questions(40, rng), 8, rng)
        longer = rng.random(len(pools.tokens)) < share
        table = table_of(replace(pools, tokens=pools.tokens * np.where(longer, 30, 1)), 8)
        unread = rng.random(len(table)) < 0.1
        read = {"answer": table["answer"].mask(unread), "correct": table["correct"] & ~unread}
        tables.append(table.assign(setting=setting, **read))

    given = {"fit_cap": 12000, "at_caps": [15000, 30000], "at_n": [1, 8, 200], "replicates": 20}
    with pytest.warns(UserWarning, match="high.*bound_hit"):
        found = forecast(pd.concat(tables, ignore_index=True), **given)

    open_yet = found["setting"].str.startswith("high") | (found["N"] == 200)  # far beyond 8 answers
    assert open_yet.sum() == 8
    assert found["status"].tolist() == np.where(open_yet, "bound_hit", "ok").tolist()
