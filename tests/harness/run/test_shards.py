"""A run in shards equals the whole run: the same answers and curves byte for byte, with nothing mixed up."""

import asyncio
import json
import random
import shutil
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from harness.engines.base import Completion, Sampling
from harness.questions.load import Question
from harness.run.sampler import sample
from harness.store.record import tally_of
from results import BadInput, build_curves, read_samples
from results.report.provenance import unfinished, whole_runs
from tests.harness.commands import command
from tests.harness.run.rows import record_in, stored
from tests.harness.run.scripted import ScriptedEngine, experiment

PARTS = 8
QUESTIONS = [Question(f"q-{index:02}", f"Problem number {index}?", str(index)) for index in range(21)]


class Seeded(ScriptedEngine):
    """An engine that draws answers, their lengths and endings from the seed of each request."""

    async def generate(self, prompt: str, _sampling: Sampling, seed: int, _said: str = "") -> Completion:
        await asyncio.sleep(0)
        number, drawn = int(prompt.split("?")[0].rsplit(" ", 1)[1]), random.Random(seed)
        answer = number + drawn.choice((0, 0, 1, 2, 3))
        text = "none" if drawn.random() < 0.02 else f"The answer is ##{answer}##."
        return Completion(text, drawn.randint(5, 60), 20, "stop", seed)


def draw(folder: Path, questions: Sequence[Question] = QUESTIONS, **changes: Any) -> int:
    asked = experiment(**{"samples": 6, "greedy": True} | changes)
    return asyncio.run(sample(asked, questions, folder, Seeded)).planned


def rows(*folders: Path) -> list[dict[str, Any]]:
    """The rows of runs, sorted and without their shard."""
    found = [row for folder in folders for row in stored(folder)]
    for row in found:
        row.pop("shard", None)
    return sorted(found, key=lambda row: json.dumps(row, sort_keys=True))


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path]]:
    """The folder of a whole run, and those of its eight shards."""
    folder = tmp_path_factory.mktemp("runs")
    parts = [folder / f"shard-{part}" for part in range(1, PARTS + 1)]
    asked = [draw(path, shard=f"{part}/{PARTS}") for part, path in enumerate(parts, start=1)]
    assert sum(asked) == draw(folder / "whole") == len(QUESTIONS) * 2 * 7
    return folder / "whole", parts


def test_eight_shards_are_the_answers_and_the_curves_of_the_undivided_run(
    shards: tuple[Path, list[Path]], tmp_path: Path
) -> None:
    whole, parts = shards
    assert rows(*parts) == rows(whole)
    assert {row["shard"] for row in stored(parts[2])} == {"3/8"}
    assert {row["question_id"] for row in stored(parts[2])} == {"q-02", "q-10", "q-18"}
    undivided = build_curves(read_samples(whole), permutations=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        divided = build_curves(read_samples(*parts[::-1]), permutations=3)
    pd.testing.assert_frame_equal(divided, undivided, check_exact=True)


def test_a_shard_grows_with_its_run_and_goes_on_as_itself_alone(tmp_path: Path) -> None:
    assert draw(tmp_path, shard="3/8", limit=12, samples=2) == 2 * 2 * 3  # two of the twelve questions
    draw(tmp_path, shard="3/8")
    draw(tmp_path / "at once", shard="3/8")
    assert rows(tmp_path / "at once") != []
    assert {r["question_id"] for r in rows(tmp_path)} == {
        r["question_id"] for r in rows(tmp_path / "at once")
    }
    for other in ("4/8", "3/4", None):
        with pytest.raises(BadInput, match=r'another shard \("3/8" then'):
            draw(tmp_path, shard=other)


@pytest.mark.parametrize("shard", ["0/8", "9/8", "3", "3/", "x", "03/8", "3/8 "])
def test_what_is_no_shard_is_refused(shard: str) -> None:
    with pytest.raises(ValueError, match="K from 1 to N"):
        experiment(shard=shard)


def test_a_shard_without_questions_is_refused_before_the_folder_is_made(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="22/30: has no question"):
        draw(tmp_path / "new", shard="22/30")
    assert not (tmp_path / "new").exists()


def test_a_shard_that_is_missing_is_said_and_one_that_is_there_twice_is_refused(
    shards: tuple[Path, list[Path]], tmp_path: Path
) -> None:
    _, parts = shards
    with pytest.warns(UserWarning, match="3 of 8 shards.*1/8, 2/8, 3/8, 5/8, 8/8"):
        read_samples(parts[3], parts[5], parts[6])
    shutil.copytree(parts[3], tmp_path / "copy")
    with pytest.raises(BadInput, match="a second row"):
        read_samples(*parts, tmp_path / "copy")
    refused = command("inspect", *parts, tmp_path / "copy")
    assert (refused.exit_code, "a second row for" in refused.output) == (2, True)
    assert "3 of 8 shards" in command("inspect", *parts[:3]).output


def test_what_is_planned_is_unknown_where_a_shard_does_not_say(
    shards: tuple[Path, list[Path]], tmp_path: Path
) -> None:
    def asked(*folders: Path) -> int | None:
        tally = tally_of(*folders)
        tally.add(stored(parts[1])[0])
        return tally.summary()["settings"][0]["questions_asked"]

    whole, parts = shards
    assert asked(*parts) == asked(whole) == len(QUESTIONS)
    (tmp_path / "run.json").write_text(json.dumps(record_in(parts[0]) | {"planned": None}))
    assert asked(tmp_path, *parts[1:]) is None


def test_what_reads_runs_reads_shards_as_the_whole_run(shards: tuple[Path, list[Path]]) -> None:
    whole, parts = shards
    assert command("inspect", *parts).output == command("inspect", whole).output
    (run,) = whole_runs([record_in(part) for part in parts])
    assert run["planned"] == record_in(whole)["planned"]
    assert unfinished([run], read_samples(*parts)) == {}
    first, other = (record_in(parts[0]) for _ in range(2))
    other["experiment"]["shard"] = "1/2"
    assert whole_runs([first, other]) == [first, other]
