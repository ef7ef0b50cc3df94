"""The tables, pictures and examples of the guide and of evidence.md, from the rows of the backtests.

hidden    set                    method    predictor  split  setting  N  accuracy  predicted  low  high
evidence  the same, with kind (twin-…, lengths), T and role
"""

import re
from pathlib import Path

import click
import numpy as np
import pandas as pd
import vl_convert
from figures import errors_figure, relative_error, truth_figure

from predict.backtest import summary
from results.figures.theme import Figure, combined_spec
from results.tables.files import write_raw

HERE = Path(__file__).resolve().parent
PAGES = (HERE.parent / "forecasting.md", HERE.parent / "along-t.md", HERE / "evidence.md")

TABLE_ORDER = [
    "flat", "exponential", "power-law", "low-cost-to-high", "joint", "plug-in", "beta-binomial", "mixture",
]  # fmt: skip


def write(hidden: pd.DataFrame, evidence: pd.DataFrame) -> None:
    """All tables and pictures beside this file, and the tables in the page."""
    by_set = summary_by_set(hidden)
    twin = evidence[evidence["kind"] != "lengths"]
    asked = evidence[evidence["role"] == "held_out"]
    by_twin, by_length = (
        summary_by_set(asked[(asked["kind"] == "lengths") == lengths]) for lengths in (False, True)
    )
    for name, table in (("backtests", by_set), ("twin", by_twin), ("lengths", by_length)):
        write_raw(table, HERE / f"{name}.csv")
    vote, best = (by_set[by_set["method"] == method] for method in ("majority", "best_of_n"))
    insert("ratio", ratios({"majority votes": vote, "best-of-N": best}))
    insert("majority", markdown(vote))
    insert("best-of-n", markdown(best))
    insert("twin", markdown(by_twin))
    insert("lengths", markdown(by_length))
    draw(
        "errors",
        [errors_figure(vote, "vote", "Majority vote, forecast from 4 or 8 answers"),
         errors_figure(best, "best", "Best of N, forecast from 4 to 16 answers")],
    )  # fmt: skip
    draw("twin", twin_figures(twin))


def summary_by_set(rows: pd.DataFrame) -> pd.DataFrame:
    """`predict.backtest.summary` of each set."""
    parts = [
        summary(part).reset_index().assign(set=name, method=method)
        for (name, method), part in rows.groupby(["set", "method"], sort=False)
    ]
    table = pd.concat(parts, ignore_index=True)
    return table[["set", "method", *table.columns.drop(["set", "method"])]]


def markdown(table: pd.DataFrame) -> str:
    """Mean error in percentage points and coverage by set and predictor; the smallest error is bold."""
    present = [name for name in TABLE_ORDER if name in set(table["predictor"])]
    lines = ["| set | " + " | ".join(present) + " |", "|---" * (len(present) + 1) + "|"]
    for name, part in table.groupby("set", sort=False):
        rows = part.set_index("predictor")
        full = rows[rows["forecasts"] > rows["missing"]]
        cells = [str(name)]
        for predictor in present:
            if predictor not in rows.index or not rows.loc[predictor, "forecasts"]:
                cells.append("–")
                continue
            row = rows.loc[predictor]
            error = f"{100 * row['mean_error']:.2f}"
            error = f"**{error}**" if row["mean_error"] == full["mean_error"].min() else error
            held = "" if pd.isna(row["coverage"]) else f" ({100 * row['coverage']:.0f})"
            cells.append(error + held)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def ratios(tables: dict[str, pd.DataFrame]) -> str:
    """The mixture against the best simple rival, by set and by the file that sets are from."""
    sentences = []
    for name, table in tables.items():
        ratio = _of_mixture(table)
        files = table.assign(set=table["set"].str.replace(r"( t0| \w+-|,).*", "", regex=True))
        whole = _of_mixture(
            files.groupby(["set", "predictor"], as_index=False, sort=False)["mean_error"].mean()
        )
        by_file = ", ".join(f"{file} {value:.2f}" for file, value in whole.items())
        sentences.append(
            f"Over the {len(ratio)} sets of {name} the mixture's mean error is "
            f"{np.exp(np.log(ratio).mean()):.2f} times that of the best simple rival (flat, exponential "
            "or power law, whichever was best on that set; geometric mean), between "
            f"{ratio.min():.2f} and {ratio.max():.2f}. Sets of a file together: {by_file}."
        )
    return "\n".join(sentences)


def _of_mixture(table: pd.DataFrame) -> pd.Series:
    """The mixture's error over that of the best simple rival, by set."""
    rows = relative_error(table)
    return rows[rows["predictor"] == "mixture"].set_index("set")["ratio"]


def twin_figures(rows: pd.DataFrame) -> list[Figure]:
    """One split of the twin over N, and one over T."""
    figures = []
    for kind, axis, keep, title in (
        ("twin-N", "N", {"setting": ["1", "3", "6", "12", "50"]}, "The vote of N, from 8 answers a question"),
        ("twin-T", "T", {"N": [1, 8, 64]}, "Longer reasoning, from T ≤ 8"),
    ):
        part = rows[(rows["kind"] == kind) & (rows["predictor"] == "mixture") & (rows["split"] == 0)]
        for column, values in keep.items():
            part = part[part[column].isin(values)]
        subtitle = ("Lines: exact. Marks and bars: forecasts with 90 % intervals.", part["set"].iloc[0])
        figures.append(
            truth_figure(part, part.assign(known=part["role"] == "used"), axis, kind, title, subtitle)
        )
    return figures


def draw(name: str, figures: list[Figure]) -> None:
    """Figures side by side as docs/forecasting/NAME.png."""
    png = bytes(vl_convert.vegalite_to_png(combined_spec([figures]), scale=1.6))
    (HERE / f"{name}.png").write_bytes(png)


def insert(name: str, text: str) -> None:
    """Put `text` between the markers of this name in the page that has them, and print it."""
    click.echo(f"\n{name}\n{text}")
    pattern = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
    for path in PAGES:
        page = path.read_text(encoding="utf-8")
        path.write_text(
            pattern.sub(lambda found: f"{found[1]}\n{text}\n\n{found[2]}", page), encoding="utf-8"
        )
