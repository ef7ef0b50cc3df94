"""`tts forecast`: the forecast table, printed so that one can act on it.

tiny model, tiny questions, majority vote, forecast by default (mixture) from settings 10, 20, …, N up to 8
setting  tokens/answer   N  …  forecast  90 % these questions  90 % new questions  measured  status
120               58.1  16  …    96.3 %         95.5 … 97.1 %       94.9 … 97.5 %    95.9 %  ok
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from predict.cli.overview import SINGLY, asked_of, overview, sentence_of, summary_of, together
from predict.estimate import Options
from predict.estimators import DEFAULT, chosen
from predict.evidence.groups import Group
from predict.evidence.request import ENOUGH, Request, fitted, opened, read_found
from predict.evidence.targets import split
from predict.forecast_table import forecast, warnings, with_seen
from results import BadInput, write_forecast
from results.commandline import progress, say
from results.low_cost_to_high import NAME as PAPER_S
from results.summary.forecasts import scores
from results.tables.contract import check_out
from results.terminal import plural
from results.words.cells import described
from results.words.forecasts import error_columns, forecast_columns
from results.words.names import predictor_name

Forecasts: TypeAlias = tuple[pd.DataFrame, list[str]]
"""A forecast table, and what its reader should know besides."""

LINES = 24
"""Rows of one table that are printed; the file holds all."""


def run(
    inputs: tuple[Path, ...],
    then: tuple[Path, ...],
    out: Path,
    plot: Any,
    predictor: str,
    method: str | None,
    bootstrap: int,
    target: str,
    seed: int,
    level: float,
    **asked: Any,
) -> None:
    """Forecast every group in the inputs, print, write and draw the tables."""
    request, options = Request(**asked), Options(bootstrap, seed, level, allowed=bootstrap > 0)
    groups = sets_asked(inputs, then, out, method, request)
    names = [chosen(predictor, group) for group in groups]
    for group in groups:
        split(group, request)  # raises BadInput before the first forecast
    few = [too_few(group) for group, own in zip(groups, names, strict=True) if PAPER_S in own]
    few = list(filter(None, few)) if request == Request() else []
    for line in few:
        say(line, err=True)
    forecasts: Iterable[Forecasts] = (
        forecast(group, request, own, options, target) for group, own in zip(groups, names, strict=True)
    )
    if len(groups) > SINGLY:
        forecasts = progress(" sets", forecasts, total=len(groups))
    shown = list(shown_singly(groups, forecasts, request))
    tables = [table for table, _ in shown]
    if len(groups) > SINGLY:
        say("\n".join([overview(tables), "", *map(sentence_of, tables)]))
        for line in together([(group.name, notes) for group, (_, notes) in zip(groups, shown, strict=True)]):
            say(f"warning: {line}", err=True)
    whole = pd.concat(tables, ignore_index=True)
    write_forecast(whole, out)
    say(f"\n{plural(len(whole), 'row')} in {out}")
    if plot is not None:
        from results.pictures import draw_forecasts

        drawn = [with_seen(group, request, own) for group, own in zip(groups, tables, strict=True)]
        say("\n".join(draw_forecasts(drawn, [*map(summary_of, tables), *few], plot)))


def sets_asked(
    inputs: Sequence[Path], then: Sequence[Path], out: Path, method: str | None, request: Request
) -> list[Group]:
    """The groups of the inputs, and those of `then` that can be forecast. Raises BadInput."""
    named, others = opened(inputs)
    for path in then:
        if not path.exists():
            raise BadInput(f"--then {path}: no such file")
    others += tuple(then)
    check_out(out, [*named, *others])
    groups, passed_over = read_found(named, others, method, request)
    for line in together([(file, [why]) for file, why in passed_over]):
        say(f"skipped: {line}", err=True)
    return groups


def shown_singly(
    groups: Sequence[Group], forecasts: Iterable[Forecasts], request: Request
) -> Iterator[Forecasts]:
    """Yield the forecasts, printed at once if there are few."""
    for group, (table, notes) in zip(groups, forecasts, strict=True):
        if len(groups) <= SINGLY:
            settings, most = fitted(group, request)
            there = group.points[np.isin(group.points.setting, settings)].N
            show(group.title, table, settings, int(there[there <= most].max()))
            for note in [*notes, *warnings(table)]:
                say(f"warning: {group.name}: {note}", err=True)
        yield table, notes


def too_few(group: Group) -> str:
    """The message that a set has too few lengths for the paper's Figure 3; "" if it has enough."""
    T = [length for _, length in group.points.settings()]
    if len(T) >= ENOUGH and np.isfinite(T).all():
        return ""
    return (
        f"{group.called}: no Figure 3: it needs {ENOUGH} settings of known length, and there are "
        f"{np.isfinite(T).sum()}; larger N are forecast instead."
    )


def show(heading: str, forecasts: pd.DataFrame, settings: Sequence[str], most: int) -> None:
    """Print each predictor's forecasts, what it was fitted to (settings, N up to `most`), and its errors.

    If some values were held out, only the default's forecasts are printed, or else the last predictor's.
    """
    names, asked = list(forecasts["predictor"].unique()), asked_of(forecasts)
    judged = (asked["role"] == "held_out").any()
    if judged:
        names = [DEFAULT if DEFAULT in names else names[-1]]
    for name in names:
        part, own = (rows[rows["predictor"] == name] for rows in (forecasts, asked))
        seen = fitted_to(settings, most) if (part["role"] == "used").any() else ""
        say(f"\n{heading}, forecast by {predictor_name(part)}{seen}")
        shown = spread(own, LINES)
        columns = forecast_columns(shown["source"].iloc[0], shown)
        say(described(shown.assign(length=shown["tokens_per_answer"]), columns))
        if len(shown) < len(own):
            say(f"… {len(own) - len(shown)} more in the file")
    if judged:
        say(f"\n{heading}: errors in points")
        say(described(scores(asked), error_columns(asked)))


def spread(rows: pd.DataFrame, most: int) -> pd.DataFrame:
    """At most about `most` rows of a table: the same few, evenly spaced N of every setting."""
    if len(rows) <= most:
        return rows
    each, ns = max(2, most // rows["setting"].nunique()), np.unique(rows["N"])
    kept = np.linspace(0, len(ns) - 1, min(each, len(ns))).round().astype(np.int64)
    return rows[rows["N"].isin(ns[kept])]


def fitted_to(settings: Sequence[str], most: int) -> str:
    """What was fitted: " from settings 10, 20, 30, N up to 64", also where --at-… leaves out rows of it."""
    few = ", ".join(settings) if len(settings) <= 6 else f"{settings[0]} … {settings[-1]}"
    return f" from setting{'s' if len(settings) > 1 else ''} {few}, N up to {most}"
