"""Models that think: telling thinking from the answer, keeping budgets, forced endings.

Also what servers report of an answer's tokens: impossible counts, and limits of their own.
"""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest

from harness.engines.base import Completion, Engine, Sampling
from harness.engines.forcing import ENDING, forced
from harness.engines.openai.reply import read_completion as read_openai
from harness.engines.sglang import read_completion as read_sglang
from harness.engines.thinking import TRIAL_BUDGET, apart, closed, not_kept, together
from harness.engines.token_ids import PromptTokens, counted
from harness.experiment import read_experiment
from harness.questions.load import Question
from harness.run.queries import Query
from harness.run.sampler import row_of, thought_of
from harness.store.row import is_row
from harness.tally.counts import Tally
from results import BadInput
from tests.harness.engines import servers as engines
from tests.harness.engines.servers import PROMPT, TINY, VLLM, Open, SGLang, Thinker, with_engine
from tests.harness.engines.tiny_copy import changed

pytestmark = pytest.mark.usefixtures("impatient")

RAW = ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>")
"""What gpt-oss writes before the thinking and before the answer; servers without its parser leave it in."""
THRICE = "a</think>b<think>##7##</think><think>"
TOKENS = PromptTokens(TINY, None, chat=True)
SIXTY = Sampling(200, temperature=1.0, thinking=60)


def answer(text: str, reasoning: str | None = None, tokens: int | None = None) -> Completion:
    return Completion(text, 9, 71, "stop", None, reasoning, tokens)


@pytest.mark.parametrize(
    ("written", "opened", "reasoning", "text"),
    [
        ("It is ##18##.", False, None, "It is ##18##."),
        ("<think>\n9 × 2\n</think>\n\nIt is ##18##.", False, "\n9 × 2\n", "\n\nIt is ##18##."),
        ("9 × 2\n</think>\n\nIt is ##18##.", True, "9 × 2\n", "\n\nIt is ##18##."),
        ("9 × 2\n</think>\n\nIt is ##18##.", False, "9 × 2\n", "\n\nIt is ##18##."),  # no opening tag
        ("<think>\nIs it ##7##? Wait", False, "\nIs it ##7##? Wait", ""),  # still thinking
        ("Is it ##7##? Wait", True, "Is it ##7##? Wait", ""),
        ("</think>It is ##18##.", False, "", "It is ##18##."),  # a budget of 0
        ("Tags are </b> and <i>.", False, None, "Tags are </b> and <i>."),
        (f"<think>{THRICE}</think>8", False, THRICE, "8"),
        (f"{RAW[0]}##7##{RAW[1]}##18##.", False, f"{RAW[0]}##7##{RAW[1]}", "##18##."),
        (f"{RAW[0]}Is it ##7##?", False, f"{RAW[0]}Is it ##7##?", ""),
        ("<|channel|>final<|message|>##18##.", False, "<|channel|>final<|message|>", "##18##."),
        ("analysisIs it ##7##? It isassistantfinal##18##.", False, ANY, "##18##."),
        ("analysisIs it ##7##? It is", False, ANY, ""),
        ("analysis of both: ##18##.", False, None, "analysis of both: ##18##."),
    ],
)
def test_thinking_is_no_part_of_an_answer(
    written: str, opened: bool, reasoning: str | None, text: str
) -> None:
    found = apart(answer(written), opened)
    assert (found.reasoning, found.text) == (reasoning, text)
    assert apart(answer(written, reasoning=""), opened=False).text == text or opened
    if opened or not written.endswith("##.") or written.startswith("<think>") or reasoning is None:
        assert together(found.reasoning, found.text, opened) == written


def test_a_second_thought_that_is_cut_off_has_said_nothing() -> None:
    cut = replace(answer("<think>a</think>##7##? <think>No"), finish_reason="length")
    found = apart(cut, opened=False)
    assert (found.reasoning, found.text) == ("a</think>##7##? <think>No", "")
    assert closed(together(found.reasoning, found.text, False), False) == f"{cut.text}\n</think>"
    literal = apart(replace(cut, finish_reason="stop"), opened=False)
    assert literal.text == "##7##? <think>No"


def test_what_a_server_has_set_apart_stays_so() -> None:
    given = answer("A </think> b", reasoning="c")
    assert apart(given, opened=True) == given


@pytest.mark.parametrize(
    ("said", "opened", "mark"),
    [
        *(("<think>so", False, "\n</think>"), ("so", True, "\n</think>")),
        *((f"{RAW[0]}so", False, RAW[1]), (f"{RAW[0]}so{RAW[1]}It", False, "")),
        *(("so", False, ""), ("<think>so</think>It", False, ""), ("so</think>It", True, "")),
    ],
)
def test_only_thinking_that_is_open_is_closed(said: str, opened: bool, mark: str) -> None:
    assert closed(said, opened) == said + mark


