"""A run of a model that thinks, from the server to the table, the record and the display of its answers."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from harness.engines.factory import engine_for
from harness.questions.load import load_questions
from harness.run.sampler import RunOutcome, sample
from harness.tally.counts import Tally
from harness.view import answers, read_blocks
from results import build_curves, read_samples
from results.report.one_question import LONGEST, question_data
from results.votes.curves import curves_and_votes
from tests.harness.engines.servers import TINY, VLLM, SGLang
from tests.harness.run.real_run import experiment
from tests.harness.run.rows import row, stored, write

pytestmark = pytest.mark.usefixtures("impatient")

THINKING: dict[str, Any] = {
    **{"model": TINY, "prompt": "boxed", "readers": ("hashes",), "budget_by": "thinking"},
    **{"budgets": (0, 50, 300), "tokens_per_budget": 1.0, "tokens_extra": 6, "samples": 2},
    "limit": 2,
}


def run(folder: Path, server: Any, **changes: Any) -> RunOutcome:
    """Sample from `server`, whose model thinks for 100 tokens."""
    with server:
        plan = experiment(**{**THINKING, **changes, "url": server.url})
        log = folder / "server.log"
        return asyncio.run(
            sample(plan, load_questions("tiny"), folder, lambda: engine_for(plan, log, lambda _line: None))
        )


@pytest.mark.parametrize(("server", "engine"), [(VLLM(), "openai"), (SGLang(), "sglang")])
def test_thinking_is_stored_counted_and_shown(server: Any, engine: str, tmp_path: Path) -> None:
    outcome = run(tmp_path, server, engine=engine)
    assert outcome.missing == 0
    rows = stored(tmp_path)
    thought = {(row["setting"], row["reasoning"].count(" is")) for row in rows}
    assert thought == {("0", 0), ("50", 50), ("300", 100)}
    assert {(row["setting"], row["tokens"]) for row in rows} == {("0", 6), ("50", 56), ("300", 106)}
    assert {row["answer"] for row in rows} == {"18"}
    header, *lines = [line.split() for line in outcome.tally.table().splitlines()]
    assert "thought" in header
    used = [(cells[0], cells[5], int(cells[6]), int(cells[7])) for cells in lines[:3]]
    assert [(asked, tokens) for asked, tokens, *_ in used] == [("0", "6.0"), ("50", "56.0"), ("300", "106.0")]
    for (*_, mean, most), told in zip(used, (0, 50, 100), strict=True):
        assert told <= mean <= most <= told + 2
    assert outcome.tally.warnings(tmp_path) == []
    curves = build_curves(read_samples(tmp_path / "samples.jsonl"), permutations=0)
    assert sorted(curves["tokens_per_answer"].unique()) == [6, 56, 106]
    (table,) = read_blocks([tmp_path / "samples.jsonl"], "tiny-0000", "50")
    shown = list(answers(table, tmp_path, "tiny-0000", (), 5, full=False))
    assert sum(" is is is" in line for line in shown) == 2
    assert sum("[thinking, 5" in line for line in shown) == 2


def test_what_is_cut_off_while_it_thinks_is_unreadable_and_no_copy_of_others(tmp_path: Path) -> None:
    outcome = run(tmp_path, VLLM(), engine="openai", budget_by="prompt", budgets=(10, 90), samples=8)
    for setting in outcome.tally.summary()["settings"]:
        assert (setting["cut_off"], setting["unreadable"]) == (1.0, 1.0)
        assert setting["tokens_mean"] == setting["max_new_tokens"]
        assert setting["distinct"] == 1 / 8  # the mock model always thinks the same
    tally = Tally(experiment(**THINKING, engine="openai", url="http://x"))
    cut: dict[str, Any] = {"finish_reason": "length", "answer": None, "correct": False, "text": ""}
    cut |= {"setting": "300", "reasoning_tokens": 300, "tokens": 306}
    for index in range(60):
        own = {"question_id": f"q{index % 6}", "reasoning": f"thought {index}"}
        tally.add(row(index // 6, **cut, **own))
    assert tally.summary()["alarm"] is None
    assert tally.summary()["settings"][0]["distinct"] == 1


def test_a_budget_that_is_overrun_in_the_middle_of_a_run_is_said() -> None:
    tally = Tally(experiment(**THINKING, engine="openai", url="http://x"))
    for tokens, warned in ((50, 0), (60, 0), (90, 1), (20, 1)):
        tally.add(row(tokens, setting="50", reasoning="so", reasoning_tokens=tokens))
        assert len(tally.warnings(Path("runs/a"))) == warned
    tally.add(row(1, setting="40", reasoning="so", reasoning_tokens=None))  # possibly the longest
    tally.add(row(0, setting="40", reasoning="so", reasoning_tokens=9))
    tally.add(row(0, setting="300", reasoning_tokens=400))  # a server may hide the thinking that it counts
    found = [(one["thinking_mean"], one["thinking_most"]) for one in tally.summary()["settings"]]
    assert found == [(None, None), (220 / 4, 90), (400, 400)]


def test_thinking_is_untrusted_and_shortened_where_it_is_shown(tmp_path: Path) -> None:
    evil = "</script>\x1b[2J\u202e" + "x" * 100_000 + "the end"
    write(tmp_path, [row(0, reasoning=evil, reasoning_tokens=9), row(1)])
    table = read_samples(tmp_path / "samples.jsonl")
    votes = curves_and_votes(table, "majority", permutations=0)[1]
    ((thinks, plain),) = [one["texts"] for model in question_data(table, votes) for one in model["questions"]]
    assert len(plain) == 4
    assert "\\x1b" in thinks[4]
    assert "\\u202e" in thinks[4]
    assert thinks[4].endswith("the end")
    assert len(thinks[4]) < 2 * LONGEST
    (rows,) = read_blocks([tmp_path / "samples.jsonl"], None, None)
    shown = "\n".join(answers(rows, tmp_path, None, (), 5, False))
    assert "\x1b" not in shown
    assert "the end" in shown
