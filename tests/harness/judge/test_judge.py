"""tts judge: scores by hand, equal answers judged once, retries of missing verdicts, rewards, refusals."""

import asyncio
import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

import prompts
from harness.engines.base import Completion
from harness.engines.rewards import OpenAIRewards, rewards_for
from harness.engines.token_ids import PromptTokens
from harness.experiment import Experiment
from harness.http.connection import METRICS
from harness.judge.distinct import Asked
from harness.judge.run import OF_THE_MODEL, Judged, judge_of
from harness.judge.scores import judge_identity
from harness.judge.verdicts import asked_yes_or_no
from harness.store.resume import locked
from harness.store.samples_file import SAMPLES
from tests.harness.commands import exit_status
from tests.harness.judge.judging import (
    ANSWERS,
    CAUTIOUS,
    CHAT,
    GOLDS,
    MODEL,
    SCORES,
    TOKENS,
    Server,
    decoded,
    folder_of,
    judge,
    rows_of,
    scores,
    summary,
    verdicts,
)
from tests.harness.run.real_run import really
from tests.harness.run.rows import rewrite

UNHEARD = (*CHAT, "--url", "http://127.0.0.1:9")
SGLANG = ("--engine", "sglang", "--model", "tiny")

pytestmark = pytest.mark.usefixtures("impatient")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of(tmp_path / "run", ANSWERS, GOLDS)


@pytest.mark.parametrize(
    ("options", "asked_of"),
    [
        (CHAT, {"logprobs": True, "top_logprobs": 20, "max_tokens": 1}),
        ((*CHAT, "--set", "chat=false"), {"logprobs": 20, "max_tokens": 1}),
        (SGLANG, {"return_logprob": True, "top_logprobs_num": 20}),
    ],
)
def test_every_answer_gets_its_score_and_equal_ones_are_asked_once(
    folder: Path, options: tuple[str, ...], asked_of: dict[str, Any]
) -> None:
    before = rows_of(folder)
    with Server() as server:
        assert judge(folder, server, *options).exit_code == 0
    assert scores(folder) == SCORES
    for row, then in zip(rows_of(folder), before, strict=True):
        assert row == then | {name: row[name] for name in ("score_judge", "tokens_judge")}
    assert len(server.asked) == 5
    assert asked_of.items() <= server.asked[0].items()
    counts, read = summary(folder), sum(row["prompt_tokens"] for row in verdicts(folder))
    expected = {"answers": 8, "asked": 5, "judged": 8, "null": 1, "tokens": 5, "prompt_tokens": read}
    assert (expected | {"levels": 3}).items() <= counts.items()
    took = [row["tokens_judge"] for row in rows_of(folder)]
    assert (sum(took), took.count(0)) == (read + 5, 8 - 5)


def test_what_fails_has_no_score_and_is_asked_again(folder: Path) -> None:
    with Server(refuses="say 7") as server:
        done = judge(folder, server, *CHAT)
        assert scores(folder) == [0.9, None, 0.9, None, 0.9, 0.6, None, 0.6]
        assert [row["tokens_judge"] for row in rows_of(folder)].count(None) == 2  # not known yet, and not 0
        assert "question a" in done.stderr
        assert "2 answers without a score" in done.stderr
        assert "6 of 8 answers judged" in done.output
        assert "16.7%" in done.output  # one of the six has no score
        server.refuses, server.asked = None, []
        assert judge(folder, server, *CHAT).exit_code == 0
        assert scores(folder) == SCORES
        written = (folder / SAMPLES).stat()
        assert judge(folder, server, *CHAT).exit_code == 0
        assert len(server.asked) == 1
        assert (folder / SAMPLES).stat().st_ino == written.st_ino


def test_a_killed_command_goes_on(folder: Path) -> None:
    """Two verdicts and half the line of a third are on the disk, and the samples have no column yet."""
    samples = (folder / SAMPLES).read_bytes()
    with Server() as server:
        judge(folder, server, *CHAT, *CAUTIOUS)
        lines = (folder / "scores" / "judge.jsonl").read_bytes().splitlines(keepends=True)
        (folder / "scores" / "judge.jsonl").write_bytes(b"".join(lines[:2]) + lines[2][:30])
        (folder / SAMPLES).write_bytes(samples)
        server.asked = []
        assert judge(folder, server, *CHAT).exit_code == 0
    assert len(server.asked) == 3
    assert scores(folder) == SCORES
    assert len(verdicts(folder)) == 5


