"""tts judge: scores by hand, equal answers once, what is missing asked again, wrong input."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from harness.judge.verdicts import asked_yes_or_no, p_yes
from harness.store.samples_file import SAMPLES
from results import read_curves, read_samples
from tests.commands import exit_status as status_of
from tests.harness.commands import exit_status
from tests.harness.judge.judging import CAUTIOUS, CHAT, SCORES, TOKENS, Server, rows_of, scores
from tests.harness.run.real_run import really

pytestmark = pytest.mark.usefixtures("impatient")


def verdicts(folder: Path, name: str = "judge") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "scores" / f"{name}.jsonl").read_text().splitlines()]


def summary(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "scores" / "judge.json").read_text())["summary"]
    return found


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [
        ([("Yes", 0.6), (" yes", 0.1), ("No", 0.3)], 0.7),
        ([("YES", 0.2), ("▁no", 0.1), ("Ġno\n", 0.1), ("Well", 0.6)], 0.5),
        ([("yes", 0.01)], 1.0),
        ([("no", 0.5), ("yesterday", 0.5), ("not", 0.0001)], 0.0),
        ([("Well", 0.9), ("", 0.1)], None),
        ([], None),
    ],
)
def test_p_yes_by_hand(candidates: list[tuple[str, float]], expected: float | None) -> None:
    assert p_yes([(token, math.log(chance)) for token, chance in candidates]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("options", "asked_of"),
    [
        (CHAT, {"logprobs": True, "top_logprobs": 20, "max_tokens": 1}),
        ((*CHAT, "--set", "chat=false"), {"logprobs": 20, "max_tokens": 1}),
        (("--engine", "sglang", "--model", "tiny"), {"return_logprob": True, "top_logprobs_num": 20}),
    ],
)
def test_every_answer_gets_its_score_and_equal_ones_are_asked_once(
    folder: Path, options: tuple[str, ...], asked_of: dict[str, Any]
) -> None:
    before = rows_of(folder)
    with Server() as server:
        assert exit_status("judge", folder, "--url", server.url, *options) == 0
    assert scores(folder) == SCORES
    columns = ("score_judge", "tokens_judge")
    assert [{**row, **dict.fromkeys(columns)} for row in rows_of(folder)] == [
        {**row, **dict.fromkeys(columns)} for row in before
    ]
    assert len(server.asked) == 5
    assert asked_of.items() <= server.asked[0].items()
    counts = summary(folder)
    assert (counts["answers"], counts["asked"], counts["judged"], counts["null"]) == (8, 5, 8, 1)
    assert counts["tokens"] == 5
    assert counts["prompt_tokens"] == sum(row["prompt_tokens"] for row in verdicts(folder))
    took = [row["tokens_judge"] for row in rows_of(folder)]
    assert sum(took) == counts["prompt_tokens"] + counts["tokens"]
    assert took.count(0) == counts["answers"] - counts["asked"]


def test_scores_become_curves(folder: Path, tmp_path: Path) -> None:
    """By hand: of all four answers the best is right for a, and 18, scored above the right 5, for b."""
    from results.cli import cli

    with Server() as server:
        exit_status("judge", folder, "--url", server.url, *CHAT)
    assert [
        None if math.isnan(value) else value for value in read_samples(folder)["score_judge"].round(12)
    ] == SCORES
    methods = ("--method", "best_by_score,weighted_majority", "--score", "judge", "--n", "1,4")
    out = tmp_path / "curves.csv"
    assert status_of(cli, "results", "curves", folder, *methods, "--out", out) == 0
    curves = read_curves(out).set_index(["method", "N"])["accuracy"].to_dict()
    assert curves == {
        ("best_by_score", 1): 0.5,
        ("best_by_score", 4): 0.5,
        ("weighted_majority", 1): 0.5,
        ("weighted_majority", 4): 1.0,
    }


def test_what_fails_has_no_score_and_is_asked_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Server(refuses="say 7") as server:
        command = ("judge", folder, "--url", server.url, *CHAT)
        assert exit_status(*command) == 3
        assert scores(folder) == [0.9, None, 0.9, None, 0.9, 0.6, None, 0.6]
        told = capsys.readouterr()
        assert "question a" in told.err
        assert "6 of 8 answers judged" in told.out
        assert "16.7%" in told.out  # one of the six has no score
        server.refuses, server.asked = None, []
        assert exit_status(*command) == 0
        assert scores(folder) == SCORES
        assert len(server.asked) == 1
        written = (folder / SAMPLES).stat()
        assert exit_status(*command) == 0
        assert len(server.asked) == 1
        assert (folder / SAMPLES).stat().st_ino == written.st_ino


def test_a_killed_command_goes_on(folder: Path) -> None:
    """Two verdicts are on the disk, of the third half a line, and the samples have no column yet."""
    samples = (folder / SAMPLES).read_bytes()
    with Server() as server:
        exit_status("judge", folder, "--url", server.url, *CHAT, *CAUTIOUS)
        lines = (folder / "scores" / "judge.jsonl").read_bytes().splitlines(keepends=True)
        (folder / "scores" / "judge.jsonl").write_bytes(b"".join(lines[:2]) + lines[2][:30])
        (folder / SAMPLES).write_bytes(samples)
        server.asked = []
        assert exit_status("judge", folder, "--url", server.url, *CHAT) == 0
    assert len(server.asked) == 3
    assert scores(folder) == SCORES
    assert len(verdicts(folder)) == 5


def test_ctrl_c_keeps_what_came(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Server() as server:
        command = ("judge", folder, "--url", server.url, *CHAT, *CAUTIOUS)
        with monkeypatch.context() as patched:
            asked = []

            async def interrupted(engine: Any, prompt: str, answer: Any) -> Any:
                asked.append(answer)
                if len(asked) > 2:
                    raise KeyboardInterrupt
                return await asked_yes_or_no(engine, prompt, answer)

            patched.setattr("harness.judge.run.asked_yes_or_no", interrupted)
            assert exit_status(*command) == 130
        assert scores(folder)[:4] == SCORES[:4]
        assert "stopped" in capsys.readouterr().err
        assert exit_status(*command) == 0
    assert scores(folder) == SCORES


def test_answers_that_came_later_are_asked_for_alone(folder: Path) -> None:
    more = {"question_id": "a", "problem": "Problem a?", "sample": 4, "answer": "5", "gold": "18"}
    with Server() as server:
        command = ("judge", folder, "--url", server.url, *CHAT)
        exit_status(*command)
        with (folder / SAMPLES).open("a") as file:
            file.write(
                json.dumps({**rows_of(folder)[0], **more, "text": "I say 5", "score_judge": None}) + "\n"
            )
        server.asked = []
        assert exit_status(*command) == 0
    assert len(server.asked) == 1
    assert scores(folder) == [*SCORES, 0.6]


def test_questions_from_a_table(folder: Path, tmp_path: Path) -> None:
    table = tmp_path / "questions.csv"
    table.write_text("question_id,question\na,How many?\nb,And now?\n")
    with Server() as server:
        command = ("judge", folder, "--url", server.url, *CHAT, "--questions", table, *CAUTIOUS)
        assert exit_status(*command) == 0
    assert "How many?" in server.asked[0]["messages"][0]["content"]
    assert "I say 18" in server.asked[0]["messages"][0]["content"]
    assert verdicts(folder)[0]["prompt_tokens"] == TOKENS


def test_a_run_keeps_its_scores_when_it_goes_on_and_is_read_again(tmp_path: Path) -> None:
    """The run knows its questions and its model; of later answers only those that are new are asked."""
    folder = really(tmp_path / "run", limit=3)
    with Server(chance=lambda _text: 0.75) as server:
        command = ("judge", folder, "--url", server.url)
        assert exit_status(*command) == 0
        assert set(scores(folder)) == {0.75}
        first, before = len(server.asked), len(rows_of(folder))
        really(folder, limit=3, samples=8)
        assert exit_status("regrade", folder, "--reader", "last-number") == 0
        rows = rows_of(folder)
        assert [row.get("score_judge") for row in rows] == [0.75] * before + [None] * (len(rows) - before)
        assert exit_status(*command) == 0
        assert scores(folder) == [0.75] * len(rows)
        texts = {(row["question_id"], row["text"]) for row in rows}
        assert first <= len(server.asked) == len(texts)  # new answers may be texts that were there
    record = json.loads((folder / "scores" / "judge.json").read_text())["judge"]
    assert (record["model"], record["engine"]) == ("tiny", "sglang")
    assert really(folder, limit=3, samples=8) == folder  # and goes on with it


def test_answers_without_a_text_are_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{**row, "text": text} for row, text in zip(rows_of(folder), ["", None, " \n"], strict=False)]
    (folder / SAMPLES).write_text("".join(json.dumps(row) + "\n" for row in [*rows, *rows_of(folder)[3:]]))
    with Server() as server:
        assert exit_status("judge", folder, "--url", server.url, *CHAT) == 0
    assert scores(folder) == [None] * 3 + SCORES[3:]
    assert "5 of 5 answers judged, 3 more" in capsys.readouterr().out
