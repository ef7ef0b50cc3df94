"""The tables of the project, declared once: samples, curves, forecasts and what is computed from them.

    question_id      setting  sample  answer  gold  correct  tokens
    gsm8k-test-0000  100      0       18      18    True     87

Each table is described only here: `columns.py` converts and checks its cells, `contract.py` the table as a
whole. The text `expected` of a limit is what users read after "expected" if a cell breaks it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

from results.methods import COMPUTED, METHODS
from results.tables.key import CURVE, UNNAMED
from results.tables.shards import EXPECTED, are_shards

if TYPE_CHECKING:
    import pandas as pd

SAMPLE_KEY = ["dataset", "model", "setting", "decoding", "question_id", "sample"]
"""One answer: no two rows of a samples table share these."""

CURVE_KEY = [*CURVE, "N", "permutation"]
"""One point of one curve."""


class Kind(Enum):
    """The type of a column's cells; errors give the value as what was expected."""

    TEXT = "text"
    WHOLE = "a whole number (of at most 2^53)"
    REAL = "a finite number without a unit"
    BOOLEAN = "true or false (or 1 or 0)"
    SCORE = "a number (or nothing; inf, -inf, true and false are numbers)"


class Limit(NamedTuple):
    """A condition on cells: a test of which cells meet it, and its wording in errors."""

    holds: Callable[[pd.Series[Any]], pd.Series[bool]]
    expected: str


@dataclass(frozen=True)
class Column:
    """One column: the kind and limits of its cells, whether they may be null, and whether it is required."""

    kind: Kind
    limits: tuple[Limit, ...] = ()
    nullable: bool = False
    required: bool = True


@dataclass(frozen=True)
class Schema:
    """One kind of table.

    unique: columns that together are unique to a row; told_by: columns by which a table of this kind is
    recognised; a_value_of: columns of which each row has at least one value; defaults: cells of columns
    that may be left out.
    """

    columns: Mapping[str, Column]
    name: str
    unique: list[str] = field(default_factory=list)
    told_by: frozenset[str] = frozenset()
    a_value_of: tuple[str, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict)


def _at_least(low: float) -> Limit:
    return Limit(lambda cells: cells >= low, f"a number of at least {low:g}")


def _fraction() -> Limit:
    return Limit(lambda cells: cells.between(0, 1), "a number from 0 to 1")


def _one_of(*values: str) -> Limit:
    return Limit(lambda cells: cells.isin(values), f"one of {', '.join(values)}")


def _text(*limits: Limit, nullable: bool = False, required: bool = True) -> Column:
    return Column(Kind.TEXT, limits, nullable, required)


def _whole(low: int, nullable: bool = False, required: bool = True) -> Column:
    return Column(Kind.WHOLE, (_at_least(low),), nullable, required)


def _real(*limits: Limit, nullable: bool = True, required: bool = True) -> Column:
    return Column(Kind.REAL, limits, nullable, required)


def _boolean(required: bool = True) -> Column:
    return Column(Kind.BOOLEAN, required=required)


_LOG = Limit(lambda cells: cells <= 0.01, "a logarithm of a probability, at most 0")
"""At most 0, plus the rounding error of servers that compute in half precision."""

_NAMES = {"dataset": UNNAMED, "model": UNNAMED, "setting": "default"}
_CURVE_DEFAULTS = {**_NAMES, "source": "llm", "permutation": "exact"}

SAMPLES = Schema(
    {
        "dataset": _text(),
        "model": _text(),
        "setting": _text(),
        "decoding": _text(_one_of("sample", "greedy")),
        "question_id": _text(),
        "sample": _whole(0),
        "answer": _text(nullable=True),
        "gold": _text(nullable=True, required=False),
        "correct": _boolean(required=False),
        "tokens": _whole(0, nullable=True, required=False),
        "prompt_tokens": _whole(0, nullable=True, required=False),
        "cached_tokens": _whole(0, nullable=True, required=False),
        "cost": _real(_at_least(0), required=False),
        "reasoning_tokens": _whole(0, nullable=True, required=False),
        "logprob": _real(_LOG, required=False),
        "finish_reason": _text(nullable=True, required=False),
        "score": Column(Kind.SCORE, nullable=True, required=False),
        "cluster": _text(nullable=True, required=False),
        "stop_rule": _text(nullable=True, required=False),
        "shard": _text(Limit(are_shards, EXPECTED), nullable=True, required=False),
        "source": _text(_one_of("llm", "synthetic"), required=False),
    },
    unique=SAMPLE_KEY,
    name="samples",
    told_by=frozenset({"question_id", "sample"}),
    defaults={**_NAMES, "decoding": "sample"},
)