@pytest.mark.parametrize(
    "cells", [{"score": "x"}, {"score": float("nan")}, {"prompt_tokens": None}, {"tokens": 1.5}, {"key": [1]}]
)
def test_a_verdict_that_was_edited_is_refused(folder: Path, cells: dict[str, Any]) -> None:
    with Server() as server:
        judge(folder, server, *CHAT)
        rows = [json.dumps(row | (cells if place == 1 else {})) for place, row in enumerate(verdicts(folder))]
        (folder / "scores" / "judge.jsonl").write_text("\n".join(rows))
        assert "judge.jsonl: row 2: not a verdict" in judge(folder, server, *CHAT).stderr


def test_questions_from_a_table(folder: Path, tmp_path: Path) -> None:
    table = tmp_path / "questions.csv"
    table.write_text("question_id,question\na,How many?\nb,And now?\n")
    with Server() as server:
        assert judge(folder, server, *CHAT, "--questions", table, *CAUTIOUS).exit_code == 0
        asked = server.asked[0]["messages"][0]["content"]
        assert "How many?" in asked
        assert "I say 18" in asked
        assert verdicts(folder)[0]["prompt_tokens"] == TOKENS
        rewrite(folder, [row | {"dataset": f"d{n}"} for n, row in enumerate(rows_of(folder))])
        assert judge(folder, server, *CHAT, "--questions", table).exit_code == 2  # one id in two data sets


def test_a_run_keeps_its_scores_when_it_goes_on_and_is_read_again(tmp_path: Path) -> None:
    """The run gives its questions and its model; of later answers, only new ones are judged."""
    folder = really(tmp_path / "run", limit=3)
    with Server(chance=lambda _text: 0.75) as server:
        assert judge(folder, server).exit_code == 0
        assert set(scores(folder)) == {0.75}
        first, before = len(server.asked), len(rows_of(folder))
        really(folder, limit=3, samples=8)
        assert exit_status("regrade", folder, "--reader", "last-number") == 0
        rows = rows_of(folder)
        assert [row.get("score_judge") for row in rows] == [0.75] * before + [None] * (len(rows) - before)
        assert judge(folder, server).exit_code == 0
        assert scores(folder) == [0.75] * len(rows)
        rewrite(folder, rows)  # as if stopped before the scores were written: nothing is left to ask
        assert judge(folder, server).exit_code == 0
        assert scores(folder) == [0.75] * len(rows)
        texts = {(row["question_id"], row["text"]) for row in rows}
        assert first <= len(server.asked) == len(texts)  # new answers may repeat earlier texts
    record = json.loads((folder / "scores" / "judge.json").read_text())["judge"]
    assert (record["model"], record["engine"]) == ("tiny", "sglang")
    assert really(folder, limit=3, samples=8) == folder  # the run can be resumed


def test_answers_without_a_text_are_left_out(folder: Path) -> None:
    rows = [{**row, "text": text} for row, text in zip(rows_of(folder), ["", None, " \n"], strict=False)]
    rewrite(folder, [*rows, *rows_of(folder)[3:]])
    with Server() as server:
        assert "5 of 5 answers judged, 3 more" in judge(folder, server, *CHAT).output
    assert scores(folder) == [None] * 3 + SCORES[3:]
    assert [row["tokens_judge"] for row in rows_of(folder)[:3]] == [0] * 3  # nothing was asked


def test_neither_auc_hangs_on_the_order_of_the_rows(folder: Path) -> None:
    """By hand, from 4 + 2 pairs within a question and 12 in all; two questions' answers interleave."""
    rows = rows_of(folder)
    with Server() as server:
        for order in (rows, rows[0::4] + rows[1::4] + rows[2::4] + rows[3::4], rows[::-1]):
            rewrite(folder, order)
            assert judge(folder, server, *CHAT).exit_code == 0
            told = summary(folder)
            assert (told["auc"], told["auc_within"]) == pytest.approx((9 / 12, 4 / 6))
        rewrite(folder, [row | {"question_id": "a", "dataset": row["question_id"]} for row in rows])
        assert judge(folder, server, *CHAT).exit_code == 0
        assert summary(folder) == told  # data sets may share their ids