def test_a_budget_is_kept_if_all_thinking_is_within_it() -> None:
    assert not_kept(answer("7", "so", 40), 32) is None
    for other in (answer("7"), answer("7", "so", None), answer("7", "so", 400)):
        assert not_kept(other, 32)
    assert str(not_kept(answer("7", "so", None), 32)).startswith("let it think for an unknown number")


openai = partial(engines.openai, model=TINY, prompts=TOKENS, thinking=True)
completions = partial(openai, chat=False, prompts=None)
sglang = partial(engines.sglang, thinking=True)


def ask(server: Any, engine: Open, sampling: Sampling = SIXTY) -> tuple[Completion, Any]:
    """The answer, and the engine's description of itself."""

    async def work(engine: Any) -> tuple[Completion, Any]:
        return await engine.generate(PROMPT, sampling, seed=1), engine.describe()

    found: tuple[Completion, Any] = with_engine(server, engine, work)
    return found


@pytest.mark.parametrize(
    ("server", "engine", "sent", "form", "counted"),
    [
        (VLLM(), openai, {"thinking_token_budget": 60}, "thinking_token_budget", 62),
        (SGLang(), openai, {"custom_params": {"thinking_budget": 60}}, "custom_params.thinking_budget", 60),
        (SGLang(), sglang, {"max_thinking_tokens": 60, "require_reasoning": True}, None, 61),
    ],
)
def test_a_budget_of_thinking_is_sent_kept_and_counted(
    server: Thinker, engine: Open, sent: dict[str, Any], form: str | None, counted: int
) -> None:
    """Servers that count thinking tokens differ in how many of the two tags they include."""
    found, described = ask(server, engine)
    assert found.text.strip() == "The answer is ##18##."
    assert found.reasoning is not None
    assert found.reasoning.count(" is") == 60
    assert found.tokens == 1 + 60 + 1 + 4  # with both tags
    assert found.reasoning_tokens == counted
    assert server.requests[-1] | sent == server.requests[-1]
    assert described.get("request", {}).get("thinking_budget") == form
    assert not ask(server, engine, replace(SIXTY, thinking=0))[0].reasoning
    if engine is sglang:
        assert "thinking" not in server.requests[-1]["sampling_params"]
        assert server.requests[0]["max_thinking_tokens"] == TRIAL_BUDGET


@pytest.mark.parametrize(
    ("server", "engine", "said"),
    [
        (VLLM(keeps=False), openai, "thinking_token_budget: let it think for"),
        (VLLM(parser=False), openai, "reasoning_config is not configured"),
        (SGLang(keeps=False), openai, "custom_params.thinking_budget: let it think for"),
        (SGLang(strict=False), sglang, "--enable-strict-thinking"),
        (SGLang(keeps=False), sglang, "let it think for"),
    ],
)
def test_a_server_that_would_ignore_budgets_is_refused(server: Thinker, engine: Open, said: str) -> None:
    server.thinks = 500
    with pytest.raises(BadInput, match="budget_by=force") as refusal:
        ask(server, engine)
    assert said in refusal.value.message
    assert "\n" not in refusal.value.message


@pytest.mark.parametrize(
    ("server", "engine"),
    [(VLLM(), openai), (VLLM(parser=False), openai), (VLLM(), completions), (SGLang(), sglang)],
)
def test_without_budgets_no_server_is_tried_and_thinking_is_still_no_answer(
    server: Thinker, engine: Open
) -> None:
    def untried(url: str) -> Any:
        return engine(url, thinking=False)

    whole, _ = ask(server, untried, Sampling(200, temperature=1.0))
    assert (whole.text.strip(), whole.tokens) == ("The answer is ##18##.", 1 + 100 + 1 + 4)
    assert not [body for body in server.requests if TRIAL_BUDGET in body.values()]
    cut, _ = ask(server, untried, Sampling(50, temperature=1.0))
    assert (cut.text, cut.finish_reason, cut.tokens) == ("", "length", 50)
    assert cut.reasoning


@pytest.mark.parametrize(("limit", "told"), [(200, 102), (50, 50)])
def test_the_tokens_of_hidden_thinking_are_kept(limit: int, told: int) -> None:
    server = VLLM(hides=True)
    found, _ = ask(server, lambda url: openai(url, thinking=False), Sampling(limit, temperature=1.0))
    assert (found.reasoning, found.reasoning_tokens) == (None, told)
    assert thought_of(found) == {"reasoning_tokens": told}
    kept, _ = ask(VLLM(hides=True), openai)
    assert kept.reasoning_tokens == 62


