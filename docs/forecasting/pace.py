"""How large the constants of `predict.stopped.pace` are: LASTING and GROWING by maximum likelihood.

    python docs/forecasting/pace.py --data ../shared/data/samples

Each run of `along_t.py` is stopped as there. Of the log odds that an unfinished answer ends, the forecast's
miss is taken at the earlier cuts (up to the cap) and at every dearer cap at which at most `SETTLED` of all
answers have ended. Over runs all of them have a part in common, of sd LASTING; those beyond the cap have
another in proportion to log tokens beyond it, counted in spreads of the questions' modes, of sd GROWING;
beside what the forecast leaves open and the luck of the answers. Printed: for all runs, and without each
family.
"""

from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
import pandas as pd
from along_t import ANSWERS, read, runs
from scipy.linalg import block_diag
from scipy.optimize import minimize
from scipy.stats import multivariate_normal

from predict.evidence.capped import capped
from predict.evidence.hidden import observe
from predict.stopped.fit import FEW_ANSWERS, Problem, fit
from predict.stopped.forecast import LEARN_FROM
from predict.stopped.pace import misses, moves_needed
from predict.stopped.seen import seen_at, thinned
from predict.stopped.simulate import Simulated, simulate

FAMILIES = ("am-thinking", "datarus", "nemotron", "qwen3", "gpt-5", "claude")

SETTLED = 0.985
"""With more of the answers ended, the log odds hang on a handful of them and on the source's own limit."""

DRAWS = 100


@dataclass(frozen=True)
class Missed:
    """How far one split of a run was off in log odds: `off` (C + 1,), at earlier cuts and at C dearer caps.

    `covariance`: what the forecast and luck leave open; `distance`: log tokens beyond the cap, in spreads, 0
    for the earlier cuts.
    """

    name: str
    off: np.ndarray
    covariance: np.ndarray
    distance: np.ndarray


def measured(run: pd.DataFrame, name: str, stop: int, split: int) -> Missed:
    """The misses of one run stopped at cap number `stop` of eight."""
    caps = np.array([round(cap) for cap in np.quantile(run["tokens"], np.linspace(0.1, 0.999, 8))])
    (group,) = capped(run, "majority", caps[stop - 1], caps[stop:])
    shown = observe(group, [next(iter(group.run.caps))], ANSWERS, 0, split).run.answers
    few, cap = thinned(shown, LEARN_FROM, FEW_ANSWERS), caps[stop - 1]
    everything = group.run.answers
    places = np.flatnonzero(np.isin(everything.question_ids, few.question_ids))
    whole = everything.kept(np.isin(everything.question, places))
    dearer = [one for one in caps[stop:] if (whole.tokens <= one).mean() <= SETTLED]
    problem = Problem(seen_at(few, cap))
    found = fit(problem)
    drawn = simulate(problem, found, [cap, *dearer], np.zeros((DRAWS, 2)), split)
    unfinished = np.bincount(whole.question[whole.tokens > cap], minlength=problem.seen.questions)
    moves, luck = [], []
    for c, one in enumerate(dearer, 1):
        pair = Simulated(*(table[:, :, [0, c]] for table in (drawn.right, drawn.ended, drawn.tokens)))
        found_moves, noise = moves_needed(
            pair, unfinished, ((whole.tokens > cap) & (whole.tokens <= one)).sum()
        )
        moves.append(found_moves)
        luck.append(noise)
    miss, noise = misses(few, cap, found, split)
    covariance = block_diag(noise, np.cov(moves) + np.diag(luck))
    distance = np.log(np.array([cap, *dearer]) / cap) / problem.law(found.theta).spread
    return Missed(name, np.array([miss, *np.mean(moves, axis=1)]), covariance, distance)


def sizes(table: list[Missed]) -> np.ndarray:
    """The likeliest (LASTING, GROWING), each run counting once however many splits it has."""
    splits = pd.Series([one.name for one in table]).value_counts()

    def loss(logs: np.ndarray) -> float:
        lasting, growing = np.exp(2 * logs)
        total = 0.0
        for one in table:
            covariance = one.covariance + lasting + growing * np.outer(one.distance, one.distance)
            total -= multivariate_normal.logpdf(one.off, cov=covariance) / splits[one.name]
        return total

    starts = [np.log(pair) for pair in ((0.3, 0.7), (0.3, 0.2))]
    tried = [minimize(loss, start, method="Nelder-Mead") for start in starts]
    return np.exp(min(tried, key=lambda one: one.fun).x)


@click.command()
@click.option("--data", type=click.Path(path_type=Path), required=True)
@click.option("--splits", default=2, show_default=True, help="Random choices of the eight answers.")
@click.option("--stop", default=4, show_default=True, help="Which of the eight caps is the last one seen.")
def main(data: Path, splits: int, stop: int) -> None:
    """Print the sizes."""
    table = []
    for file in sorted([*data.glob("boinf-*.csv"), *data.glob("epoch*.csv")]):
        for run, name in runs(read(file)):
            smallest = int(run.groupby("question_id").size().min())
            for split in range(splits if smallest > ANSWERS else 1):
                table.append(measured(run, name, stop, split))
                click.echo(f"{name}: off {table[-1].off.round(2)} at {table[-1].distance.round(2)}")
    click.echo(f"all: {sizes(table).round(2)}")
    for family in FAMILIES:
        click.echo(f"without {family}: {sizes([one for one in table if family not in one.name]).round(2)}")


if __name__ == "__main__":
    main()
