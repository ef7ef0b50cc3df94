"""The tables that a report shows, read from files and told apart by their columns."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from results.commandline import BadInput
from results.tables.contract import kind_of, read_claims, read_curves, read_forecast
from results.tables.schemas import CURVE_KEY


@dataclass(frozen=True)
class Source:
    """One file the report was made from."""

    name: str
    kind: str
    rows: int


@dataclass(frozen=True)
class Tables:
    """What the report shows: all curves, the forecasts by file, the claims, and the files they came from."""

    curves: pd.DataFrame
    forecasts: dict[str, pd.DataFrame]
    claims: list[pd.DataFrame]
    sources: list[Source]
    notes: str = ""


def read_tables(paths: Iterable[Path], notes: str = "") -> Tables:
    """Read curves, forecast and claims files; `notes` are printed at the page's end. Raises BadInput."""
    readers: dict[str, Callable[[Path], pd.DataFrame]]
    readers = {"curves": read_curves, "forecast": read_forecast, "claims": read_claims}
    tables: dict[str, dict[Path, pd.DataFrame]] = {kind: {} for kind in readers}
    sources = []
    for path in dict.fromkeys(paths):
        kind = kind_of(path)
        if kind not in readers:
            raise BadInput(
                f"{path}: a {kind} table cannot be shown; turn it into curves first "
                f"(python -m results curves {path} --out curves.csv)"
            )
        table = tables[kind][path] = readers[kind](path)
        sources.append(Source(path.name, kind, len(table)))
    stems = [path.stem for path in tables["forecast"]]
    unlike = len(set(stems)) == len(stems)
    forecasts = {path.stem if unlike else str(path): table for path, table in tables["forecast"].items()}
    return Tables(_joined(tables["curves"]), forecasts, list(tables["claims"].values()), sources, notes)


def _joined(curves: dict[Path, pd.DataFrame]) -> pd.DataFrame:
    """All curves in one table. Raises BadInput where two files hold the same point."""
    if not curves:
        return pd.DataFrame(columns=CURVE_KEY)
    joined = pd.concat([table.assign(file=path.name) for path, table in curves.items()], ignore_index=True)
    twice = joined[joined.duplicated(CURVE_KEY, keep=False)]
    if len(twice):
        point = twice.iloc[0]
        files = twice.loc[(twice[CURVE_KEY] == point[CURVE_KEY]).all(axis=1), "file"]
        what = ", ".join(f"{name}={point[name]}" for name in CURVE_KEY)
        raise BadInput(f"{' and '.join(files)}: both hold {what}; give each curve once")
    return joined
