"""Shards: parts of one run, split by question. `3/8` is the third of eight.

    missing([("gsm8k", "Llama-3.1-8B", "1/3"), ("gsm8k", "Llama-3.1-8B", "3/3")])
    -> "Llama-3.1-8B on gsm8k: 2 of 3 shards; their questions alone are counted, without those of 2/3"

Every row names its shard in the column `shard`. Part k of n has the run's questions k, k + n, k + 2n, …,
so that a shard keeps its questions when more are added to the run.
"""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from results.tables.key import model_on
from results.terminal import first_of

if TYPE_CHECKING:
    import pandas as pd

EXPECTED = "K/N with K from 1 to N, such as 3/8"
_SHARD = re.compile("([1-9][0-9]{0,5})/([1-9][0-9]{0,5})", re.ASCII)
_NAMED = 8
"""At most this many missing shards are named."""


class Shard(NamedTuple):
    """Part number `part`, counted from 1, of `parts`."""

    part: int
    parts: int

    def __str__(self) -> str:
        return f"{self.part}/{self.parts}"


def shard_in(text: str) -> Shard | None:
    """The shard that `text` names, or None."""
    match = _SHARD.fullmatch(text)
    shard = Shard(int(match[1]), int(match[2])) if match else None
    return shard if shard and shard.part <= shard.parts else None


def are_shards(cells: "pd.Series[Any]") -> "pd.Series[bool]":
    """Whether each of the text cells names a shard."""
    return cells.isin([text for text in cells.unique() if shard_in(text)])


def missing(rows: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    """Yield a message for each run with missing shards; `rows`: the data set, model and shard of each row."""
    parts_of: dict[tuple[str, str, int], set[int]] = {}
    for dataset, model, text in rows:
        if shard := shard_in(text):
            parts_of.setdefault((dataset, model, shard.parts), set()).add(shard.part)
    for (dataset, model, parts), there in parts_of.items():
        absent = [str(Shard(part, parts)) for part in range(1, parts + 1) if part not in there]
        if absent:
            yield (
                f"{model_on(model, dataset)}: {len(there)} of {parts} shards; only their questions are "
                f"counted; missing: {first_of(absent, _NAMED)}"
            )
