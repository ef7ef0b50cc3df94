"""What a course found, as three tables for a terminal: risk, accuracy beside the exact twin's, and steps.

dataset  model                           t=1    t=8    t=32   vote of 64 at t=8  off by  votes off by
fig2h    trained-linear-attention paths  0.413  0.613  0.649  0.981              0.004   0.019
"""

import pandas as pd

from synthetic.trained.examination import EXACT, SKEW, STEP_X, STEP_Y
from synthetic.trained.lessons import STEPS

_MODEL = ["dataset", "model"]


def summary(curves: pd.DataFrame, learned: pd.DataFrame, length: int) -> dict[str, str]:
    """The tables of a course by title: t counts reasoning steps, `length` is how many were trained."""
    risk = curves[curves["risk"].notna()].pivot_table("risk", _MODEL, "T", sort=False)
    votes = curves[curves["method"] == "majority"]
    accuracy = votes[votes["N"] == 1].pivot_table("accuracy", _MODEL, "T", sort=False)
    many = votes[(votes["N"] == votes["N"].max()) & (votes["T"] == length)].set_index(_MODEL)["accuracy"]
    many.name = f"vote of {votes['N'].max()} at t={length}"
    steps = learned.pivot_table("mean", _MODEL, "part", sort=False)[[STEP_X, STEP_Y, SKEW]]
    tables = {
        "Risk of the noise-free path": _at_steps(risk, length),
        f"Accuracy of one path; how far off the exact twin's up to t={length}": _at_steps(accuracy, length)
        .join(many)
        .join(largest_differences(votes, length)),
        "Gradient step, in units of 1/n, and how skew V's x block is": steps,
    }
    return {
        title: table.to_string(float_format="{:.3g}".format, na_rep="diverged")
        for title, table in tables.items()
    }


def _at_steps(table: pd.DataFrame, length: int) -> pd.DataFrame:
    kept = [t for t in dict.fromkeys((1, length, STEPS[-1])) if t in table]
    return table[kept].rename(columns="t={:g}".format)


def largest_differences(votes: pd.DataFrame, length: int) -> pd.DataFrame:
    """The largest |accuracy − the exact twin's| at t up to `length`: of one path, and of a vote of any N."""
    table = votes[votes["T"] <= length].pivot_table("accuracy", ["dataset", "T", "N"], "model")
    apart = table.sub(table[EXACT], axis=0).abs().reset_index(level="N").melt("N", ignore_index=False)
    found = {"off by": apart[apart["N"] == 1], "votes off by": apart}
    return pd.DataFrame({name: rows.groupby(_MODEL)["value"].max() for name, rows in found.items()})
