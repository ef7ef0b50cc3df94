"""Answers sampled elsewhere become a samples table: real files, renamed columns, failed requests left out."""

import json
from pathlib import Path

import pandas as pd
import pytest

from harness.imports.columns import import_table
from results import BadInput, read_samples
from tests.harness.commands import command, imported

CSV = """\
id,run,effort,reply,gold,completion_tokens,error
007,0,none,18,18,10,0
007,1,none,17,18,12,0
007,2,none,,18,0,1
008,0,none,,5,99,0
"""
NAMES = {
    "question_id": "id",
    "sample": "run",
    "setting": "effort",
    "answer": "reply",
    "tokens": "completion_tokens",
}


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    file = tmp_path / "answers.csv"
    file.write_text(CSV)
    return file


def test_columns_are_renamed_and_failed_requests_left_out(csv: Path) -> None:
    table, left_out, _ = import_table(csv, NAMES, [("error", "1")], {"model": "m", "gold": "gold"})
    assert left_out == 1
    assert table["question_id"].tolist() == ["007", "007", "008"]
    assert table["setting"].unique().tolist() == ["none"]
    assert table["correct"].tolist() == [True, False, False]
    assert table["answer"].isna().tolist() == [False, False, True]
    assert table["tokens"].tolist() == [10, 12, 99]
    assert table["model"].unique().tolist() == ["m"]
    assert table["gold"].tolist() == ["18", "18", "5"]
    assert not {"id", "run", "effort", "reply", "completion_tokens"} & set(table.columns)


@pytest.mark.parametrize("value", ["1", "1.0", "true", "True"])
def test_what_is_left_out_is_found_however_it_is_written(value: str, tmp_path: Path) -> None:
    """A null beside ones makes them 1.0, and True is written true: both were found nowhere, in silence."""
    cells = [True, False] if value.lower() == "true" else [1, None]
    table = pd.DataFrame({"question_id": ["a", "b"], "answer": "1", "gold": "1", "error": cells})
    table.to_parquet(tmp_path / "t.parquet")
    assert import_table(tmp_path / "t.parquet", drop=[("error", value)]).left_out == 1
    with pytest.raises(BadInput, match="--drop error=2: no row has this"):
        import_table(tmp_path / "t.parquet", drop=[("error", "2")])


def test_a_mapped_column_takes_the_place_of_one_of_that_name(tmp_path: Path) -> None:
    file = tmp_path / "answers.csv"
    file.write_text("question_id,sample,answer,parsed,correct\na,0,It is 18.,18,1\n")
    table = import_table(file, {"answer": "parsed"}).table
    assert table["answer"].tolist() == ["18"]
    assert "parsed" not in table


def test_answers_without_a_number_are_numbered_within_question_and_setting(tmp_path: Path) -> None:
    file = tmp_path / "answers.csv"
    rows = "a,low,1,1\nb,low,2,2\n,,,\na,high,1,1\na,low,3,1\n,,,\n"
    file.write_text(f"question_id,effort,answer,gold\n{rows}")
    table, blank, notes = import_table(file, {"setting": "effort"})
    assert blank == 2
    assert table["sample"].tolist() == [0, 0, 0, 1]
    assert [note.split()[:2] for note in notes] == [["no", "column"], ["no", "dataset"]]


def test_a_column_that_no_table_has_is_refused(csv: Path) -> None:
    with pytest.raises(BadInput, match="'toknes'"):
        import_table(csv, {**NAMES, "toknes": "completion_tokens"})
    names = {"model": "m", "dataset": "d"}
    assert import_table(csv, NAMES, [("error", "1")], names).notes == ()


def test_a_map_the_wrong_way_round_is_shown_the_right_way_round(csv: Path) -> None:
    with pytest.raises(BadInput, match="--map tokens=completion_tokens"):
        import_table(csv, {"completion_tokens": "tokens"})


def test_verdicts_that_are_not_golds_are_said_once(tmp_path: Path) -> None:
    file = tmp_path / "answers.csv"
    file.write_text("question_id,answer,gold,correct\na,1,1,1\na,2,1,1\n")
    with pytest.warns(UserWarning, match="row 2") as said:
        imported("csv", file, "--out", tmp_path / "out")
    assert len(said) == 1


