"""The table of the paper's claims, each with the verdict that its rows give.

    claim,where,sentence,setting,quantity,measured,low,high,holds,outcome,verdict
    greedy-stays-…,Sec. 5,greedy search …,fig2f t=50,"P(greedy right), …",0.201,0.195,0.206,True,holds,holds

One row per setting. `measured` is a mean over tasks with its 95 % interval [low, high]: Wilson's
for a share of tasks, a jackknife for a number fitted to means. With low = high it is the case
closest to a counterexample, for a statement about every case. `outcome` is the row's: holds,
fails, or undecided if the interval contains the threshold. `verdict` is the claim's: the same
words, or "holds only at …" if settings differ. `where` says where the paper makes the claim, and
begins with "ours" if it does not.
"""

from collections.abc import Sequence

import pandas as pd

from results import BadInput
from results.commandline import progress
from synthetic.panels.experiments import find_experiments, read_at, with_changes
from synthetic.theory.claim import Claim
from synthetic.theory.claims.binary import BINARY_CLAIMS
from synthetic.theory.claims.continuous import CONTINUOUS_CLAIMS
from synthetic.theory.claims.low_cost import LOW_COST_CLAIMS
from synthetic.theory.claims.own_setting import own_claims
from synthetic.theory.claims.real_model import REAL_CLAIMS

COLUMNS = [
    *("claim", "where", "sentence", "setting", "quantity"),
    *("measured", "low", "high", "holds", "outcome", "verdict"),
]
CLAIMS = [*CONTINUOUS_CLAIMS, *BINARY_CLAIMS, *LOW_COST_CLAIMS, *REAL_CLAIMS]

_LIKE_REAL_MODELS = "exhibiting trends similar to real-world LLMs' inference"
_CONJECTURE = "is fixed, then … can be approximated by"

SENTENCES = {
    "ensemble-linear-noise-beats-descent": "linear NFT reduces test loss given sufficient sample size",
    "best-of-n-is-an-upper-bound": "gives an upper bound for other test-time computing method",
    "enough-paths-reach-the-limit": "the leading term of the excess risk would be the first two terms",
    "descent-overfits-and-linear-ensemble-does-not": (
        "vanilla GD method has the disadvantage of harmful overfitting to the label noise"
    ),
    "descent-risk-within-its-bound": (
        "The following result gives the excess risk bound for transformers implementing vanilla multi-step "
        "gradient descent"
    ),
    "ensemble-risk-within-its-bound": "reveals how the prediction accuracy evolves as the reasoning length",
    "vote-and-greedy-perfect-with-many-examples": (
        "with sufficient examples, both greedy decoding and majority voting achieve perfect accuracy"
    ),
    "greedy-stays-near-2/d-with-one-example": "greedy search maintains approximately … accuracy",
    "vote-tends-to-one-with-one-example": (
        "with sufficiently large reasoning length …, majority voting achieves high accuracy"
    ),
    "vote-beats-greedy-with-few-examples": (
        "majority vote is more accurate and robust with limited in-context data"
    ),
    "the-vote-gains-with-length": _LIKE_REAL_MODELS,
    "greedy-gets-stuck-in-cycles": "greedy decoding frequently gets stuck in cyclic state transitions",
    "recovery-exponential-in-examples": (
        "The recovery probability improves exponentially with the number of in-context examples"
    ),
    "gap-tends-to-one-without-label-noise": "ensuring that … converges to 1",
    "staying-is-likelier-than-arriving": "we remark that … for sufficiently many in-context examples",
    "a-longer-path-is-more-often-right": "we can directly express the overall accuracy as",
    "accuracy-exponential-in-votes": "We fit the relationship between accuracy … and sample number",
    "gap-exponential-in-length": "we can observe that … changes with the number of reasoning steps",
    "vote-above-its-exponential-bound": (
        "majority vote recovers the truth with a probability converging to … exponentially fast"
    ),
    "gap-above-its-lower-bound": (
        "establishes lower bounds on the recovery probability for both greedy decoding and majority vote"
    ),
    "low-cost-runs-predict-longer-ones": (
        "our algorithm successfully predicts model performance at high computational costs"
    ),
    "accuracy-and-gap-share-one-rate": "shares the same …",
    "the-gap-is-read-off-votes": _CONJECTURE,
    "exponential-in-the-gap-squared": _CONJECTURE,
    "rate-in-the-gap-squared-is-half-of-N": _CONJECTURE,
    "exponential-in-accuracy-squared": "we first approximate … then fit curve with",
    "a-real-model-gains-with-length": _LIKE_REAL_MODELS,
    "a-real-model-gains-with-answers": _LIKE_REAL_MODELS,
}
"""The paper's sentence behind each of its claims, by the claim's name; "…" stands for an omitted formula.
Our own claims have none."""


def claims_at(
    name: str,
    changes: Sequence[str] = (),
    steps: Sequence[int] = (),
    n: Sequence[int] = (),
    tasks: int | None = None,
) -> list[Claim]:
    """The claims that can be tested on experiment `name`, with changes as in `tts twin run`.

    For "all", those of each. Warns of claims left out. Raises BadInput if there are none.
    """
    where, rows = {claim.name: claim.where for claim in CLAIMS}, []
    for key, experiment in find_experiments(name).items():
        rows += own_claims(key, with_changes(read_at(experiment, steps, n), changes), where, tasks)
    if not rows:
        raise BadInput(f"{name}: no claim can be put to these settings")
    return rows


def evaluate(claims: list[Claim], seed: int) -> pd.DataFrame:
    """The claims table, with one row per claim, setting and quantity."""
    tables = []
    for claim in progress("claim", claims):
        rows = list(claim.check(seed))
        shared = {"claim": claim.name, "where": claim.where, "verdict": claim.verdict(rows)}
        shared["sentence"] = SENTENCES.get(claim.name, "")
        table = pd.DataFrame(rows)
        tables.append(table.assign(holds=table["outcome"] == "holds", **shared))
    return pd.concat(tables, ignore_index=True)[COLUMNS]
