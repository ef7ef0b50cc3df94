"""How far forecasts were from what was then measured, predictor by predictor.

predictor  mean  largest  score  inside  bounded  told  asked
default    0.62  1.4      4.1    6       6        6     6
plug-in    0.41  0.5      2.0    2       2        2     6      not ranked: it forecast some points only
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from results.figures.cost import usd
from results.figures.forecast import ALONG_LENGTH, MORE_ANSWERS, Forecast
from results.figures.words import METHOD_NAMES, PRICED, curves_name, listed, predictor_name
from results.normal import held, interval_score
from results.report.buying import PRICES_OF
from results.report.cells import Columns, Table, tabled
from results.report.headings import forecast_columns

TWIN = "twin"
"""The predictor's name of `studies.match.run`: the theory's twin fitted to a language model."""

_POINT = ["curves", "split", "dataset", "model", "method", "setting", "N"]


def scores(rows: pd.DataFrame) -> pd.DataFrame:
    """The errors of each predictor in percentage points, best first; those that left out a point come last.

    Best is the least interval score, which a wide interval costs as much as a missed truth, and the least
    mean error where somebody gives no interval. `rows` are forecasts of a forecast or backtest table. One row
    a predictor: mean and largest absolute error, mean interval score, how many forecasts had an interval
    (`bounded`) and the truth in it (`inside`), how many of the `asked` measured points it forecast (`told`);
    `ranked` is what it is ordered by, NaN unless it forecast them all.
    """
    asked = len(rows.dropna(subset=["accuracy"])[[name for name in _POINT if name in rows]].drop_duplicates())
    told = rows[["accuracy", "predicted"]].notna().all(axis=1)
    bounded = told & rows[["low", "high"]].notna().all(axis=1)
    inside = bounded & held(rows)
    error = 100 * (rows["predicted"] - rows["accuracy"]).abs()
    score = 100 * interval_score(rows)
    by = rows.assign(error=error, score=score, told=told, bounded=bounded, inside=inside).groupby("predictor")
    table = by.agg(mean=("error", "mean"), largest=("error", "max"), score=("score", "mean"))
    table["name"] = pd.Series({predictor: predictor_name(own) for predictor, own in by})
    table = table.join(by[["told", "bounded", "inside"]].sum()).assign(asked=asked)
    whole = (table["told"] == table["asked"]) & (table["asked"] > 0)
    best = "score" if (table["bounded"] == table["asked"])[whole].all() else "mean"
    return table.assign(ranked=table[best].where(whole)).sort_values(["ranked", "mean"], kind="stable")


def targets(forecasts: Sequence[Forecast]) -> pd.DataFrame:
    """The rows of several forecasts that their fits did not see."""
    return pd.concat(one.targets.assign(predictor=one.predictor, curves=one.name) for one in forecasts)


def error_table(title: str, rows: pd.DataFrame) -> Table:
    """The errors of forecasts on points that their fits did not see (see `scores`)."""
    note = (
        "Error: distance of the forecast from the measured accuracy in percentage points, over the points "
        "that the fit did not see. Interval score: the width of the 90 % interval and 20 times its distance "
        "from what was measured, on average; the least comes first. Predictors that forecast only some of "
        "the points come last, unranked."
    )
    columns: Columns = {
        "predictor": lambda row: row["name"],
        "mean error": lambda row: f"{row['mean']:.2f}" if row["told"] else "–",
        "largest": lambda row: f"{row['largest']:.1f}" if row["told"] else "–",
        "interval score": lambda row: f"{row['score']:.1f}" if row["bounded"] else "–",
        "in 90 % interval": lambda row: (
            f"{row['inside']:.0f} of {row['bounded']:.0f}" if row["bounded"] else "no interval"
        ),
        "points": lambda row: f"{row['told']:.0f} of {row['asked']:.0f}",
    }
    return tabled(title, scores(rows), columns, note)


def forecast_table(forecast: Forecast, prices: Mapping[str, float] | None = None) -> Table:
    """What was forecast, with the intervals for these questions and for new ones, and what was measured.

    prices: US dollars for a million tokens by model; where the forecast's has one, cost is money.
    """
    price = (prices or {}).get(forecast.model, float("nan"))
    rows = forecast.targets
    rows = rows.assign(usd=usd(rows["N"] * rows["length"], price))
    columns = forecast_columns(forecast.source, rows)
    return tabled(f"Forecast by {forecast.by}", rows, columns, PRICES_OF if PRICED in columns else "")


def closest(forecasts: Sequence[Forecast]) -> str:
    """Which predictors have the least error over the curves of several, each question by itself.

    "" where none forecast all points of any.
    """
    rivals = Counter((one.name, one.question) for one in forecasts)
    compared = [one for one in forecasts if rivals[one.name, one.question] > 1]
    told = []
    for question in (MORE_ANSWERS, *ALONG_LENGTH):
        word = "Closest" if question == MORE_ANSWERS else f"Closest, asked for {question}"
        told.append(_closest([one for one in compared if one.question == question], word))
    return " ".join(filter(None, told))


def _closest(compared: Sequence[Forecast], word: str) -> str:
    """Who is closest over all points of these forecasts; "" if none forecast them all."""
    if not compared:
        return ""
    table = scores(targets(compared)).dropna(subset="ranked").round({"mean": 1})
    if table.empty:
        return ""
    best, first = table[table["mean"] == table["mean"].min()], table.iloc[0]
    tied = ", tied," if len(best) > 1 else ""
    said = (
        f"{word}, over all {best['asked'].iloc[0]} measured points: {listed(sorted(best.index))}{tied} "
        f"{best['mean'].iloc[0]:.1f} points off on average."
    )
    if first.name in best.index:
        return said
    scored = f"{first.name} (score {first['score']:.0f}), {first['mean']:.1f} points off"
    return f"{said} Best by intervals: {scored}."


def matched_twin(forecasts: Sequence[Forecast]) -> str:
    """How well twins matched to language models forecast what they were not fitted to; "" without any."""
    twins = [one for one in forecasts if one.predictor == TWIN]
    told = []
    for method in dict.fromkeys(one.method for one in twins):
        row = scores(targets([one for one in twins if one.method == method])).iloc[0]
        if row["told"]:
            told.append(
                f"{METHOD_NAMES[method]} {row['mean']:.1f} points off on average ({row['largest']:.1f} at "
                f"most; {row['inside']:.0f} of {row['bounded']:.0f} in its 90 % interval)"
            )
    models = listed(list(dict.fromkeys(one.title for one in twins)))
    return f"Matched to {models} at small N, the twin forecasts larger N: {listed(told)}." if told else ""


def steps_of_twin(tables: Iterable[pd.DataFrame]) -> str:
    """Whether more tokens act like more steps of one twin, for each model matched at several settings.

    `tables` are forecast tables; "" where none has the columns `twin_t` and `twin_odds`.
    """
    told = []
    for table in tables:
        if not {"twin_t", "twin_odds"} <= set(table):
            continue
        rows = table[table["predictor"] == TWIN].dropna(subset=["twin_t", "twin_odds", "tokens_per_answer"])
        for (source, dataset, model), own in rows.groupby(["source", "dataset", "model"], sort=False):
            name = curves_name(str(source), str(dataset), str(model))
            told.append(f"{name}: {_grown(own.drop_duplicates('setting'))}")
    return f"Do more tokens act like more steps? {'; '.join(told)}." if told else ""


def _grown(settings: pd.DataFrame) -> str:
    """What one twin for all settings of a model, a row each, says of tokens and steps."""
    ordered = settings.sort_values("tokens_per_answer", kind="stable")
    tokens, steps, odds = (ordered[name] for name in ("tokens_per_answer", "twin_t", "twin_odds"))
    grow = steps.is_monotonic_increasing and steps.iloc[-1] > steps.iloc[0]
    likely = f"10^{abs(odds.iloc[0]):.1f} times {'more' if odds.iloc[0] > 0 else 'less'} likely"
    reach = f"from {tokens.iloc[0]:,.0f} to {tokens.iloc[-1]:,.0f} tokens per answer"
    order = "grow with the tokens, which alone says little," if grow else "do not grow with the tokens"
    found = f"{order} ({', '.join(f'{t:g}' for t in steps)})"
    return f"{reach} the likeliest steps of one twin {found}, and it is {likely} than a twin for each length"