_PREDICTOR = {"predictor": _text(), "estimator": _text(nullable=True, required=False)}
_CURVE_COLUMNS = {
    "source": _text(_one_of("llm", "synthetic")),
    **{name: _text() for name in ("dataset", "model")},
    "method": _text(_one_of(*METHODS)),
    "setting": _text(),
    **{name: _real(_at_least(0), required=False) for name in ("T", "tokens_per_answer")},
    "N": _whole(1),
    "permutation": _text(),
    "accuracy": _real(_fraction(), required=False),
    **{name: _real(_at_least(0), required=False) for name in ("risk", "stderr")},
    **{name: _whole(1, nullable=True, required=False) for name in ("questions", "clusters")},
    **{name: _real(_fraction(), required=False) for name in ("unreadable", "cut_off")},
    **{name: _real(_at_least(0), required=False) for name in ("stderr_vs_first_n", "stderr_vs_cheapest")},
}

CHEAP = {
    "with": _text(nullable=True, required=False),
    **{name: _real(_fraction(), required=False) for name in ("accuracy_with", "low_with", "high_with")},
    "gain": _real(_at_least(0), required=False),
}
"""Columns added to a curve by a cheap side's answers to further questions: `results.paired.cheap`."""

CURVES = Schema(
    {**_CURVE_COLUMNS, **CHEAP},
    unique=CURVE_KEY,
    name="curves",
    told_by=frozenset({"N", "method"}),
    a_value_of=("accuracy", "risk"),
    defaults=_CURVE_DEFAULTS,
)

FORECAST = Schema(
    {
        **_CURVE_COLUMNS,
        **_PREDICTOR,
        "role": _text(_one_of("used", "held_out", "forecast")),
        **{name: _real() for name in ("predicted", "low", "high")},
        **{name: _real(_at_least(0), required=False) for name in ("tokens_low", "tokens_high")},
        **{name: _real(required=False) for name in ("new_low", "new_high")},
        **{name: _real(_fraction(), required=False) for name in ("allowed_low", "allowed_high")},
        "level": _real(_fraction(), required=False),
        "status": _text(),
        "twin_t": _real(_at_least(0), required=False),
        "twin_odds": _real(required=False),
    },
    unique=[*CURVE_KEY, "predictor"],
    name="forecast",
    told_by=frozenset({"predictor"}),
    defaults=_CURVE_DEFAULTS,
)

COMPARISON = Schema(
    {
        **{name: _text() for name in ("dataset", "a", "b", "setting_a", "setting_b")},
        "method": _text(_one_of(*COMPUTED)),
        **{name: _whole(1) for name in ("N", "questions")},
        "clusters": _whole(1, nullable=True, required=False),
        **{name: _real(_fraction(), nullable=False) for name in ("accuracy_a", "accuracy_b")},
        "difference": _real(nullable=False),
        **{name: _real() for name in ("low", "high", "stderr")},
        "p_value": _real(_fraction()),
        **{name: _real(_at_least(0)) for name in ("cost", "N_at_cost")},
        **{name: _real() for name in ("difference_at_cost", "low_at_cost", "high_at_cost")},
        **{name: _whole(0) for name in ("gained", "lost")},
        "flips": _text(nullable=True),
        **{name: _real(_at_least(0)) for name in ("questions_needed", "answers_needed")},
        "detectable": _real(_at_least(0), required=False),
        "level": _real(_fraction(), required=False),
        "verdict": _text(_one_of("better", "worse", "undecided"), required=False),
        "verdict_at_cost": _text(_one_of("better", "worse", "undecided"), nullable=True, required=False),
        "cost_unit": _text(required=False),
        "questions_needed_at_cost": _real(_at_least(0), required=False),
    },
    unique=["dataset", "a", "b", "setting_a", "setting_b", "method", "N"],
    name="comparison",
    told_by=frozenset({"a", "b", "difference"}),
)

