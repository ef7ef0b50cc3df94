"""Stored answers cut and ended by force: by a real model, by servers, and resumed after a kill."""

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from harness.engines.base import Completion, Sampling
from harness.engines.forcing import ENDING
from harness.engines.openai.engine import OpenAIEngine
from harness.engines.token_ids import PromptTokens
from harness.questions.load import load_questions
from harness.run.cut_answers import FINAL_TOKENS, Stored
from harness.run.queries import prompt_for
from results import build_curves, read_samples
from tests.harness.commands import command, exit_status
from tests.harness.engines.servers import TINY, VLLM, openai, with_engine
from tests.harness.run.real_run import really
from tests.harness.run.rows import change_record, record_in, rewrite
from tests.harness.run.rows import stored as rows_in

TOKENS = PromptTokens(TINY, None, chat=True)
LENGTHS = (5, 15, 25, 35)
Fails = Callable[..., str]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the tiny model: five questions, one budget, four answers of about 40 tokens."""
    return really(tmp_path_factory.mktemp("source"), budgets=(40,), logprobs=True)


@pytest.fixture
def fails(capsys: pytest.CaptureFixture[str]) -> Fails:
    def run_it(*arguments: object) -> str:
        capsys.readouterr()
        assert exit_status("force", *arguments) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        return error

    return run_it


def force(source: Path, out: Path, lengths: tuple[int, ...] = LENGTHS, *more: object) -> str:
    done = command("force", source, "--at", ",".join(map(str, lengths)), "--out", out, *more)
    assert done.exit_code == 0, done.output
    return done.output


def copied(source: Path, to: Path) -> Path:
    return Path(shutil.copytree(source, to))


def by_key(folder: Path) -> dict[tuple[str, str, int], dict[str, Any]]:
    return {(row["question_id"], row["setting"], row["sample"]): row for row in rows_in(folder)}


def keys_of(rows: list[dict[str, Any]], lengths: tuple[int, ...]) -> set[tuple[str, str, int]]:
    """The keys of these answers, ended at these lengths."""
    return {(row["question_id"], f"forced={at}", row["sample"]) for row in rows for at in lengths}


def test_the_same_answers_are_ended_at_every_length(source: Path, tmp_path: Path) -> None:
    whole = {(row["question_id"], row["sample"]): row for row in rows_in(source)}
    one = TOKENS.count(next(iter(whole.values()))["text"])  # kept as it is at its own length
    lengths = tuple(sorted({*LENGTHS, one}))
    said = force(source, tmp_path / "new", lengths)
    assert "paired" in said
    found = by_key(tmp_path / "new")
    assert found.keys() == keys_of(rows_in(source), lengths)
    kept = counted = tokenized_alike = 0
    for (question, setting, number), row in found.items():
        before, length = whole[question, number], int(setting.removeprefix("forced="))
        if TOKENS.count(before["text"]) <= length:
            kept += 1
            assert {**row, "setting": "40"} == before
            continue
        beginning, ended, final = row["text"].partition(ENDING)
        assert ended
        assert before["text"].startswith(beginning)
        if TOKENS.count(beginning) == length and "<|" not in row["text"]:  # tokenized as drawn
            counted += 1
            written = TOKENS.count(beginning + ENDING)
            assert written < row["tokens"] <= written + FINAL_TOKENS
            tokenized_alike += row["tokens"] - written >= TOKENS.count(final.strip()) - 1
        assert (row["finish_reason"], row["prompt_tokens"]) == ("forced", before["prompt_tokens"])
        assert row["gold"] == before["gold"]
    assert 0 < kept < len(found)  # some of the 20 answers have more than five tokens
    assert tokenized_alike > counted / 2  # one in thousands is split into more tokens than it was drawn in
    curves = build_curves(read_samples(tmp_path / "new"), ns=[1], permutations=0)
    assert curves["setting"].unique().tolist() == [f"forced={length}" for length in lengths]


def test_a_run_that_was_killed_goes_on_where_it_stopped_and_with_what_came_since(
    source: Path, tmp_path: Path, fails: Fails
) -> None:
    """Endings made before are kept; if the source has other answers now, nothing is ended."""
    rows, grown, new = rows_in(source), copied(source, tmp_path / "grown"), tmp_path / "new"
    rewrite(grown, rows[:6])  # fewer than planned
    force(grown, new, (5, 15, 5))
    assert by_key(new).keys() == keys_of(rows[:6], (5, 15))
    whole = by_key(new)
    lines = (new / "samples.jsonl").read_text().splitlines(keepends=True)
    (new / "samples.jsonl").write_text("".join(lines[:7]) + lines[7][:40])
    force(grown, new, (5, 15))
    before = rows_in(new)
    assert [json.dumps(row, ensure_ascii=False) + "\n" for row in before[:7]] == lines[:7]
    assert by_key(new).keys() == whole.keys()
    rewrite(grown, rows)
    force(grown, new, (5, 15, 25))  # another length may be added later
    assert rows_in(new)[:12] == before
    assert by_key(new).keys() == keys_of(rows, (5, 15, 25))
    came_from = record_in(new)["experiment"]["forced_from"]
    assert came_from == Stored(grown, out=new).came_from
    assert came_from["answers"] == 6
    rewrite(grown, [rows[7], *rows[1:]])
    assert "another forced_from" in fails(grown, "--at", 5, "--out", new)


def test_what_cannot_be_ended_is_said_in_one_line(source: Path, tmp_path: Path, fails: Fails) -> None:
    out = tmp_path / "out"
    assert "no run.json" in fails(tmp_path, "--at", 5, "--out", out)
    assert "another folder" in fails(source, "--at", 5, "--out", source)
    other = fails(source, "--at", 5, "--setting", 50, "--out", out)
    assert "no answers with setting '50'; there are 40" in other
    for lengths in ("0,5", "x", "", "5,"):
        assert "list of" in fails(source, "--at", lengths, "--out", out)
    assert "hashes" in fails(source, "--at", 5, "--set", "readers=boxed", "--out", out)
    read_again = copied(source, tmp_path / "read_again")
    assert command("regrade", read_again, "--reader", "boxed").exit_code == 0
    assert "--set readers=hashes,boxed" in fails(read_again, "--at", 5, "--out", out)
    force(read_again, tmp_path / "as told", (5,), "--set", "readers=hashes,boxed", "--limit", 1)
    assert "no such folder" in fails(source, "--at", 5, "--set", f"model={tmp_path / 'gone'}", "--out", out)
    two = really(tmp_path / "two", budgets=(10, 30), limit=1)
    rewrite(two, sorted(rows_in(two), key=lambda row: -int(row["setting"])))  # as answers may arrive
    assert "give --setting; there are 10, 30" in fails(two, "--at", 5, "--out", out)
    rewrite(two, [row | {"text": None} for row in rows_in(two)])
    assert "row 1: no text" in fails(two, "--at", 5, "--setting", 10, "--out", out)
    assert not (out / "samples.jsonl").exists()


def test_answers_of_two_runs_are_not_mixed(source: Path, tmp_path: Path, fails: Fails) -> None:
    new, other = tmp_path / "new", really(tmp_path / "other", budgets=(40,), logprobs=True)
    force(source, new, (5,))
    assert "another forced_from" in fails(other, "--at", 5, "--out", new)
    assert "forced already" in fails(new, "--at", 5, "--out", tmp_path / "third")
    assert exit_status("sample", "tiny", "--set", "budgets=5", "--out", new) == 2
    for digest, what in (("questions_sha256", "set of questions"), ("prompt_sha256", "prompt text")):
        change_record(other, lambda record, digest=digest: record | {digest: "0"})
        assert f"another {what}" in fails(other, "--at", 5, "--out", tmp_path / "fourth")


def test_an_answer_cut_while_it_thinks_is_ended_after_its_thinking(source: Path, tmp_path: Path) -> None:
    thinking = copied(source, tmp_path / "thinking")
    first = rows_in(source)[0]
    first |= {
        "reasoning": " is" * 30,
        "text": "\n\nThe answer is ##18##.",
        "reasoning_tokens": 30,
        "cached_tokens": 64,
    }
    rewrite(thinking, [first])
    change_record(thinking, lambda record: record | {"experiment": record["experiment"] | {"greedy": True}})
    stored = Stored(thinking)
    plan = stored.experiment((20, 200), {"engine": "openai", "url": "http://x", "model": TINY})
    assert not plan.greedy  # only its samples are cut
    stored.load_tokenizer(plan)
    short, long = stored.remaining(plan, load_questions("tiny"), {})
    prompt = prompt_for(plan, short)
    server = VLLM()

    async def work(engine: OpenAIEngine) -> list[Completion]:
        how = Sampling(20, temperature=1.0)
        return [await stored.forced(engine, one, prompt, how, seed=1) for one in (short, long)]

    ended, whole = with_engine(server, partial(openai, model=TINY, prompts=TOKENS), work)
    body = server.requests[-1]
    opening = TOKENS.count("<think>")
    said = f"<think>{' is' * (20 - opening)}\n</think>{ENDING}"
    assert body["prompt"] == list(TOKENS.go_on(prompt, said))
    assert body["max_tokens"] == FINAL_TOKENS
    assert (ended.text, ended.tokens) == (f"{ENDING}18##.", TOKENS.count(said) + 2)
    assert ended.reasoning == " is" * (20 - opening)
    assert ended.reasoning_tokens == 20 - opening
    as_before = first["text"], first["reasoning"], first["tokens"], first["cached_tokens"]
    assert (whole.text, whole.reasoning, whole.tokens, whole.cached_tokens) == as_before
    assert "Use around 40" in prompt  # as for the stored answers
