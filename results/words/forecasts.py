"""Forecasts in words: their names, their tables, and the errors of each predictor."""

from collections.abc import Iterator, Sequence
from math import isnan
from operator import itemgetter
from typing import Any

import pandas as pd

from results.normal import LEVEL
from results.summary.forecasts import LONGER, LONGER_AND_MORE, Forecast, lead, scores
from results.tables.money import Money
from results.words.buying import PRICES_OF, dollars, interval_columns, status_of
from results.words.cells import Columns, Table, count, level_of, number, tabled
from results.words.names import (
    PRICED,
    UNITS,
    UNKNOWN,
    curves_name,
    listed,
    method_name,
    predictor_name,
    sentence,
    show,
)

DEFAULT = "default"
"""The predictor that is used if none is named."""

ALONG_LENGTH = {
    LONGER: "every N was measured at the lengths seen, as in the paper",
    LONGER_AND_MORE: "only small N were measured at the lengths seen, less than in the paper",
}
"""The questions of forecasts over length; studies/figure_3 shows how well each is answered."""


def forecast_name(forecast: Forecast) -> str:
    """Model, data set and method, and the file if several files have forecasts of them."""
    label = f" ({forecast.file})" if forecast.file else ""
    return f"{method_name(forecast.key)}{label}"


def forecast_title(forecast: Forecast) -> str:
    """Model and data set, and the question unless it is just more answers."""
    question = f": {forecast.question}" if forecast.over_length else ""
    return f"{curves_name(forecast.key)}{question}"


def questions_asked(forecasts: Sequence[Forecast]) -> str:
    """The meaning of the questions of these forecasts over length; "" if there are none."""
    questions = {forecast.question for forecast in forecasts}
    meanings = [f"“{name}”: {means}" for name, means in ALONG_LENGTH.items() if name in questions]
    return f"Asked for {'; '.join(meanings)}." if meanings else ""


def forecast_columns(source: str, rows: pd.DataFrame) -> Columns:
    """The columns for rows of a forecast table that have `length`, tokens or steps of an answer.

    If the rows have `usd`, the price of 1,000 questions, it replaces the tokens of a question.
    """
    unit = UNITS[source]
    cost: Columns = {f"{unit}/question": lambda row: count(row["length"] * row["N"])}
    if "usd" in rows and rows["usd"].notna().all():
        cost = {PRICED: lambda row: dollars(row["usd"])}
    lengths: Columns = {f"{unit}/answer": lambda row: count(row["length"])}
    if "tokens_low" in rows and rows["tokens_low"].notna().any():
        lengths[f"{level_of(rows)} of {unit}"] = lambda row: (
            f"{count(row['tokens_low'])} … {count(row['tokens_high'])}"
        )
    return {
        "setting": itemgetter("setting"),
        **lengths,
        "N": lambda row: str(row["N"]),
        **cost,
        "forecast": lambda row: show(row["predicted"]),
        **interval_columns(rows),
        "measured": lambda row: show(row["accuracy"]),
        "status": status_of,
    }


def forecast_table(forecast: Forecast, money: Money) -> Table:
    """The table of forecasts, with intervals for these questions and for new ones, and measured values.

    If the price of the model is known, costs are in money.
    """
    paid = money.paid(forecast.key.dataset, forecast.key.model)
    rows = forecast.targets
    rows = rows.assign(usd=paid.usd(rows.assign(cost=rows["N"] * rows["length"])))
    columns = forecast_columns(forecast.key.source, rows)
    note = PRICES_OF if PRICED in columns else ""
    return tabled(f"Forecast by {predictor_name(forecast.rows, forecast.predictor)}", rows, columns, note)


ERRORS = (
    "Error: distance of the forecast from the measured accuracy in percentage points, over the points that "
    "the fit did not see. Interval score: the width of the interval plus 2 / (1 − its level) times its "
    "distance from the measured accuracy, on average; the lowest comes first. Predictors that forecast only "
    "some of the points come last, unranked."
)

FAR_OFF = 1000.0
"""Larger errors, in points, are only shown as "> 1,000": the formula has left all bounds."""


def far(points: float, digits: str = ".1f") -> str:
    """An error in points; "–" if it is unknown."""
    return f"> {FAR_OFF:,.0f}" if points > FAR_OFF else number(points, digits)


