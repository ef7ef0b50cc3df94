"""`tts compare`: the runs it accepts, its verdicts and exit codes."""

from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest

from tests.predict.commands import predict
from tests.results.cli.command import joined, results, samples_file

ONE_LOOK = ["--at", 1, "--sequential", "--planned", 30, "--looks", 1]


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> list[Path]:
    """Five files of thirty questions with four answers each, of which 0, 1, … 4 are right."""
    folder = tmp_path_factory.mktemp("runs")
    return [samples_file(folder / f"{right}.csv", right) for right in range(5)]


@pytest.mark.parametrize(
    ("rights", "arguments", "word", "status"),
    [
        ((1, 3), [], "better", 0),
        ((3, 1), [], "worse", 1),
        ((2, 2), [], "undecided", 3),
        ((2, 2), ["--at", 1, "--margin", 10], "not worse by 10 points", 0),
        ((3, 1), ["--at", 1, "--margin", 5], "worse by more than 5 points", 1),
        ((2, 2), ["--at", 1, "--margin", 2], "undecided", 3),
        ((2, 2), ["--at", 1, "--margin", 3, "--level", 0.5], "not worse by 3 points", 0),
        ((4,), ["--every-question"], "holds", 0),
        ((0,), ["--every-question"], "fails", 1),
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
        # The vote of four is right half the time with two right, always with three: −50 ± 6.8 at 4.
        ((3, 2), ["--at", 1, "--margin", 30], "undecided", 3),  # −25 ± 6.8
        ((3, 2), ["--at", "1,4", "--margin", 30], "worse by more than 30 points", 1),
        ((2, 3), ["--at", "1,4", "--margin", 30], "not worse by 30 points", 0),
        ((3, 2), ["--at", 1, "--margin", 52], "not worse by 52 points", 0),
        ((3, 2), ["--at", "1,4", "--margin", 52], "undecided", 3),
    ],
)
def test_the_gate_leaves_with_the_verdict_on_the_second_run(
    runs, tmp_path, capsys, rights, arguments, word, status
):
    """30 questions with equal differences: an interval of ± 6.8 points, or ± 2.3 at a level of 0.5."""
    given = [runs[right] for right in rights]
    if len(set(given)) < len(given):  # a file is not compared with itself
        given[1] = samples_file(tmp_path / "again.csv", rights[1])
    assert results("compare", *given, "--gate", *arguments) == status
    *told, last = capsys.readouterr().out.splitlines()
    assert last == f"verdict: {word}"
    assert any("margin" in line for line in told) == ("--at" in arguments and "--margin" in arguments)
    planned = dict(pairwise(arguments)).get("--planned", 30)
    assert any("interim" in line for line in told) == ("--sequential" in arguments and planned == 30)
    assert any("Even all planned" in line for line in told) == (planned == 40)


def test_a_run_without_a_failure_tells_what_it_shows(runs, capsys):
    """Four of four, for thirty questions together: (0.05 / 30)^(1/4)."""
    assert results("compare", runs[4], "--every-question") == 0
    assert "at least 20 % of its answers" in capsys.readouterr().out


def test_verdicts_with_scores_have_no_vote_by_them(runs, tmp_path, capsys):
    answers = pd.read_csv(runs[3]).drop(columns=["gold", "model"], errors="ignore")
    verdicts = answers.assign(correct=answers["answer"] == 1, score=1.0 / (1 + answers.index), tokens=9)
    verdicts = verdicts.assign(answer=verdicts["correct"].map({True: "yes", False: "no"}))
    pd.concat([verdicts.assign(model=name) for name in "mn"]).to_csv(both := tmp_path / "s.csv", index=False)
    assert results("compare", both, "--score", "score", "--out", tmp_path / "c.csv") == 0
    assert set(pd.read_csv(tmp_path / "c.csv")["method"]) == {"best_by_score"}
    assert results("compare", both, "--model", "m", "--model", "n") == 0
    assert results("compare", both, "--model", "m", "--score", "score") == 2
    assert "verdicts cast no vote that a choice by score could beat" in capsys.readouterr().err
    votes = verdicts.assign(answer=answers["answer"], gold="1", dataset="first", model="m")
    of_two = pd.concat([votes, verdicts.assign(dataset="second", model="m")])
    of_two.to_csv(two := tmp_path / "two.csv", index=False)
    assert results("compare", two, "--score", "score") == 2
    assert "m on second: verdicts cast no vote" in capsys.readouterr().err
    plan = ("plan", both, "--score", "score", "--score-cost", "0", "--token-budget", "99")
    assert predict(*plan, "--out", tmp_path / "p.csv").exit_code == 0
    bought = pd.read_csv(tmp_path / "p.csv").groupby("method")["N"].apply(set)
    assert bought.to_dict() == {"majority": {1}, "best_by_score": {2, 4}}


def test_a_price_may_be_of_a_name_with_an_equals_sign(tmp_path, capsys):
    files = [samples_file(tmp_path / f"{i}.csv", i, model=f"m=t{i}") for i in (1, 3)]
    assert results("compare", *files, "--price", "m=t1=2", "--price", "m=t3=2") == 0
    assert "equal US$" in capsys.readouterr().out


def test_names_are_harmless_on_a_terminal(tmp_path, capsys):
    names = enumerate(("\x1b[2J", "\u202eb"))
    files = [samples_file(tmp_path / f"{i}.csv", 1 + i, questions=3, model=name) for i, name in names]
    assert results("compare", joined(files, tmp_path / "both.csv"), "--out", tmp_path / "c.csv") == 0
    shown = "".join(capsys.readouterr())
    assert "\\x1b[2J" in shown
    assert "\x1b" not in shown
    assert "\u202e" not in shown
