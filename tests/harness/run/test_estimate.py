"""The dry run: what it says is what a run then does, and it does nothing itself."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.engines.forcing import ENDING, FINAL_TOKENS
from harness.engines.tokens import PromptTokens
from harness.experiment import Experiment, model_location
from harness.run.estimate import Demand, demands, estimate
from harness.run.plan import prompt_for, remaining
from harness.run.sizing import Load, gpu_lines
from results import BadInput
from tests.harness.run import real_run
from tests.harness.run.real_run import QUESTIONS


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
    assert f"answers: {3 * 2 * 6} of {3 * 2 * 6}," in dry(tmp_path / "new", greedy=True)[5]
    assert list(tmp_path.iterdir()) == []


def test_a_folder_s_own_answers_say_what_to_expect_and_how_fast(tmp_path: Path) -> None:
    real_run.really(tmp_path, samples=5, limit=1)
    rows = [json.loads(line) for line in (tmp_path / "samples.jsonl").read_text().splitlines()]
    record = json.loads((tmp_path / "run.json").read_text())
    (session,) = record["sessions"]
    killed = {name: value for name, value in session.items() if name != "tokens_per_second"}
    record["sessions"] = [*(session | {"tokens_per_second": rate} for rate in (9.0, 20.0)), killed]
    (tmp_path / "run.json").write_text(json.dumps(record))
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}

    found = asked(tmp_path, budgets=(30, 10, 60))
    assert [d.setting for d in found] == ["30", "10", "60"]  # as given
    used = {s: [row["tokens"] for row in rows if row["setting"] == s] for s in ("10", "30")}
    expected = {s: sum(tokens) / 5 for s, tokens in used.items()}
    expected["60"] = min(60 * expected["30"] / 30, 2 * 60 + 64)  # as much of it as of the largest here
    assert {d.setting: d.tokens_per_answer for d in found} == pytest.approx(expected)
    assert {d.setting: d.answers for d in found} == {"10": 10, "30": 10, "60": 15}
    for given, rate in ((None, 20), (7.0, 7)):
        assert f" at {rate} completion tokens/s" in dry(tmp_path, given)[-2]

    for one in record["sessions"]:
        one.pop("tokens_per_second", None)
        one["seconds"] = 2.0
    short = json.dumps(record)
    kept = (tmp_path / "run.json").read_text()
    (tmp_path / "run.json").write_text(short)
    whole = session["tokens"] / 2.0  # too short a session for a steady rate is better than none
    assert f" at {whole:,.0f} completion tokens/s" in dry(tmp_path)[-2]
    (tmp_path / "run.json").write_text(kept)

    assert dry(tmp_path, limit=1) == ["nothing to ask for: all 10 planned answers are there"]
    assert sum(d.answers for d in asked(tmp_path, fresh=True, limit=1)) == 10
    with pytest.raises(BadInput, match="another temperature"):
        dry(tmp_path, temperature=0.5)
    assert before == {file.name: file.read_bytes() for file in tmp_path.iterdir()}


def test_the_most_tokens_of_a_forced_answer_include_those_of_its_end(tmp_path: Path) -> None:
    ending = len(PromptTokens(model_location("tiny"), None, chat=True).plain(ENDING))
    cut, forced = (asked(tmp_path, budget_by=how) for how in ("prompt", "force"))
    for before, after in zip(cut, forced, strict=True):
        assert ending + FINAL_TOKENS <= after.limit - before.limit <= 2 * (ending + FINAL_TOKENS)
        assert before.tokens_per_answer == after.tokens_per_answer


def test_the_lines_add_up(tmp_path: Path) -> None:
    lines = dry(tmp_path, rate=2.0, price=12, dp=3, greedy=True)
    prompts = sum(d.prompt_tokens for d in asked(tmp_path, greedy=True))
    assert [line.split()[:4] for line in lines[1:5]] == [
        ["10", "greedy", "3", "3"],
        ["10", "sample", "3", "15"],
        ["30", "greedy", "3", "3"],
        ["30", "sample", "3", "15"],
    ]
    assert [line.split()[5:] for line in lines[1:5]] == [["10.0", "84"]] * 2 + [["30.0", "124"]] * 2
    assert lines[5] == "answers: 36 of 36, each a request of its own"
    assert lines[6].startswith(f"prompt tokens: {prompts:,} ")
    assert lines[7] == "completion tokens: 720 expected, 3,744 at most"
    assert lines[8] == "tokens per answer: the budgets themselves, which models seldom keep"
    assert lines[9].startswith("time: 6 min at 2 completion tokens/s, 31 min at most; 3.60 at 12 an hour ")
    assert lines[10:] == [f"disk: about {(36 * 400 + 720 * 4) / 1e6:,.1f} MB of answers"]
    unknown = dry(tmp_path, price=12, dp=3)[7]
    assert "--rate" in unknown
    assert "sample a little" in unknown
    assert "36.00 for each hour" in unknown
    two = {"engine": "sglang", "server_flags": ("--tp-size", "2")}  # GPUs for each copy
    assert any("72.00 for each hour" in line for line in dry(tmp_path, price=12, dp=3, **two))
    assert any("; 7.20 at 12 an hour" in line for line in dry(tmp_path, 2.0, 12, dp=3, greedy=True, **two))
    gpus = gpu_lines(experiment(dp=3), Load(720, prompts / 12, 20, 3), 12)
    assert dry(tmp_path, price=12, dp=3, greedy=True, engine="sglang")[-len(gpus) :] == gpus
