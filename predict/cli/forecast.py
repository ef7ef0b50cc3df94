"""`python -m predict forecast`: the forecast table, printed so that one can act on it.

tiny model, tiny questions, majority vote, forecast by mixture from settings 10, 20, 30, …, N up to 8
setting  tokens/answer   N  tokens/question  forecast  90 % interval  measured  status
120               58.1  16              929    96.3 %  94.9 … 97.5 %    95.9 %  ok
"""

from collections.abc import Iterable
from pathlib import Path

import click
import numpy as np
import pandas as pd
from tqdm import tqdm

from predict.capped import CapRequest
from predict.cli import options as option
from predict.cli.capped import forecast_caps
from predict.cli.wording import (
    STATUS_WORDS,
    choice,
    evenly,
    interval,
    percent,
    points,
    table,
    title,
    tokens,
)
from predict.forecast import forecast
from predict.groups import Group, read_groups
from predict.predictors import DEFAULT
from predict.protocol import UNUSABLE, Options
from predict.split import Request
from results import write_forecast

LINES = 24
"""Rows of one table that are printed; the file holds all."""

CLOSE = 0.01
"""Choices this close to the best one count as good as it."""


@click.command(
    "forecast", epilog="Example: python -m predict forecast results/cached/tiny.csv --out forecast.csv"
)
@option.inputs
@option.out("Forecast table to write.")
@option.predictor(DEFAULT)
@option.method
@click.option(
    "--fit-max-n", type=click.IntRange(1), help="Fit N up to this; of samples, so many answers a question."
)
@click.option("--fit-max-tokens", type=float, help="Fit settings of up to this many tokens per answer.")
@click.option("--fit-settings", callback=option.names, help="Fit these settings only, as low,medium.")
@click.option("--at-n", callback=option.numbers, help="Forecast these N, as 16,64.")
@click.option(
    "--at-settings",
    callback=option.names,
    help="Forecast these settings; NAME=LENGTH adds a new one of LENGTH tokens (steps) per answer.",
)
@option.caps
@option.bootstrap(1000)
@option.target
@option.seed
def forecast_command(
    inputs: tuple[Path, ...], out: Path, predictor: str, method: str, fit_max_n: int | None,
    fit_max_tokens: float | None, fit_settings: tuple[str, ...], at_n: tuple[int, ...],
    at_settings: tuple[str, ...], fit_cap: int | None, at_caps: tuple[int, ...], bootstrap: int, target: str,
    seed: int,
) -> None:  # fmt: skip
    """Forecast the accuracy of every model and dataset in INPUT (samples or curves tables).

    Without any --fit-… or --at-… option the cheaper half of the data is fitted and the rest held out for
    comparison: of four or more settings the cheapest half (at least three) with every N, otherwise every
    setting with N up to half of the largest.
    """
    others = {"fit_max_tokens": fit_max_tokens, "fit_settings": fit_settings, "at_settings": at_settings}
    if option.caps_asked(fit_cap, at_caps, **others) and fit_cap:
        caps = CapRequest(fit_cap, at_caps, fit_max_n, at_n)
        options = Options(replicates=bootstrap, seed=seed, target=target)
        forecast_caps(inputs, out, option.cap_predictors(predictor), method, caps, options)
        return
    option.check_out(out, inputs)
    groups = read_groups(inputs, method, at_n)
    request = Request(fit_max_n, fit_max_tokens, fit_settings, at_n, at_settings)
    options = Options(replicates=bootstrap, seed=seed, target=target)
    tables = []
    asked = [(group, option.chosen(predictor, group)) for group in groups]
    total = sum(len(names) for _, names in asked)
    with tqdm(total=total, unit="forecast", disable=None, leave=False) as bar:
        for group, names in asked:
            found, notes = forecast(group, request, names, options, bar.update)
            show(group, found, notes)
            tables.append(found)
    write_forecast(pd.concat(tables, ignore_index=True), out)
    click.echo(f"\n{sum(map(len, tables))} rows in {out}")


