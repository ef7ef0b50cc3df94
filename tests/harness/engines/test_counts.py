"""What servers say of an answer's tokens: counts that cannot be, and limits of their own."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from harness.engines.base import Completion, Engine, Sampling
from harness.engines.openai.reply import read_completion as read_openai
from harness.engines.sglang import read_completion as read_sglang
from harness.engines.token_ids import counted
from harness.experiment import read_experiment
from harness.questions.load import Question
from harness.run.queries import Query
from harness.run.sampler import row_of
from harness.store.row import is_row
from harness.tally.counts import Tally
from tests.harness.engines.servers import PROMPT, VLLM, SGLang, with_engine
from tests.harness.engines.test_thinking import openai, sglang

pytestmark = pytest.mark.usefixtures("impatient")

WORDS = " ".join(["Twelve apples are shared by three children."] * 14)
LIMIT = 200
EXPERIMENT = read_experiment("tiny").model_copy(
    update={"budgets": (), "tokens_per_budget": 0.0, "tokens_extra": LIMIT, "samples": 3}
)
SERVERS = [(VLLM, openai), (SGLang, sglang)]


def sampled(server: Any, engine: Any) -> tuple[list[dict[str, Any]], Tally]:
    """The rows of three answers, and their counts."""
    question = Question("q", "How many?", "18")

    async def draw(engine: Engine) -> list[dict[str, Any]]:
        rows = []
        for number in range(3):
            answer = await engine.generate(PROMPT, Sampling(LIMIT, temperature=1.0), seed=number)
            rows.append(row_of(EXPERIMENT, Query(question, "default", None, "sample", number), answer))
        return rows

    rows = with_engine(server, partial(engine, thinking=False), draw)
    tally = Tally(EXPERIMENT)
    for row in rows:
        assert is_row(row)
        tally.add(row)
    return rows, tally


@pytest.mark.parametrize(("server", "engine"), SERVERS)
def test_a_limit_of_the_server_s_own_is_a_warning_that_names_it(server: Any, engine: Any) -> None:
    rows, tally = sampled(server(cap=50), engine)
    assert [(row["tokens"], row["finish_reason"]) for row in rows] == [(50, "length")] * 3
    (warning,) = [line for line in tally.warnings(Path("run")) if "max_new_tokens" in line]
    assert all(said in warning for said in ("3 of 3 answers", "50 tokens", f"limit is {LIMIT}"))
    assert tally.summary()["settings"][0]["cut_short"] == 3
    for others in (server(), server(thinks=500)):  # not cut off, and cut off at our limit
        assert "cut_short" not in sampled(others, engine)[1].summary()["settings"][0]


@pytest.mark.parametrize(("server", "engine"), SERVERS)
@pytest.mark.parametrize("counts", ["none", "answer"])
def test_tokens_that_cannot_be_are_unknown(server: Any, engine: Any, counts: Any) -> None:
    rows, tally = sampled(server(counts=counts), engine)
    assert [row["tokens"] for row in rows] == [None] * 3
    assert all(row["correct"] for row in rows)
    (warning,) = [line for line in tally.warnings(Path("run")) if "T is unknown" in line]
    assert "3 of 3 answers" in warning
    assert tally.summary()["settings"][0]["tokens_mean"] is None
    assert not [line for line in sampled(server(), engine)[1].warnings(Path("run")) if "T is" in line]


@pytest.mark.parametrize(
    ("text", "reasoning", "tokens", "thought", "kept"),
    [
        *((WORDS, None, 0, None, False), (WORDS, None, 1, None, False), (WORDS, None, 100, None, True)),
        *(("18", WORDS, 2, None, False), ("18", WORDS, 102, 100, True), ("18", None, 2, 100, False)),
        *(("", None, 1, None, True), ("", None, 0, None, False), ("responsibilities", None, 1, None, True)),
        *(("=" * 80 + " 18", None, 3, None, True), (" " * 64 + "x = 18", None, 5, None, True)),
        ("x" * 13 + " y", None, 1, None, True),
        ("Sixteen words and", None, 1, None, False),
    ],
)
def test_what_can_be(text: str, reasoning: str | None, tokens: int, thought: int | None, kept: bool) -> None:
    answer = Completion(text, tokens, 71, "stop", None, reasoning, thought)
    assert counted(answer, None).tokens == (tokens if kept else None)


@pytest.mark.parametrize("details", [{"cached_tokens": 64}, {"cached_tokens": None}, {}, None])
def test_what_a_server_had_cached_is_in_the_row_where_it_tells(details: dict[str, Any] | None) -> None:
    usage = {"prompt_tokens": 71, "completion_tokens": 2, "prompt_tokens_details": details}
    reply = {"choices": [{"finish_reason": "stop", "text": "7"}], "usage": usage}
    meta = {"prompt_tokens": 71, "completion_tokens": 2, "finish_reason": {"type": "stop"}, **(details or {})}
    answers = (
        read_openai(json.dumps(reply).encode(), limit=9),
        read_sglang(json.dumps({"text": "7", "meta_info": meta}).encode(), 71, limit=9),
    )
    query = Query(Question("q", "How many?", "7"), "default", None, "sample", 0)
    told = (details or {}).get("cached_tokens")
    for answer in answers:
        assert (answer.prompt_tokens, answer.cached_tokens) == (71, told)
        assert row_of(EXPERIMENT, query, answer).get("cached_tokens", "absent") == (told or "absent")