def test_each_model_and_a_greedy_answer_pay_for_their_own_scores(folder: Path) -> None:
    row = rows_of(folder)[0]
    others = [{"model": "other"}, {"setting": "other"}, {"sample": 1}]
    rewrite(folder, [row | {"decoding": "greedy"}, row, *(row | other for other in others)])
    with Server() as server:
        assert judge(folder, server, *CHAT).exit_code == 0
    assert [bool(row["tokens_judge"]) for row in rows_of(folder)] == [True, True, True, True, False]
    assert len(server.asked) == 1


def test_what_a_score_costs_is_of_the_answers_that_are_there(folder: Path) -> None:
    """One question's answers are removed, as by restarting the run; their verdicts stay."""
    rows, summaries = rows_of(folder), []
    with Server() as server:
        for kept in (rows, [row for row in rows if row["question_id"] != rows[0]["question_id"]]):
            rewrite(folder, kept)
            assert judge(folder, server, *CHAT).exit_code == 0
            summaries.append(summary(folder))
    first, second = summaries
    assert second["judged"] < first["judged"]
    for name in ("tokens", "prompt_tokens"):
        assert second[name] / second["asked"] == pytest.approx(first[name] / first["asked"], rel=0.1)
        assert second[name] < first[name]


def test_another_judge_under_the_same_name_is_refused(folder: Path) -> None:
    with Server() as server:
        judge(folder, server, *CHAT)
        refused = judge(folder, server, *SGLANG)
        assert (refused.exit_code, "engine" in refused.stderr) == (2, True)
        assert judge(folder, server, *CHAT, "--set", "concurrency=3").exit_code == 0
        assert judge(folder, server, *SGLANG, "--name", "mine").exit_code == 0
    assert scores(folder, "score_mine") == SCORES


@pytest.mark.parametrize("used", [False, True])
def test_a_column_of_other_origin_and_a_run_in_use_are_left_alone(folder: Path, used: bool) -> None:
    if not used:
        rewrite(folder, [row | {"score_judge": 0.5} for row in rows_of(folder)])
    before = rows_of(folder)
    with Server() as server, locked(folder) if used else nullcontext():
        assert judge(folder, server, *CHAT).exit_code == 2
    assert rows_of(folder) == before
    assert server.asked == []


