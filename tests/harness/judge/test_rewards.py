"""harness judge --reward: scores of a reward model behind SGLang's or vLLM's endpoint."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.engines.rewards import single
from tests.harness.commands import exit_status
from tests.harness.judge.judging import MODEL, TOKENS, Server, folder_of, rows_of

pytestmark = pytest.mark.usefixtures("impatient")

VLLM = ("--engine", "openai", "--model", MODEL)
SGLANG = ("--model", "tiny")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of(tmp_path / "run", {"a": ["18", "7", "18"], "b": ["5", "7"]}, {"a": "18", "b": "5"})


def judged(folder: Path, server: Server, *options: str) -> int:
    return exit_status("judge", folder, "--reward", "--url", server.url, "--name", "rm", *options)


@pytest.mark.parametrize(
    ("endpoint", "options"), [("/classify", SGLANG), ("/classify", VLLM), ("/pooling", VLLM)]
)
def test_the_score_is_the_reward(folder: Path, endpoint: str, options: tuple[str, ...]) -> None:
    with Server(endpoint=endpoint) as server:
        assert judged(folder, server, *options) == 0
    assert [row["score_rm"] for row in rows_of(folder)] == [1.5, -2.0, 1.5, 0.25, -2.0]
    assert len(server.asked) == 4
    record = json.loads((folder / "scores" / "rm.json").read_text())
    assert record["judge"]["kind"] == "reward"
    counts = record["summary"]
    read = TOKENS * 4 if options == VLLM else sum(len(body["input_ids"]) for body in server.asked)
    assert (counts["prompt_tokens"], counts["tokens"]) == (read, 0)
    assert (counts["auc"], counts["auc_within"]) == (1.0, 1.0)


def test_the_question_is_the_users_turn_and_the_answer_the_models(folder: Path) -> None:
    from tests.harness.judge.judging import decoded

    with Server() as server:
        judged(folder, server, *VLLM, "--set", "concurrency=1")
        judged(folder, server, *SGLANG, "--set", "concurrency=1", "--name", "rm2")
    assert server.asked[0]["messages"] == [
        {"role": "user", "content": "Problem a?"},
        {"role": "assistant", "content": "I say 18"},
    ]
    assert decoded(server.asked[4]["input_ids"]) == "<|user|>Problem a?<|assistant|>I say 18<|end|>"


@pytest.mark.parametrize("options", [SGLANG, VLLM])
@pytest.mark.parametrize("told", [[0.2, 0.8], [], ["0.5"], [None]])
def test_a_model_that_gives_no_single_reward_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], told: Any, options: tuple[str, ...]
) -> None:
    with Server(told=told) as server:
        assert judged(folder, server, *options) == 2
    assert "rewards" in capsys.readouterr().err.splitlines()[-1]
    assert not (folder / "scores").exists()


def test_equal_rewards_are_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As from an endpoint that normalises over one class."""
    with Server(told=[1.0]) as server:
        assert judged(folder, server, *VLLM) == 0
    assert "equal" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (1.5, 1.5),
        (-3, -3.0),
        ([0.5], 0.5),
        ([[0.5]], 0.5),
        ([[0.1], [0.2], [0.9]], 0.9),
        ([0.1, 0.9], None),
        ([[0.1, 0.9]], None),
        ([[0.1], [0.1, 0.9]], None),
        ([], None),
        (float("nan"), None),
        (float("inf"), None),
        ("1", None),
        (False, None),
        ({"0": 1.0}, None),
    ],
)
def test_what_is_one_reward(told: Any, expected: float | None) -> None:
    assert single(told) == expected
