"""samples.jsonl by columns, some thousands of rows at a time: a third of the time of reading row by row.

    for block in read_blocks(path):
        if block.table is None: ...         # not all lines are plain rows: look at each of block.rows()
        for group in block.groups(): ...    # the answers to one question in one setting

A plain row has the cells of `harness/store/row.py`, each of its type, in one line of JSON that Arrow reads as
Python does. Whatever else a line holds is for those who take rows, and who say what is wrong with them.
"""

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.json

from harness.store.row import ASKED_FOR, COLUMNS, NULL, Row
from harness.store.samples_file import numbered
from harness.tally.groups import COUNTED, AnswerGroup

BYTES = 1 << 21
"""What is read at a time: more does not fit into a processor's cache."""
_ARROW = {str: pa.string(), int: pa.int64(), bool: pa.bool_(), float: pa.float64()}
_TYPES = {**COLUMNS, **ASKED_FOR}
_SCHEMA = pa.schema({name: _ARROW[types[0]] for name, types in _TYPES.items()})
_KEY = ("dataset", "model", "setting", "decoding", "question_id", "shard")


@dataclass
class Block:
    """Whole lines of a file, the first of which is number `first`; the file's last may lack its end."""

    first: int
    content: bytes

    def rows(self) -> Iterator[tuple[int, bytes, Row | None]]:
        """As `numbered_lines` has them."""
        return numbered(io.BytesIO(self.content), self.first)

    @cached_property
    def table(self) -> pa.Table | None:
        """The columns of all lines, or None where one of them is no plain row."""
        reading = pyarrow.json.ReadOptions(use_threads=False, block_size=len(self.content) + 1)
        parsing = pyarrow.json.ParseOptions(explicit_schema=_SCHEMA, unexpected_field_behavior="ignore")
        try:
            table = pyarrow.json.read_json(pa.BufferReader(self.content), reading, parsing)
            table.validate(full=True)  # texts are UTF-8
        except pa.ArrowException:
            return None
        whole = self.content.endswith(b"\n") and table.num_rows == self.content.count(b"\n")
        plain = whole and all(self._is_plain(name, table[name]) for name in _TYPES)
        return table.combine_chunks() if plain else None

    def _is_plain(self, name: str, column: pa.ChunkedArray) -> bool:
        """Whether the column has no null but those that it may have.

        A null of Arrow's may also be a cell that is not there: then its name is not in the line. In a text
        it would not be followed by a bare quote, which JSON escapes.
        """
        nulls, lines = column.null_count, len(column)
        if not nulls or (name in ASKED_FOR and nulls == lines and f'"{name}"'.encode() not in self.content):
            return True
        if NULL not in _TYPES[name] and name in COLUMNS:
            return False
        named = self.content.count(f'"{name}":'.encode())
        return named == (lines if NULL in _TYPES[name] else lines - nulls)

    def groups(self, read_again: Mapping[str, list[Any]] | None = None) -> list[AnswerGroup]:
        """The answers of the table by question and setting, those that come first in the file first.

        read_again: columns that take the place of the table's own.
        """
        table = self.table
        assert table is not None
        for name, cells in (read_again or {}).items():
            field = _SCHEMA.field(name)
            table = table.set_column(table.column_names.index(name), field, pa.array(cells, field.type))
        codes = np.zeros(table.num_rows, np.int64)
        for name in _KEY:
            encoded = table[name].combine_chunks().dictionary_encode(null_encoding="encode")
            codes = codes * len(encoded.dictionary) + encoded.indices.to_numpy()
        _, first, group = np.unique(codes, return_index=True, return_inverse=True)
        place = np.argsort(np.argsort(first))[group]  # of each row's group among all of them
        order = np.argsort(place, kind="stable")
        if (np.diff(order) != 1).any():
            table = table.take(order)
        starts = np.flatnonzero(np.diff(place[order], prepend=-1)).tolist()
        keys = table.select(_KEY).take(starts).to_pylist()
        columns = {name: table[name].to_pylist() for name in COUNTED}
        found = []
        for key, start, end in zip(keys, starts, [*starts[1:], table.num_rows], strict=True):
            own = {name: column[start:end] for name, column in columns.items()}
            dataset, model, setting, decoding, question, shard = (key[name] for name in _KEY)
            found.append(AnswerGroup(dataset, model, setting, decoding, question, own, shard))
        return found


def read_blocks(path: Path) -> Iterator[Block]:
    """The file from its beginning to its end, also while a run adds to it."""
    first, rest = 1, b""
    with path.open("rb") as file:
        while read := file.read(BYTES):
            whole, end, rest = (rest + read).rpartition(b"\n")
            if end:
                yield Block(first, whole + end)
                first += whole.count(b"\n") + 1
    if rest:
        yield Block(first, rest)
