"""Keys that identify a set of answers or a curve.

    source  dataset  model  setting  method
    llm     gsm8k    llama  100      majority     Key("llm", "gsm8k", "llama", "100", "majority")
    llm     gsm8k    llama                        .whose: the model on its data set, at all settings

Every merge, pairing, grouping, equality test and label uses a `Key`, built here from a table's columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from results.commandline import BadInput

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

WHOSE = ("source", "dataset", "model")
"""One model on one data set."""

ANSWERS = (*WHOSE, "setting")
"""One set of answers, which can be voted on."""

PANEL = (*WHOSE, "method")
"""The curves of all settings, shown in one chart."""

CURVE = (*ANSWERS, "method")
"""One curve over N."""

UNNAMED = "unknown"
"""The data set or model of rows that do not name one."""

_ABSENT = {"source": "llm", "dataset": UNNAMED, "model": UNNAMED, "setting": "default"}
"""Values for rows that do not give them."""


@dataclass(frozen=True, order=True)
class Key:
    """Whose answers, at which setting, and the method that combines them; "" for a part left open."""

    source: str
    dataset: str
    model: str
    setting: str = ""
    method: str = ""

    @property
    def whose(self) -> Key:
        """The model on its data set, at every setting and by every method."""
        return Key(self.source, self.dataset, self.model)

    def at(self, setting: str) -> Key:
        """The same key with this setting."""
        return replace(self, setting=setting)

    def by(self, method: str) -> Key:
        """The same key with this method."""
        return replace(self, method=method)

    @property
    def cells(self) -> dict[str, str]:
        """The parts that are not left open, by the names of their columns."""
        return {name: part for name, part in asdict(self).items() if part}

    @property
    def names(self) -> tuple[str, ...]:
        """The values of `cells`."""
        return tuple(self.cells.values())

    def __str__(self) -> str:
        """The key in messages: "gsm8k/llama/100", without parts that have no name."""
        whose = [name for name in (self.dataset, self.model) if name not in ("", UNNAMED)]
        which = [name for name in (self.setting, self.method) if name not in ("", _ABSENT["setting"])]
        return "/".join([*(whose or ["your answers"]), *which])


def on_dataset(dataset: str) -> str:
    """ " on gsm8k"; "" for a data set without a name."""
    return "" if dataset == UNNAMED else f" on {dataset}"


def model_on(model: str, dataset: str) -> str:
    """ "llama on gsm8k"; "your answers on gsm8k" or "llama" if model or data set has no name."""
    return f"{'your answers' if model == UNNAMED else model}{on_dataset(dataset)}"


def groups(table: pd.DataFrame, parts: Sequence[str] = CURVE) -> Iterator[tuple[Key, pd.DataFrame]]:
    """Yield each key of the table with all its rows, in the order in which keys first appear.

    parts: the columns to group by, all of CURVE or some; the other parts of the key are left open. For an
    absent column or a null, the source is "llm", data set and model "unknown", the setting "default".
    """
    columns = [_cells(table, part) for part in parts]
    place = table.groupby(columns, sort=False, observed=True).ngroup().to_numpy()
    for rows in _places(place):  # one group is copied at a time: pandas would copy the whole table
        names = [str(column.iloc[rows[0]]) for column in columns]
        yield Key(**dict(zip(parts, names, strict=True))), table.take(rows)


def keys(table: pd.DataFrame, parts: Sequence[str] = CURVE) -> pd.Series[Key]:  # type: ignore[type-var]
    """The key of each row, as in `groups`."""
    columns = [_cells(table, part) for part in parts]
    place = table.groupby(columns, sort=False, observed=True).ngroup()
    return place.map(dict(enumerate(key for key, _ in groups(table, parts))))


def _places(numbers: NDArray[np.integer]) -> list[NDArray[np.integer]]:
    """For each of the numbers 0, 1, …, the positions at which it occurs."""
    import numpy as np

    order = np.argsort(numbers, kind="stable")
    ends = np.cumsum(np.bincount(numbers))
    return np.split(order, ends[:-1]) if len(numbers) else []


def _cells(table: pd.DataFrame, part: str) -> pd.Series[str]:
    """The column of that part, with nulls filled in."""
    import pandas as pd

    if part not in table:
        return pd.Series(_ABSENT[part], index=table.index, name=part)
    return table[part].fillna(_ABSENT.get(part, ""))


def check_names(names: Iterable[str], where: str) -> None:
    """Raise BadInput if two names differ only in spaces, so that readers could not tell them apart."""
    shown: dict[str, str] = {}
    for name in names:
        other = shown.setdefault(" ".join(name.split()), name)
        if other != name:
            raise BadInput(f"{where}: {other!r} and {name!r} differ in spaces alone: give two clear names")