def test_right_answers_and_unreadable_ones_are_told_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "answers.csv"
    file.write_text("question_id,effort,answer,mark\na,,7,ok\nb,low,(none),no\nc,,7,no\nd, ,8,fine\n")
    judged = ("--correct-if", "mark=ok", "--correct-if", "mark=fine", "--unreadable", "(none)")
    said = imported("csv", file, "--setting", "effort", *judged, "--out", tmp_path / "judged").output
    assert "no dataset and no model" in said
    table = read_samples(tmp_path / "judged")
    assert table["setting"].tolist() == ["default", "low", "default", "default"]
    assert table["answer"].fillna("").tolist() == ["7", "", "7", "8"]
    assert table["correct"].tolist() == [True, False, False, True]
    for gold, setting, right in (("8", "0.5", [0, 0, 0, 1]), ("answer", "x", [1, 1, 1, 1])):
        named = ("--gold", gold, "--setting", setting, "--dataset", "d")
        said = imported("csv", file, *named, "--out", tmp_path / gold).output
        assert ("it is the gold of all rows" in said) == (gold == "8")
        table = read_samples(tmp_path / gold)
        assert table["correct"].astype(int).tolist() == right
        assert set(table["setting"]) == {setting}
        assert set(table["dataset"]) == {"d"}


def test_all_missing_columns_are_named_at_once(csv: Path, tmp_path: Path) -> None:
    told = ("--map", "tokens=toks", "--drop", "err=1")
    result = imported("csv", csv, *told, "--correct-if", "mark=1", "--out", tmp_path / "out")
    assert result.exit_code == 2
    for name in ("'question_id'", "'answer'", "'toks'", "'err'", "'mark'", "--map answer=", "found: id, run"):
        assert name in result.output
    assert "--correct-if" not in result.output
    csv.write_text("question_id,answer\na,1\n")
    said = imported("csv", csv, "--out", tmp_path / "out").output
    assert "no column 'gold'; found" in said
    assert "--correct-if" in said


def test_the_name_of_a_question_is_its_text_however_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    rows = [{"question_id": name, "answer": "1", "gold": "1"} for name in (1, "1", 1.0, "a", 1)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    samples = import_table(file, {}, kind="jsonl").table
    assert samples["question_id"].tolist() == ["1", "1", "1", "a", "1"]
    assert samples["sample"].tolist() == [0, 1, 2, 0, 3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("question_id;sample;answer\na;0;1\n", "one column, found: question_id;sample;answer"),
        ("question_id,sample,answer,correct\n,,,\n", "no answers in it"),
        ("question_id,sample,answer,correct\n", "no answers in it"),
        (
            "question_id,sample,answer,correct\na,0,1,yes\n",
            "row 1, column 'correct': found 'yes', expected true",
        ),
        ("question_id,sample,answer,correct\na,0,1,1\na,0,2,0\n", "row 2: a second row for"),
        ("question_id,sample,answer,answer,correct\na,0,1,1,1\n", "column 'answer' appears twice"),
        (
            "question_id,sample,answer,correct,model\na,0,1,1,m  7\nb,0,1,1,m 7\n",
            "column 'model': 'm  7' and",
        ),
    ],
)
def test_tables_that_cannot_be_meant_are_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "answers.csv"
    file.write_text(text)
    with pytest.raises(BadInput) as refusal:
        import_table(file, {})
    assert refusal.value.message.startswith(str(file))
    assert message in refusal.value.message


@pytest.mark.parametrize(
    ("columns", "drop", "message"),
    [
        (NAMES, [("error", "0"), ("error", "1")], "all 4 rows"),
        ({**NAMES, "sample": "reply"}, [], "row 3, column 'sample': found nothing, expected a value"),
        (
            {**NAMES, "tokens": "effort"},
            [("error", "1")],
            "(after 1 rows were left out): row 1, column 'tokens'",
        ),
    ],
)
def test_what_does_not_fit_is_refused(
    csv: Path, columns: dict[str, str], drop: list[tuple[str, str]], message: str
) -> None:
    with pytest.raises(BadInput) as refusal:
        import_table(csv, columns, drop)
    assert refusal.value.message.startswith(str(csv))
    assert message in refusal.value.message


def test_the_command_writes_a_run_folder_once(csv: Path, tmp_path: Path) -> None:
    maps = [part for column, source in NAMES.items() for part in ("--map", f"{column}={source}")]
    out = tmp_path / "runs" / "mine"
    arguments = ["csv", csv, "--out", out, "--drop", "error=1", "--dataset", "d", "--model", "m", *maps]
    warning, done = imported(*arguments).output.splitlines()
    assert warning.startswith("warning: 33.3% of the answers could not be read")
    assert done == f"3 answers to 2 questions, 1 rows left out -> {out / 'samples.jsonl'}"
    table = read_samples(out)
    assert table["dataset"].unique().tolist() == ["d"]
    assert table["question_id"].tolist() == ["007", "007", "008"]
    again = imported(*arguments)
    assert again.exit_code == 2
    assert "samples.jsonl" in again.output


