"""Best of N where the law of p is known: what the family with questions that are never right is worth.

    p                          error, points  bias, points  held by 90 %  interval score, points
    0 for 20 %, or Beta(1, 1)  6.0 → 5.1      +6.0 → +5.0   52 → 72       40.6 → 29.1

$ python -m studies.forecasts.rate_worlds --jobs 2         (four minutes; a value without it → with it)

The best of 16 and 64 answers to 120 questions is forecast from 4 and 8 of them, and compared with the exact
best of N over all 64, as in a backtest. Writes the table of README.md.
"""

from collections.abc import Callable
from functools import partial

import click
import numpy as np
import pandas as pd
from scipy.special import expit

from predict.answers.best_of_n import BETA, SCALED_BETA
from predict.answers.mixture import mixture
from predict.estimate import Estimator, Options
from results.normal import held, interval_score
from results.votes.exact import Floats, best_of_n
from studies.forecasts.ablation import rates_from
from studies.forecasts.page import insert
from studies.options import PROCESSES, pool_of
from studies.pages import markdown
from tests.predict.answers import pools

QUESTIONS, ANSWERS, SEEN, ASKED, REPLICATES = 120, 64, (4, 8), [16, 64], 200
Rng = np.random.Generator

WORLDS: dict[str, Callable[[Rng, int], Floats]] = {
    "Beta(0.5, 0.5)": lambda rng, Q: rng.beta(0.5, 0.5, Q),
    "Beta(2, 1)": lambda rng, Q: rng.beta(2, 1, Q),
    "Beta(1, 3)": lambda rng, Q: rng.beta(1, 3, Q),
    "Beta(0.3, 1.5)": lambda rng, Q: rng.beta(0.3, 1.5, Q),
    "0.7 · Beta(0.7, 0.7)": lambda rng, Q: 0.7 * rng.beta(0.7, 0.7, Q),
    "0 for 10 %, or Beta(3, 0.5)": lambda rng, Q: rng.beta(3, 0.5, Q) * (rng.random(Q) > 0.1),
    "0 for 20 %, or Beta(1, 1)": lambda rng, Q: rng.beta(1, 1, Q) * (rng.random(Q) > 0.2),
    "0 for 40 %, or Beta(0.6, 0.6)": lambda rng, Q: rng.beta(0.6, 0.6, Q) * (rng.random(Q) > 0.4),
    "0.25 and more": lambda rng, Q: 0.25 + 0.75 * rng.beta(0.5, 1, Q),
    "normal in logit": lambda rng, Q: expit(rng.normal(-1, 2.5, Q)),
    "0.1": lambda _, Q: np.full(Q, 0.1),
    "0.05 or 0.8": lambda rng, Q: rng.choice([0.05, 0.8], Q),
}
"""The p of each question."""

VARIANTS: dict[str, Estimator] = {"without": rates_from(BETA, SCALED_BETA), "with": mixture}

COLUMNS = {"error": ".1f", "bias": "+.1f", "held": ".0f", "score": ".1f"}


@click.command()
@PROCESSES
@click.option("--sets", default=20, show_default=True, type=click.IntRange(2), help="Sets of questions.")
def main(processes: int, sets: int) -> None:
    """Forecast in every world."""
    with pool_of(processes) as pool:
        insert("rate-worlds", table(pd.concat(pool.map(partial(forecasts, sets=sets), WORLDS))))


def forecasts(world: str, sets: int) -> pd.DataFrame:
    """A row for each set, number of answers seen, N and variant."""
    rows = []
    for seed in range(sets):
        rng = np.random.default_rng([seed, *world.encode()])
        p = WORLDS[world](rng, QUESTIONS)
        pool = pools.pool_of((rng.random((QUESTIONS, ANSWERS)) > p[:, None]).astype(np.int64))
        right = pool.answers.counts().correct[:, None]
        truth = best_of_n(ANSWERS, right, ASKED).mean(axis=0)
        for seen in SEEN:
            evidence, _ = pools.observed(pool, seen, "best_of_n")
            for variant, predict in VARIANTS.items():
                found = predict(evidence, pools.targets(ASKED), Options(REPLICATES, seed=seed))
                ends = pd.DataFrame({"low": found.these.low, "high": found.these.high, "accuracy": truth})
                scores = {"bias": found.mean - truth, "held": held(ends), "score": interval_score(ends)}
                rows.append(pd.DataFrame(scores).assign(world=world, variant=variant))
    return pd.concat(rows)


def table(found: pd.DataFrame) -> str:
    """A row for each world, and their mean: errors, bias, coverage and interval score, without and with."""
    every = found.assign(error=found["bias"].abs())
    every = pd.concat([every, every.assign(world="mean")])
    means = 100 * every.groupby(["world", "variant"], sort=False).mean()
    lines = []
    for world in means.index.unique("world"):
        before, after = means.loc[world, "without"], means.loc[world, "with"]
        shown = [f"{before[name]:{form}} → {after[name]:{form}}" for name, form in COLUMNS.items()]
        lines.append([world, *(cell.replace("-", "−") for cell in shown)])
    return markdown(["p", "error, points", "bias, points", "held by 90 %", "interval score, points"], lines)


if __name__ == "__main__":
    main()
