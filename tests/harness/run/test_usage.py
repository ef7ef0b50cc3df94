"""What answers use of their budgets, read off a folder, a shipped run, or nothing."""

from pathlib import Path

import pandas as pd
import pytest

from harness.experiment import read_experiment
from harness.questions.load import Question
from harness.run.estimate import demands, estimate, tokens_at, usage
from harness.tally.counts import Tally
from tests.conftest import ROOT


def test_between_below_and_above_the_budgets_that_were_seen() -> None:
    used = {20: 100.0, 60: 180.0, 100: 200.0}
    tokens = {5: 100, 20: 100, 40: 140, 60: 180, 80: 190, 100: 200, 400: 800}
    assert {budget: tokens_at(budget, used) for budget in tokens} == tokens
    assert tokens_at(70, {}) == 70
    assert tokens_at(250, {0: 90.0}) == 340  # no share of nothing: the answer, and all of the thinking


def test_a_data_set_without_answers_here_goes_by_the_shipped_run() -> None:
    table = pd.read_csv(ROOT / "results" / "cached" / "qwen-gsm8k.csv")
    (expected,) = set(table[(table["setting"] == 100) & (table["N"] == 1)]["tokens_per_answer"].head(1))
    assert tokens_at(100, usage("gsm8k", Tally())[0]) == pytest.approx(expected)
    assert usage("nothing", Tally())[0] == {}


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
    assert usage("gsm8k", tally)[0] == {50: 90.0}
