"""`tts compare`: its file, its verdicts, its exit codes."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from results import write_samples
from results.tables.contract import kind_of, read_table
from tests.results.cli.command import results


def samples_file(path: Path, right: int, questions: int = 30, answers: int = 4, **constants: str) -> Path:
    """So many answers to each question, `right` of them right."""
    rows = [
        {"question_id": f"q{q}", "sample": i, "answer": "1" if i < right else "7", "gold": "1", "tokens": 10}
        for q in range(questions)
        for i in range(answers)
    ]
    write_samples(pd.DataFrame(rows).assign(**constants), path)
    return path


def test_a_table_is_written_for_one_answer_vote_and_best(tmp_path):
    inputs = samples_file(tmp_path / "one" / "samples.jsonl", 1).parent, samples_file(tmp_path / "two.csv", 3)
    out, prices = tmp_path / "compare.csv", ("--price", "one=3", "--price", "two=2")
    assert results("compare", *inputs, *prices, "--out", out) == 0
    compared = read_table(out, "comparison")
    assert kind_of(out) == "comparison"
    assert len(compared) == 6
    assert set(zip(compared["a"], compared["b"], strict=True)) == {("one", "two")}
    single = compared[(compared["method"] == "majority") & (compared["N"] == 1)].iloc[0]
    assert single[["questions", "difference", "gained", "lost"]].tolist() == [30, 0.5, 30, 0]
    assert single[["cost", "N_at_cost"]].tolist() == [3e-5, 1.5]  # 10 tokens at 3 dollars for a million
    for_paper = tmp_path / "compare.tex"
    assert results("compare", *inputs, *prices, "--out", for_paper) == 0
    table = for_paper.read_text()
    assert "the 95 % intervals hold together" in table
    assert "−" not in table.partition("begin")[2]


def test_one_input_is_compared_across_its_settings_and_names_are_told_apart(tmp_path, capsys):
    rights = {"low": 1, "high": 2}
    low, high = (samples_file(tmp_path / name / "s.csv", rights[name], setting=name) for name in rights)
    both, out = tmp_path / "both.csv", tmp_path / "c.csv"
    both.write_text(low.read_text() + "".join(high.read_text().splitlines(keepends=True)[1:]))
    assert results("compare", both, "--out", out) == 0
    assert read_table(out, "comparison")[["a", "b"]].drop_duplicates().to_numpy().tolist() == [
        ["low", "high"]
    ]
    assert "setting" not in capsys.readouterr().out
    assert results("compare", low, high, "--out", out) == 0
    assert set(read_table(out, "comparison")["a"]) == {str(low)}
    copy = shutil.copy(both, tmp_path / "copy.csv")
    assert results("compare", both, copy, "--out", out) == 0
    told = [line.split()[:3] for line in capsys.readouterr().out.splitlines() if line.startswith("both")]
    assert told == [["both", "copy", setting] for setting in ("low", "high") for _ in range(6)]


ONE_LOOK = ["--at", 1, "--sequential", "--planned", 30, "--looks", 1]


@pytest.mark.parametrize(
    ("rights", "arguments", "word", "status"),
    [
        ((1, 3), [], "better", 0),
        ((3, 1), [], "worse", 1),
        ((2, 2), [], "undecided", 3),
        ((1, 3), ["--at", 2], "better", 0),
        ((2, 2), ["--at", 1, "--margin", 10], "not worse by 10 points", 0),
        ((3, 1), ["--at", 1, "--margin", 5], "worse by more than 5 points", 1),
        ((2, 2), ["--at", 1, "--margin", 2], "undecided", 3),
        ((2, 2), ["--at", 1, "--margin", 3, "--level", 0.5], "not worse by 3 points", 0),
        ((1, 3), ["--every-question"], "holds", 0),
        ((4, 0), ["--every-question"], "undecided", 3),
        ((4, 0), ["--every-question", "--level", 0.8], "fails", 1),
        ((4, 3), ["--every-question", "--margin", 25], "holds", 0),
        ((1, 3), ["--at", 2, "--sequential"], "better", 0),
        ((3, 1), ["--at", 1, "--sequential", "--planned", 60], "worse", 1),
        ((2, 2), ["--at", 1, "--sequential", "--planned", 300], "go on", 4),
        ((2, 2), ["--at", 1, "--sequential", "--planned", 40], "undecided", 3),
        ((2, 2), ["--at", 1, "--sequential", "--planned", 30], "undecided", 3),
        ((2, 2), [*ONE_LOOK, "--margin", 10], "not worse by 10 points", 0),
        ((3, 2), [*ONE_LOOK, "--margin", 5], "worse by more than 5 points", 1),
    ],
)
def test_the_gate_leaves_with_the_verdict_on_the_second_run(
    tmp_path, capsys, rights, arguments, word, status
):
    """30 questions that differ alike: an interval of 6.8 points to each side, 2.3 at the level of 0.5."""
    runs = [samples_file(tmp_path / f"{i}.csv", right) for i, right in enumerate(rights)]
    assert results("compare", *runs, "--gate", *arguments) == status
    *told, last = capsys.readouterr().out.splitlines()
    assert last == f"verdict: {word}"
    assert any("margin" in line for line in told) == ("--at" in arguments and "--margin" in arguments)


def test_no_case_may_fail_whatever_the_mean(tmp_path, capsys):
    """Ten cases, four repeats, one of them never right: the mean of two such runs is as good."""
    run = samples_file(tmp_path / "run.csv", 4, questions=9)
    failing = samples_file(tmp_path / "failing.csv", 0, questions=10).read_text().splitlines(keepends=True)
    assert results("compare", run, "--every-question", "--gate") == 0
    run.write_text(run.read_text() + "".join(failing[-4:]))
    assert results("compare", run, "--every-question", "--gate") == 1
    told = capsys.readouterr().out.splitlines()
    assert [line.split()[:4] for line in told if line.startswith("q")] == [
        ["question", "right", "is"],
        ["q9", "0", "of", "4"],
    ]
    several = samples_file(tmp_path / "b.csv", 4), samples_file(tmp_path / "c.csv", 4)
    assert results("compare", run, *several, "--every-question") == 2
    assert results("compare", run, "--every-question", "--cluster", "gold") == 2  # of means alone


def test_too_few_questions_are_said_to_be_the_reason(tmp_path, capsys):
    for questions, why in ((1, "one question"), (2, "too few questions: 6")):
        runs = [samples_file(tmp_path / f"{i}.csv", right, questions) for i, right in enumerate((0, 4))]
        assert results("compare", *runs, "--at", 1, "--gate") == 3
        assert why in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["one.csv", "none.csv"], "none.csv"),
        ([], "SAMPLES"),
        (["one.csv", "two.csv", "--out", "one.csv"], "one.csv"),
        (["one.csv", "two.csv", "--price", "one=1", "--price", "two=0"], "two=0"),
        (["one.csv", "two.csv", "--price", "one=$1", "--price", "two=1", "--price", "one=2"], "one=2"),
        (["one.csv", "two.csv", "--margin", "2"], "--margin"),
        (["one.csv", "two.csv", "--gate", "--margin", "2"], "--margin"),
        (
            ["one.csv", "two.csv", "--method", "majority,best_of_n", "--gate", "--at", "2", "--margin", "2"],
            "--margin",
        ),
        (["one.csv", "two.csv", "three.csv", "--gate"], "--gate"),
        (["one.csv", "./one.csv", "--gate"], "given twice"),
        (["one.csv", "two.csv", "--at", "1", "--sequential"], "--out"),
        (["one.csv", "two.csv", "--every-question"], "--every-question"),
        (["one.csv", "two.csv", "--planned", "300"], "--planned"),
        (["one.csv", "two.csv", "--looks", "3"], "--looks"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(tmp_path, monkeypatch, capsys, arguments, named):
    monkeypatch.chdir(tmp_path)
    samples_file(Path("one.csv"), 1)
    samples_file(Path("two.csv"), 2)
    samples_file(Path("three.csv"), 3)
    before = sorted(file.read_bytes() for file in tmp_path.iterdir())
    assert results("compare", "--out", "c.csv", *arguments) == 2
    errors = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("warning")]
    assert len(errors) == 1
    assert errors[0].startswith("error: ")
    assert named in errors[0]
    assert sorted(file.read_bytes() for file in tmp_path.iterdir()) == before


def test_names_are_harmless_on_a_terminal(tmp_path, capsys):
    names = enumerate(("\x1b[2J", "\u202eb"))
    files = [samples_file(tmp_path / f"{i}.csv", 1 + i, questions=3, model=name) for i, name in names]
    both = tmp_path / "both.csv"
    both.write_text(files[0].read_text() + "".join(files[1].read_text().splitlines(keepends=True)[1:]))
    assert results("compare", both, "--out", tmp_path / "c.csv") == 0
    shown = "".join(capsys.readouterr())
    assert "\\x1b[2J" in shown
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_a_score_that_costs_nothing_costs_nothing(tmp_path):
    """--score-cost 0 goes before what the answers say, and before nothing."""
    rows = [
        {
            "question_id": f"q{q}",
            "sample": i,
            "answer": str(i % 2),
            "gold": "1",
            "tokens": 10,
            "score_judge": i % 3,
            "tokens_judge": 100,
        }
        for q in range(12)
        for i in range(4)
    ]
    samples = tmp_path / "samples.csv"
    write_samples(pd.DataFrame(rows), samples)
    found = {}
    for cost in ("0", "10"):
        out = tmp_path / f"c{cost}.csv"
        asked = ("--score", "judge", "--method", "best_by_score", "--at", "4", "--out", out)
        assert results("compare", samples, *asked, "--score-cost", cost) == 0
        found[cost] = read_table(out, "comparison")["N_at_cost"].tolist()
    assert found["0"] == [4]
    assert found["10"] == [2]


def test_not_worse_by_a_margin_is_so_at_every_n(tmp_path, capsys):
    """Of four answers with two right the vote is right in half, with three right always."""
    runs = [samples_file(tmp_path / f"{i}.csv", right) for i, right in enumerate((3, 2))]
    asked = ("--gate", "--margin", 30)
    assert results("compare", *runs, *asked, "--at", 1) == 3  # −25 ± 6.8
    assert results("compare", *runs, *asked, "--at", 4) == 1
    assert results("compare", *runs, *asked, "--at", "1,4") == 1
    assert results("compare", *reversed(runs), *asked, "--at", "1,4") == 0
    wide = ("--gate", "--margin", 52)
    assert results("compare", *runs, *wide, "--at", 1) == 0
    assert results("compare", *runs, *wide, "--at", "1,4") == 3  # −50 ± 6.8 at 4


def test_two_of_several_models_are_chosen_by_name(tmp_path, capsys):
    files = [samples_file(tmp_path / f"{i}.csv", i + 1, model=f"m{i}") for i in range(3)]
    one = tmp_path / "all.csv"
    one.write_text(
        "".join(f.read_text() if not i else f.read_text().split("\n", 1)[1] for i, f in enumerate(files))
    )
    found = []
    for inputs in (files, [one]):
        out = tmp_path / "c.csv"
        asked = ("--model", "m0", "--model", "m2", "--at", "1", "--out", out)
        assert results("compare", *inputs, *asked) == 0
        found.append(read_table(out, "comparison"))
        assert found[-1][["a", "b"]].to_numpy().tolist() == [["m0", "m2"]]
    pd.testing.assert_frame_equal(*found)
    capsys.readouterr()
    assert results("compare", one, "--model", "m9") == 2
    assert "m0, m1, m2" in capsys.readouterr().err
    assert results("compare", one, "--at", 1, "--sequential") == 2
    assert "m1 and m2" in capsys.readouterr().err
