"""The texts of a samples file that a page shows: those of the first answers to each question.

    question_id  setting  text            ->  text
    7            100      "6 × 3 is 18."      "6 × 3 is 18."
    7            100      "I add 9 …"         ""  (with most = 1: there is a text, but it is not kept)

Without most of their texts, millions of answers fit into memory.
"""

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.json

from results.tables.files import read_raw
from results.tables.schemas import SAMPLE_KEY

_WHOSE = [*(name for name in SAMPLE_KEY if name != "sample"), "stop_rule"]
TEXTS = ["text", "reasoning"]
_SCHEMA = pa.schema([(name, pa.string()) for name in (*_WHOSE, *TEXTS)])
_BLOCK = 1 << 22


def first_texts(path: Path, most: int) -> pd.DataFrame:
    """The columns of TEXTS of a samples file that has been checked, row by row.

    For each question in each setting, the first `most` answers with a text keep their texts; the others
    have "". Raises BadInput.
    """
    if path.suffix == ".jsonl":
        with suppress(pa.ArrowException):  # raised for rows that only the plain parser can read
            reading = pyarrow.json.ReadOptions(block_size=_BLOCK, use_threads=False)
            parsing = pyarrow.json.ParseOptions(explicit_schema=_SCHEMA, unexpected_field_behavior="ignore")
            return _thinned(map(_checked, pyarrow.json.open_json(path, reading, parsing)), most)
    return _thinned([read_raw(path, tuple(_SCHEMA.names), _SCHEMA)], most)


def _checked(batch: pa.RecordBatch) -> pd.DataFrame:
    batch.validate(full=True)  # that texts are UTF-8
    frame: pd.DataFrame = batch.to_pandas()
    return frame


def _thinned(parts: Iterable[pd.DataFrame], most: int) -> pd.DataFrame:
    earlier = Counter[tuple[object, ...]]()
    kept = []
    for part in parts:
        columns = part.reindex(columns=_SCHEMA.names)
        there = columns["text"].notna().to_numpy(bool)
        whose = columns.loc[there, _WHOSE].astype(object)
        groups = whose.where(whose.notna(), "").groupby(_WHOSE, sort=False)
        names = [name for name, _ in groups]
        before = np.array([earlier[name] for name in names], np.int64)
        place = groups.cumcount().to_numpy() + before[groups.ngroup().to_numpy()]
        earlier.update(dict(zip(names, groups.size().tolist(), strict=True)))
        needless = np.zeros(len(columns), bool)
        needless[there] = place >= most
        kept.append(pd.DataFrame({name: columns[name].mask(needless, "") for name in TEXTS}))
    return pd.concat(kept, ignore_index=True)
