"""`vote_curve` and `best_of_n_curve` with scores, and the command with --score."""

import pandas as pd
import pytest
from click.testing import CliRunner

from predict.evidence.groups import groups_of
from results import BadInput, as_samples, best_of_n_curve, read_curves, vote_curve, write_samples
from results.cli import cli

ANSWERS, GOLD = [["18", "7", "7"], ["5", "6", None]], ["18", "5"]
SCORES = [[0.9, 0.8, 0.3], [0.1, None, 0.9]]


def test_lists_of_scores_go_with_lists_of_answers():
    """The same by hand as in test_scored."""
    best = best_of_n_curve(ANSWERS, GOLD, ns=[1, 2, 3], scores=SCORES)
    assert best["accuracy"].tolist() == pytest.approx([1 / 3, 2 / 3, 1.0])
    vote = vote_curve(ANSWERS, GOLD, ns=[1, 2, 3], scores=SCORES)
    assert vote["accuracy"].tolist() == pytest.approx([1 / 3, 2 / 3, 0.5])


@pytest.mark.parametrize("scores", [SCORES[:1], [[1, 2, 3], [1, 2]], [1, 2], [[1, 2, 3], [1, 2, 3], [1]]])
def test_scores_that_do_not_fit_are_refused(scores):
    with pytest.raises(BadInput, match=r"^scores"):
        vote_curve(ANSWERS, GOLD, scores=scores)


def samples():
    rows = [
        (f"q{q}", i, answer, GOLD[q], SCORES[q][i])
        for q, given in enumerate(ANSWERS)
        for i, answer in enumerate(given)
    ]
    return pd.DataFrame(rows, columns=["question_id", "sample", "answer", "gold", "score_rm"])


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_the_command_reads_scores_from_every_kind_of_file(tmp_path, suffix):
    write_samples(samples(), tmp_path / f"s.{suffix}")
    words = ["curves", tmp_path / f"s.{suffix}", "--method", "best_by_score,majority", "--score", "rm"]
    words += ["--permutations", 2, "--out", tmp_path / "c.csv"]
    result = CliRunner().invoke(cli, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    found = read_curves(tmp_path / "c.csv").query("method == 'best_by_score'")
    assert found["accuracy"].tolist() == pytest.approx([1 / 3, 2 / 3, 1.0])
    assert (found["permutation"] == "exact").all()


@pytest.mark.parametrize("method", ["best_by_score", "weighted_majority"])
def test_there_is_no_forecast_of_them_yet(method):
    with pytest.raises(BadInput, match="no forecast"):
        groups_of(as_samples(samples()), "samples", method)
