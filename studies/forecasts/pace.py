"""The constants of `predict.stopped.pace`, LASTING and GROWING, by maximum likelihood.

    python -m studies.forecasts.pace --data ../shared/data/samples

Each run of `along_t.py` is stopped as there. The forecast's error, in the log odds that an unfinished answer
ends, is taken at the earlier cuts (up to the cap) and at every larger cap at which at most `SETTLED` of all
answers have ended. Over runs, all errors share a part of sd LASTING; those beyond the cap also have one in
proportion to log tokens beyond it, in spreads of the questions' modes, of sd GROWING; besides the forecast's
own uncertainty and the luck of the answers. Prints the constants for all runs and without each family, and
the coverage of intervals of mean tokens on a family with the constants of the others.
"""

from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import click
import numpy as np
import pandas as pd
from scipy.linalg import block_diag
from scipy.optimize import minimize
from scipy.stats import multivariate_normal

from predict.evidence.capped import capped, drawn
from predict.stopped import pace
from predict.stopped.fit import FEW_ANSWERS, Fit, Problem, fit
from predict.stopped.observed import seen_at, thinned
from predict.stopped.pace import moves_needed
from predict.stopped.simulate import Simulated, simulate
from predict.stopped.survival import LEARN_FROM
from results.votes.exact import AnswerPools
from studies.forecasts.along_t import ANSWERS, caps_of, read, runs, samples_in

FAMILIES = ("am-thinking", "datarus", "nemotron", "qwen3", "gpt-5", "claude")

SETTLED = 0.985
"""If more answers have ended, the log odds depend on a few of them and on the source's own limit."""

DRAWS = 100


@dataclass(frozen=True)
class Look:
    """A fit to one split of a run, `few` answers stopped at `cap`, and the lengths of all answers to its
    questions in `whole`; `caps` are the larger caps."""

    name: str
    split: int
    few: AnswerPools
    whole: AnswerPools
    cap: int
    caps: list[int]
    problem: Problem
    fit: Fit

    def ahead(self, moves: np.ndarray) -> Simulated:
        """Draws at the cap and the larger ones."""
        return simulate(self.problem, self.fit, [self.cap, *self.caps], moves, self.split)


def look(run: pd.DataFrame, name: str, stop: int, split: int) -> Look:
    """Fit one split of a run stopped at cap number `stop` of eight."""
    caps = caps_of(run)
    cap, dearer = caps[stop - 1], caps[stop:]
    (group,) = capped(run, "majority", cap, dearer)
    assert group.run is not None
    (shown,) = drawn(group, [group.run.setting], ANSWERS, 0, split)
    few, everything = thinned(shown.answers, LEARN_FROM, FEW_ANSWERS), group.run.answers
    places = np.flatnonzero(np.isin(everything.question_ids, few.question_ids))
    whole = everything.kept(np.isin(everything.question, places))
    problem = Problem(seen_at(few, cap))
    return Look(name, split, few, whole, cap, dearer, problem, fit(problem))


@dataclass(frozen=True)
class Missed:
    """The errors of a look in log odds: `off` (C + 1,), at earlier cuts and at C larger caps.

    `covariance`: from the forecast and luck; `distance`: log tokens beyond the cap, in spreads, 0
    for the earlier cuts.
    """

    name: str
    off: np.ndarray
    covariance: np.ndarray
    distance: np.ndarray


def missed(one: Look) -> Missed:
    """The errors of a look: the moves that its log odds needed."""
    lengths, drawn = one.whole.tokens, one.ahead(np.zeros((DRAWS, 2)))
    late = one.whole.question[lengths > one.cap]
    unfinished = np.bincount(late, minlength=one.problem.seen.questions).astype(float)
    dearer = [cap for cap in one.caps if (lengths <= cap).mean() <= SETTLED]
    moves, luck = [], []
    for c, cap in enumerate(dearer, 1):
        pair = Simulated(*(table[:, :, [0, c]] for table in (drawn.right, drawn.ended, drawn.tokens)))
        ended = ((lengths > one.cap) & (lengths <= cap)).sum()
        needed, by_luck = moves_needed(pair, unfinished, ended)
        moves.append(needed)
        luck.append(by_luck)
    miss, noise = pace.misses(one.few, one.cap, one.fit, one.split)
    covariance = block_diag(np.atleast_2d(noise), np.atleast_2d(np.cov(moves) + np.diag(luck)))
    distance = np.log(np.array([one.cap, *dearer]) / one.cap) / one.problem.law(one.fit.theta).spread
    return Missed(one.name, np.array([miss, *np.mean(moves, axis=1)]), covariance, distance)


def tokens_held(one: Look, lasting: float, growing: float) -> float:
    """The coverage of the intervals of mean tokens at larger caps, with these constants."""
    with patch.multiple(pace, LASTING=lasting, GROWING=growing):
        moves, _ = pace.paces(one.few, one.cap, one.fit, DRAWS, one.split)
    low, high = np.percentile(one.ahead(moves).tokens.mean(axis=1)[:, 1:], [5, 95], axis=0)
    true = np.minimum.outer(one.whole.tokens, one.caps).mean(axis=0)
    return float(((low <= true) & (true <= high)).mean())


def sizes(table: list[Missed]) -> np.ndarray:
    """The maximum-likelihood (LASTING, GROWING); each run counts once, however many splits it has."""
    splits = pd.Series([one.name for one in table]).value_counts()

    def loss(logs: np.ndarray) -> float:
        lasting, growing = np.exp(2 * logs)
        total = 0.0
        for one in table:
            covariance = one.covariance + lasting + growing * np.outer(one.distance, one.distance)
            total -= float(multivariate_normal.logpdf(one.off, cov=covariance)) / splits[one.name]
        return total

    starts = [np.log(pair) for pair in ((0.3, 0.7), (0.3, 0.2))]
    tried = [minimize(loss, start, method="Nelder-Mead") for start in starts]
    return np.exp(min(tried, key=lambda one: one.fun).x)


@click.command()
@click.option("--data", type=click.Path(path_type=Path), required=True)
@click.option("--splits", default=2, show_default=True, help="Random choices of the eight answers.")
@click.option("--stop", default=4, show_default=True, help="Which of the eight caps is the last one seen.")
def main(data: Path, splits: int, stop: int) -> None:
    """Print the sizes, and how many intervals of tokens hold with those that leave a family out."""
    looks, table = [], []
    for file in samples_in(data):
        for run, name in runs(read(file)):
            smallest = int(run.groupby("question_id").size().min())
            for split in range(splits if smallest > ANSWERS else 1):
                looks.append(look(run, name, stop, split))
                table.append(missed(looks[-1]))
                click.echo(f"{name}: off {table[-1].off.round(2)} at {table[-1].distance.round(2)}")
    click.echo(f"all: {sizes(table).round(2)}")
    held: dict[str, list[float]] = {}
    for family in FAMILIES:
        others = sizes([one for one in table if family not in one.name])
        click.echo(f"without {family}: {others.round(2)}")
        for one in looks:
            if family in one.name:
                held.setdefault(one.name, []).append(tokens_held(one, *others))
    by_run = [np.mean(splits) for splits in held.values()]
    click.echo(f"tokens held, by the constants of the other families: {100 * np.mean(by_run):.0f} of 100")


if __name__ == "__main__":
    main()
