"""Early stopping inside inspect_ai: its own runner with a mock model, and its log imported."""

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from harness.imports.inspect_ai_log import import_inspect_ai
from results import BadInput
from results.stopping import named, seen_of, settled
from tests.conftest import needs
from tests.harness.inspect_ai import runner

pytestmark = needs("inspect_ai")

ANSWERS = {
    "q1": ["18"] * 12,
    "q2": ["5", "6", "6", "6", None, "6", *["5"] * 6],
    "q3": ["1", "2", "3", "4"] * 3,
}
GOLDS = {"q1": "18", "q2": "5", "q3": "1"}


def stopping(rule: str) -> Any:
    from harness.inspect_ai.stop import StopWhenSettled

    return StopWhenSettled(rule)


def evaluated(folder: Path, rule: Any, **options: Any) -> Any:
    """The log of a run with a stop rule and at most twelve epochs."""
    from inspect_ai import Epochs

    rules = {"early_stopping": stopping(rule) if isinstance(rule, str) else rule}
    return runner.evaluated(folder, ANSWERS, GOLDS, Epochs(12, ["tts/vote"]), **rules, **options)


def ends(text: str, answers: list[str | None]) -> int:
    """The number of answers after which a vote is settled, checked after each answer."""
    rule, threshold = named(text)
    known = range(1, len(answers))
    return next((n for n in known if settled(rule, threshold, seen_of(answers[:n], 12))[0]), len(answers))


@pytest.mark.parametrize("rule", ["lead:3", "asc-beta:0.9"])
def test_one_at_a_time_every_sample_ends_where_the_rule_ends_it(tmp_path: Path, rule: str) -> None:
    """This also holds for two tasks whose samples have the same names."""
    once = stopping(rule)
    log = [evaluated(tmp_path / task, once, max_samples=1) for task in ("first", "second")][1]
    asked = Counter(sample.id for sample in log.samples)
    assert asked == {name: ends(rule, answers) for name, answers in ANSWERS.items()}
    stopped = log.results.early_stopping
    assert stopped.manager == f"tts/stop {rule}"
    assert len(stopped.early_stops) == 36 - asked.total()
    assert stopped.metadata["answers_saved"] == 36 - asked.total()


def test_epochs_that_are_under_way_count_and_no_more_are_begun(tmp_path: Path) -> None:
    log = evaluated(tmp_path, "lead:3", max_samples=4)
    asked = Counter(sample.id for sample in log.samples)
    assert 3 <= asked["q1"] <= 3 + 4
    assert asked["q3"] == 12
    assert asked.total() < 36
    table = import_inspect_ai(Path(log.location)).table
    assert table.groupby("question_id").size().to_dict() == asked
    assert set(table["stop_rule"]) == {"tts/stop lead:3"}


def test_the_answers_of_the_scorer_that_is_named_vote() -> None:
    from inspect_ai.scorer import SampleScore, Score

    from harness.inspect_ai.stop import StopWhenSettled

    async def ended(scorer: str | None) -> bool:
        rule = StopWhenSettled("lead:2", scorer)
        await rule.start_task(None, [], 12)  # type: ignore[arg-type]
        for epoch, letters in enumerate(("ax", "bx"), start=1):
            told = {name: SampleScore(score=Score(value=0, answer=letters[i])) for i, name in enumerate("pq")}
            await rule.complete_sample("q1", epoch, told)
        return await rule.schedule_sample("q1", 3) is not None

    assert [asyncio.run(ended(scorer)) for scorer in (None, "p", "q")] == [False, False, True]


def test_a_rule_that_is_none_is_said_at_once() -> None:
    with pytest.raises(BadInput, match="leed"):
        stopping("leed:3")
