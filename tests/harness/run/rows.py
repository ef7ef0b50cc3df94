"""One row of samples.jsonl, as the harness writes it."""

from typing import Any


def row(
    sample: int, text: str = "The answer is ##18##.", setting: str = "40", **changes: Any
) -> dict[str, Any]:
    return {
        "question_id": "tiny-0000",
        "setting": setting,
        "sample": sample,
        "answer": "18",
        "gold": "18",
        "correct": True,
        "tokens": 9,
        "finish_reason": "stop",
        "prompt_tokens": 71,
        "seed": None,
        "text": text,
        "dataset": "tiny",
        "model": "tiny",
        "decoding": "sample",
        **changes,
    }
