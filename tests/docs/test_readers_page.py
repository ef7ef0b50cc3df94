"""studies/readers: every row of its table is read as stated, and its figures match the script's."""

import json
import re
from pathlib import Path
from typing import get_args

import pandas as pd
import pytest

from harness.grader import Grader, GraderName
from results import read_samples
from studies.readers.run import lift
from tests.conftest import ROOT

PAGE = (ROOT / "studies" / "readers" / "README.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## What is read as what\n")[2].partition("\n## ")[0]
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in SECTION.splitlines()
    if line.startswith("| `")
]


def unquoted(cell: str) -> str | None:
    """The text in a cell's backquotes; None for null."""
    if cell == "null":
        return None
    assert re.fullmatch("`[^`]+`", cell), cell
    return cell[1:-1]


@pytest.mark.parametrize(("text", "grader", "answer", "why"), ROWS)
def test_every_row_of_the_table_is_read_as_it_says(
    text: str, grader: GraderName, answer: str, why: str
) -> None:
    if grader == "math":
        pytest.importorskip("math_verify")
    said = unquoted(text)
    assert said is not None
    assert Grader(grader=grader).read(said).value == unquoted(answer), why


def test_the_table_has_every_grader_and_no_row_twice() -> None:
    assert {row[1] for row in ROWS} == {*get_args(GraderName)}
    assert len({(row[0], row[1]) for row in ROWS}) == len(ROWS) > 50


@pytest.mark.parametrize(("name", "most"), [("qwen-gsm8k", 32), ("qwen-math", 16)])
def test_the_lift_of_the_answers_that_ship_is_that_of_the_page(name: str, most: int) -> None:
    found = lift(read_samples(ROOT / "results" / "cached" / f"{name}.parquet"))
    for _, row in found[found["N"].isin([2, most])].iterrows():
        figures = (row["N"], *row[["no vote", "all different", "all alike"]])
        assert f"| {' | '.join(map(str, figures))} |" in PAGE


def test_so_many_questions_of_gsm8k_ask_for_a_percentage(data_dir: Path) -> None:
    asks = re.compile(r"(what|which|how)[^.?]*(percent|%)[^.?]*\?", re.IGNORECASE)
    files = [data_dir / "gsm8k" / f"{split}.jsonl" for split in ("test", "train")]
    rows = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    count = sum(asks.search(row["question"]) is not None for row in rows)
    assert f"{count} of GSM8K's {len(rows):,} questions" in " ".join(PAGE.split())


def test_answers_that_are_no_integers_are_given_their_votes() -> None:
    samples = pd.DataFrame(
        {
            "question_id": "q",
            "sample": range(5),
            "answer": ["12", "12", "12.5", "$12.50", "12.5"],
            "gold": "12",
        }
    )
    found = lift(samples.assign(correct=[True, True, False, False, False])).set_index("N")
    assert found.loc[4, "no vote"] == 100
    assert found.loc[4, "votes"] == 30  # three of five subsets tie, two right answers to two wrong ones
