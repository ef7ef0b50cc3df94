"""Reads the tables that a report shows; their kinds are recognised by their columns.

curves.csv forecast.csv runs/gsm8k  ->  curves (including those of the run's samples), forecasts, …
"""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import pandas as pd

from results.commandline import BadInput
from results.normal import FORECAST_LEVEL
from results.report.one_question import MOST_TEXTS
from results.report.provenance import Record, whole_runs
from results.summary.samples import ended_rows
from results.tables.contract import kind_of, read_curves, read_samples, read_table, sample_files
from results.tables.files import give_back_memory, read_record
from results.tables.key import keys
from results.tables.money import Money, Price
from results.tables.schemas import CURVE_KEY, SAMPLES, SCHEMAS
from results.tables.texts import TEXTS, first_texts
from results.terminal import plural
from results.votes.curves import Exact, curves_and_votes
from results.words.cells import readable
from results.words.names import listed

_NAMES = [
    *("dataset", "model", "method", "setting", "predictor", "estimator", "status", "split", "held", "reason"),
    *("a", "b", "setting_a", "setting_b", "cost_unit"),
    *("claim", "where", "sentence", "quantity", "verdict", "outcome"),
]
"""Columns whose text, which is untrusted, the page shows."""


TOLD_ONCE = {
    "comparison": ["dataset", "a", "b", "setting_a", "setting_b"],
    "stopping": ["dataset", "model", "setting"],
}
"""Columns whose values only one table may have, as its intervals are simultaneous; else all columns."""


@dataclass(frozen=True)
class Tables:
    """The contents of the report.

    curves: all curves, including those of the samples; forecasts: by file name; samples: all samples; votes:
    their exact accuracies by question; records: the run.json of each run folder; others: tables by kind
    (claims, comparison, fits, plan, backtest); sources: the files read, in words; money: costs of answers;
    warnings: about incomplete samples; notes: about the tables.
    """

    curves: pd.DataFrame
    forecasts: dict[str, pd.DataFrame]
    samples: pd.DataFrame
    votes: list[Exact]
    records: list[Record]
    others: dict[str, pd.DataFrame]
    sources: list[str]
    money: Money
    warnings: list[str] = field(default_factory=list)
    notes: str = ""

    @property
    def whole(self) -> pd.DataFrame:
        """The answers of votes without a stop rule."""
        return self.samples[~ended_rows(self.samples)] if self.votes else self.samples.head(0)

    def of(self, kind: str) -> pd.DataFrame:
        """The other table of that kind; without one, a table without rows."""
        return self.others.get(kind, pd.DataFrame(columns=[*SCHEMAS[kind].columns]))


def read_tables(paths: Iterable[Path], notes: str = "", prices: Mapping[str, Price] = {}) -> Tables:
    """Read all files and run folders; `notes` are printed at the end of the page.

    Raises BadInput, also if `prices` names a model without answers.
    """
    kinds: dict[str, list[Path]] = {}
    for path in dict.fromkeys(paths):
        kinds.setdefault(kind_of(path), []).append(path)
    files = sample_files(*kinds.pop("samples", []))
    tables: dict[str, dict[Path, pd.DataFrame]] = {}
    sources = []
    for kind, own in kinds.items():
        tables[kind] = {path: _named(read_table(path, kind)) for path in own}
        for path, table in tables[kind].items():
            sources.append(f"{path.name}: {kind}, {plural(f'{len(table):,}', 'row')}")
    curves = pd.DataFrame(columns=CURVE_KEY)
    if tables.pop("curves", None):
        curves = _named(read_curves(*kinds["curves"]))  # raises for two rows of one point
    forecasts = {str(path): table for path, table in tables.pop("forecast", {}).items()}
    for file, table in forecasts.items():
        before = next(name for name, other in forecasts.items() if other.equals(table))
        if before != file:
            raise BadInput(f"{file}: forecast of the same, which {before} has, too: give one of the two")
    votes, doubts = list[Exact](), list[str]()
    records = whole_runs(list(filter(None, (read_record(file.parent) for file in files))))
    samples = _named(_samples(files)) if files else pd.DataFrame(columns=[*SAMPLES.columns])
    money = Money.of(prices, samples)
    known = [curves, samples, *tables.get("plan", {}).values()]
    whose = samples[["dataset", "model"]].drop_duplicates().to_numpy()
    money.check(chain.from_iterable(table["model"].unique() for table in known), whose)
    if files:
        named = listed([f"{file.parent.name}/{file.name}" for file in files])
        sources.append(f"{named}: samples, {plural(f'{len(samples):,}', 'row')}")
        ended = ended_rows(samples)
        whole = samples[~ended] if ended.any() else samples  # do not copy millions of rows for nothing
        if len(whole):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", UserWarning)
                own_curves, votes = curves_and_votes(whole)
            doubts = [str(warning.message) for warning in caught]
            curves = _with_own(curves, own_curves)
    others = {kind: _joined(kind, own) for kind, own in tables.items()}
    others = {kind: table.fillna({"level": FORECAST_LEVEL}) for kind, table in others.items()}  # old tables
    if "comparison" in others and len(set(others["comparison"].get("level", []))) > 1:
        raise BadInput("comparisons at several levels: give those of one --level")
    return Tables(curves, forecasts, samples, votes, records, others, sources, money, doubts, notes)


def _joined(kind: str, tables: Mapping[Path, pd.DataFrame]) -> pd.DataFrame:
    """The tables of a kind concatenated; if they are of several calls, with the number of the `table`.

    Raises BadInput if two of them have the same rows (TOLD_ONCE).
    """
    first: dict[tuple[object, ...], Path] = {}
    for path, table in tables.items():
        columns = TOLD_ONCE.get(kind, list(table))
        for row in (
            table.reindex(columns=columns).astype(str).drop_duplicates().itertuples(index=False, name=None)
        ):
            told: tuple[object, ...] = row
            if kind == "comparison":  # a − b tells what b − a does
                dataset, a, b, *settings = row
                told = (dataset, *sorted(zip((a, b), settings, strict=True)))
            if (before := first.setdefault(told, path)) is not path:
                same = ", ".join(row[:5])
                one = "make one table of both" if kind in TOLD_ONCE else "give one of the two"
                raise BadInput(f"{path}: {kind} of {same:.80}, which {before} has, too: {one}")
    own = list(tables.values())
    if len(own) > 1 and kind in ("comparison", "backtest"):  # numbers are valid within one call
        own = [table.assign(table=place) for place, table in enumerate(own)]
    return pd.concat(own, ignore_index=True)


def _samples(files: list[Path]) -> pd.DataFrame:
    """The samples of the files, with only the texts that the page shows."""
    samples = read_samples(*files, texts=False)
    texts = pd.concat([first_texts(file, MOST_TEXTS) for file in files], ignore_index=True)
    give_back_memory()
    return samples.assign(**{name: texts[name] for name in TEXTS})


def _named(table: pd.DataFrame) -> pd.DataFrame:
    """The table with names made safe to show (see `readable`)."""
    renamed = {}
    for column in filter(table.columns.__contains__, _NAMES):
        fit = {name: readable(str(name)) for name in table[column].dropna().unique()}
        if any(name != shown for name, shown in fit.items()):
            renamed[column] = table[column].map(fit)
    return table.assign(**renamed)


def _with_own(curves: pd.DataFrame, own: pd.DataFrame) -> pd.DataFrame:
    """The given curves, and those of the samples that no given file has."""
    if curves.empty:
        return own
    new = ~keys(own).isin(list(keys(curves)))
    return pd.concat([curves, own[new]], ignore_index=True)
