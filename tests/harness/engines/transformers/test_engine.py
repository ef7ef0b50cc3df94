"""The local engine's answers: cut at the stop string, counted, drawn again, and stopped when it is closed."""

import asyncio
import json
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from harness.engines.base import Completion, EngineError, EngineGone, Sampling
from harness.engines.factory import engine_for
from harness.engines.transformers.decoding import Request
from harness.engines.transformers.engine import BATCH_ROWS, TransformersEngine
from harness.engines.transformers.stopping import StopRule
from tests.harness.engines.sglang_responder import PROMPT, PROMPT_TOKENS, SAMPLING, TINY
from tests.harness.run.real_run import experiment


def with_engine(work: Callable[[TransformersEngine], Awaitable[Any]]) -> Any:
    """What `work` returns, given an engine with the tiny model."""

    async def run() -> Any:
        async with TransformersEngine(TINY, revision=None, chat=True) as engine:
            return await work(engine)

    return asyncio.run(asyncio.wait_for(run(), 60))


def endless(engine: TransformersEngine) -> None:
    """Let no answer end by itself."""
    engine._stop_rule = lambda stop: StopRule(engine._prompts.tokenizer, frozenset(), stop)  # type: ignore[assignment]


def draw(*requests: tuple[str, int, Sampling, int]) -> list[list[Completion]]:
    """The local engine's answers to requests that are made at the same time."""
    found: list[list[Completion]] = with_engine(
        lambda engine: asyncio.gather(*(engine.generate(*request) for request in requests))
    )
    return found


def test_local_answers_are_cut_before_the_stop_string_and_counted_with_it() -> None:
    (answers,) = draw((PROMPT, 8, SAMPLING, 1))
    assert len(answers) == 8
    for completion in answers:
        assert "[END]" not in completion.text
        assert completion.prompt_tokens == PROMPT_TOKENS
        assert 1 <= completion.tokens <= 64
    stopped = [completion for completion in answers if completion.finish_reason == "stop"]
    assert stopped
    assert all(completion.text.endswith(". ") for completion in stopped)


def test_an_answer_that_ends_just_at_its_limit_has_stopped() -> None:
    ((whole,),) = draw((PROMPT, 1, Sampling(180, 0.0, stop=("[END]",)), 1))
    for limit, reason in ((whole.tokens, "stop"), (whole.tokens - 1, "length")):
        ((answer,),) = draw((PROMPT, 1, Sampling(limit, 0.0, stop=("[END]",)), 1))
        assert (answer.tokens, answer.finish_reason) == (limit, reason)


def test_local_requests_of_different_kinds_are_answered_side_by_side() -> None:
    greedy = Sampling(max_new_tokens=64, temperature=0.0, stop=("[END]",))
    short = Sampling(max_new_tokens=2, temperature=1.0)
    asked = (PROMPT, 3, greedy, 1), (PROMPT, 200, short, 2), (PROMPT, 100, short, 3)
    rows: list[int] = []

    async def work(engine: TransformersEngine) -> list[list[Completion]]:
        step = engine._decoder.step

        def counted() -> Any:
            rows.append(engine._decoder.rows)
            return step()

        engine._decoder.step = counted  # type: ignore[method-assign]
        return await asyncio.gather(*(engine.generate(*request) for request in asked))

    first, second, third = with_engine(work)
    assert 203 <= max(rows) <= BATCH_ROWS
    assert len({completion.text for completion in first}) == 1
    assert {(c.tokens, c.finish_reason) for c in [*second, *third]} == {(2, "length")}
    assert (len(second), len(third)) == (200, 100)


def test_local_answers_can_be_drawn_again() -> None:
    assert draw((PROMPT, 4, SAMPLING, 7)) == draw((PROMPT, 4, SAMPLING, 7))


@pytest.mark.parametrize(
    ("of_model", "of_tokenizer", "ends"),
    [(None, "<|end|>", {4}), (4, "<|pad|>", {0, 4}), ([4, 7], None, {4, 7}), (4, "<|end|>", {4})],
)
def test_an_answer_ends_with_the_end_tokens_of_the_model_and_of_its_tokenizer(
    of_model: int | list[int] | None, of_tokenizer: str | None, ends: set[int], tmp_path: Path
) -> None:
    shutil.copytree(TINY, tmp_path, dirs_exist_ok=True)
    for name, end in (
        ("generation_config", of_model),
        ("config", of_model),
        ("tokenizer_config", of_tokenizer),
    ):
        file = tmp_path / f"{name}.json"
        key = "eos_token" if name == "tokenizer_config" else "eos_token_id"
        file.write_text(json.dumps(json.loads(file.read_text()) | {key: end}))

    async def run() -> set[int]:
        async with TransformersEngine(str(tmp_path), revision=None, chat=True) as engine:
            rule = engine._stop_rule(())
            return {token for token in range(50) if rule.ends([token])}

    assert asyncio.run(run()) == ends