def test_fields_of_the_experiment_go_into_every_request() -> None:
    fields: dict[str, Any] = {"chat_template_kwargs": {"enable_thinking": True}, "reasoning_effort": "high"}
    server = VLLM()
    ask(server, lambda url: openai(url, fields=fields))
    assert all(fields.items() <= body.items() for body in server.requests)
    other = SGLang()
    ask(other, lambda url: sglang(url, fields={"sampling_params": {"min_p": 0.1, "n": 7}, "priority": 3}))
    assert all(body["priority"] == 3 and body["sampling_params"]["min_p"] == 0.1 for body in other.requests)
    assert other.requests[-1]["sampling_params"]["n"] == 1


def with_template(folder: Path, template: str, **arguments: Any) -> PromptTokens:
    """The tiny model's tokenizer with another chat template."""
    return PromptTokens(changed(folder, {"chat_template.jinja": template}), None, True, arguments)


def test_a_template_gets_its_arguments_and_may_open_the_thinking(tmp_path: Path) -> None:
    thinks = "{% if enable_thinking is not defined or enable_thinking %}<think>\n{% endif %}"
    template = "{{ messages[0].content }}" + thinks
    on, off = with_template(tmp_path, template), with_template(tmp_path, template, enable_thinking=False)
    assert (on.opens_thinking("Hi"), off.opens_thinking("Hi")) == (True, False)
    assert on.encode("Hi") == off.encode("Hi") + off.plain("<think>\n")
    base = PromptTokens(TINY, None, chat=False)
    assert base.opens_thinking("Hi <think>\n")


@pytest.mark.parametrize("opened", [False, True])
def test_a_forced_ending_closes_the_thinking_first(opened: bool, tmp_path: Path) -> None:
    opening = "<think>" if opened else ""
    prompts = with_template(tmp_path, "{{ messages[0].content }}" + opening)
    thought: dict[str, Any] = {"reasoning": "\nClara has 12 eggs, so", "reasoning_tokens": 8}
    cut = Completion("", 8, len(prompts.encode(PROMPT)), "length", None, **thought)
    short = Sampling(8, temperature=1.0, thinking=4)

    server = VLLM()
    found = with_engine(
        server,
        partial(openai, prompts=prompts, thinking=False),
        lambda engine: forced(engine, PROMPT, cut, short, seed=3),
    )
    said = f"{cut.reasoning}\n</think>{ENDING}"
    assert server.requests[-1]["prompt"] == list(prompts.go_on(PROMPT, said if opened else f"<think>{said}"))
    assert "thinking_token_budget" not in server.requests[-1]
    assert (found.text, found.reasoning, found.finish_reason) == (ENDING + "18##.", cut.reasoning, "forced")
    assert found.tokens == len(server.requests[-1]["prompt"]) - cut.prompt_tokens + 2


@pytest.mark.parametrize("path", ["", "/v1"])
def test_vllm_taken_for_sglang_is_told_from_it(path: str) -> None:
    with pytest.raises(BadInput, match="--set engine=openai"):
        ask(VLLM(), lambda url: sglang(url.rstrip("/") + path))


WORDS = " ".join(["Twelve apples are shared by three children."] * 14)
LIMIT = 200
EXPERIMENT = read_experiment("tiny").model_copy(
    update={"budgets": (), "tokens_per_budget": 0.0, "tokens_extra": LIMIT, "samples": 3}
)
SERVERS = [(VLLM, openai), (SGLang, sglang)]


def sampled(server: Any, engine: Any) -> tuple[list[dict[str, Any]], Tally]:
    """The rows of three answers, and their tally."""
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
    tally.add(rows[0] | {"question_id": "other", "tokens": 20})
    (warning,) = [line for line in tally.warnings(Path("run")) if "max_new_tokens" in line]
    assert all(said in warning for said in ("4 of 4 answers", "50 tokens", f"limit is {LIMIT}"))
    assert tally.summary()["settings"][0]["cut_short"] == 4
    for others in (server(), server(thinks=500)):  # not cut off, or cut off at our limit
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


@pytest.mark.parametrize(
    ("fields", "thought"),
    [
        ({}, None),
        ({"reasoning_content": "9 × 2", "reasoning": None}, "9 × 2"),
        ({"reasoning_content": "", "reasoning": "9 × 2"}, "9 × 2"),
        ({"reasoning_content": "9 × 2", "reasoning": ""}, "9 × 2"),
        ({"reasoning_content": {"parts": 1}, "reasoning": "9 × 2"}, "9 × 2"),
    ],
)
def test_thinking_is_found_in_whichever_field_has_it(fields: dict[str, Any], thought: str | None) -> None:
    choice = {"finish_reason": "stop", "message": {"content": "##18##", **fields}}
    reply = {"choices": [choice], "usage": {"prompt_tokens": 71, "completion_tokens": 9}}
    answer = read_openai(json.dumps(reply).encode(), limit=9)
    assert (answer.text, answer.reasoning) == ("##18##", thought)
    choice["message"] |= {"content": None, "refusal": "I cannot say."}
    assert read_openai(json.dumps(reply).encode(), limit=9).text == "I cannot say."
