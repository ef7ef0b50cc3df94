"""The in-process engine: answers cut at the stop string, counted, in random order, stopped on closing."""

import asyncio
import threading
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from harness.engines.base import Completion, Sampling
from harness.engines.ctranslate2 import in_process as module
from harness.engines.ctranslate2.batches import MOST_ROWS
from harness.engines.ctranslate2.end_of_answer import EndOfAnswer
from harness.engines.ctranslate2.in_process import CTranslate2Engine
from harness.engines.factory import engine_for
from harness.errors import EngineError, EngineGone
from harness.experiment import read_experiment
from results import BadInput
from tests.harness.engines.servers import PROMPT, PROMPT_TOKENS, SAMPLING, TINY, several
from tests.harness.engines.tiny_copy import changed
from tests.harness.run.real_run import experiment

GREEDY = Sampling(max_new_tokens=64, temperature=0.0, stop=("[END]",))


def with_engine(work: Callable[[CTranslate2Engine], Awaitable[Any]], location: str = TINY) -> Any:
    """The result of `work` with an engine of the tiny model."""

    async def run() -> Any:
        async with CTranslate2Engine(location, revision=None, chat=True) as engine:
            return await work(engine)

    return asyncio.run(asyncio.wait_for(run(), 60))


def draw(*requests: tuple[str, int, Sampling]) -> list[list[Completion]]:
    """The engine's answers to (prompt, number, sampling) requests sent at the same time."""
    found: list[list[Completion]] = with_engine(
        lambda engine: asyncio.gather(*(several(engine, *request) for request in requests))
    )
    return found


