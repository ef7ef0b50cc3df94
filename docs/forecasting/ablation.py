"""What each part of the mixture is worth: its error on many sets without that part, or with another choice.

$ DATA_DIR=../shared/data python docs/forecasting/ablation.py            (after make.py; 10 min)
set      method    seen  predictor       forecasts  mean_error  coverage  width
budgets  majority  4     settings apart  36         0.0325      0.94      0.122

Writes ablation.csv and a table of docs/forecasting/evidence.md.
"""

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path.append(str(Path(__file__).resolve().parents[2]))

import click
import numpy as np
import pandas as pd
from along_n import jobs, judged
from page import HERE, METHODS, insert

from predict.protocol import Observed, Options, Points, Prediction, Predictor
from predict.questions.best_of_n import best_of_n_by_rate
from predict.questions.mixture import error_variance, mixture
from predict.questions.prior import features
from results.tables.files import write_raw

TABLE = HERE / "ablation.csv"


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


def variant(changes: dict[str, object]) -> Predictor:
    """The mixture with the changes made for the time of each call."""

    def changed(observed: Observed, targets: Points, options: Options) -> Prediction:
        with ExitStack() as stack:
            for target, value in changes.items():
                stack.enter_context(patch(target, value))
            return mixture(observed, targets, options)

    return changed


DATA = HERE.parents[2] / "shared" / "data"


@click.command()
@click.option("--data", envvar="DATA_DIR", default=DATA, type=click.Path(path_type=Path))
@click.option("--splits", default=4, show_default=True, type=click.IntRange(1))
def main(data: Path, splits: int) -> None:
    """Judge the mixture and its variants on every set."""
    tables = []
    for job in jobs(data, splits):
        tables.append(judged(job, {name: variant(changes) for name, changes in VARIANTS[job.method].items()}))
        click.echo(f"{job.name} {job.method}")
        write_raw(pd.concat(tables, ignore_index=True), TABLE)
    tell(pd.concat(tables, ignore_index=True))


def tell(found: pd.DataFrame) -> None:
    """The table of the page: every variant over all sets."""
    lines = ["| variant | method | error, relative | error | held by 90 % | width |", "|---" * 6 + "|"]
    for method, label in METHODS.items():
        rows = found[found["method"] == method].set_index(["set", "seen"])
        ours = rows[rows["predictor"] == "as it is"]["mean_error"]
        for name, part in rows.groupby("predictor", sort=False):
            ratio = np.exp(np.log(part["mean_error"] / ours).mean())
            points = 100 * part[["mean_error", "coverage", "width"]].mean()
            lines.append(
                f"| {name} | {label} | {ratio:.2f} | {points['mean_error']:.2f} | {points['coverage']:.0f} % "
                f"| {points['width']:.1f} |"
            )
    insert("ablation", "\n".join(lines))


if __name__ == "__main__":
    main()
