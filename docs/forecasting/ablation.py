"""What each part of the mixture is worth: its error on many sets without that part, or with another choice.

$ DATA_DIR=../shared/data python docs/forecasting/ablation.py            (after make.py; 10 min)
set      method    seen  variant              forecasts  error   held  width
budgets  majority  4     settings apart       36         0.0325  0.94  0.122

Writes ablation.csv and two tables of docs/forecasting/evidence.md.
"""

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path.append(str(Path(__file__).resolve().parents[2]))

import click
import numpy as np
import pandas as pd
from figures import SIMPLE
from page import HERE, insert
from simulated_sets import SETS, made

from predict.groups import Group, read_groups
from predict.predictors import PREDICTORS
from predict.protocol import Observed, Options, Points, Prediction, Predictor
from predict.questions.best_of_n import best_of_n_by_rate
from predict.questions.mixture import error_variance
from predict.questions.prior import features
from predict.split import observe
from results.tables.files import write_raw

ROOT = HERE.parents[1]
WORK = ROOT / "results" / "runs" / "forecasting"
TABLE = HERE / "ablation.csv"
METHODS = {"majority": "Majority vote", "best_of_n": "Best of N"}
REPLICATES = 200

AT_N = {
    "biggsm": {4: (8, 16), 8: (16,)}, "otis": {4: (8,)}, "game24": dict.fromkeys((4, 8, 16), (32, 64, 100)),
    "choices": dict.fromkeys((4, 8), (16, 64, 100)), "steps": dict.fromkeys((4, 8), (16, 64)),
    "budgets": dict.fromkeys((4, 8), (16, 48)), "close calls": dict.fromkeys((4, 8), (16, 64)),
    "boinf": dict.fromkeys((4, 8), (16, 32, 64)), "rgeval": dict.fromkeys((4, 8), (16, 40)),
    "jhu": {4: (8, 10)}, "epoch-gpt": {4: (8,)},
}  # fmt: skip
"""Answers seen and the N forecast, by the beginning of a set's name."""


def plain_normal(self: Any, R: int, rng: np.random.Generator) -> np.ndarray:
    """Draws of the weights without the split of the normal law."""
    z = rng.standard_normal((R, len(self.alpha)))
    return self.problem.weights(self.alpha + z @ np.linalg.cholesky(self.covariance).T)


def rates_alone(counts: Any, population: Any, N: np.ndarray, options: Options) -> tuple[np.ndarray, ...]:
    """Best-of-N by the mixture of rates, without the beta-binomial."""
    rng = np.random.default_rng(options.seed)
    values = np.stack([best_of_n_by_rate(int(n)) for n in N], axis=1)
    each, square = population.moments(values)
    drawn = population.parameter_draws(values, options.replicates, rng)
    spread = np.sqrt(error_variance(each, square, counts.pools, N, options))
    noisy = drawn + spread * rng.standard_normal((len(drawn), 1))
    return each.mean(axis=0), noisy, np.zeros(len(N))


Q = "predict.questions"
VARIANTS: dict[str, dict[str, dict[str, object]]] = {
    "majority": {
        "as it is": {},
        "settings apart": {f"{Q}.mixture.share_between": lambda populations, _: list(populations)},
        "guessed share not learnt": {f"{Q}.population.features": lambda: features()[:, :-1]},
        "ridge ÷ 4": {f"{Q}.population.RIDGE": 1.0},
        "ridge × 2": {f"{Q}.population.RIDGE": 8.0},
        "plain normal law of the weights": {f"{Q}.weights.WeightFit.draw_weights": plain_normal},
        "interval as drawn": {f"{Q}.mixture.CALIBRATED": 1.0},
        "without the fit of questions alike": {f"{Q}.population.shape_features": features},
    },
    "best_of_n": {
        "as it is": {},
        "mixture of rates alone": {f"{Q}.mixture.best_of_n_forecast": rates_alone},
        "ridge ÷ 7": {f"{Q}.best_of_n.RIDGE": 0.03},
        "ridge × 5": {f"{Q}.best_of_n.RIDGE": 1.0},
    },
}
"""What is put in place of what, by method and variant."""


def forecaster(name: str, changes: dict[str, object]) -> Predictor:
    """The predictor `name` with the changes made for the time of each call."""

    def changed(observed: Observed, targets: Points, options: Options) -> Prediction:
        with ExitStack() as stack:
            for target, value in changes.items():
                stack.enter_context(patch(target, value))
            return PREDICTORS[name](observed, targets, options)

    return changed