def test_a_model_runs_in_half_precision_where_that_is_asked_for() -> None:
    async def run() -> dict[str, Any]:
        plan = experiment(engine="transformers", device="cpu", dtype="bfloat16")
        async with engine_for(plan, Path("log"), print) as engine:
            return engine.describe()

    assert asyncio.run(run())["dtype"] == "bfloat16"


def test_a_prompt_and_its_answer_must_fit_into_the_context() -> None:
    async def work(engine: TransformersEngine) -> None:
        engine._model.config.max_position_embeddings = PROMPT_TOKENS + 4
        assert len(await engine.generate(PROMPT, 2, Sampling(4, 1.0), 1)) == 2
        with pytest.raises(EngineError, match=str(PROMPT_TOKENS)):
            await engine.generate(PROMPT, 2, Sampling(5, 1.0), 1)

    with_engine(work)


def test_what_goes_wrong_in_the_model_fails_the_requests_under_way_and_no_others() -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise IndexError("index out of range in self")

    async def work(engine: TransformersEngine) -> None:
        forward, engine._model.forward = engine._model.forward, broken
        asked = (engine.generate(PROMPT, 200, SAMPLING, seed) for seed in range(4))  # more than fit at once
        found = await asyncio.gather(*asked, return_exceptions=True)
        assert [type(error) for error in found] == [EngineError] * 4
        assert "IndexError" in str(found[-1])
        engine._model.forward = forward
        assert len(await engine.generate(PROMPT, 2, SAMPLING, 1)) == 2

    with_engine(work)


def test_an_answer_whose_tokens_make_no_text_fails_its_request_only(monkeypatch: pytest.MonkeyPatch) -> None:
    text, calls = StopRule.text, list[int]()

    def broken(rule: StopRule, tokens: list[int]) -> str:
        calls.append(len(tokens))
        if len(calls) == 2:
            raise IndexError("no such token")
        return text(rule, tokens)

    async def work(engine: TransformersEngine) -> list[Any]:
        asked = (engine.generate(PROMPT, 4, SAMPLING, seed) for seed in range(3))
        return await asyncio.gather(*asked, return_exceptions=True)

    monkeypatch.setattr(StopRule, "text", broken)
    (failed,) = [found for found in with_engine(work) if isinstance(found, EngineError)]
    assert "IndexError: no such token" in str(failed)
    assert len(calls) == 2 + 4 + 4


def test_a_request_that_cannot_be_begun_fails_and_the_next_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second waits until the first has left room; the third comes after it."""

    async def work(engine: TransformersEngine) -> list[Any]:
        add = engine._decoder.add

        def begin(request: Request) -> None:
            if request.seed == 2:
                raise IndexError("index out of range in self")
            add(request)

        endless(engine)
        monkeypatch.setattr(engine._decoder, "add", begin)
        asked = (engine.generate(PROMPT, 200, Sampling(4, 1.0), seed) for seed in (1, 2, 3))
        return await asyncio.gather(*asked, return_exceptions=True)

    first, second, third = with_engine(work)
    assert (len(first), type(second), len(third)) == (200, EngineError, 200)


def test_requests_that_wait_when_the_engine_closes_fail() -> None:
    async def run() -> None:
        async with TransformersEngine(TINY, revision=None, chat=True) as engine:
            endless(engine)
            requests = (engine.generate(PROMPT, 200, Sampling(3000, 1.0), seed) for seed in range(3))
            asked = [asyncio.create_task(request) for request in requests]
            await asyncio.sleep(0.2)
        for error in await asyncio.gather(*asked, return_exceptions=True):
            assert isinstance(error, EngineGone)
        with pytest.raises(EngineGone):
            await engine.generate(PROMPT, 1, SAMPLING, 1)

    asyncio.run(asyncio.wait_for(run(), 60))


def test_a_tokenizer_that_is_not_the_model_s_fails_by_request() -> None:
    async def work(engine: TransformersEngine) -> None:
        engine._model.resize_token_embeddings(max(engine._prompts.encode(PROMPT)))
        with pytest.raises(EngineError, match="tokenizer"):
            await engine.generate(PROMPT, 1, SAMPLING, 1)

    with_engine(work)
