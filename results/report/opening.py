"""The page's first sentences: they answer what was asked, with a plan or a comparison, or else its title.

To reach 85.0 %: large, N = 8: 87.6 % (90 % interval 83.6 … 90.0 %) for $23.65 per 1,000 questions.
"""

from collections.abc import Sequence

import pandas as pd

from results.figures.panels import Panel
from results.figures.plan import advice
from results.frontier import Plan
from results.report import compared
from results.report.findings import answer

PAIR = ["dataset", "a", "b", "setting_a", "setting_b"]


def opening(plans: Sequence[Plan], comparison: pd.DataFrame | None, panels: Sequence[Panel]) -> list[str]:
    """What the first plan and the first comparison say; without either, which way of spending more pays."""
    told = [advice(plan) for plan in plans[:1]]
    if comparison is not None:
        pairs = [rows for _, rows in comparison.groupby(PAIR, sort=False)]
        more = f" {len(pairs) - 1} more comparisons are below." if len(pairs) > 1 else ""
        told.append(compared.verdict(pairs[0]) + more)
    return told or [said for said in [answer(panels)] if said]
