"""python -m harness judge: scores by hand, equal answers once, what is missing asked again, wrong input."""

import json
import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from harness.judge.verdicts import p_yes
from harness.run.samples_file import SAMPLES
from results import read_curves, read_samples
from tests.commands import exit_status as status_of
from tests.harness.commands import exit_status
from tests.harness.judge.judging import MODEL, TOKENS, Server, folder_of, rows_of

pytestmark = pytest.mark.usefixtures("impatient")

ANSWERS = {"a": ["18", "7", "18", "7"], "b": ["18", "5", "3", "5"]}
GOLDS = {"a": "18", "b": "5"}
SCORES = [0.9, 0.2, 0.9, 0.2, 0.9, 0.6, None, 0.6]
CHAT = ("--engine", "openai", "--model", MODEL)
CAUTIOUS = ("--set", "concurrency=1")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of(tmp_path / "run", ANSWERS, GOLDS)


def scores(folder: Path, column: str = "score_judge") -> list[float | None]:
    return [row[column] if row[column] is None else round(row[column], 12) for row in rows_of(folder)]


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
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    asked_of: dict[str, Any],
) -> None:
    before = rows_of(folder)
    with Server() as server:
        assert exit_status(monkeypatch, "judge", folder, "--url", server.url, *options) == 0
    assert scores(folder) == SCORES
    assert [{**row, "score_judge": None} for row in rows_of(folder)] == [
        {**row, "score_judge": None} for row in before
    ]
    assert len(server.asked) == 5
    assert asked_of.items() <= server.asked[0].items()
    counts = summary(folder)
    assert (counts["answers"], counts["asked"], counts["judged"], counts["null"]) == (8, 5, 8, 1)
    assert counts["tokens"] == 5
    assert counts["prompt_tokens"] == sum(row["prompt_tokens"] for row in verdicts(folder))
    assert "AUC" in capsys.readouterr().out


