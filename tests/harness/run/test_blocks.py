"""Runs with a stop rule: where votes end, in which blocks, after a kill, and what is recorded."""

import asyncio
import itertools
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.errors import EngineGone, RequestRefused
from results import BadInput
from results.stopping import ahead, named, seen_of, settled
from tests.harness.run.rows import record_in, stored
from tests.harness.run.scripted import ScriptedEngine, keys, run, run_async

ONE = {"budgets": (40,), "samples": 12}


def text_of(digit: str) -> str:
    """A text with this answer digit, or an unreadable one for a dot."""
    return "no idea" if digit == "." else f"It is ##{digit}##."


def telling(answers: Callable[[str], str]) -> ScriptedEngine:
    """An engine that answers each question with the digits of its sequence, one after the other."""
    given: dict[str, int] = {}

    def script(prompt: str, _place: int) -> str:
        question = prompt.split("?")[0].rsplit(" ", 1)[1]
        given[question] = given.get(question, -1) + 1
        return text_of(answers(question)[given[question]])

    return ScriptedEngine(script)


def votes(folder: Path) -> dict[tuple[str, str], list[str | None]]:
    """The answers of each vote in order of their index, which has no gaps."""
    found: dict[tuple[str, str], dict[int, str | None]] = {}
    for row in stored(folder):
        if row["decoding"] == "sample":
            found.setdefault((row["question_id"], row["setting"]), {})[row["sample"]] = row["answer"]
    for indices in found.values():
        assert sorted(indices) == list(range(len(indices)))
    return {key: [indices[i] for i in range(len(indices))] for key, indices in found.items()}


def by_hand(answers: list[str | None], text: str, most: int) -> int:
    """The number of answers at which the vote ends when asked for in exact blocks."""
    rule, threshold = named(text)
    asked = 0
    while asked < most:
        seen = seen_of(answers[:asked], most)
        if asked and settled(rule, threshold, seen)[0]:
            break
        asked += int(ahead(rule, threshold, seen)[0])
    return asked


def test_a_vote_is_asked_for_in_exact_blocks_and_ends_when_it_is_settled(tmp_path: Path) -> None:
    says = {"0": "000" * 4, "1": "121112222222", "2": ".2.22.......", "3": "3456789345678"}
    outcome = run(tmp_path, telling(says.get), stop_rule="lead:3", **ONE)
    ends = {question: len(said) for (question, _), said in votes(tmp_path).items()}
    assert ends == {"q-0": 3, "q-1": 5, "q-2": 5, "q-3": 12}  # q-1 gets 121, then 11
    assert outcome.missing == 0
    assert len(outcome.told) == 1


@pytest.mark.parametrize("text", ["lead:2", "asc-beta:0.9", "fixed:5", "certain"])
def test_every_rule_ends_votes_as_in_the_arena_whatever_the_order_of_replies(tmp_path, text) -> None:
    rng = random.Random(text)

    async def later(_prompt: str, _place: int) -> str:
        for _ in range(rng.randrange(6)):
            await asyncio.sleep(0)
        return text_of(rng.choice("00012."))

    engine = ScriptedEngine(later)
    outcome = run(tmp_path, engine, stop_rule=text, samples=10, concurrency=3)
    assert outcome.missing == 0
    assert len(votes(tmp_path)) == 8
    for said in votes(tmp_path).values():
        assert len(said) == by_hand([*said, *["unseen"] * 10], text, 10)
    assert engine.most_in_flight <= 3
    asked = len(engine.asked)
    again = run(tmp_path, engine, stop_rule=text, samples=10, concurrency=3)
    assert (again.missing, len(engine.asked)) == (0, asked)
    assert again.told == outcome.told
    told = record_in(tmp_path)["summary"]["stopping"]["settings"]
    assert [(one["setting"], one["answers_of_all"]) for one in told] == [("10", 4 * 10), ("40", 4 * 10)]


@pytest.mark.parametrize("kept", [0, 10, 27])
def test_a_run_that_was_killed_goes_on_where_it_was(tmp_path: Path, kept: int) -> None:
    """A kill leaves only the first rows and half of the next one."""
    sequences = {str(q): "".join(random.Random(q).choices("012", k=40)) for q in range(4)}
    run(tmp_path, telling(sequences.get), stop_rule="lead:3", **ONE)
    lines = (tmp_path / "samples.jsonl").read_text().splitlines(keepends=True)
    before = set(keys(tmp_path)[:kept])
    (tmp_path / "samples.jsonl").write_text("".join(lines[:kept]) + lines[kept][:20])
    engine = telling(sequences.get)
    assert run(tmp_path, engine, stop_rule="lead:3", **ONE).missing == 0
    assert before <= set(keys(tmp_path))
    assert len(engine.asked) == len(stored(tmp_path)) - len(before)
    for said in votes(tmp_path).values():
        assert len(said) == by_hand([*said, *["unseen"] * 12], "lead:3", 12)