@pytest.mark.parametrize(
    ("habits", "options", "said"),
    [
        ({"silent": True}, CHAT, "log-probabilities"),
        ({"told": [0.2, 0.8]}, (*CHAT, "--reward"), "rewards"),
        ({"told": []}, (*SGLANG, "--reward"), "rewards"),
    ],
)
def test_a_server_that_cannot_tell_scores_is_refused_and_binds_no_name(
    folder: Path, habits: dict[str, Any], options: tuple[str, ...], said: str
) -> None:
    with Server(**habits) as server:
        refused = judge(folder, server, *options)
    assert (refused.exit_code, said in refused.stderr) == (2, True)
    assert "score_judge" not in rows_of(folder)[0]
    assert not (folder / "scores").exists()
    with Server() as server:
        assert judge(folder, server, *SGLANG).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere",), "nowhere"),
        (("run", *UNHEARD), "http://127.0.0.1:9"),
        (("run", *CHAT), "url"),
        (("run",), "--model"),
        (("run", *CHAT, "--url", "http://x", "--prompt", "boxed"), "judge-yes-no"),
        (("run", *CHAT, "--prompt", "nothing"), "judge-yes-no"),
        (("run", *CHAT, "--prompt", "judge-yes-no", "--reward"), "--reward"),
        (("run", "--model", "tiny", "--reward"), "--url"),
        (("run", "--reward", *UNHEARD[-2:]), "--model"),
        (("run", *UNHEARD, "--set", "temperature=0.5"), "temperature"),
        (("run", *UNHEARD, "--name", "a b"), "--name"),
        (("run", *UNHEARD, "--questions", "none.csv"), "none.csv"),
        (("run", "--model", "tiny", "--set", "engine=ctranslate2"), "ctranslate2"),
        (("run", "--model", "tiny", "--set", "colour=1"), "colour"),
        (("empty", *UNHEARD), "samples.jsonl"),
        (("textless", *UNHEARD), "text"),
        (("unasked", *UNHEARD), "--questions"),
        (("unasked", *UNHEARD, "--questions", "two.csv"), "two.csv: row 2: another problem of question 'a'"),
        (("unasked", *UNHEARD, "--questions", "blank.csv"), "blank.csv: row 1: no question_id, or no"),
        (("unasked", *UNHEARD, "--questions", "nameless.csv"), "nameless.csv: row 1: no question_id"),
    ],
)
def test_bad_input_is_one_line_and_leaves_all_as_it_was(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = rows_of(folder)
    (tmp_path / "empty").mkdir()
    for name, first in (("two", "a,One?\na,Two?"), ("blank", "a,"), ("nameless", ",One?")):
        (tmp_path / f"{name}.csv").write_text(f"question_id,problem\n{first}\nb,Three?\n")
    for name, missing in (("textless", "text"), ("unasked", "problem")):
        (tmp_path / name).mkdir()
        rewrite(tmp_path / name, [{key: row[key] for key in row if key != missing} for row in rows])
    assert exit_status("judge", *arguments) == 2
    err = capsys.readouterr().err
    assert err.splitlines()[-1].startswith("error: ")
    assert said in err.splitlines()[-1]
    assert rows_of(folder) == rows
    assert not list(tmp_path.rglob("scores"))


@pytest.mark.parametrize(
    ("judged", "null", "levels", "warns"),
    [
        (20, 3, 5, ["no score"]),
        *((20, 2, 5, []), (0, 0, 5, [])),  # two of twenty are not more than a tenth
        (20, 0, 1, ["equal"]),  # like rewards normalised over one class
    ],
)
def test_what_speaks_against_scores_is_told_by_what_is_judged(
    judged: int, null: int, levels: int, warns: list[str]
) -> None:
    counts = {"answers": 1000, "asked": 1000, "judged": judged, "null": null, "levels": levels}
    found = Judged(counts, column="score_judge", failures=[], stopped=True).warnings()
    assert [word in line for word, line in zip(warns, found, strict=True)] == [True] * len(warns)


@pytest.mark.parametrize("fails", [0, 2])
def test_a_judge_is_not_asked_for_ever(tmp_path: Path, fails: int) -> None:
    """After 16 consecutive failures no more requests are sent."""
    questions = [str(number) for number in range(20)]
    many = folder_of(tmp_path / "many", dict.fromkeys(questions, "7"), dict.fromkeys(questions, "18"))
    with Server(fails=fails, breaks=True) as server:
        assert exit_status("judge", many, "--url", server.url, *CHAT, *CAUTIOUS) == 3
    assert len(server.asked) == fails + 16
    assert sum(row.get("score_judge") is not None for row in rows_of(many)) == fails


def judge_as(**changed: Any) -> Experiment:
    keys = {"dataset": "judged", "samples": 1, "tokens_extra": 1, "prompt": "judge-yes-no", "chat": True}
    keys |= {"engine": "openai", "model": MODEL, "url": "http://127.0.0.1:9"}
    return Experiment.model_validate(keys | changed)


@pytest.mark.parametrize(
    ("changed", "reward"),
    [
        ({"engine": "sglang"}, False),
        ({"model": "org/other"}, False),
        ({"revision": "main"}, False),
        ({"chat": False}, False),
        ({"dtype": "float32"}, False),
        ({"request_fields": {"chat_template_kwargs": {"enable_thinking": False}}}, False),
        ({"prompt": "boxed"}, False),
        ({}, True),
    ],
)
def test_whatever_a_verdict_depends_on_tells_judges_apart(changed: dict[str, Any], reward: bool) -> None:
    assert judge_identity(judge_as(**changed), reward) != judge_identity(judge_as(), False)
    elsewhere = judge_as(**changed, url="http://127.0.0.1:7", concurrency=3, seed=5)
    assert judge_identity(elsewhere, reward) == judge_identity(judge_as(**changed), reward)


def test_a_judge_that_was_trained_again_or_is_asked_in_other_words_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = set()
    for weights, words in (("1", "so"), ("2", "so"), ("2", "or")):
        (tmp_path / "weights").write_text(weights)
        monkeypatch.setattr(prompts, "digest", lambda _name, words=words: words)
        identity = judge_identity(judge_as(engine="sglang", model=str(tmp_path)), reward=False)
        found.add((identity["model_sha256"], identity["prompt_sha256"]))
    assert len(found) == 3


@pytest.mark.parametrize("engine", ["openai", "sglang"])
def test_a_silent_reward_model_is_waited_for_as_long_as_the_run_says(engine: str) -> None:
    asked = judge_as(engine=engine, model="tiny", revision=None, patience=7.0)
    assert rewards_for(asked, print).patience == 7


def test_another_model_takes_nothing_from_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run's own model takes all of its fields."""
    fields = {"revision": "v2", "chat": False, "dtype": "float32", "patience": 7.0}
    fields |= {"request_fields": {"a": 1}}
    run = judge_as(**fields)
    nothing: dict[str, str] = {}

    def judge_after(run: Experiment, given: dict[str, str] = nothing) -> Experiment:
        monkeypatch.setattr("harness.judge.run.experiment_in", lambda _folder: run)
        return judge_of(Path("run"), given)

    own = judge_after(run, {"model": MODEL})
    assert {name: getattr(own, name) for name in fields} == fields
    assert own.url == judge_after(run, {"engine": run.engine}).url == run.url
    own_server = judge_as(engine="sglang", url=None, server_flags=("--tp", "2"))
    assert judge_after(own_server).server_flags == ("--tp", "2")
    assert judge_after(own_server, {"url": "http://127.0.0.1:7"}).server_flags == ()
    for dtype, asked in (("int8", "auto"), ("float32", "float32")):  # a server has no 8-bit arithmetic
        assert judge_after(judge_as(engine="ctranslate2", url=None, dtype=dtype)).dtype == asked
    there = {"model": "org/other", "engine": "openai", "url": "http://127.0.0.1:7"}
    other = judge_after(run, there)
    plain = judge_as(model="org/other", url="http://127.0.0.1:7")
    for name in OF_THE_MODEL:
        assert getattr(other, name) == getattr(plain, name), name


def test_a_chat_that_begins_with_thinking_gives_no_verdict(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PromptTokens, "opens_thinking", lambda _engine, _prompt: True)
    with Server() as server:
        assert "enable_thinking" in judge(folder, server, *SGLANG).stderr
    assert server.asked == []


def test_a_reward_model_s_own_paths_are_beside_the_path_of_its_url() -> None:
    assert {*OpenAIRewards.at_root} == {*METRICS, "/classify", "/pooling"}


def rewarded(folder: Path, server: Server, *options: str) -> Result:
    return judge(folder, server, "--reward", "--name", "rm", *options)


PLAIN = (*SGLANG, "--set", "chat=false")


@pytest.mark.parametrize(
    ("endpoint", "options"), [("/classify", PLAIN), ("/classify", CHAT), ("/pooling", CHAT)]
)
def test_the_score_is_the_reward(folder: Path, endpoint: str, options: tuple[str, ...]) -> None:
    with Server(endpoint=endpoint) as server:
        assert rewarded(folder, server, *options).exit_code == 0
    assert scores(folder, "score_rm") == [1.5, -2.0, 1.5, -2.0, 1.5, 0.25, 0.0, 0.25]
    assert len(server.asked) == 5
    counts = summary(folder, "rm")
    read = TOKENS * 5 if options == CHAT else sum(len(body["input_ids"]) for body in server.asked)
    assert (counts["prompt_tokens"], counts["tokens"]) == (read, 0)
    assert (counts["auc"], counts["auc_within"], counts["levels"]) == (13 / 16, 6 / 8, 4)  # by hand


def test_the_question_is_the_users_turn_and_the_answer_the_models(folder: Path) -> None:
    told = ("--set", "concurrency=1", "--set", "request_fields={use_activation = false}")
    with Server() as server:
        rewarded(folder, server, "--engine", "openai", "--set", f"model={MODEL}", *told)
        rewarded(folder, server, *SGLANG, *told, "--name", "rm2")
    assert [body["use_activation"] for body in server.asked] == [False] * len(server.asked)
    assert server.asked[0]["messages"] == [
        {"role": "user", "content": "Problem a?"},
        {"role": "assistant", "content": "I say 18"},
    ]
    assert decoded(server.asked[5]["input_ids"]) == "<|user|>Problem a?<|assistant|>I say 18<|end|>"


def test_a_verdict_whose_tokens_the_server_does_not_count_is_of_one_token() -> None:
    class Uncounted:
        def opens_thinking(self, _prompt: str) -> bool:
            return False

        async def generate(self, *_asked: Any, **_seeded: Any) -> Completion:
            return Completion("Yes", None, TOKENS, "length", None, candidates=(("Yes", -0.1),))

    engine: Any = Uncounted()
    verdict = asyncio.run(asked_yes_or_no(engine, "judge-yes-no", Asked("q", "2 + 2?", "4")))
    assert (verdict.prompt_tokens, verdict.tokens) == (TOKENS, 1)