def test_scores_become_curves(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By hand: of all four answers the best is right for a, and 18, scored above the right 5, for b."""
    from results.cli import cli

    with Server() as server:
        exit_status(monkeypatch, "judge", folder, "--url", server.url, *CHAT)
    assert [
        None if math.isnan(value) else value for value in read_samples(folder)["score_judge"].round(12)
    ] == SCORES
    methods = ("--method", "best_by_score,weighted_majority", "--score", "judge", "--n", "1,4")
    out = tmp_path / "curves.csv"
    assert status_of(monkeypatch, cli, "results", "curves", folder, *methods, "--out", out) == 0
    curves = read_curves(out).set_index(["method", "N"])["accuracy"].to_dict()
    assert curves == {
        ("best_by_score", 1): 0.5,
        ("best_by_score", 4): 0.5,
        ("weighted_majority", 1): 0.5,
        ("weighted_majority", 4): 1.0,
    }


def test_what_fails_has_no_score_and_is_asked_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Server(refuses="say 7") as server:
        command = ("judge", folder, "--url", server.url, *CHAT)
        assert exit_status(monkeypatch, *command) == 3
        assert scores(folder) == [0.9, None, 0.9, None, 0.9, 0.6, None, 0.6]
        assert "question a" in capsys.readouterr().err
        server.refuses, server.asked = None, []
        assert exit_status(monkeypatch, *command) == 0
        assert scores(folder) == SCORES
        assert len(server.asked) == 1
        assert exit_status(monkeypatch, *command) == 0
        assert len(server.asked) == 1


def test_a_killed_command_goes_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two verdicts are on the disk, of the third half a line, and the samples have no column yet."""
    samples = (folder / SAMPLES).read_bytes()
    with Server() as server:
        exit_status(monkeypatch, "judge", folder, "--url", server.url, *CHAT, *CAUTIOUS)
        lines = (folder / "scores" / "judge.jsonl").read_bytes().splitlines(keepends=True)
        (folder / "scores" / "judge.jsonl").write_bytes(b"".join(lines[:2]) + lines[2][:30])
        (folder / SAMPLES).write_bytes(samples)
        server.asked = []
        assert exit_status(monkeypatch, "judge", folder, "--url", server.url, *CHAT) == 0
    assert len(server.asked) == 3
    assert scores(folder) == SCORES
    assert len(verdicts(folder)) == 5


def test_ctrl_c_keeps_what_came(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from harness.judge.verdicts import YesNo

    with Server() as server:
        command = ("judge", folder, "--url", server.url, *CHAT, *CAUTIOUS)
        with monkeypatch.context() as patched:
            asked = []
            verdict = YesNo.verdict

            async def interrupted(self: YesNo, one: Any) -> Any:
                asked.append(one)
                if len(asked) > 2:
                    raise KeyboardInterrupt
                return await verdict(self, one)

            patched.setattr(YesNo, "verdict", interrupted)
            assert exit_status(patched, *command) == 130
        assert scores(folder)[:4] == SCORES[:4]
        assert "stopped" in capsys.readouterr().err
        assert exit_status(monkeypatch, *command) == 0
    assert scores(folder) == SCORES


def test_answers_that_came_later_are_asked_for_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    more = {"question_id": "a", "problem": "Problem a?", "sample": 4, "answer": "5", "gold": "18"}
    with Server() as server:
        command = ("judge", folder, "--url", server.url, *CHAT)
        exit_status(monkeypatch, *command)
        with (folder / SAMPLES).open("a") as file:
            file.write(
                json.dumps({**rows_of(folder)[0], **more, "text": "I say 5", "score_judge": None}) + "\n"
            )
        server.asked = []
        assert exit_status(monkeypatch, *command) == 0
    assert len(server.asked) == 1
    assert scores(folder) == [*SCORES, 0.6]


def test_another_judge_under_the_same_name_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Server() as server:
        command = ("judge", folder, "--url", server.url)
        exit_status(monkeypatch, *command, *CHAT)
        assert exit_status(monkeypatch, *command, "--engine", "sglang", "--model", "tiny") == 2
        said = capsys.readouterr().err.splitlines()[-1]
        assert "engine" in said
        assert "--name" in said
        assert exit_status(monkeypatch, *command, *CHAT, "--set", "concurrency=3") == 0
        other = ("--engine", "sglang", "--model", "tiny", "--name", "mine")
        assert exit_status(monkeypatch, *command, *other) == 0
    assert scores(folder, "score_mine") == SCORES


def test_a_column_of_other_origin_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = pd.DataFrame(rows_of(folder)).assign(score_judge=0.5)
    rows.to_json(folder / SAMPLES, orient="records", lines=True)
    with Server() as server:
        assert exit_status(monkeypatch, "judge", folder, "--url", server.url, *CHAT) == 2
    assert scores(folder) == [0.5] * 8
    assert server.asked == []


def test_a_server_without_log_probabilities_is_refused_and_binds_no_name(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Server(silent=True) as server:
        assert exit_status(monkeypatch, "judge", folder, "--url", server.url, *CHAT) == 2
        assert "log-probabilities" in capsys.readouterr().err
    assert "score_judge" not in rows_of(folder)[0]
    with Server() as server:
        assert exit_status(monkeypatch, "judge", folder, "--url", server.url, "--model", "tiny") == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere",), "nowhere"),
        (("run", *CHAT, "--url", "http://127.0.0.1:9"), "http://127.0.0.1:9"),
        (("run", *CHAT), "url"),
        (("run",), "--model"),
        (("run", *CHAT, "--prompt", "boxed"), "judge-yes-no"),
        (("run", *CHAT, "--prompt", "nothing"), "judge-yes-no"),
        (("run", *CHAT, "--prompt", "judge-yes-no", "--reward"), "--reward"),
        (("run", "--model", "tiny", "--reward"), "--url"),
        (("run", *CHAT, "--url", "http://127.0.0.1:9", "--name", "a b"), "--name"),
        (("run", *CHAT, "--url", "http://127.0.0.1:9", "--questions", "none.csv"), "none.csv"),
        (("run", "--model", "tiny", "--set", "engine=ctranslate2"), "ctranslate2"),
        (("run", "--model", "tiny", "--set", "colour=1"), "colour"),
        (("empty", *CHAT, "--url", "http://127.0.0.1:9"), "samples.jsonl"),
        (("textless", *CHAT, "--url", "http://127.0.0.1:9"), "text"),
        (("unasked", *CHAT, "--url", "http://127.0.0.1:9"), "--questions"),
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
    for name, missing in (("textless", "text"), ("unasked", "problem")):
        (tmp_path / name).mkdir()
        less = [{key: cell for key, cell in row.items() if key != missing} for row in rows]
        (tmp_path / name / SAMPLES).write_text("".join(json.dumps(row) + "\n" for row in less))
    assert exit_status(monkeypatch, "judge", *arguments) == 2
    err = capsys.readouterr().err
    assert err.splitlines()[-1].startswith("error: ")
    assert said in err.splitlines()[-1]
    assert rows_of(folder) == rows
    assert not list(tmp_path.rglob("scores"))


def test_questions_from_a_table(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "questions.csv"
    table.write_text("question_id,question\na,How many?\nb,And now?\n")
    with Server() as server:
        command = ("judge", folder, "--url", server.url, *CHAT, "--questions", table, *CAUTIOUS)
        assert exit_status(monkeypatch, *command) == 0
    assert "How many?" in server.asked[0]["messages"][0]["content"]
    assert "I say 18" in server.asked[0]["messages"][0]["content"]
    assert verdicts(folder)[0]["prompt_tokens"] == TOKENS