CLAIMS = Schema(
    {
        **{name: _text() for name in ("claim", "where", "setting", "quantity")},
        "sentence": _text(nullable=True, required=False),
        **{name: _real(nullable=False) for name in ("measured", "low", "high")},
        "holds": _boolean(),
        "outcome": _text(_one_of("holds", "fails", "undecided"), required=False),
        "verdict": _text(),
    },
    name="claims",
    told_by=frozenset({"claim", "verdict"}),
)
"""One row per setting of a claim; all rows of a claim share its verdict and `sentence`, the paper's words."""

FITS = Schema(
    {
        "source": _text(_one_of("llm", "synthetic")),
        **{name: _text() for name in ("dataset", "model", "method")},
        "fit": _text(_one_of("along_n", "along_t", "along_gap")),
        "held": _text(),
        "points": _whole(0),
        **{name: _real() for name in ("x_low", "x_high", "alpha", "beta", "rate", "gap", "rms")},
        "status": _text(),
        "reason": _text(nullable=True),
    },
    name="fits",
    told_by=frozenset({"fit", "held"}),
)
"""The fits of the paper's appendix, one per row."""
PLAN = Schema(
    {
        "source": _text(_one_of("llm", "synthetic")),
        **{name: _text() for name in ("dataset", "model", "method", "setting")},
        "cost": _real(_at_least(0), nullable=False),
        "N": _whole(1),
        "predicted": _real(nullable=False),
        **{name: _real() for name in ("low", "high")},
        **{name: _real(required=False) for name in ("new_low", "new_high")},
        **{name: _real(required=False) for name in ("expected", "expected_low", "expected_high")},
        "level": _real(_fraction(), required=False),
        **{name: _real(required=False) for name in ("target_accuracy", "token_budget")},
        "known": _text(_one_of("measured", "forecast")),
        **_PREDICTOR,
    },
    name="plan",
    told_by=frozenset({"known", "cost"}),
)
"""Choices of setting and N with their cost per question in tokens (for the twin: steps), and the goal."""

BACKTEST = Schema(
    {
        **_PREDICTOR,
        **{name: _text() for name in ("split", "dataset", "model", "method", "setting")},
        "N": _whole(1),
        "accuracy": _real(_fraction(), nullable=False),
        **{name: _real() for name in ("predicted", "low", "high")},
        **{name: _real(_fraction(), required=False) for name in ("level", "unseen")},
    },
    name="backtest",
    told_by=frozenset({"predictor", "split"}),
)
"""Forecasts of accuracies that were hidden from the predictor, with the accuracies measured."""

STOPPING = Schema(
    {
        **{name: _text() for name in ("dataset", "model", "setting", "rule")},
        "threshold": _real(),
        "order": _text(_one_of("random", "finishing")),
        "batch": _text(),
        **{name: _whole(1) for name in ("n_max", "questions")},
        "tokens": _real(_at_least(0)),
        **{name: _real(_at_least(0), nullable=False) for name in ("share", "answers")},
        "rounds": _real(_at_least(0)),
        **{name: _real(_fraction(), nullable=False) for name in ("agreement", "agreement_all")},
        "worst_tenth": _real(_fraction(), nullable=False),
        **{name: _real(_fraction()) for name in ("false_stops", "delta", "accuracy")},
        **{name: _real() for name in ("difference", "low", "high")},
        "N_fixed": _real(_at_least(0)),
        "agreement_fixed": _real(_fraction()),
        **{name: _real() for name in ("difference_fixed", "low_fixed", "high_fixed")},
        "level": _real(_fraction()),
    },
    unique=["dataset", "model", "setting", "rule", "threshold", "order", "batch"],
    name="stopping",
    told_by=frozenset({"rule", "threshold", "agreement"}),
)
"""Stopping rules replayed on stored answers, each at several thresholds."""

SCHEMAS = {
    table.name: table
    for table in (STOPPING, CLAIMS, COMPARISON, FITS, PLAN, BACKTEST, FORECAST, CURVES, SAMPLES)
}
"""All kinds by name; a table is of the first kind whose `told_by` columns it has."""
