"""The tables that a report shows, read from files and told apart by their columns.

curves.csv forecast.csv results/runs/gsm8k  ->  curves (those of the run's samples among them), forecasts, …
"""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from results.commandline import BadInput
from results.tables.contract import kind_of, read_samples, read_table, sample_files
from results.tables.origins import missing_shards, read_record
from results.tables.schemas import CURVE_KEY
from results.votes.curves import build_curves


@dataclass(frozen=True)
class Source:
    """One file the report was made from."""

    name: str
    kind: str
    rows: int


@dataclass(frozen=True)
class Tables:
    """What the report shows.

    curves: all of them, also those of the samples; forecasts: by the names of their files; samples: all of
    them, None without any; records: the run.json of each run folder; others: tables by kind (claims,
    comparison, fits, plan, backtest); warnings: what is incomplete.
    """

    curves: pd.DataFrame
    forecasts: dict[str, pd.DataFrame]
    samples: pd.DataFrame | None = None
    records: list[dict[str, Any]] = field(default_factory=list)
    others: dict[str, list[pd.DataFrame]] = field(default_factory=dict)
    sources: list[Source] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    notes: str = ""

    def joined(self, kind: str) -> pd.DataFrame | None:
        """All tables of one of the other kinds as one; None without any."""
        tables = self.others.get(kind)
        return pd.concat(tables, ignore_index=True) if tables else None


def read_tables(paths: Iterable[Path], notes: str = "") -> Tables:
    """Read every file, run folders among them; `notes` are printed at the page's end. Raises BadInput."""
    kinds: dict[str, list[Path]] = {}
    for path in dict.fromkeys(paths):
        kinds.setdefault(kind_of(path), []).append(path)
    files = sample_files(*kinds.pop("samples", []))
    tables = {kind: {path: read_table(path, kind) for path in found} for kind, found in kinds.items()}
    sources = [Source(p.name, kind, len(table)) for kind in tables for p, table in tables[kind].items()]

    curves = _joined(tables.pop("curves", {}))
    samples: pd.DataFrame | None = None
    said: list[str] = []
    if files:
        samples = read_samples(*files)
        sources += [Source(f"{file.parent.name}/{file.name}", "samples", len(samples)) for file in files[:1]]
        own, said = _curves_of(samples)
        said = [*missing_shards(files), *said]
        curves = _with_own(curves, own)
    forecasts = tables.pop("forecast", {})
    unlike = len({path.stem for path in forecasts}) == len(forecasts)
    return Tables(
        curves,
        {path.stem if unlike else str(path): table for path, table in forecasts.items()},
        samples,
        [record for file in files if (record := read_record(file))],
        {kind: list(found.values()) for kind, found in tables.items()},
        sources,
        said,
        notes,
    )


def _curves_of(samples: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The curves of the samples, and what they warn of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        curves = build_curves(samples, progress=True, checked=True)
    return curves, [str(warning.message) for warning in caught]


def _with_own(curves: pd.DataFrame, own: pd.DataFrame) -> pd.DataFrame:
    """The curves given, and those of samples for models and datasets that no given file has curves of."""
    if curves.empty:
        return own
    group = ["source", "dataset", "model"]
    given = pd.MultiIndex.from_frame(curves[group])
    return pd.concat([curves, own[~pd.MultiIndex.from_frame(own[group]).isin(given)]], ignore_index=True)


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
