"""The texts that a page shows from a file of any size."""

import json
from pathlib import Path

import pandas as pd
import pytest

from results import read_samples
from results.report.one_question import MOST_TEXTS, question_data
from results.tables import texts
from results.tables.texts import first_texts
from results.votes.curves import curves_and_votes


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
@pytest.mark.parametrize("odd", [None, 18])
def test_the_page_is_the_same_as_with_all_texts(
    suffix: str, odd: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`odd`: a number in place of a text, which only the plain JSON parser reads as text."""
    monkeypatch.setattr(texts, "_BLOCK", 4096)
    rows = [
        {
            **{"question_id": f"q-{number % 3}", "setting": str(number % 2), "sample": number, "gold": "18"},
            **{"answer": str(number % 4 + 16), "decoding": "greedy" if number % 7 == 0 else "sample"},
            **{"text": None if number % 5 == 0 else f"text {number} " * 20, "reasoning": f"so {number}"},
        }
        for number in range(120)
    ]
    rows[7]["text"] = odd
    file = tmp_path / f"samples{suffix}"
    frame = pd.DataFrame(rows)
    if suffix == ".jsonl":
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif suffix == ".csv":
        frame.to_csv(file, index=False)
    else:
        frame.astype({"text": "str"}).to_parquet(file)
    whole, found = read_samples(file), first_texts(file, MOST_TEXTS)
    thin = read_samples(file, texts=False).assign(**{name: found[name] for name in found})
    _, votes = curves_and_votes(whole, "majority", permutations=0)
    assert question_data(thin, votes) == question_data(whole, votes)
    assert (found["text"] == "").sum() > 20
