"""The table at the end of a run."""

from typing import Any

from harness.tally import Tally


def row(setting: str, text: str, **changes: Any) -> dict[str, Any]:
    values = {"question_id": "q", "setting": setting, "decoding": "sample", "text": text, "tokens": 10}
    return {**values, "answer": "1", "correct": False, "finish_reason": "stop", **changes}


def test_shares_are_counted_by_setting_and_decoding() -> None:
    tally = Tally()
    tally.add(row("100", "a", correct=True, tokens=90))
    tally.add(row("100", "a", answer=None, finish_reason="length", tokens=131))
    tally.add(row("100", "a", question_id="other"))
    tally.add(row("20", "b"))
    tally.add(row("20", "b", decoding="greedy", correct=True))
    tally.add(row("default", "c"))
    lines = [line.split() for line in tally.table().splitlines()]
    assert lines[1:] == [
        ["20", "greedy", "1", "10.0", "0.0%", "0.0%", "100.0%", "100.0%"],
        ["20", "sample", "1", "10.0", "0.0%", "0.0%", "100.0%", "0.0%"],
        ["100", "sample", "3", "77.0", "33.3%", "33.3%", "66.7%", "33.3%"],
        ["default", "sample", "1", "10.0", "0.0%", "0.0%", "100.0%", "0.0%"],
    ]
    assert (tally.answers, tally.tokens, tally.correct) == (6, 261, 2)


def test_columns_line_up() -> None:
    tally = Tally()
    tally.add(row("1000", "a", tokens=123456))
    tally.add(row("2", "a"))
    assert len({len(line) for line in tally.table().splitlines()}) == 1
