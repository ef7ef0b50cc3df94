"""The dry run predicts what a run then does, and changes nothing itself.

How much of their budgets answers use comes from the folder, a shipped run, or is unknown.
"""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from harness.engines.forcing import ENDING, FINAL_TOKENS
from harness.engines.token_ids import PromptTokens
from harness.experiment import Experiment, model_location, read_experiment
from harness.questions.load import Question
from harness.run.dry_run import Demand, demands, estimate, tokens_at, usage
from harness.run.queries import prompt_for, remaining
from harness.run.sizing import Load, gpu_lines
from harness.tally.counts import Tally
from results import BadInput
from tests.conftest import ROOT
from tests.harness.run import real_run
from tests.harness.run.real_run import QUESTIONS
from tests.harness.run.rows import change_record, record_in, stored


def experiment(**changes: Any) -> Experiment:
    return real_run.experiment(**({"samples": 5, "limit": 3} | changes))


def asked(folder: Path, fresh: bool = False, **changes: Any) -> list[Demand]:
    return demands(experiment(**changes), QUESTIONS, folder, fresh)


def dry(folder: Path, rate: float | None = None, price: float | None = None, **changes: Any) -> list[str]:
    return estimate(experiment(**changes), QUESTIONS, folder, rate, price)


def test_the_demand_is_that_of_the_plan(tmp_path: Path) -> None:
    found = asked(tmp_path / "new", greedy=True)
    plan = experiment(greedy=True)
    queries = list(remaining(plan, QUESTIONS[:3], {}))
    for demand in found:
        own = [q for q in queries if (q.setting, q.decoding) == (demand.setting, demand.decoding)]
        prompts = {prompt_for(plan, query) for query in own}
        assert demand.answers == len(own)
        assert demand.prompts == len(prompts) == 3
        assert demand.prompt_tokens == sum(len(prompt.encode()) // 4 for prompt in prompts)
        assert demand.tokens_per_answer == int(demand.setting)
        assert demand.limit == 2 * int(demand.setting) + 64
    assert len(found) == 4
    assert list(tmp_path.iterdir()) == []


def test_a_folder_s_own_answers_say_what_to_expect_and_how_fast(tmp_path: Path) -> None:
    real_run.really(tmp_path, samples=5, limit=1)
    record = record_in(tmp_path)
    (session,) = record["sessions"]
    killed = {name: value for name, value in session.items() if name != "tokens_per_second"}
    record["sessions"] = [*(session | {"tokens_per_second": rate} for rate in (9.0, 20.0)), killed]
    change_record(tmp_path, record)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}

    found = asked(tmp_path, budgets=(30, 10, 60))
    assert [d.setting for d in found] == ["30", "10", "60"]  # in the given order
    expected = pd.DataFrame(stored(tmp_path)).groupby("setting")["tokens"].mean().to_dict()
    expected["60"] = min(60 * expected["30"] / 30, 2 * 60 + 64)  # the same share as of 30
    assert {d.setting: d.tokens_per_answer for d in found} == pytest.approx(expected)
    assert {d.setting: d.answers for d in found} == {"10": 10, "30": 10, "60": 15}
    for given, rate in ((None, 20), (7.0, 7)):
        assert f" at {rate} completion tokens/s" in dry(tmp_path, given)[-2]
    assert dry(tmp_path, limit=1) == ["nothing left to sample: all 10 planned answers are stored"]
    assert sum(d.answers for d in asked(tmp_path, fresh=True, limit=1)) == 10
    assert estimate(experiment(), QUESTIONS, tmp_path, fresh=True)[-2].startswith("time: unknown")
    with pytest.raises(BadInput, match="another temperature"):
        dry(tmp_path, temperature=0.5)
    assert before == {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    # A session too short for a steady rate is better than none.
    change_record(tmp_path, record | {"sessions": [killed | {"seconds": 2.0}] * 2})
    assert f" at {session['tokens'] / 2:,.0f} completion tokens/s" in dry(tmp_path)[-2]


def test_the_most_tokens_of_a_forced_answer_include_those_of_its_end(tmp_path: Path) -> None:
    ending = len(PromptTokens(model_location("tiny"), None, chat=True).plain(ENDING))
    cut, forced = (asked(tmp_path, budget_by=how) for how in ("prompt", "force"))
    for before, after in zip(cut, forced, strict=True):
        assert ending + FINAL_TOKENS <= after.limit - before.limit <= 2 * (ending + FINAL_TOKENS)
        assert before.tokens_per_answer == after.tokens_per_answer


def test_the_lines_add_up(tmp_path: Path) -> None:
    lines = dry(tmp_path, rate=2.0, price=12, dp=3, greedy=True)
    prompts = sum(d.prompt_tokens for d in asked(tmp_path, greedy=True))
    assert lines[7] == "completion tokens: 720 expected, 3,744 at most"
    assert "6 min at 2 completion tokens/s, 31 min at most; 3.60 at 12 an hour for each copy" in lines[9]
    two = {"engine": "sglang", "server_flags": ("--tp-size", "2")}  # GPUs for each copy
    of_two = dry(tmp_path, 2.0, 12, dp=3, greedy=True, **two)
    assert any("; 7.20 at 12 an hour for each GPU" in line for line in of_two)
    assert "sample a little into this folder first; 36.00 per hour" in dry(tmp_path, price=12, dp=3)[7]
    assert any("72.00 per hour" in line for line in dry(tmp_path, price=12, dp=3, **two))
    gpus = gpu_lines(experiment(dp=3), Load(720, prompts / 12, 20, 3), 12)
    assert dry(tmp_path, price=12, dp=3, greedy=True, engine="sglang")[-len(gpus) :] == gpus


def test_between_below_and_above_the_budgets_that_were_seen() -> None:
    used = {20: 100.0, 60: 180.0, 100: 200.0}
    tokens = {5: 100, 20: 100, 40: 140, 60: 180, 80: 190, 100: 200, 400: 800}
    assert {budget: tokens_at(budget, used) for budget in tokens} == tokens
    assert tokens_at(70, {}) == 70
    assert tokens_at(250, {0: 90.0}) == 340  # no share of a budget of 0: the answer, and all of the thinking


def test_a_data_set_without_answers_here_goes_by_the_shipped_run() -> None:
    table = pd.read_csv(ROOT / "results" / "cached" / "qwen-gsm8k.csv")
    (expected,) = set(table[(table["setting"] == 100) & (table["N"] == 1)]["tokens_per_answer"].head(1))
    assert tokens_at(100, usage("gsm8k", Tally())[0]) == pytest.approx(expected)
    assert usage("nothing", Tally())[0] == {}


def test_a_run_with_budgets_in_words_says_nothing_of_thinking(tmp_path: Path) -> None:
    plan = read_experiment("gsm8k-thinking", {"samples": "2"})
    questions = [Question("q-1", "1 + 1?", "2")]
    for one, budget in zip(demands(plan, questions, tmp_path / "new"), plan.budgets, strict=True):
        assert one.tokens_per_answer == plan.max_new_tokens(budget)
    assert not any("qwen-gsm8k" in line for line in estimate(plan, questions, tmp_path / "new"))
    for tokens in (90, 2000):
        tally, used = Tally(plan), {"question_id": "q-1", "decoding": "sample", "sample": 0, "setting": "0"}
        tally.add(used | {"tokens": tokens, "answer": "2", "correct": True})
        for one, budget in zip(demands(plan, questions, tmp_path, tally=tally), plan.budgets, strict=True):
            most = plan.max_new_tokens(budget) if budget else tokens
            assert one.tokens_per_answer == min(tokens + budget, most)


def test_answers_in_the_folder_come_first() -> None:
    tally = Tally()
    answers = ["0 sample 5", "50 sample 80", "50 sample 100", "50 greedy 7", "high sample 9"]
    for sample, (setting, decoding, tokens) in enumerate(map(str.split, answers)):
        row = {"question_id": "q", "setting": setting, "decoding": decoding, "tokens": int(tokens)}
        tally.add(row | {"sample": sample, "answer": "1", "correct": True})
    assert usage("gsm8k", tally)[0] == {0: 5.0, 50: 90.0}
