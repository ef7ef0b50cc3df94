"""Several hosts share a run, each a shard of it: together they make the curves of one run."""

import json
from pathlib import Path

import pandas as pd
import pytest

from harness.run.plan import asked_questions
from results import BadInput, build_curves, read_samples
from tests.harness.run.real_run import QUESTIONS, experiment, really


@pytest.mark.parametrize("limit", [None, 1, 3, 7])
@pytest.mark.parametrize("shards", [1, 2, 3])
def test_every_question_is_in_exactly_one_shard(limit: int | None, shards: int) -> None:
    within = QUESTIONS[:limit]
    parts = [
        asked_questions(experiment(limit=limit, shard=f"{i}/{shards}"), QUESTIONS)
        for i in range(1, min(shards, len(within)) + 1)
    ]
    assert sorted((q for part in parts for q in part), key=within.index) == within
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    if shards > len(within):
        with pytest.raises(BadInput, match=f"shard {shards}/{shards} .* {len(within)}"):
            asked_questions(experiment(limit=limit, shard=f"{shards}/{shards}"), QUESTIONS)


def test_two_shards_give_the_curves_of_the_whole(tmp_path: Path) -> None:
    whole = really(tmp_path / "whole")
    shards = [really(tmp_path / str(i), shard=f"{i}/2") for i in (1, 2)]
    keys = ["question_id", "setting", "sample"]
    joined, at_once = (read_samples(*f).sort_values(keys, ignore_index=True) for f in (shards, [whole]))
    assert set(read_samples(shards[0])["question_id"]).isdisjoint(read_samples(shards[1])["question_id"])
    # A chunk's seed does not depend on the shard: the hosts together draw the very answers of one.
    pd.testing.assert_frame_equal(joined, at_once)
    planned = [json.loads((folder / "run.json").read_text())["planned"] for folder in [*shards, whole]]
    assert planned == [24, 16, 40]

    curves = [build_curves(table, permutations=0) for table in (joined, at_once)]
    pd.testing.assert_frame_equal(*curves)
    with pytest.raises(BadInput, match="a second row for dataset=tiny, model=tiny, setting=10"):
        read_samples(shards[0], whole)


def test_shards_of_different_experiments_are_not_joined(tmp_path: Path) -> None:
    one = really(tmp_path / "1", shard="1/2", budgets=(10,))
    other = really(tmp_path / "2", shard="2/2", budgets=(10,), temperature=0.5)
    with pytest.raises(BadInput, match=r"different temperature \(1\.0 and 0\.5\)"):
        read_samples(one, other)
