"""Votes that ended when settled, on the page: what they saved, and how many were right."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from results.report.provenance import longest_votes
from results.summary.samples import ended_votes
from results.tables.contract import write_samples
from results.votes.exact import answer_pools, whole_vote
from results.words.stopping import ENDED
from tests.results.cli.command import results
from tests.results.report.pages import page_of


def votes(answers: dict[str, str], rule: str | None = "lead:2") -> pd.DataFrame:
    """Samples from a letter per answer: "A" is right, "-" unreadable; the i-th has 10 · (i + 1) tokens."""
    rows = [
        (name, i, None if one == "-" else one, one == "A", 10 * (i + 1))
        for name, said in answers.items()
        for i, one in enumerate(said)
    ]
    table = pd.DataFrame(rows, columns=["question_id", "sample", "answer", "correct", "tokens"])
    told = {"dataset": "d", "model": "m", "setting": "s", "decoding": "sample", "stop_rule": rule}
    return table.assign(**told)


RECORD = {"experiment": {"dataset": "d", "model": "m", "samples": 8, "stop_rule": "lead:2"}, "planned": 40}


def test_leaders_share_the_credit_of_a_vote() -> None:
    answers = {"lost": "BB-A", "none": "--", "one": "AA", "three": "ABCCBA", "tie": "AB"}
    counts = answer_pools(votes(answers, None)).counts()
    assert whole_vote(counts).tolist() == pytest.approx([0, 0, 1, 1 / 3, 0.5])


def test_what_was_saved_is_counted_against_the_plan() -> None:
    """Of several runs, the plan is that of the longest ended by the same rule."""
    table = votes({"a": "AA", "b": "BB-", "c": "--------"})
    others = ({"samples": 4}, {"samples": 64, "stop_rule": "lead:9"}, {"samples": 64, "stop_rule": None})
    longest = longest_votes([RECORD, *({"experiment": RECORD["experiment"] | other} for other in others)])
    (row,) = ended_votes(table, longest).to_dict("records")
    assert (row["votes"], row["ended_early"], row["answers"], row["most"]) == (3, 2, 13, 8)
    assert row["tokens"] == 30 + 60 + 360
    assert row["tokens_share"] == pytest.approx(450 / (8 * 15 + 8 * 20 + 360))
    assert row["right"] == pytest.approx(1 / 3)
    assert row["stderr"] == pytest.approx(np.std([1, 0, 0], ddof=1) / np.sqrt(3))
    assert ENDED["of all"](row) == "54.2\u00a0%"  # 13 of 3 times 8
    assert ENDED["right"](row) == "33.3\u00a0% ± 65.3"  # 1.96 standard errors of a third
    (alone,) = ended_votes(table, {}).to_dict("records")
    assert np.isnan(alone["most"])
    assert np.isnan(alone["ended_early"])
    assert np.isnan(alone["tokens_share"])


@pytest.mark.usefixtures("undrawn")
def test_a_page_of_a_stopped_run_and_a_whole_one(tmp_path: Path) -> None:
    stopped, whole = tmp_path / "stopped", tmp_path / "whole"
    stopped.mkdir()
    write_samples(votes({"a": "AA", "b": "BAB"}), stopped / "samples.jsonl")
    (stopped / "run.json").write_text(json.dumps(RECORD), encoding="utf-8")
    alone = page_of(stopped)
    assert "Votes that ended when they were settled" in alone
    assert "planned answers" not in alone  # with a stop rule, the plan is only an upper bound
    whole.mkdir()
    write_samples(votes({"a": "AABB", "b": "AAAA"}, None).assign(model="w"), whole / "samples.jsonl")
    both = page_of(stopped, whole)
    assert "Votes that ended when they were settled" in both
    assert "w on d, majority vote" in both
    assert "m on d, majority vote" not in both
    assert "Votes that ended when they were settled" not in page_of(whole)
    assert results("report", stopped, whole, "--out", tmp_path / "page") == 0
    unsteady = pd.read_csv(tmp_path / "page" / "tables" / "unsteady.csv")
    assert unsteady["question"].tolist() == ["a"]  # b is so in votes that ended early, if often wrong
