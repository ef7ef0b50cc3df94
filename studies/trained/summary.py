"""The results of a course as three tables for a terminal: risk, accuracy against the exact twin, and steps.

dataset  model                           t=1    t=8    t=32   vote of 64 at t=8  off by  votes off by
fig2h    trained-linear-attention paths  0.413  0.613  0.649  0.981              0.004   0.019
"""

import pandas as pd

from studies.trained.examination import EXACT
from studies.trained.lessons import STEPS, TRAINED_LENGTH

_MODEL = ["dataset", "model"]


def summary(curves: pd.DataFrame, learned: pd.DataFrame) -> dict[str, str]:
    """The tables of a course by title; t counts reasoning steps."""
    risk = curves[curves["risk"].notna()].pivot_table("risk", _MODEL, "T", sort=False)
    votes = curves[curves["method"] == "majority"]
    accuracy = votes[votes["N"] == 1].pivot_table("accuracy", _MODEL, "T", sort=False)
    last = votes[(votes["N"] == votes["N"].max()) & (votes["T"] == TRAINED_LENGTH)]
    many = last.set_index(_MODEL)["accuracy"].rename(f"vote of {votes['N'].max()} at t={TRAINED_LENGTH}")
    tables = {
        "Risk of the noise-free path": _at_steps(risk),
        f"Accuracy of one path; how far off the exact twin's up to t={TRAINED_LENGTH}": _at_steps(accuracy)
        .join(many)
        .join(largest_differences(votes)),
        "Gradient step, in units of 1/n, and how skew V's x block is": learned.set_index(_MODEL),
    }
    return {
        title: table.to_string(float_format="{:.3g}".format, na_rep="diverged")
        for title, table in tables.items()
    }


def _at_steps(table: pd.DataFrame) -> pd.DataFrame:
    return table[[1, TRAINED_LENGTH, STEPS[-1]]].rename(columns="t={:g}".format)


def largest_differences(votes: pd.DataFrame) -> pd.DataFrame:
    """The largest |accuracy − the exact twin's| at the trained t: of one path, and of a vote of any N."""
    table = votes[votes["T"] <= TRAINED_LENGTH].pivot_table("accuracy", ["dataset", "T", "N"], "model")
    apart = table.sub(table[EXACT], axis=0).abs().reset_index(level="N").melt("N", ignore_index=False)
    found = {"off by": apart[apart["N"] == 1], "votes off by": apart}
    return pd.DataFrame({name: rows.groupby(_MODEL)["value"].max() for name, rows in found.items()})
