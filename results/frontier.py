"""The Pareto frontier: the choices that no choice as cheap or cheaper equals.

cost  value                  cost  value
100   0.50                   100   0.50
400   0.48   is dominated    800   0.62
800   0.62
"""

import pandas as pd


def pareto_frontier(choices: pd.DataFrame, value: str) -> pd.DataFrame:
    """The rows with a higher `value` than every other row of equal or lower `cost`, cheapest first.

    `value` names a column. Of rows alike in both, one is kept; rows without a value are left out.
    """
    ordered = choices.dropna(subset=[value]).sort_values(["cost", value], ascending=[True, False])
    best_so_far = ordered[value].cummax().shift(fill_value=float("-inf"))
    return ordered[ordered[value] > best_so_far].reset_index(drop=True)
