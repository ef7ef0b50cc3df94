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

PAIR = ["dataset", "a", "b"]
"""Two runs on one data set have one sentence, which names the setting where there are several."""


def opening(plans: Sequence[Plan], comparison: pd.DataFrame | None, panels: Sequence[Panel]) -> list[str]:
    """What the first plan and the first comparison say; without either, which way of spending more pays."""
    told = [advice(plan) for plan in plans[:1]]
    if comparison is not None:
        pairs = [rows for _, rows in comparison.groupby(PAIR, sort=False)]
        told.append(" ".join([compared.verdict(pairs[0]), *_more(len(pairs) - 1)]))
    return told or [said for said in [answer(panels)] if said]


def _more(pairs: int) -> list[str]:
    """That there are more pairs of runs, if there are."""
    if pairs == 0:
        return []
    return ["One more comparison is below." if pairs == 1 else f"{pairs} more comparisons are below."]
