"""Fit the four weights of the rule *counts*, leaving out families of sets in turn, and evaluate them.

$ DATA_DIR=../shared/data python -m studies.stopping.fit_counts --jobs 2      eight minutes of processor time
left out  sets  lead  counts  weights
aime      5     1.00  0.93    0.25 0.17 0.15 0.17
…

The weights start at 0, where *counts* is a plain lead. Nelder–Mead minimises the mean cost over the sets and
over three agreements, half a point to two points below that of all answers, relative to a lead of equal
agreement. Writes counts.csv beside this file: a row for each family left out, with the cost on its sets, and
one for all (whose cost is on the sets it was fitted to).
"""

import warnings
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
from scipy.optimize import minimize

from results.stopping.arena import N_MAX
from results.stopping.replay import Replay
from results.stopping.rules import RULES, Rule
from results.stopping.votes_so_far import Seen
from results.votes.exact import answer_pools
from results.votes.permutations import random_orders
from studies.options import DATA, PROCESSES, pool_of
from studies.stopping.rules import counts_score
from studies.stopping.sets import load

LOST = (0.005, 0.01, 0.02)
"""Losses of agreement, relative to all answers, at which costs are compared."""
SWEPT = np.linspace(0.02, 0.995, 70)
"""The thresholds to try, as quantiles of the score over all visited states without a tie."""
LEADS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12)
TOLD = Path(__file__).with_name("counts.csv")


def cost_at(points: list[tuple[float, float]], targets: np.ndarray) -> np.ndarray:
    """The cost at each agreement, interpolated along (cost, agreement) points; below them the first."""
    cost, agreement = np.array(sorted(points)).T
    agreement = np.maximum.accumulate(agreement)
    rising = np.concatenate([[True], np.diff(agreement) > 0])
    costs: np.ndarray = np.interp(targets, agreement[rising], cost[rising])
    return costs


class Judge:
    """One set, with the costs of a lead computed once."""

    def __init__(self, samples: pd.DataFrame, orders: int) -> None:
        pools = answer_pools(samples)
        most = min(N_MAX, int(pools.sizes.min()))
        self.replay = Replay(pools, random_orders(pools, orders, seed=1), most)
        self.targets = self.replay.agreement[-1] - np.array(LOST)
        self.lead = cost_at(self._points(RULES["lead"], LEADS), self.targets)

    def _points(self, rule: Rule, thresholds: tuple[float, ...]) -> list[tuple[float, float]]:
        """(cost, agreement) at rising thresholds, and where only certainty ends a vote."""
        certain = self.replay.outcome(self.replay.stop(RULES["certain"], 0))
        points = [(float(certain.tokens.mean()), float(self.replay.agreement[-1]))]
        for threshold in thresholds:
            got = self.replay.outcome(self.replay.stop(rule, threshold))
            points.append((float(got.tokens.mean()), float(got.agreement.mean())))
            if got.agreement.mean() >= self.targets[0]:
                break  # the rest cost more and are not needed
        return points

    def relative(self, weights: tuple[float, ...]) -> float:
        """The cost of *counts* with these weights relative to a lead, averaged over LOST."""

        def stops(seen: Seen, threshold: float) -> np.ndarray:
            return counts_score(seen, weights) >= threshold

        rule = Rule("counts", "", "", stops, 1, ())
        visits, seen = self.replay.states
        scores = counts_score(seen, weights)[visits.ravel()]
        thresholds = np.quantile(scores[np.isfinite(scores)], SWEPT)
        return float(np.mean(cost_at(self._points(rule, tuple(thresholds)), self.targets) / self.lead))


def fit(judges: list[Judge]) -> tuple[float, ...]:
    """The weights with the least mean relative cost, searched from a plain lead."""

    def loss(weights: np.ndarray) -> float:
        return float(np.mean([judge.relative(tuple(weights)) for judge in judges]))

    simplex = np.vstack([np.zeros(4), 0.25 * np.eye(4)])
    search: Any = {"initial_simplex": simplex, "maxfev": 120, "xatol": 0.005, "fatol": 1e-4}
    found = minimize(
        loss,
        np.zeros(4),
        method="Nelder-Mead",
        options=search,
    )
    return tuple(float(round(weight, 3)) for weight in found.x)


def fold(task: tuple[str, Path, int]) -> dict[str, object]:
    """Make one row of counts.csv."""
    left_out, data, orders = task
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sets = load(data)
    judges = {name: Judge(samples, orders) for name, (_, samples) in sets.items()}
    mine = [name for name, (family, _) in sets.items() if left_out in (family, "nothing")]
    others = [name for name in sets if name not in mine] or mine
    weights = fit([judges[name] for name in others])
    cost = float(np.mean([judges[name].relative(weights) for name in mine]))
    return {"left_out": left_out, "sets": len(mine), "vs_lead": round(cost, 3)} | {
        f"w{i}": weight for i, weight in enumerate(weights, 1)
    }


@click.command()
@PROCESSES
@click.option("--orders", default=30, show_default=True, type=click.IntRange(1), help="Of each question.")
@DATA
def main(processes: int, orders: int, data: Path) -> None:
    """Write counts.csv and print it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        families = dict.fromkeys(family for family, _ in load(data).values())
    tasks = [(name, data, orders) for name in ("nothing", *families)]
    with pool_of(processes) as pool:
        found = pd.DataFrame(pool.map(fold, tasks))
    found.to_csv(TOLD, index=False)
    click.echo(found.to_string(index=False))


if __name__ == "__main__":
    main()
