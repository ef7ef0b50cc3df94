"""What is left to gain: stopping by who knows, for each question, which lead is best for it.

With two answers of known shares no test is faster than a lead of the right size (Wald and Wolfowitz 1948),
and what size is right depends on the shares. Rules do not know them; a clairvoyant does, and spends tokens on
the questions where they buy the most agreement. No rule is cheaper, unless it beats every lead on the same
question.
"""

import numpy as np
import pandas as pd

from results.stopping.replay import Replay
from results.stopping.rules import RULES

PRICES = np.geomspace(0.05, 50, 25)
"""What a question's agreement is worth, in the cost of all its answers."""


def clairvoyant(replay: Replay) -> pd.DataFrame:
    """Points of least cost for their agreement: cost, answers, rounds, agreement, accuracy, worst_tenth.

    The threshold of a point is what agreement is worth there. Each question's lead is chosen by its mean over
    the orders replayed, which makes the points a little too good: they are a bound.
    """
    leads = [k for k in range(1, replay.most + 1) if k <= 12 or k % 4 == 0]
    outcomes = [replay.outcome(replay.stop(RULES["lead"], k)) for k in leads]
    columns = ("tokens", "answers", "rounds", "agreement", "accuracy")
    table = {name: np.stack([getattr(outcome, name) for outcome in outcomes]) for name in columns}
    every, whole = np.arange(table["tokens"].shape[1]), table["tokens"].max(axis=0).mean()
    rows = []
    for price in PRICES:
        best = np.argmin(table["tokens"] - price * whole * table["agreement"], axis=0)
        chosen = {name: values[best, every] for name, values in table.items()}
        means = {name: float(values.mean()) for name, values in chosen.items()}
        lowest = np.sort(chosen["agreement"])[: int(np.ceil(0.1 * every.size))]
        rows.append({"threshold": price, **means, "worst_tenth": float(lowest.mean())})
    return pd.DataFrame(rows).rename(columns={"tokens": "cost"})
