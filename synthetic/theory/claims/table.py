"""The table of the paper's claims, each with the verdict that its rows give.

    claim,where,setting,quantity,measured,low,high,holds,outcome,verdict
    greedy-stays-…,"Sec. 5 limited n",fig2f t=50,"P(greedy right), below …",0.211,0.194,0.229,True,holds,holds

One row a setting; `measured` is a mean over tasks with its 95 % interval [low, high] (Wilson's for a share
of tasks), or an extreme over them, as `quantity` says. `outcome` is the row's: holds, fails, or undecided,
where the interval holds the threshold. `verdict` is the claim's: the same three words, or "holds only at …"
where the settings differ.
"""

import pandas as pd
from tqdm import tqdm

from synthetic.theory.claims.binary import BINARY_CLAIMS
from synthetic.theory.claims.continuous import CONTINUOUS_CLAIMS
from synthetic.theory.claims.low_cost import LOW_COST_CLAIMS
from synthetic.theory.claims.real_model import REAL_CLAIMS
from synthetic.theory.claims.rewards import REWARD_CLAIMS
from synthetic.theory.verdict import Claim

COLUMNS = ["claim", "where", "setting", "quantity", "measured", "low", "high", "holds", "outcome", "verdict"]
CLAIMS = [*CONTINUOUS_CLAIMS, *BINARY_CLAIMS, *LOW_COST_CLAIMS, *REWARD_CLAIMS, *REAL_CLAIMS]


def evaluate(claims: list[Claim], seed: int, progress: bool = False) -> pd.DataFrame:
    """The claims table, one row a claim and setting."""
    tables = []
    for claim in tqdm(claims, unit="claim", delay=2, disable=None if progress else True):
        rows = list(claim.check(seed))
        said = {"claim": claim.name, "where": claim.where, "verdict": claim.verdict(rows)}
        table = pd.DataFrame(rows)
        tables.append(table.assign(holds=table["outcome"] == "holds", **said))
    return pd.concat(tables, ignore_index=True)[COLUMNS]
