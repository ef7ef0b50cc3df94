"""Run folders that are joined into one curve must have been sampled in the same way."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from results import BadInput, read_samples, write_samples

EXPERIMENT = {
    "dataset": "d",
    "model": "m",
    "budgets": [10, 20],
    "temperature": 1.0,
    "limit": 5,
}


def folder(path: Path, question: str, digest: str = "9f2c", **changes: Any) -> Path:
    """A run's folder with one answer."""
    experiment = EXPERIMENT | changes
    row = {"question_id": question, "sample": 0, "answer": "1", "gold": "1", "setting": "10"}
    names = {"dataset": experiment["dataset"], "model": experiment["model"]}
    write_samples(pd.DataFrame([row | names]), path / "samples.jsonl")
    record = {"experiment": experiment, "plan_fields": ["budgets", "limit"], "prompt_sha256": digest}
    (path / "run.json").write_text(json.dumps(record))
    return path


def test_parts_of_one_experiment_are_joined(tmp_path):
    one, other = folder(tmp_path / "1", "a"), folder(tmp_path / "2", "b", limit=7, budgets=[10])
    assert len(read_samples(one, other)) == 2


def test_another_temperature_or_prompt_is_refused_and_named(tmp_path):
    one = folder(tmp_path / "1", "a")
    other = folder(tmp_path / "2", "b", digest="41aa", temperature=0.7)
    with pytest.raises(BadInput) as refused:
        read_samples(one, other)
    for told in (one, other, "temperature (1.0 and 0.7)", 'prompt_sha256 ("9f2c" and "41aa")'):
        assert str(told) in refused.value.message
    with pytest.raises(BadInput, match=r"different temperature"):
        read_samples(one, folder(tmp_path / "3", "c"), other)


@pytest.mark.parametrize("changes", [{"model": "other"}, {"dataset": "other"}, {"budgets": [40]}])
def test_other_curves_may_be_of_other_experiments(tmp_path, changes):
    one, other = folder(tmp_path / "1", "a"), folder(tmp_path / "2", "b", temperature=0.7, **changes)
    assert len(read_samples(one, other)) == 2


@pytest.mark.parametrize(
    "content",
    [None, "", "[]", "{}", '{"experiment": null, "plan_fields": []}', '{"experiment": {"temperature": 0.5}}'],
)
def test_answers_without_a_record_are_let_through(tmp_path, content):
    one, other = folder(tmp_path / "1", "a"), folder(tmp_path / "2", "b")
    (other / "run.json").unlink()
    if content is not None:
        (other / "run.json").write_text(content)
    assert len(read_samples(one, other)) == 2
