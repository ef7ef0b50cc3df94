"""The tables of the project, declared once: samples, curves, forecast, comparison, claims.

    question_id      setting  sample  answer  gold  correct  tokens
    gsm8k-test-0000  100      0       18      18    True     87

Every reader and writer checks against these declarations. The error text of a check is what a user reads
after "expected" when a row breaks it.
"""

import pandera.pandas as pa

SAMPLE_KEY = ["dataset", "model", "setting", "decoding", "question_id", "sample"]
"""One answer: no two rows of a samples table share these."""

CURVE_KEY = ["source", "dataset", "model", "method", "setting", "N", "permutation"]
"""One point of one curve."""


def _at_least(low: float) -> pa.Check:
    return pa.Check.ge(low, error=f"a number of at least {low:g}")


def _fraction() -> pa.Check:
    return pa.Check.in_range(0, 1, error="a number from 0 to 1")


def _one_of(*values: str) -> pa.Check:
    return pa.Check.isin(values, error=f"one of {', '.join(values)}")


def _text(*checks: pa.Check, nullable: bool = False, required: bool = True) -> pa.Column:
    return pa.Column("str", checks=list(checks), nullable=nullable, required=required)


def _whole(low: int, nullable: bool = False, required: bool = True) -> pa.Column:
    return pa.Column("Int64", checks=_at_least(low), nullable=nullable, required=required)


def _real(*checks: pa.Check, nullable: bool = True, required: bool = True) -> pa.Column:
    return pa.Column("float64", checks=list(checks), nullable=nullable, required=required)


SAMPLES = pa.DataFrameSchema(
    {
        "dataset": _text(),
        "model": _text(),
        "setting": _text(),
        "decoding": _text(_one_of("sample", "greedy")),
        "question_id": _text(),
        "sample": _whole(0),
        "answer": _text(nullable=True),
        "gold": _text(nullable=True, required=False),
        "correct": pa.Column("bool"),
        "tokens": _whole(0, nullable=True, required=False),
        "prompt_tokens": _whole(0, nullable=True, required=False),
        "finish_reason": _text(nullable=True, required=False),
        "source": _text(_one_of("llm", "synthetic"), required=False),
    },
    unique=list(SAMPLE_KEY),
    name="samples",
)

_CURVE_COLUMNS = {
    "source": _text(_one_of("llm", "synthetic")),
    **{name: _text() for name in ("dataset", "model")},
    "method": _text(_one_of("majority", "best_of_n", "ensemble", "greedy")),
    "setting": _text(),
    **{name: _real(_at_least(0), required=False) for name in ("T", "tokens_per_answer")},
    "N": _whole(1),
    "permutation": _text(),
    "accuracy": _real(_fraction(), required=False),
    **{name: _real(_at_least(0), required=False) for name in ("risk", "stderr")},
    "questions": _whole(1, nullable=True, required=False),
    **{name: _real(_fraction(), required=False) for name in ("unreadable", "cut_off")},
    **{name: _real(_at_least(0), required=False) for name in ("stderr_vs_first_n", "stderr_vs_cheapest")},
}

_HAS_VALUE = pa.Check(
    lambda frame: frame.reindex(columns=["accuracy", "risk"]).notna().any(axis=1),
    error="an accuracy or a risk in every row",
    name="accuracy",
)

CURVES = pa.DataFrameSchema(_CURVE_COLUMNS, checks=_HAS_VALUE, unique=list(CURVE_KEY), name="curves")

FORECAST = pa.DataFrameSchema(
    {
        **_CURVE_COLUMNS,
        "predictor": _text(),
        "role": _text(_one_of("used", "held_out", "forecast")),
        **{name: _real() for name in ("predicted", "low", "high")},
        **{name: _real(_at_least(0), required=False) for name in ("tokens_low", "tokens_high")},
        **{name: _real(required=False) for name in ("new_low", "new_high")},
        "status": _text(),
    },
    unique=[*CURVE_KEY, "predictor"],
    name="forecast",
)

COMPARISON = pa.DataFrameSchema(
    {
        **{name: _text() for name in ("dataset", "a", "b", "setting_a", "setting_b")},
        "method": _text(_one_of("majority", "best_of_n")),
        **{name: _whole(1) for name in ("N", "questions")},
        **{name: _real(_fraction(), nullable=False) for name in ("accuracy_a", "accuracy_b")},
        "difference": _real(nullable=False),
        **{name: _real() for name in ("low", "high", "stderr")},
        "p_value": _real(_fraction()),
        **{name: _real(_at_least(0)) for name in ("cost", "N_at_cost")},
        **{name: _real() for name in ("difference_at_cost", "low_at_cost", "high_at_cost")},
        **{name: _whole(0) for name in ("gained", "lost")},
        "flips": _text(nullable=True),
        **{name: _real(_at_least(0)) for name in ("questions_needed", "answers_needed")},
    },
    unique=["dataset", "a", "b", "setting_a", "setting_b", "method", "N"],
    name="comparison",
)

CLAIMS = pa.DataFrameSchema(
    {
        **{name: _text() for name in ("claim", "where", "setting", "quantity")},
        **{name: _real(nullable=False) for name in ("measured", "low", "high")},
        "holds": pa.Column("bool"),
        "verdict": _text(),
    },
    name="claims",
)
"""One row for each setting in which a claim of the paper was measured; a claim's rows share its verdict."""

FITS = pa.DataFrameSchema(
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
)
"""The fits of the paper's appendix, one a row."""

PLAN = pa.DataFrameSchema(
    {
        "source": _text(_one_of("llm", "synthetic")),
        **{name: _text() for name in ("dataset", "model", "method", "setting")},
        "cost": _real(_at_least(0), nullable=False),
        "N": _whole(1),
        "predicted": _real(nullable=False),
        **{name: _real() for name in ("low", "high")},
        **{name: _real(required=False) for name in ("new_low", "new_high")},
        **{name: _real(required=False) for name in ("target_accuracy", "token_budget")},
        "known": _text(_one_of("measured", "forecast")),
        "predictor": _text(),
    },
    name="plan",
)
"""Choices of setting and N with the tokens (for the twin: steps) that a question costs; a plan's goal."""

BACKTEST = pa.DataFrameSchema(
    {
        **{name: _text() for name in ("predictor", "split", "dataset", "model", "method", "setting")},
        "N": _whole(1),
        "accuracy": _real(_fraction(), nullable=False),
        **{name: _real() for name in ("predicted", "low", "high")},
    },
    name="backtest",
)
"""Forecasts of answers that were hidden from the predictor, beside what they then were."""

SCHEMAS = {
    str(schema.name): schema
    for schema in (SAMPLES, CURVES, FORECAST, COMPARISON, CLAIMS, FITS, PLAN, BACKTEST)
}

_NAMES = {"dataset": "unknown", "model": "unknown", "setting": "default"}

DEFAULTS = {
    "samples": {**_NAMES, "decoding": "sample"},
    **{kind: {**_NAMES, "source": "llm", "permutation": "exact"} for kind in ("curves", "forecast")},
}
"""The value of a column that a table may leave out."""
