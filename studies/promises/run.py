"""Every promise of the project that can be simulated: measured again, and compared with earlier results.

$ python -m studies.promises.run                  all parts: three quarters of an hour of a core
$ python -m studies.promises.run --part clusters  one of them
$ python -m studies.promises.run --quick          a twentieth of the runs, printed and not kept

Writes promises.csv, and from it the tables of README.md. Earlier results, from older code, are in before.csv,
which was typed by hand.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import numpy as np
import pandas as pd

from studies.pages import insert_into, markdown
from studies.promises import caps, cheap, clusters, equal_models, forecasts, luck, selection, sequential
from studies.promises.rows import Row

HERE = Path(__file__).resolve().parent
PAGE, NOW, BEFORE = HERE / "README.md", HERE / "promises.csv", HERE / "before.csv"
QUICK = 0.05
KEY = ["table", "case", "measure"]
MINUS = "−"

PARTS: dict[str, Callable[[float], Iterator[Row]]] = {
    "equal": equal_models.measured,
    "luck": luck.measured,
    "clusters": clusters.measured,
    "selection": selection.measured,
    "sequential": sequential.measured,
    "cheap": cheap.measured,
    "forecasts": forecasts.measured,
    "caps": caps.measured,
}
NEEDS_DATA = ("sequential", "cheap")


@click.command()
@click.option("--part", type=click.Choice(list(PARTS)), help="Only this one.")
@click.option("--quick", is_flag=True, help=f"{QUICK:.0%} of the runs; nothing is kept.")
def main(part: str | None, quick: bool) -> None:
    """Measure what is promised."""
    for name in [part] if part else list(PARTS):
        if name in NEEDS_DATA and not os.environ.get("DATA_DIR"):
            click.echo(f"{name}: skipped, as DATA_DIR is not set", err=True)
            continue
        found = pd.DataFrame(PARTS[name](QUICK if quick else 1.0), columns=list(Row._fields))
        if quick:
            click.echo(f"\n{tables(judged(found))}")
        else:
            keep(name, found)


def keep(part: str, found: pd.DataFrame) -> None:
    """Put the rows of a part into the file, and its tables into the page."""
    kept = pd.read_csv(NOW) if NOW.exists() else pd.DataFrame(columns=["part"])
    every = pd.concat([kept[kept["part"] != part], found.assign(part=part).round(3)])
    place = every["part"].map(list(PARTS).index)
    every.iloc[place.argsort(kind="stable")].to_csv(NOW, index=False)
    insert_into([PAGE], part, tables(judged(pd.read_csv(NOW).query("part == @part"))))


def judged(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with the earlier results, and whether the promise is `kept` ("" if there is none)."""
    before = pd.read_csv(BEFORE).drop(columns="source")
    rows = rows.assign(promised=rows["promised"].fillna("")).merge(before, how="left", on=KEY)
    kept = map(verdict, rows["promised"], rows["now"], rows["error"])
    return rows.assign(kept=list(kept))


def verdict(promised: str, now: float, error: float) -> str:
    """yes: at least as good as promised; nearly: worse by at most two standard errors; no; –: no value.

    Equality holds within two standard errors.
    """
    if not promised:
        return ""
    if np.isnan(now):
        return "–"
    sign, number = promised.split()
    over = now - float(number)
    miss = {"≤": over, "≥": -over, "=": abs(over) - 2 * error}[sign]
    if miss <= 0:
        return "yes"
    return "nearly" if sign != "=" and miss <= 2 * error else "**no**"


def tables(rows: pd.DataFrame) -> str:
    """Markdown tables: a line for each case, a column for each measure, next to its earlier value."""
    return "\n\n".join(one_table(str(name), of) for name, of in rows.groupby("table", sort=False))


def one_table(name: str, rows: pd.DataFrame) -> str:
    """One table; the promise is in the head, or in a column if it differs between cases."""
    columns: dict[str, pd.Series] = {}
    for measure, of in rows.groupby("measure", sort=False):
        of, title = of.set_index("case"), str(measure)
        told = sorted(set(of["promised"]) - {""})
        if len(told) == 1:
            title = f"{title} ({told[0]})"
        elif told:
            columns[f"{title}: promised"] = of["promised"]
        if of["before"].notna().any():
            columns[f"{title}: before"] = of.apply(before, axis=1)
        columns[title] = of.apply(now, axis=1)
    every = rows["kept"].ne("")
    if every.any():
        columns["kept"] = rows[every].groupby("case", sort=False)["kept"].agg(worst)
    lines = pd.DataFrame(columns).reindex(rows["case"].unique()).fillna("–")
    head = [name, *lines.columns]
    body = [[str(case), *cells] for case, cells in zip(lines.index, lines.to_numpy(), strict=True)]
    return markdown(head, body)


def worst(kept: "pd.Series[str]") -> str:
    """The worst result on a line with several promises."""
    return next(word for word in ("**no**", "nearly", "yes", "–") if (kept == word).any())


def now(row: "pd.Series") -> str:
    """The measured value, as precisely as its error allows."""
    return "–" if np.isnan(row["now"]) else with_error(row["now"], row["error"])


def before(row: "pd.Series") -> str:
    """The earlier value, or its range."""
    value, to, error = (f"{row[name]:g}".replace("-", MINUS) for name in ("before", "to", "before_error"))
    if value == "nan":
        return "–"
    if to != "nan":
        return f"{value} to {to}"
    return value if error == "nan" else f"{value} ± {error}"


def with_error(value: float, error: float) -> str:
    """1.23 ± 0.04, 12.3 ± 0.4, 74 ± 12: the error has one digit or is an integer."""
    digits = 0 if not error > 0 or error >= 5 else min(2, max(1, int(np.ceil(-np.log10(error)))))
    rounded = round(value, digits) + 0.0  # no −0
    return f"{rounded:.{digits}f} ± {error:.{digits}f}".replace("-", MINUS)


if __name__ == "__main__":
    main()