def show(group: Group, found: pd.DataFrame, notes: list[str]) -> None:
    """Print each predictor's forecasts and how good they are, and the warnings on stderr."""
    for name, part in found.groupby("predictor", sort=False):
        asked = part[part["role"] != "used"]
        asked = asked if len(asked) else part
        shown = spread(asked, LINES)
        click.echo(f"\n{title(group)}, forecast by {name}{_what(part[part['role'] == 'used'])}")
        click.echo(printable(shown))
        if len(shown) < len(asked):
            click.echo(f"… {len(asked) - len(shown)} more in the file")
        everywhere = {place for place, _ in group.points.settings()} <= set(part["setting"])
        for sentence in (judged(asked), advice(part, "" if everywhere else " among these settings")):
            if sentence:
                click.echo(sentence)
    for sentence in notes:
        click.echo(f"warning: {group.name}: {sentence}", err=True)


def printable(rows: pd.DataFrame) -> str:
    """Rows of a forecast table as aligned text."""
    unit = "steps" if (rows["source"] == "synthetic").all() else "tokens"
    columns: dict[str, Iterable[str]] = {
        "setting": rows["setting"],
        f"{unit}/answer": map(tokens, rows["tokens_per_answer"]),
        "N": rows["N"].astype(str),
        f"{unit}/question": map(tokens, rows["tokens_per_answer"] * rows["N"]),
        "forecast": map(percent, rows["predicted"]),
        "90 % interval": map(interval, rows["low"], rows["high"]),
        "measured": map(percent, rows["accuracy"]),
        "status": map(STATUS_WORDS.__getitem__, rows["status"]),
    }
    return table(columns)


def spread(rows: pd.DataFrame, most: int) -> pd.DataFrame:
    """At most `most` or so rows of a forecast table: of every setting the same few N, evenly chosen."""
    each = max(2, most // rows["setting"].nunique())
    ns = np.unique(rows["N"])
    return rows if len(rows) <= most else rows[rows["N"].isin(ns[evenly(len(ns), each)])]


def judged(asked: pd.DataFrame) -> str:
    """How far the forecasts are from the held-out values; "" without any."""
    both = asked[(asked["role"] == "held_out")].dropna(subset=["accuracy", "predicted"])
    if both.empty:
        return ""
    error = both["predicted"] - both["accuracy"]
    bounded = both.dropna(subset=["low", "high"])
    inside = bounded["accuracy"].between(bounded["low"] - 1e-9, bounded["high"] + 1e-9).sum()
    held = f"; {inside} of {len(bounded)} intervals contain the measured value" if len(bounded) else ""
    lean = f"{points(abs(error.mean()))} too {'high' if error.mean() > 0 else 'low'} on average"
    return (
        f"Error on the {len(both)} held-out values: {points(error.abs().mean())} points on average ({lean}), "
        f"{points(error.abs().max())} at worst{held}."
    )


def advice(found: pd.DataFrame, among: str = "") -> str:
    """The cheapest choice within a point of the best one; points that were fitted count as measured."""
    used = found["role"] == "used"
    rows = found.assign(
        predicted=found["accuracy"].where(used, found["predicted"]),
        low=found["low"].where(~used),
        high=found["high"].where(~used),
        cost=found["tokens_per_answer"] * found["N"],
    )
    rows = rows[(used | ~rows["status"].isin(UNUSABLE)) & rows["predicted"].between(0, 1)]
    rows = rows.dropna(subset=["cost"])
    if rows.empty or rows["N"].nunique() * rows["setting"].nunique() < 2:
        return ""
    best = rows["predicted"].max()
    enough = rows[rows["predicted"] >= best - CLOSE].sort_values(["cost", "predicted"]).iloc[0]
    seen = "measured" if enough["role"] == "used" else "forecast"
    return f"Cheapest{among} within a point of the best ({percent(best)}): {choice(enough)}, {seen}."


def _what(used: pd.DataFrame) -> str:
    """What was fitted: " from settings 10, 20, 30, N up to 64"; "" where none of it is in the table."""
    settings = list(dict.fromkeys(used["setting"].astype(str)))
    if used.empty:
        return ""
    few = ", ".join(settings) if len(settings) <= 6 else f"{settings[0]} … {settings[-1]}"
    return f" from setting{'s' if len(settings) > 1 else ''} {few}, N up to {np.max(used['N'])}"
