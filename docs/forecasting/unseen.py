"""Judge the forecasts on answers that played no part in making them: docs/forecasting/unseen.csv.

$ python docs/forecasting/unseen.py results/runs/unseen/tiny-fresh-questions/* …   (13 min)
set      method    seen  at_n   predictor  forecasts  missing  mean_error  bias    worst_error  coverage
budgets  majority  4     16,48  mixture    96         0        0.0308      0.0289  0.0782       0.948

The sets were made, and kept closed, before the forecaster was final; then every predictor was judged on them
once. Afterwards variants of the mixture were tried on two of them, to see where the error of `budgets` comes
from; none was taken, and no figure here has changed since. A change made because of these numbers
needs new sets. Four are simulated (`unseen_sets.py`) and made again here. The others are answers of tiny
models, sampled by the commands in docs/forecasting.md. Each TABLE is a samples table or a run's folder,
SET/RUN or SET/RUN.csv: the folder around it names the set, and models of different runs are kept apart. A
set that is not given keeps its rows in the file.
"""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import click
import numpy as np
import pandas as pd
from make import HERE, ROOT, run
from page import insert, summary_by_set
from unseen_sets import SETS, made

from results import read_samples
from results.commandline import run as run_command
from results.figures.backtest import SIMPLE, relative_error
from results.tables.files import write_raw

WORK = Path("results/runs/forecasting/unseen")
TABLE = HERE / "unseen.csv"
SEEN = (4, 8)
METHODS = {"majority": "Majority vote", "best_of_n": "Best of N"}


@dataclass(frozen=True)
class Plan:
    """The N to forecast and the number of random splits of each model."""

    at_n: str = "16,64"
    splits: int = 5


PLANS = {
    "choices": Plan("16,32,64,100", 8), "steps": Plan("16,64", 8),
    "budgets": Plan("16,48", 8), "close calls": Plan("16,64", 12),
}  # fmt: skip
"""Those of the simulated sets; of the others, with more settings, the defaults."""


@dataclass(frozen=True)
class Backtest:
    """One call of `predict backtest`: a set, a method and the number of answers seen."""

    name: str
    method: str
    seen: int

    @property
    def plan(self) -> Plan:
        return PLANS.get(self.name, Plan())

    @property
    def out(self) -> str:
        """The table of its forecasts."""
        return f"{WORK}/{_stem(self.name)}-{self.method}-{self.seen}.csv"

    def command(self) -> list[str]:
        """The words after `python -m`."""
        return [
            "predict", "backtest", f"{WORK}/{_stem(self.name)}.csv", "--method", self.method,
            "--fit-max-n", str(self.seen), "--at-n", self.plan.at_n, "--splits", str(self.plan.splits),
            "--out", self.out,
        ]  # fmt: skip

    def rows(self) -> pd.DataFrame:
        """By predictor: the summary of its forecasts, as in backtests.csv, with `seen` and `at_n`."""
        table = pd.read_csv(ROOT / self.out, dtype={"setting": str}).assign(set=self.name)
        rows = summary_by_set(table)
        rows.insert(2, "seen", self.seen)
        rows.insert(3, "at_n", self.plan.at_n)
        return rows


@click.command()
@click.argument("tables", nargs=-1, metavar="[TABLE]...", type=click.Path(exists=True, path_type=Path))
@click.option("--jobs", default=2, show_default=True, type=click.IntRange(1), help="Processes.")
def main(tables: tuple[Path, ...], jobs: int) -> None:
    """Judge every predictor on the simulated sets, and on the answers in each TABLE."""
    started = time.monotonic()
    os.environ["OMP_NUM_THREADS"] = "1"  # for the processes started below
    (ROOT / WORK).mkdir(parents=True, exist_ok=True)
    names = prepare(tables)
    backtests = [Backtest(name, method, seen) for name in names for method in METHODS for seen in SEEN]
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(run, [backtest.command() for backtest in backtests]))
    found = pd.concat([backtest.rows() for backtest in backtests], ignore_index=True)
    if TABLE.exists():
        before = pd.read_csv(TABLE)
        found = pd.concat([found, before[~before["set"].isin(names)]], ignore_index=True)
    write_raw(found, TABLE)
    insert("unseen", f"{markdown(found)}\n\n{sentences(found)}")
    click.echo(f"{time.monotonic() - started:.0f} s")


def prepare(tables: tuple[Path, ...]) -> list[str]:
    """Write a samples table for each set; their names."""
    sets = {name: made(name) for name in SETS}
    columns = list(next(iter(sets.values())).columns)
    given: dict[str, list[pd.DataFrame]] = {}
    for path in tables:
        table = read_samples(path)[columns]
        name = path.resolve().parent.name.replace("-", " ")
        run_name = path.name.removesuffix(path.suffix if path.is_file() else "")
        given.setdefault(name, []).append(
            table.assign(dataset=name, model=table["model"].astype(str) + " " + run_name)
        )
    sets |= {name: pd.concat(parts, ignore_index=True) for name, parts in given.items()}
    for name, table in sets.items():
        write_raw(table, ROOT / WORK / f"{_stem(name)}.csv")
    return list(sets)


def markdown(found: pd.DataFrame) -> str:
    """By set and answers seen: the best simple rival, and the mixture beside it, for both methods."""
    head = ["set", "seen → N"]
    for label in METHODS.values():
        head += [f"{label}: best rival", "mixture", "ratio", "held"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for (name, seen, at_n), part in found.groupby(["set", "seen", "at_n"], sort=False):
        cells = [str(name), f"{seen} → {str(at_n).replace(',', ', ')}"]
        for method in METHODS:
            rows = part[part["method"] == method].set_index("predictor")
            error, ours = 100 * rows["mean_error"], rows.loc["mixture"]
            simple = error[error.index.isin(SIMPLE)]
            ratio = error["mixture"] / simple.min()
            cells += [f"{simple.idxmin()} {simple.min():.2f}", f"{error['mixture']:.2f}", f"{ratio:.2f}"]
            cells.append(f"{100 * ours['coverage']:.0f} %")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def sentences(found: pd.DataFrame) -> str:
    """Each method in words: the ratios' geometric mean and range, other predictors, coverage."""
    lines = []
    for method, label in METHODS.items():
        rows = found[found["method"] == method]
        rows = rows.assign(set=rows["set"] + rows["seen"].astype(str))
        ratio = relative_error(rows).set_index(["predictor", "set"])["ratio"]
        ours = rows[rows["predictor"] == "mixture"].set_index("set")
        others = [
            f"{_mean(ratio['mixture'] / ratio[name]):.2f} times that of {name}"
            for name in ("joint", "beta-binomial") if name in ratio
        ]  # fmt: skip
        held = 100 * ours["coverage"]
        bias = f"{100 * ours['bias'].mean():+.2f}".replace("-", "−")
        lines.append(
            f"{label}: the mixture's mean error is {_mean(ratio['mixture']):.2f} times that of the best "
            f"simple rival (geometric mean of {len(ours)} rows; {ratio['mixture'].min():.2f} … "
            f"{ratio['mixture'].max():.2f}), {', '.join(others)}; its bias is {bias} points, and its "
            f"90 % intervals hold {held.mean():.1f} % of the truths ({held.min():.0f} … {held.max():.0f} %)."
        )
    return "\n".join(lines)


def _mean(ratios: pd.Series) -> float:
    """The geometric mean."""
    return float(np.exp(np.log(ratios.astype(float)).mean()))


def _stem(name: str) -> str:
    """A set's name as a file's."""
    return name.replace(" ", "-")


if __name__ == "__main__":
    run_command(main, "python docs/forecasting/unseen.py")