def sets(data: Path) -> Iterator[tuple[str, Path]]:
    """Every set and its table: those that make.py has imported, simulated ones, and tables of `data`."""
    yield from ((name, WORK / name) for name in ("biggsm", "otis", "game24"))
    for name in SETS:
        path = WORK / f"simulated-{name.replace(' ', '-')}.csv"
        if not path.exists():
            write_raw(made(name), path)
        yield name, path
    for path in sorted((data / "samples").glob("*.csv")):
        if path.stem.startswith(("boinf", "rgeval", "jhu", "epoch-gpt")):
            yield path.stem, path


def judged(name: str, group: Group, variants: dict[str, Predictor], splits: int) -> pd.DataFrame:
    """Every forecast of one group: seen, variant, truth, mean, low, high."""
    at_n = next(ns for start, ns in AT_N.items() if name.startswith(start))
    pool = min(int(one.answers.sizes.min()) for one in group.pools)
    parts = []
    for seen, ns in at_n.items():
        kept = np.isin(group.points.N, ns)
        targets = Points(group.points.setting[kept], group.points.T[kept], group.points.N[kept])
        for split in range(splits):
            observed = observe(group, [one.setting for one in group.pools], seen, Options(), split)
            options = Options(replicates=REPLICATES, seed=split, pool=pool)
            for variant, predict in variants.items():
                found = predict(observed, targets, options)
                parts.append(
                    pd.DataFrame(
                        {"mean": found.mean, "low": found.low, "high": found.high,
                         "truth": group.accuracy[kept], "seen": seen, "variant": variant}
                    )
                )  # fmt: skip
    return pd.concat(parts).assign(set=name, method=group.method)


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean absolute error, share of the 90 % intervals that hold the truth, and their mean width."""
    error = rows["mean"] - rows["truth"]
    held = rows["truth"].between(rows["low"] - 1e-9, rows["high"] + 1e-9).where(rows["low"].notna())
    rows = rows.assign(error=error.abs(), bias=error, held=held, width=rows["high"] - rows["low"])
    by = rows.groupby(["set", "method", "seen", "variant"], sort=False)
    table = by[["error", "bias", "held", "width"]].mean()
    return table.assign(forecasts=by["error"].count()).reset_index()


DATA = ROOT.parent / "shared" / "data"


@click.command()
@click.option("--data", envvar="DATA_DIR", default=DATA, type=click.Path(path_type=Path))
@click.option("--splits", default=4, show_default=True, type=click.IntRange(1))
def main(data: Path, splits: int) -> None:
    """Judge the mixture and its variants on every set."""
    tables = []
    for method, changes in VARIANTS.items():
        variants = {name: forecaster("mixture", change) for name, change in changes.items()}
        rivals = [*SIMPLE, "joint"] + ["beta-binomial"] * (method == "best_of_n")
        variants |= {name: forecaster(name, {}) for name in rivals}
        for name, path in sets(data):
            if name == "game24" and method == "majority":
                continue  # its answers are expressions; only right or wrong is known of them
            for group in read_groups([path], method):
                tables.append(judged(name, group, variants, splits))
        click.echo(f"{method}: {len(tables)} groups")
    found = summary(pd.concat(tables, ignore_index=True))
    write_raw(found, TABLE)
    tell(found)


def tell(found: pd.DataFrame) -> None:
    """The two tables of the page: every variant over all sets, and every set against its best rival."""
    lines = ["| variant | method | error, relative | error | held by 90 % | width |", "|---" * 6 + "|"]
    for method, label in METHODS.items():
        rows = found[found["method"] == method]
        by = {name: part.set_index(["set", "seen"]) for name, part in rows.groupby("variant", sort=False)}
        for name in [*VARIANTS[method], *(name for name in by if name == "beta-binomial")]:
            part, ours = by[name], by["as it is"]
            ratio = np.exp(np.log(part["error"] / ours["error"]).mean())
            points = 100 * part[["error", "held", "width"]].mean()
            lines.append(
                f"| {name} | {label} | {ratio:.2f} | {points['error']:.2f} | {points['held']:.0f} % "
                f"| {points['width']:.1f} |"
            )
    insert("ablation", "\n".join(lines))
    head = ["set", "seen"]
    for label in METHODS.values():
        head += [f"{label}: best simple rival", "joint", "mixture", "held"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for (name, seen), part in found.groupby(["set", "seen"], sort=False):
        cells = [str(name), str(seen)]
        for method in METHODS:
            rows = part[part["method"] == method].set_index("variant")
            if not len(rows):
                cells += ["–"] * 4
                continue
            error = 100 * rows["error"]
            rival = error[error.index.isin(SIMPLE)]
            cells += [f"{rival.idxmin()} {rival.min():.2f}", f"{error['joint']:.2f}"]
            cells += [f"{error['as it is']:.2f}", f"{100 * rows.loc['as it is', 'held']:.0f} %"]
        lines.append("| " + " | ".join(cells) + " |")
    insert("sets", "\n".join(lines))


if __name__ == "__main__":
    main()
