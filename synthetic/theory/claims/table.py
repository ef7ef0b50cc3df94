"""The paper's claims, each evaluated and given a verdict from what was computed.

    claim,where,setting,quantity,measured,low,high,holds,verdict
    greedy-stays-near-2/d…,"Sec. 5 limited n",fig2f t=50,P(greedy right) ≤ …,0.211,0.194,0.229,True,holds

One row a setting; `measured` is a mean over tasks with its 95 % interval [low, high] (Wilson's for a share
of tasks), or an extreme over them, as `quantity` says. The verdict is the claim's: holds, fails, or "holds
only if …" where the rows differ.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from tqdm import tqdm

from synthetic.model.tasks import Array

_Z = 1.96
COLUMNS = ["claim", "where", "setting", "quantity", "measured", "low", "high", "holds", "verdict"]


@dataclass(frozen=True)
class Row:
    """One setting a claim was checked at. `low` and `high` are equal to `measured` for an extreme."""

    setting: str
    quantity: str
    measured: float
    low: float
    high: float
    holds: bool


@dataclass(frozen=True)
class Claim:
    """What the paper says and where; `check(seed)` gives rows, `condition` the words for a mixed outcome."""

    name: str
    where: str
    check: Callable[[int], Iterable[Row]]
    condition: Callable[[list[Row]], str] = field(
        default=lambda rows: " or ".join(dict.fromkeys(row.setting for row in rows if row.holds))
    )

    def verdict(self, rows: list[Row]) -> str:
        """holds, fails, or the condition under which it holds."""
        if all(row.holds for row in rows):
            return "holds"
        if not any(row.holds for row in rows):
            return "fails"
        return f"holds only if {self.condition(rows)}"


def mean_row(setting: str, quantity: str, values: Array, holds: Callable[[float, float], bool]) -> Row:
    """A mean over tasks with its 95 % interval; `holds` judges the interval's ends."""
    mean, count = float(values.mean()), len(values)
    if np.isin(values, (0.0, 1.0)).all():
        shrunk = (mean + _Z**2 / (2 * count)) / (1 + _Z**2 / count)
        half = _Z / (1 + _Z**2 / count) * float(np.sqrt(mean * (1 - mean) / count + (_Z / (2 * count)) ** 2))
    else:
        shrunk, half = mean, _Z * float(values.std(ddof=1) / np.sqrt(count))
    return Row(
        setting, quantity, mean, shrunk - half, shrunk + half, bool(holds(shrunk - half, shrunk + half))
    )


def extreme_row(setting: str, quantity: str, value: float, holds: bool) -> Row:
    """A largest or smallest value over everything computed: no interval."""
    return Row(setting, quantity, float(value), float(value), float(value), bool(holds))


def all_claims() -> list[Claim]:
    """Every claim, continuous case first."""
    from synthetic.theory.claims.binary import BINARY_CLAIMS
    from synthetic.theory.claims.continuous import CONTINUOUS_CLAIMS

    return [*CONTINUOUS_CLAIMS, *BINARY_CLAIMS]


def evaluate(claims: list[Claim], seed: int, progress: bool = False) -> pd.DataFrame:
    """The claims table, one row a claim and setting."""
    bar = tqdm(claims, unit="claim", delay=2, disable=not progress)
    return pd.DataFrame([row for claim in bar for row in _rows(claim, seed)], columns=COLUMNS)


def _rows(claim: Claim, seed: int) -> Iterator[tuple[object, ...]]:
    rows = list(claim.check(seed))
    verdict = claim.verdict(rows)
    for row in rows:
        measured = (row.measured, row.low, row.high, row.holds)
        yield (claim.name, claim.where, row.setting, row.quantity, *measured, verdict)
