"""How large the constants of `predict.survival.pace` are: LASTING and PASSING by maximum likelihood.

    python docs/forecasting/pace.py --data ../shared/data/samples

Each run of `along_t.py` is stopped as there. Of the log odds that an unfinished answer ends, the forecast's
miss is taken at the earlier cuts (up to the cap) and beyond it (up to the second dearer cap, where 74 % of
the answers have ended). Over runs both have a part in common, of sd LASTING, and one of their own, of sd
PASSING, beside what the forecast itself leaves open. Printed: for all runs, and without each family.
"""

from pathlib import Path

import click
import numpy as np
import pandas as pd
from along_t import ANSWERS, read, runs
from scipy.optimize import minimize
from scipy.special import logit
from scipy.stats import multivariate_normal

from predict.estimate import Options
from predict.evidence.capped import capped
from predict.evidence.hidden import observe
from predict.survival.fit import FEW_ANSWERS, Problem, fit
from predict.survival.forecast import LEARN_FROM
from predict.survival.pace import DRAWS, misses
from predict.survival.seen import seen_at, thinned
from predict.survival.simulate import simulate

FAMILIES = ("am-thinking", "datarus", "nemotron", "qwen3", "gpt-5", "claude")


def measured(run: pd.DataFrame, split: int) -> tuple[float, float, float, float]:
    """Miss and its variance at the earlier cuts, and beyond the cap."""
    caps = [round(cap) for cap in np.quantile(run["tokens"], np.linspace(0.1, 0.999, 8))]
    (group,) = capped(run, "majority", caps[3], caps[4:])
    shown = observe(group, [next(iter(group.run.caps))], ANSWERS, Options(), split).run.answers
    few, whole = thinned(shown, LEARN_FROM, FEW_ANSWERS), group.run.answers
    problem = Problem(seen_at(few, caps[3]))
    found = fit(problem)
    drawn = simulate(problem, found, [caps[3], caps[5]], np.zeros(DRAWS), split)
    ended = drawn.ended.mean(axis=1)
    odds = logit((ended[:, 1] - ended[:, 0]) / (1 - ended[:, 0]))
    first, second = ((whole.tokens <= cap).mean() for cap in (caps[3], caps[5]))
    beyond = logit((second - first) / (1 - first)) - odds.mean()
    return *misses(few, caps[3], found, split), float(beyond), float(odds.var())


def sizes(table: pd.DataFrame) -> np.ndarray:
    """The likeliest (LASTING, PASSING)."""

    def loss(logs: np.ndarray) -> float:
        lasting, passing = np.exp(2 * logs)
        total = 0.0
        for miss, noise, beyond, left in table[["miss", "noise", "beyond", "left"]].to_numpy():
            own = np.diag([passing + noise, passing + left])
            total -= multivariate_normal.logpdf([miss, beyond], [0, 0], own + lasting)
        return total

    return np.exp(minimize(loss, [-1.0, -1.5], method="Nelder-Mead").x)


@click.command()
@click.option("--data", type=click.Path(path_type=Path), required=True)
@click.option("--splits", default=2, show_default=True, help="Random choices of the eight answers.")
def main(data: Path, splits: int) -> None:
    """Print the sizes."""
    rows = []
    for file in sorted([*data.glob("boinf-*.csv"), *data.glob("epoch*.csv")]):
        for run, name in runs(read(file)):
            found = np.mean([measured(run, split) for split in range(splits)], axis=0)
            rows.append([name, *found])
    table = pd.DataFrame(rows, columns=["set", "miss", "noise", "beyond", "left"])
    click.echo(table.round(2).to_string(index=False))
    click.echo(f"all: {sizes(table).round(2)}")
    for family in FAMILIES:
        click.echo(f"without {family}: {sizes(table[~table['set'].str.contains(family)]).round(2)}")


if __name__ == "__main__":
    main()
