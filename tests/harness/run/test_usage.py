"""What answers use of their budgets, read off a folder, a shipped run, or nothing."""

from pathlib import Path

import pandas as pd
import pytest

from harness.experiment import read_experiment
from harness.questions.load import Question
from harness.run.estimate import demands, estimate
from harness.run.usage import Usage, usage
from harness.tally.counts import Tally
from tests.conftest import ROOT


def test_between_below_and_above_the_budgets_that_were_seen() -> None:
    seen = Usage({20: 100.0, 60: 180.0, 100: 200.0})
    assert [seen.at(budget) for budget in (5, 20, 40, 60, 80, 100, 400)] == [
        100,
        100,
        140,
        180,
        190,
        200,
        800,
    ]
    assert Usage().at(70) == 70
    assert Usage({0: 90.0}).at(250) == 340  # no share of nothing: the answer, and all of the thinking


def test_a_data_set_without_answers_here_goes_by_the_shipped_run() -> None:
    table = pd.read_csv(ROOT / "results" / "cached" / "qwen-gsm8k.csv")
    (expected,) = set(table[(table["setting"] == 100) & (table["N"] == 1)]["tokens_per_answer"].head(1))
    assert usage("gsm8k", Tally()).at(100) == pytest.approx(expected)
    assert usage("nothing", Tally()).used == {}


def test_a_run_with_budgets_in_words_says_nothing_of_thinking(tmp_path: Path) -> None:
    plan = read_experiment("gsm8k-thinking", {"samples": "2"})
    found = demands(plan, [Question("q-1", "1 + 1?", "2")], tmp_path / "new")
    assert [one.tokens_per_answer for one in found] == [
        plan.max_new_tokens(budget) for budget in plan.budgets
    ]
    lines = estimate(plan, [Question("q-1", "1 + 1?", "2")], tmp_path / "new")
    assert not any("qwen-gsm8k" in line for line in lines)


def test_answers_in_the_folder_come_first() -> None:
    tally = Tally()
    for sample, (setting, decoding, tokens) in enumerate(
        [("50", "sample", 80), ("50", "sample", 100), ("50", "greedy", 7), ("high", "sample", 9)]
    ):
        row = {"question_id": "q", "setting": setting, "decoding": decoding, "tokens": tokens}
        tally.add(row | {"sample": sample, "answer": "1", "correct": True})
    assert usage("gsm8k", tally).used == {50: 90.0}
