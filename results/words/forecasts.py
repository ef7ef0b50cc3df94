"""Forecasts in words: what they are of, their tables, and how far off each predictor was."""

from collections.abc import Iterator, Sequence
from math import isnan
from operator import itemgetter
from typing import Any

import pandas as pd

from results.normal import LEVEL
from results.summary.forecasts import LONGER, LONGER_AND_MORE, Forecast, lead, scores
from results.tables.money import NO_MONEY, Money
from results.words.buying import PRICES_OF, dollars, interval_columns, status_of
from results.words.cells import UNKNOWN, Columns, Table, count, level_of, number, tabled
from results.words.names import (
    PRICED,
    UNITS,
    curves_name,
    listed,
    method_name,
    predictor_name,
    sentence,
    show,
)

DEFAULT = "default"
"""The predictor that is used where none is named."""

ALONG_LENGTH = {
    LONGER: "every N was measured at the lengths seen, as in the paper",
    LONGER_AND_MORE: "only small N were measured at the lengths seen, less than in the paper",
}
"""What is asked of forecasts along length; studies/figure_3 has how well each is answered."""


def forecast_name(forecast: Forecast) -> str:
    """Model, dataset and method, and the file where several have forecasts of them."""
    label = f" ({forecast.file})" if forecast.file else ""
    return f"{method_name(forecast.key)}{label}"


def forecast_title(forecast: Forecast) -> str:
    """Model and dataset, and what is asked where it is more than more answers."""
    question = f": {forecast.question}" if forecast.over_length else ""
    return f"{curves_name(forecast.key)}{question}"


def questions_asked(forecasts: Sequence[Forecast]) -> str:
    """What the questions of these forecasts along length mean; "" where there are none."""
    questions = {forecast.question for forecast in forecasts}
    meanings = [f"“{name}”: {means}" for name, means in ALONG_LENGTH.items() if name in questions]
    return f"Asked for {'; '.join(meanings)}." if meanings else ""


def forecast_columns(source: str, rows: pd.DataFrame) -> Columns:
    """Of the rows of a forecast table with their `length`, tokens or steps of an answer.

    Where they have `usd`, the price of 1,000 questions, it stands in the place of the tokens of one.
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


def forecast_table(forecast: Forecast, money: Money = NO_MONEY) -> Table:
    """What was forecast, with the intervals for these questions and for new ones, and what was measured.

    Where the price of the model is known, cost is money.
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
"""A miss of more points than this is only said to be that: the formula has left all bounds."""


def far(points: float, digits: str = ".1f") -> str:
    """An error in points; "–" where it is not known."""
    return f"> {FAR_OFF:,.0f}" if points > FAR_OFF else number(points, digits)


def error_columns(rows: pd.DataFrame) -> Columns:
    """Of rows of `scores`: how good each predictor is on what its fit did not see.

    rows: the forecasts that were scored; of answers hidden from them (a backtest) more is told.
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
    """The errors of forecasts on points that their fits did not see (see `scores`)."""
    note = f"{which_predictor(rows)} {ERRORS}".strip()
    return tabled(title, scores(rows), error_columns(rows), note)


def which_predictor(rows: pd.DataFrame) -> str:
    """Which predictor did best on these forecasts, how far off it was, and how sure it is that it is better.

    "" where nothing was measured, or none forecast all that was.
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
"""What a lead is over, and of what it therefore says nothing."""


def _leads(rows: pd.DataFrame, names: Sequence[str]) -> Iterator[str]:
    """How sure it is that the first of ranked predictors is better than the next, and than the default."""
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
    """How far off a predictor was, and how many of its intervals held."""
    off = f"{far(row['mean'])} points off on average, at most {far(row['largest'])}"
    if not row["bounded"]:
        return f"{off}, without intervals"
    inside = f"{row['inside']:.0f} of {row['bounded']:.0f}"
    return f"{off}; {inside} of its {level_of(rows)} intervals contained the measured accuracy"