def error_columns(rows: pd.DataFrame) -> Columns:
    """The columns for rows of `scores`: how good each predictor is on points its fit did not see.

    rows: the scored forecasts; those of a backtest, with hidden answers, have more columns.
    """
    names = {str(name): predictor_name(own, str(name)) for name, own in rows.groupby("predictor")}
    columns: Columns = {
        "predictor": lambda row: names[row.name],
        "mean error": lambda row: far(row["mean"], ".2f"),
        "largest": lambda row: far(row["largest"]),
        "interval score": lambda row: f"{row['score']:.1f}" if row["bounded"] else UNKNOWN,
        f"in {level_of(rows)} interval": lambda row: (
            f"{row['inside']:.0f} of {row['bounded']:.0f}" if row["bounded"] else "no interval"
        ),
        "points": lambda row: f"{row['told']:.0f} of {row['asked']:.0f}",
    }
    if "unseen" in rows:
        columns |= {
            "unseen error": lambda row: far(row["unseen"], ".2f"),
            "bias": lambda row: number(row["bias"], "+.2f"),
            "width": lambda row: number(row["width"], ".2f"),
        }
    return columns


def error_table(title: str, rows: pd.DataFrame) -> Table:
    """The table of forecast errors on points that the fits did not see (see `scores`)."""
    note = f"{which_predictor(rows)} {ERRORS}".strip()
    return tabled(title, scores(rows), error_columns(rows), note)


def which_predictor(rows: pd.DataFrame) -> str:
    """Which predictor did best on these forecasts, its errors, and how sure its lead is.

    "" if nothing was measured, or no predictor forecast all points that were.
    """
    ranked = scores(rows).dropna(subset=["ranked"])
    if ranked.empty:
        return ""
    names = list(map(str, ranked.index))
    best = f"{names[0]} was {_record(ranked.iloc[0], rows)}."
    if len(names) == 1:
        return sentence(best)
    measure = "interval score" if ranked["bounded"].iloc[0] else "mean error"
    lines = [
        f"{sentence(names[0])} did best of {len(names)} by {measure}.",
        f"It was {_record(ranked.iloc[0], rows)}.",
    ]
    if (closest := str(ranked["mean"].idxmin())) != names[0]:
        lines.append(f"{sentence(closest)} has the smallest mean error.")
    if DEFAULT in names[1:]:
        place = names.index(DEFAULT)
        lines.append(f"{sentence(DEFAULT)}, number {place + 1}, was {_record(ranked.iloc[place], rows)}.")
    return " ".join([*lines, *_leads(rows, names)])


_UNITS = {
    "split": "splits of the same answers; other questions may differ",
    "dataset": "data sets",
}
"""The units of a lead in words, with a caveat."""


def _leads(rows: pd.DataFrame, names: Sequence[str]) -> Iterator[str]:
    """Yield how sure the lead of the first ranked predictor is over the next, and over the default."""
    others = dict.fromkeys([names[1], *(name for name in names[2:] if name == DEFAULT)])
    leads = {name: lead(rows, names[0], name, len(names) - 1) for name in others}
    first = leads[names[1]]
    if first.units == 1:
        yield f"One trial cannot show whether {names[0]} is better than the others."
        return
    over = f"{first.units} {_UNITS[first.unit]}"
    if isnan(first.margin):
        whether = f"Whether {names[0]} is better than the others"
        yield f"{whether} is not clear from {over} ({first.fewest} or more are needed)."
        return
    ahead = []
    for name, own in leads.items():
        word = "clear" if own.clear else "not clear"
        ahead.append(f"ahead of {name} by {far(own.value)} ± {far(own.margin)} points ({word})")
    level = f"{100 * LEVEL:g} %"
    yield f"{sentence(names[0])} is {listed(ahead)}: joint {level} intervals for all rivals, over {over}."


def _record(row: Any, rows: pd.DataFrame) -> str:
    """The errors of a predictor, and how many of its intervals contained the measured value."""
    off = f"{far(row['mean'])} points off on average, at most {far(row['largest'])}"
    if not row["bounded"]:
        return f"{off}, without intervals"
    inside = f"{row['inside']:.0f} of {row['bounded']:.0f}"
    return f"{off}; {inside} of its {level_of(rows)} intervals contained the measured accuracy"