def test_a_request_that_fails_leaves_its_vote_open_until_it_is_asked_again(tmp_path: Path) -> None:
    calls = itertools.count()

    def refuse_some(_prompt: str, _place: int) -> str:
        if next(calls) % 6 == 1:
            raise RequestRefused("no")
        return text_of("0")

    outcome = run(tmp_path, ScriptedEngine(refuse_some), stop_rule="lead:3", **ONE)
    assert outcome.missing > 0
    assert len(outcome.failures) > 0
    of_votes = Counter(row["question_id"] for row in stored(tmp_path) if row["decoding"] == "sample")
    (counted,) = record_in(tmp_path)["summary"]["stopping"]["settings"]
    assert counted["votes"] == sum(answers == 3 for answers in of_votes.values()) < len(of_votes)
    again = run(tmp_path, ScriptedEngine(lambda _prompt, _place: text_of("0")), stop_rule="lead:3", **ONE)
    assert again.missing == 0
    assert {len(said) for said in votes(tmp_path).values()} == {3}


def test_nobody_waits_for_a_server_that_has_gone(tmp_path: Path) -> None:
    async def gone(_prompt: str, _place: int) -> str:
        await asyncio.sleep(0.01)
        raise EngineGone("it is gone")

    running = run_async(tmp_path, ScriptedEngine(gone), stop_rule="lead:3", concurrency=64, **ONE)
    outcome = asyncio.run(asyncio.wait_for(running, 30))
    assert outcome.failures == ["it is gone"]
    assert outcome.missing == 4 * 12


def test_what_was_saved_is_recorded(tmp_path: Path) -> None:
    engine = telling({"0": "0" * 12, "1": "1" * 12, "2": "0" * 12, "3": "30" * 6}.get)
    engine.tokens = {"0": 10, "1": 20, "2": 30, "3": 40}  # also for the answers not asked for
    run(tmp_path, engine, stop_rule="lead:3", greedy=False, **ONE)
    (found,) = record_in(tmp_path)["summary"]["stopping"]["settings"]
    assert found == {
        **{"setting": "40", "votes": 4, "ended_early": 3, "answers": 21, "answers_of_all": 48},
        "tokens_share": pytest.approx((3 * 60 + 12 * 40) / (12 * 100)),
        "right": pytest.approx((2 + 0.5) / 4),
    }
    assert {row["stop_rule"] for row in stored(tmp_path)} == {"lead:3"}
    with pytest.raises(BadInput, match="stop_rule"):
        run(tmp_path, engine, stop_rule="lead:4", **ONE)


def test_of_answers_without_a_count_no_share_of_the_tokens_is_told(tmp_path: Path) -> None:
    """Whether readable or not: an unknown count is not zero, and 0 tokens in every answer is no count."""
    none = dict.fromkeys("0123", 0)
    for says, tokens in (("0" * 12, {"1": None}), ("." * 12, {"1": None}), ("1" * 12, none)):
        engine = telling(dict.fromkeys("0123", says).get)
        engine.tokens = tokens
        run(tmp_path / says, engine, stop_rule="lead:3", **ONE)
        assert record_in(tmp_path / says)["summary"]["stopping"]["settings"][0]["tokens_share"] is None


def test_with_fewer_samples_a_run_has_saved_what_a_fresh_one_has(tmp_path: Path) -> None:
    """Stored answers beyond the new number of samples are ignored."""
    says = {"0": "0" * 12, "1": "112233445566", "2": "0" * 12, "3": "3456789345678"}
    told = []
    for name, most in (("both", 12), ("both", 6), ("fresh", 6)):
        plan = ONE | {"stop_rule": "lead:3", "samples": most}
        assert run(tmp_path / name, telling(says.get), **plan).missing == 0
        record = record_in(tmp_path / name)
        told.append((record["summary"]["stopping"], record["planned"]))
    assert told[1] == told[2]
    assert told[0] != told[1]


def test_greedy_answers_are_drawn_beside_and_not_marked(tmp_path: Path) -> None:
    outcome = run(tmp_path, ScriptedEngine(), stop_rule="lead:2", greedy=True, **ONE)
    assert outcome.missing == 0
    rows = stored(tmp_path)
    assert sum(row["decoding"] == "greedy" for row in rows) == 4
    assert {"stop_rule" in row for row in rows if row["decoding"] == "greedy"} == {False}