def watch_every_token(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the engine treat the tiny model as large, but leave this process's memory handling alone."""
    monkeypatch.setattr(module, "SMALL", 0)
    monkeypatch.setattr(module, "keep_freed_memory", lambda: None)


@pytest.fixture(params=["watched", "unwatched"])
def watched(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether an answer is ended by a callback for each token, or by the tokens that end any answer."""
    if request.param == "watched":
        watch_every_token(monkeypatch)
    return bool(request.param == "watched")


@pytest.mark.usefixtures("watched")
def test_answers_are_cut_before_the_stop_string_and_counted_with_it() -> None:
    """The eight random answers are checked for what holds of any text; the greedy one is always the same."""
    answers, (likeliest,) = draw((PROMPT, 8, SAMPLING), (PROMPT, 1, GREEDY))
    assert len(answers) == 8
    for completion in (*answers, likeliest):
        assert "[END]" not in completion.text
        assert completion.prompt_tokens == PROMPT_TOKENS
        assert 1 <= completion.tokens <= 64
        assert completion.finish_reason == "stop" or completion.tokens == 64
        assert completion.seed is None
    assert likeliest.finish_reason == "stop"
    assert likeliest.text.endswith(". ")


@pytest.mark.usefixtures("watched")
def test_an_answer_ends_at_the_last_token_of_a_stop_string_or_at_its_limit() -> None:
    ((whole,),) = draw((PROMPT, 1, GREEDY))
    said, tokens = whole.text[: whole.text.index("answer is")], whole.tokens
    # ' ##', '1 0', '##', '.', ' [END]': each digit is a token
    asked = [(64, ("answer is", "never")), (tokens, GREEDY.stop), (tokens - 1, GREEDY.stop)]
    found = draw(*[(PROMPT, 1, Sampling(limit, 0.0, stop=stop)) for limit, stop in asked])
    assert found[0][0].text == said
    assert [(answer.tokens, answer.finish_reason) for (answer,) in found] == [
        (tokens - 5, "stop"),
        (tokens, "stop"),
        (tokens - 1, "length"),
    ]


def test_requests_of_different_kinds_are_answered_side_by_side() -> None:
    short = Sampling(max_new_tokens=2, temperature=1.0)
    asked = (PROMPT, 3, GREEDY), (PROMPT, 200, short), (PROMPT, 100, short)

    first, second, third = draw(*asked)

    assert len({completion.text for completion in first}) == 1
    cut = [c.tokens for c in [*second, *third] if c.finish_reason == "length"]  # one may end by itself
    assert set(cut) == {2}
    assert max(c.tokens for c in [*second, *third]) == 2
    assert (len(first), len(second), len(third)) == (3, 200, 100)


def test_answers_come_in_an_order_that_says_nothing_of_them() -> None:
    """CTranslate2 returns the likeliest first, and forecasts are made from the first few answers.

    A budget of 10 gives guesses. The commonest is among the likeliest: if sorted, it would appear only in the
    first half of the answers. In random order half of its places are there, give or take 7 standard errors:
    the probability of a false alarm is 10⁻¹¹.
    """
    prompt = PROMPT.replace("40", "10")
    rounds = draw(*[(prompt, MOST_ROWS, SAMPLING)] * 40)

    (commonest, times), *_ = Counter(c.text for found in rounds for c in found).most_common(1)
    places = [place for found in rounds for place, c in enumerate(found) if c.text == commonest]
    in_first_half = sum(place < MOST_ROWS / 2 for place in places) / times
    assert times >= 100
    assert abs(in_first_half - 0.5) < 7 * 0.5 / times**0.5


def test_no_two_requests_share_their_random_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one seed for all threads, CTranslate2 would draw the same answers to the same prompt."""
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    prompt = PROMPT.replace("40", "10")
    rounds = draw(*[(prompt, 32, Sampling(9, 1.5))] * 6)
    texts = [tuple(completion.text for completion in found) for found in rounds]
    assert len(set(texts)) == len({tuple(sorted(found)) for found in texts}) == 6


@pytest.mark.parametrize(
    ("of_model", "of_tokenizer", "ends"),
    [(None, "<|end|>", {4}), (3, "<|pad|>", {0, 3}), ([3, 7], None, {3, 7}), (4, "<|end|>", {4})],
)
def test_an_answer_ends_with_the_end_tokens_of_the_model_and_of_its_tokenizer(
    of_model: int | list[int] | None, of_tokenizer: str | None, ends: set[int], tmp_path: Path
) -> None:
    files: dict[str, Any] = {"ctranslate2/config.json": {"eos_token": of_tokenizer or "<|assistant|>"}}
    files["tokenizer_config.json"] = {"eos_token": of_tokenizer}
    for name in ("generation_config.json", "config.json"):
        files[name] = {"eos_token_id": of_model}

    async def work(engine: CTranslate2Engine) -> set[int]:
        rule = engine._end(())
        assert rule.enders() == (sorted(ends), True)
        return {token for token in range(50) if rule.ends([token])}

    assert with_engine(work, changed(tmp_path, files)) == ends


def test_the_precision_is_that_asked_for_and_one_that_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    async def describe(dtype: str) -> dict[str, Any]:
        plan = experiment(engine="ctranslate2", device="cpu", dtype=dtype)
        async with engine_for(plan, Path("log"), print) as engine:
            await several(engine, PROMPT, 2, SAMPLING)
            return engine.describe()

    assert asyncio.run(describe("float32"))["dtype"] == "float32"
    assert asyncio.run(describe("int8"))["dtype"].startswith("int8")
    monkeypatch.setattr(module.ctranslate2, "Generator", raising(ValueError("no efficient float16")))
    with pytest.raises(BadInput, match="no efficient float16"):
        asyncio.run(describe("float16"))
    monkeypatch.setattr(module.ctranslate2, "get_cuda_device_count", lambda: 8)
    small = engine_for(read_experiment("tiny"), Path("log"), print)
    assert isinstance(small, CTranslate2Engine)
    assert small._device == "cpu"  # although there is a GPU
    monkeypatch.setattr(module.ctranslate2, "get_cuda_device_count", lambda: 0)
    with pytest.raises(BadInput, match="cannot use a GPU"):
        CTranslate2Engine(TINY, revision=None, chat=True, device="cuda")


def raising(error: Exception) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        raise error

    return fail


def test_threads_are_those_the_environment_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert module.thread_count() == 3
    for nothing in ("", "0", "many"):
        monkeypatch.setenv("OMP_NUM_THREADS", nothing)
        assert module.thread_count() >= 1


def test_a_prompt_and_its_answer_must_fit_into_the_context() -> None:
    async def work(engine: CTranslate2Engine) -> None:
        engine._context = PROMPT_TOKENS + 4
        assert len(await several(engine, PROMPT, 2, Sampling(4, 1.0))) == 2
        with pytest.raises(EngineError, match=str(PROMPT_TOKENS)):
            await several(engine, PROMPT, 2, Sampling(5, 1.0))

    with_engine(work)


def test_a_tokenizer_that_is_not_the_model_s_fails_by_request() -> None:
    async def work(engine: CTranslate2Engine) -> None:
        ids, names = engine._prompts.encode(PROMPT), list(engine._names)
        engine._names = names[: max(ids)]
        with pytest.raises(EngineError, match="tokenizer"):
            await engine.generate(PROMPT, SAMPLING, 1)
        engine._names = ["another" if token == ids[5] else name for token, name in enumerate(names)]
        with pytest.raises(EngineError, match="tokenizer"):
            await engine.generate(PROMPT, SAMPLING, 1)

    with_engine(work)


@pytest.mark.parametrize(
    ("place", "name"), [(CTranslate2Engine, "_draw"), (EndOfAnswer, "ends"), (EndOfAnswer, "text")]
)
def test_what_goes_wrong_in_the_model_or_in_reading_it_fails_the_requests_under_way_and_no_others(
    place: type, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This includes errors raised in the callback, which runs in a thread of CTranslate2."""
    watch_every_token(monkeypatch)

    async def work(engine: CTranslate2Engine) -> None:
        with monkeypatch.context() as broken:
            broken.setattr(place, name, raising(RuntimeError("out of memory")))
            asked = (engine.generate(PROMPT, SAMPLING, seed) for seed in range(40))
            found = await asyncio.gather(*asked, return_exceptions=True)
        assert [type(error) for error in found] == [EngineError] * 40
        assert "out of memory" in str(found[-1])
        assert len(await several(engine, PROMPT, 2, SAMPLING)) == 2

    with_engine(work)


def test_closing_breaks_off_what_is_watched_and_fails_what_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    watch_every_token(monkeypatch)
    begun = threading.Event()

    def endless(_rule: EndOfAnswer, _tokens: list[int]) -> bool:
        begun.set()
        return False

    async def run() -> None:
        async with CTranslate2Engine(TINY, revision=None, chat=True) as engine:
            monkeypatch.setattr(
                EndOfAnswer, "enders", lambda _rule: ([2], True)
            )  # never written by the model
            monkeypatch.setattr(EndOfAnswer, "ends", endless)
            requests = (engine.generate(PROMPT, Sampling(4000, 1.0), seed) for seed in range(300))
            asked = [asyncio.create_task(request) for request in requests]
            await asyncio.to_thread(begun.wait, 30)
        for error in await asyncio.gather(*asked, return_exceptions=True):
            assert isinstance(error, EngineGone)
        with pytest.raises(EngineGone):
            await engine.generate(PROMPT, SAMPLING, 1)

    asyncio.run(asyncio.wait_for(run(), 60))