def test_the_command_refuses_what_it_cannot_use(csv: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert (
        "'answer' is not of the form COLUMN=SOURCE"
        in imported("csv", csv, "--out", out, "--map", "answer").output
    )
    assert "--map question_id=COLUMN" in imported("csv", csv, "--out", out).output
    assert "is for lm-eval, not for csv" in imported("csv", csv, "--out", out, "--filter=f").output
    assert "'plain' is not a reader" in imported("csv", csv, "--out", out, "--grade=plain").output
    assert "--match" in imported("csv", csv, "--out", out, "--match=last").output
    twice = imported("csv", csv, "--out", out, "--map", "answer=reply", "--map", "answer=gold")
    assert "--map" in twice.output
    maps = [part for column, source in NAMES.items() for part in ("--map", f"{column}={source}")]
    twice = imported("csv", csv, "--out", out, *maps, "--drop", "error=1", "--setting", "high")
    assert (twice.exit_code, "--map" in twice.output) == (2, True)
    assert "--map" in imported("inspect", csv, "--out", out, "--map", "a=b").output
    assert "--gold" in imported("lm-eval", csv, "--out", out, "--gold", "5").output
    told = {"--scorer": ("inspect", "s")}
    told |= {"--unreadable": ("csv", "?"), "--correct-if": ("csv", "mark=ok")}
    for option, (kind, value) in told.items():
        twice = imported(kind, csv, "--out", out, option, value, "--grade=boxed")
        assert (twice.exit_code, f"{option} and --grade" in twice.output) == (2, True)
    assert not out.exists()


def test_texts_of_a_table_are_read(tmp_path: Path) -> None:
    file, out = tmp_path / "answers.jsonl", tmp_path / "out"
    texts = [
        "\\boxed{26}",
        "So it is **26**.",
        "The answer is 1,234.",
        "The answer is ##26",
        "##26## no, ##27##",
    ]
    rows = [
        {
            "id": "q",
            "text": text,
            "gold": "#### 26",
            "setting": "\x1b[2J",
            "finish_reason": "length" if text.endswith("##26") else "stop",
        }
        for text in texts
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    grading = (
        *("jsonl", file, "--map", "question_id=id"),
        *("--grade", "hashes,boxed,answer-is", "--match", "last"),
    )
    said = imported(*grading, "--out", out).output
    assert "40.0% of the answers could not be read" in said
    assert (
        f"regrade {out} --reader hashes,boxed,answer-is,last-number --match last` reads 1 of these 2" in said
    )
    table = read_samples(out)
    assert table["gold"].unique().tolist() == ["26"]
    assert table["answer"].fillna("").tolist() == ["26", "", "1234", "", "27"]
    assert table["correct"].tolist() == [True, False, False, False, False]
    assert table["reader"].fillna("").tolist() == ["boxed", "", "answer-is", "", "hashes"]
    again = command("regrade", out, "--reader", "last-number")
    assert again.exit_code == 0, again.output
    assert "\n1 of 5 answers are read differently" in again.output
    assert read_samples(out)["correct"].tolist() == [True, True, False, False, False]
    file.write_text(json.dumps(rows[0] | {"gold": "(B)"}) + "\n")
    refused = imported(*grading, "--out", tmp_path / "b")
    assert refused.exit_code == 2
    assert "answers.jsonl: row 1, question q: " in refused.output


def test_epochs_grid_of_settings_is_imported(data_dir: Path, tmp_path: Path) -> None:
    file = data_dir / "samples" / "epoch_otis_mock_aime.csv"
    maps = ["--map", "setting=effort", "--map", "tokens=completion_tokens"]
    result = imported("csv", file, "--out", tmp_path, *maps)
    assert "3240 answers to 45 questions" in result.output
    table, raw = read_samples(tmp_path), pd.read_csv(file, dtype=str, keep_default_na=False)
    assert table.groupby(["model", "setting"]).size().tolist() == [360] * 9
    assert table["tokens"].sum() == raw["completion_tokens"].astype(float).sum()
    assert table["correct"].sum() == raw["correct"].astype(float).sum()
    assert table["answer"].isna().sum() == (raw["answer"] == "").sum()
