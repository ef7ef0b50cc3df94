"""The AUC of a score against counting all pairs."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from harness.judge.progress import auc
from tests.harness.commands import exit_status
from tests.harness.judge.judging import CHAT, Server, rows_of


def by_pairs(groups: list[tuple[list[float], list[bool]]]) -> float | None:
    """The share of (right, wrong) pairs in the right order, each looked at."""
    credit = []
    for scores, right in groups:
        above = [score for score, is_right in zip(scores, right, strict=True) if is_right]
        below = [score for score, is_right in zip(scores, right, strict=True) if not is_right]
        credit += [(one > other) + (one == other) / 2 for one, other in product(above, below)]
    return sum(credit) / len(credit) if credit else None


@pytest.mark.parametrize("seed", range(40))
def test_auc_is_the_share_of_pairs(seed: int) -> None:
    random = np.random.default_rng(seed)
    groups = []
    for _ in range(random.integers(1, 5)):
        n = int(random.integers(0, 9))
        groups.append((random.integers(0, 4, n) / 3, random.random(n) < random.random()))
    expected = by_pairs([(scores.tolist(), right.tolist()) for scores, right in groups])
    found = auc(groups)
    assert found == (None if expected is None else pytest.approx(expected, abs=1e-12))


def test_neither_auc_hangs_on_the_order_of_the_rows(folder: Path) -> None:
    """By hand, of 4 + 2 pairs within a question and 12 in all; answers to two questions interleave."""
    rows = rows_of(folder)
    orders = [rows, rows[0::4] + rows[1::4] + rows[2::4] + rows[3::4], rows[::-1]]
    with Server() as server:
        for order in orders:
            text = "".join(json.dumps(row) + "\n" for row in order)
            (folder / "samples.jsonl").write_text(text)
            assert exit_status("judge", folder, "--url", server.url, *CHAT) == 0
            told = json.loads((folder / "scores" / "judge.json").read_text())["summary"]
            assert (told["auc"], told["auc_within"]) == pytest.approx((9 / 12, 4 / 6))


def test_what_a_score_costs_is_of_the_answers_that_are_there(folder: Path) -> None:
    """The answers to one question are taken away, as where a run was begun again: their verdicts stay."""
    rows = rows_of(folder)
    others = [row for row in rows if row["question_id"] != rows[0]["question_id"]]
    with Server() as server:
        summaries = []
        for kept in (rows, others):
            (folder / "samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in kept))
            assert exit_status("judge", folder, "--url", server.url, *CHAT) == 0
            summaries.append(json.loads((folder / "scores" / "judge.json").read_text())["summary"])
    first, second = summaries
    assert second["judged"] < first["judged"]
    for name in ("tokens", "prompt_tokens"):
        assert second[name] / second["asked"] == pytest.approx(first[name] / first["asked"], rel=0.1)
        assert second[name] < first[name]
