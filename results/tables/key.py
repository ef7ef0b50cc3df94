"""What tells one set of answers, or one curve, from another.

    source  dataset  model  setting  method
    llm     gsm8k    llama  100      majority     Key("llm", "gsm8k", "llama", "100", "majority")
    llm     gsm8k    llama                        .whose: the model on its data set, at all settings

Every merge, pairing, group, "same" test and label goes by a `Key`, made here from the columns of a table.
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
"""One set of answers: what can be voted on."""

PANEL = (*WHOSE, "method")
"""The curves of all settings that one chart shows."""

CURVE = (*ANSWERS, "method")
"""One curve over N."""

UNNAMED = "unknown"
"""The data set, or model, of rows that do not name it."""

_ABSENT = {"source": "llm", "dataset": UNNAMED, "model": UNNAMED, "setting": "default"}
"""What rows are of that do not say it."""


@dataclass(frozen=True, order=True)
class Key:
    """Whose answers, at which setting, and how several become one; "" where that is left open."""

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
        """The same at one setting."""
        return replace(self, setting=setting)

    def by(self, method: str) -> Key:
        """The same by one method."""
        return replace(self, method=method)

    @property
    def cells(self) -> dict[str, str]:
        """Those of its parts that are not left open, as columns of a table have them."""
        return {name: part for name, part in asdict(self).items() if part}

    @property
    def names(self) -> tuple[str, ...]:
        """The same without their columns."""
        return tuple(self.cells.values())

    def __str__(self) -> str:
        """What messages call it: "gsm8k/llama/100", without what nobody has named."""
        whose = [name for name in (self.dataset, self.model) if name not in ("", UNNAMED)]
        which = [name for name in (self.setting, self.method) if name not in ("", _ABSENT["setting"])]
        return "/".join([*(whose or ["your answers"]), *which])


def on_dataset(dataset: str) -> str:
    """ " on gsm8k"; nothing of a data set without a name."""
    return "" if dataset == UNNAMED else f" on {dataset}"


def model_on(model: str, dataset: str) -> str:
    """ "llama on gsm8k", "your answers on gsm8k", "llama": as far as they have names."""
    return f"{'your answers' if model == UNNAMED else model}{on_dataset(dataset)}"


def groups(table: pd.DataFrame, parts: Sequence[str] = CURVE) -> Iterator[tuple[Key, pd.DataFrame]]:
    """Each key of the table and its rows, wherever they stand, in the order in which keys first appear.

    parts: the columns that tell rows apart, all of CURVE or some; what is not among them is left open. A
    column that is absent, or a cell that is null, stands for an LLM, "unknown" and "default".
    """
    columns = [_cells(table, part) for part in parts]
    place = table.groupby(columns, sort=False, observed=True).ngroup().to_numpy()
    for rows in _places(place):  # one group is copied at a time: pandas would copy the whole table
        names = [str(column.iloc[rows[0]]) for column in columns]
        yield Key(**dict(zip(parts, names, strict=True))), table.take(rows)


def keys(table: pd.DataFrame, parts: Sequence[str] = CURVE) -> pd.Series[Key]:  # type: ignore[type-var]
    """The key of each row, by the same parts."""
    columns = [_cells(table, part) for part in parts]
    place = table.groupby(columns, sort=False, observed=True).ngroup()
    return place.map(dict(enumerate(key for key, _ in groups(table, parts))))


def _places(numbers: NDArray[np.integer]) -> list[NDArray[np.integer]]:
    """The places at which each of the numbers 0, 1, … stands."""
    import numpy as np

    order = np.argsort(numbers, kind="stable")
    ends = np.cumsum(np.bincount(numbers))
    return np.split(order, ends[:-1]) if len(numbers) else []


def _cells(table: pd.DataFrame, part: str) -> pd.Series[str]:
    """The column of that part, without nulls."""
    import pandas as pd

    if part not in table:
        return pd.Series(_ABSENT[part], index=table.index, name=part)
    return table[part].fillna(_ABSENT.get(part, ""))


def check_names(names: Iterable[str], where: str) -> None:
    """Raise BadInput for names that nobody can tell apart where they are shown: spaces alone differ."""
    shown: dict[str, str] = {}
    for name in names:
        other = shown.setdefault(" ".join(name.split()), name)
        if other != name:
            raise BadInput(f"{where}: {other!r} and {name!r} differ in spaces alone: give two clear names")
