"""What the score of an answer cost: the tokens that a judge read and wrote, for each answer it judged.

    DIR/scores/judge.json   {"summary": {"judged": 1600, "prompt_tokens": 812000, "tokens": 1580, …}, …}
    score_cost(DIR, "judge")  508.5
    score_cost(DIR, "logprob")  0.0: log-probabilities come with the answers

A token read counts as much as one written: for the model that computes it, both are one pass. Who pays by
other prices gives a number of their own (`--score-cost`).
"""

import json
import math
from contextlib import suppress
from pathlib import Path


def score_cost(path: Path, score: str) -> float:
    """The tokens that one score took, of the run whose folder or samples file `path` is; NaN: not known."""
    if score == "logprob":
        return 0.0
    folder = path if path.is_dir() else path.parent
    record = folder / "scores" / f"{score.removeprefix('score_')}.json"
    with suppress(OSError, ValueError, KeyError, TypeError, ZeroDivisionError):
        summary = json.loads(record.read_text(encoding="utf-8"))["summary"]
        return float((summary["prompt_tokens"] + summary["tokens"]) / summary["judged"])
    return math.nan
