"""The table of the paper's claims, each with the verdict that its rows give.

    claim,where,sentence,setting,quantity,measured,low,high,holds,outcome,verdict
    greedy-stays-…,Sec. 5,greedy search …,fig2f t=50,"P(greedy right), …",0.211,0.194,0.229,True,holds,holds

One row a setting. `measured` is a mean over tasks with its 95 % interval [low, high]: Wilson's
for a share of tasks, a jackknife for a number fitted to means. With low = high it is the case
nearest to a counterexample of a statement about every case. `outcome` is the row's: holds, fails,
or undecided, where the interval holds the threshold. `verdict` is the claim's: the same three
words, or "holds only at …" where the settings differ. `where` says where the paper makes the
claim, and begins with "ours" where it does not.
"""

from collections.abc import Sequence

import pandas as pd
from tqdm import tqdm

from results import BadInput
from synthetic.panels.experiments import find_experiments
from synthetic.panels.overrides import read_at, with_changes
from synthetic.theory.claims.binary import BINARY_CLAIMS
from synthetic.theory.claims.continuous import CONTINUOUS_CLAIMS
from synthetic.theory.claims.low_cost import LOW_COST_CLAIMS
from synthetic.theory.claims.own import own_claims
from synthetic.theory.claims.real_model import REAL_CLAIMS
from synthetic.theory.claims.sentences import SENTENCES
from synthetic.theory.verdict import Claim

COLUMNS = [
    *("claim", "where", "sentence", "setting", "quantity"),
    *("measured", "low", "high", "holds", "outcome", "verdict"),
]
CLAIMS = [*CONTINUOUS_CLAIMS, *BINARY_CLAIMS, *LOW_COST_CLAIMS, *REAL_CLAIMS]


def claims_at(
    name: str,
    changes: Sequence[str] = (),
    steps: Sequence[int] = (),
    n: Sequence[int] = (),
    tasks: int | None = None,
) -> list[Claim]:
    """The claims that experiment `name` can be asked about, changed as `synthetic run` changes it.

    For "all", those of each. Warns of what is left out. Raises BadInput.
    """
    where, found = {claim.name: claim.where for claim in CLAIMS}, []
    for key, experiment in find_experiments(name).items():
        found += own_claims(key, with_changes(read_at(experiment, steps, n), changes), where, tasks)
    if not found:
        raise BadInput(f"{name}: no claim can be put to these settings")
    return found


def evaluate(claims: list[Claim], seed: int, progress: bool = False) -> pd.DataFrame:
    """The claims table, one row a claim and setting."""
    tables = []
    for claim in tqdm(claims, unit="claim", delay=2, disable=None if progress else True):
        rows = list(claim.check(seed))
        said = {"claim": claim.name, "where": claim.where, "verdict": claim.verdict(rows)}
        said["sentence"] = SENTENCES.get(claim.name, "")
        table = pd.DataFrame(rows)
        tables.append(table.assign(holds=table["outcome"] == "holds", **said))
    return pd.concat(tables, ignore_index=True)[COLUMNS]
