"""The tables that every room reads and writes, the votes over them, the figures and the report."""

from results.commandline import BadInput, run
from results.library import best_of_n_curve, compare, vote_curve
from results.saturating import FitStatus, Saturating, fit_saturating
from results.tables.contract import (
    as_samples,
    kind_of,
    read_curves,
    read_forecast,
    read_samples,
    write_curves,
    write_forecast,
    write_samples,
)
from results.votes.curves import build_curves
from results.votes.exact import (
    AnswerPools,
    VoteCounts,
    answer_pools,
    best_of_n,
    majority_accuracy,
    majority_curve,
)
from results.votes.tokens import tokens_per_answer

__all__ = [
    "AnswerPools",
    "BadInput",
    "FitStatus",
    "Saturating",
    "VoteCounts",
    "answer_pools",
    "as_samples",
    "best_of_n",
    "best_of_n_curve",
    "build_curves",
    "compare",
    "fit_saturating",
    "kind_of",
    "majority_accuracy",
    "majority_curve",
    "read_curves",
    "read_forecast",
    "read_samples",
    "run",
    "tokens_per_answer",
    "vote_curve",
    "write_curves",
    "write_forecast",
    "write_samples",
]
