"""A valid row of each kind of table, and a helper that writes such rows to a file."""

from pathlib import Path
from typing import Any

import pandas as pd

from results.tables.files import write_raw

SAMPLE = {"question_id": "q", "sample": 0, "answer": "18", "gold": "18", "tokens": 87}
CURVE = {"method": "majority", "N": 4, "accuracy": 0.5}


def jsonl(folder: Path, *rows: dict[str, Any], name: str = "t.jsonl") -> Path:
    write_raw(pd.DataFrame(list(rows), dtype=object), folder / name)
    return folder / name
