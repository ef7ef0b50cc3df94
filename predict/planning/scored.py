"""What to buy where answers have scores: a vote of more answers, or a choice by score among fewer.

    cost   by             setting  N   predicted  low   high
    960    majority vote  500      4   0.71       0.66  0.76
    1,920  majority vote  500      8   0.76       0.71  0.81    ┐ for as much, one of them
    2,240  best by score  500      4   0.83       0.78  0.88    ┘ is the better buy

Every choice is one that was measured: there is no forecast of choices by score. An answer costs its tokens,
and where it is chosen by a score those of the score as well. The oracle's best of N is none of the choices,
as nobody can buy it.
"""

import numpy as np
import pandas as pd

from predict.evidence.points import Floats, Ints
from predict.planning.luck import with_expected
from predict.planning.plan import PRICED
from predict.pool_luck import luck_of_pool
from results import BadInput
from results.arguments import LEVELS, MAX_N
from results.methods import BY_SCORE
from results.normal import z_of
from results.paired.sides import Side
from results.summary.buying import MEASURED, Plan
from results.votes.curves import mean_accuracy, standard_error

PLAIN = "majority"
"""The vote that takes no score."""


def plan_by_score(
    sides: list[Side],
    methods: tuple[str, ...],
    max_n: int,
    level: float,
    target_accuracy: float | None,
    token_budget: float | None,
) -> Plan:
    """The choices of one model on one data set: its `sides`, one for each setting, by the vote and `methods`.

    N is 1, 2, 4, … up to the answers there are and to `max_n`. Raises BadInput where answers have no token
    counts, or their scores a cost that is not known.
    """
    max_n, level = MAX_N.of(max_n), LEVELS.of(level)
    for side in sides:
        if not side.cost.mean() > 0:
            raise BadInput(f"{side.named}: without token counts it has no price: give a column tokens")
        if np.isnan(side.score_cost):
            raise BadInput(f"{side.named}: what a score costs is not known: give --score-cost TOKENS")
    tables = []
    for method in (PLAIN, *methods):
        rows = pd.concat([_choices(side, method, max_n, level) for side in sides], ignore_index=True)
        tables.append(with_expected(rows, level))  # settings have answers of their own, methods have not
    options = pd.concat(tables, ignore_index=True).sort_values("cost", kind="stable", ignore_index=True)
    return Plan(options[PRICED], target_accuracy, token_budget)


def _choices(side: Side, method: str, max_n: int, level: float) -> pd.DataFrame:
    """What was measured of one setting by one method, with its price and both intervals."""
    most = min(side.most, max_n)
    least = 1 if method in BY_SCORE else 0  # of one answer there is nothing to choose
    ns = 2 ** np.arange(least, most.bit_length())
    accuracy = side.curve(method)[:, ns - 1]
    predicted, reach = mean_accuracy(accuracy), z_of(level)
    luck = np.sqrt(measured_luck(side, method, ns))
    new = np.fmax(standard_error(accuracy), luck)
    ends = {
        "low": predicted - reach * luck,
        "high": predicted + reach * luck,
        "new_low": predicted - reach * new,
        "new_high": predicted + reach * new,
    }
    tokens = float(side.cost_by(method).mean())
    told = {"source": "llm", "dataset": side.dataset, "model": side.run, "setting": side.setting}
    known = {
        "known": "measured",
        "status": "ok",
        "predictor": MEASURED,
        "estimator": MEASURED,
        "method": method,
    }
    rows = pd.DataFrame({"N": ns, "T": float(side.cost.mean()), "cost": ns * tokens, "predicted": predicted})
    ends = {name: end.clip(0, 1) for name, end in ends.items()}
    return rows.assign(**told, **known, level=level, luck=luck, **ends)


def measured_luck(side: Side, method: str, ns: Ints) -> Floats:
    """Variance of the mean accuracy at each N on a pool like this one about that on very many answers.

    A question's accuracy is read on half of its answers: read on all, a vote of all is 0 or 1, which has no
    luck.
    """
    half = max(side.most // 2, 1)
    accuracy = side.curve(method)[:, np.minimum(ns, half) - 1]
    luck = [
        luck_of_pool(each, int(n), np.maximum(side.pools.sizes, n), method).mean()
        for each, n in zip(accuracy.T, ns, strict=True)
    ]
    return np.array(luck) / len(accuracy)
