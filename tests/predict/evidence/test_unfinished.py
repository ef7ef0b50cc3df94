"""An answer that the run itself cut off is unfinished, whether it is readable or not."""

from dataclasses import fields

import numpy as np
import pandas as pd
import pytest

from predict.estimate import Options
from predict.estimators import SURVIVAL
from predict.evidence.capped import capped, seen_of, unfinished_marked
from predict.evidence.request import Request
from predict.forecast_table import forecast
from predict.stopped.observed import SeenLengths, seen_at
from results import BadInput, build_curves
from results.votes.caps import cap_samples
from tests.predict.stopped.simulated import answers, questions, samples, table_of


def cut_at(table: pd.DataFrame, cap: int, seed: int = 0) -> pd.DataFrame:
    """The run stopped at `cap`: a third of the cut answers are readable, and one in ten of those is right."""
    rng = np.random.default_rng(seed)
    cut = table["tokens"] > cap
    read, right = cut & (rng.random(len(table)) < 1 / 3), cut & (rng.random(len(table)) < 0.1)
    early = np.where(read, np.where(right, "a0", "a1"), None)
    return table.assign(
        answer=table["answer"].where(~cut, early),
        correct=np.where(cut, read & right, table["correct"]),
        tokens=table["tokens"].clip(upper=cap),
        finish_reason=np.where(cut, "length", "stop"),
    )


def evidence(table: pd.DataFrame, cap: int) -> SeenLengths:
    run = capped(table, "majority", cap, [2 * cap])[0].run
    assert run is not None
    return seen_at(seen_of(run, run.answers)[0].answers, cap)


@pytest.mark.parametrize("told", [True, False], ids=["finish_reason", "none"])
def test_a_run_stopped_at_the_cap_shows_what_a_longer_one_shows_up_to_it(told: bool) -> None:
    """Without `finish_reason`, the answers as long as the longest are taken to be cut off."""
    table, cap = samples().astype({"answer": object}), 8000
    stopped = cut_at(table, cap)
    assert stopped.loc[stopped["finish_reason"] == "length", "answer"].notna().any()

    longer, shorter = (
        evidence(one, cap) for one in (table, stopped if told else stopped.drop(columns="finish_reason"))
    )

    for field in fields(SeenLengths)[:-1]:
        np.testing.assert_array_equal(getattr(shorter, field.name), getattr(longer, field.name))
    for field in fields(shorter.votes):
        np.testing.assert_array_equal(getattr(shorter.votes, field.name), getattr(longer.votes, field.name))


def test_which_answers_count_as_unfinished() -> None:
    rows = pd.DataFrame(
        {
            "answer": ["a", "a", "b", "b", None],
            "correct": [True, True, False, False, False],
            "tokens": [50, 60, 60, 60, 60],
            "finish_reason": ["stop", "stop", "length", None, None],
        }
    )

    at_the_limit, below_it = (unfinished_marked(rows, cap)["tokens"].tolist() for cap in (60, 55))

    assert at_the_limit == [50, 60, 61, 61, 61]
    assert below_it == [50, 60, 61, 60, 60]  # there are longer ones, so the run's limit is not the cap
    marked = unfinished_marked(rows, 60)
    assert marked["answer"].isna().tolist() == [False, False, True, True, True]
    assert marked["correct"].tolist() == [True, True, False, False, False]


def test_a_cap_beyond_the_first_answer_that_was_cut_off_is_not_known() -> None:
    """Even if others were cut off later, as by a server with less room after long prompts."""
    table = cut_at(samples().astype({"answer": object}), 12_000)
    table.loc[table.index[table["finish_reason"] == "length"][0], "tokens"] = 9000
    (group,) = capped(table, "majority", 8000, [8500, 10_000])
    assert {name for name, _ in group.points.settings()} == {"cap=8000", "cap=8500"}


def test_a_cap_below_every_answer_names_the_shortest() -> None:
    table = samples()
    with pytest.raises(BadInput, match=rf"the shortest has {table['tokens'].min():.0f} tokens"):
        evidence(table, 10)


@pytest.mark.integration  # half a minute
@pytest.mark.parametrize("share", [0.38, pytest.param(0.26, marks=pytest.mark.release)])
def test_a_forecast_from_a_run_that_cut_answers_off_holds_the_truth(share: float) -> None:
    """Simulated, with a third of the cut answers readable: within 2 points of the truth, or not `ok`."""
    rng = np.random.default_rng(2)
    world = questions(200, rng)
    run, truth = (table_of(answers(world, n, rng), n) for n in (8, 60))
    cap = int(run["tokens"].quantile(1 - share))

    group = capped(cut_at(run.astype({"answer": object}), cap), "majority", cap, [2 * cap])[0]
    told, _ = forecast(group, Request(at_n=(1, 8)), [SURVIVAL], Options(replicates=20))

    known = build_curves(cap_samples(truth, [2 * cap]), ["majority"], ns=[1, 8], permutations=0)
    off = (told["predicted"] - known["accuracy"]).abs().to_numpy()
    assert ((off < 0.02) | (told["status"] != "ok")).all(), off
