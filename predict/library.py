"""The Python interface of `predict`: forecasts and plans from answers, or from their curves."""

import warnings
from collections.abc import Sequence
from typing import Any

import pandas as pd

from predict.estimate import Options
from predict.estimators import DEFAULT, chosen, one_name
from predict.evidence.groups import Group
from predict.evidence.request import Request, groups_asked
from predict.forecast_table import THESE, caveats
from predict.forecast_table import forecast as forecast_table
from predict.forecast_table import warnings as warnings_of
from predict.planning.choices import check_new, forecast_choices
from predict.planning.choices import plan as plan_of
from results import kind_of
from results.arguments import PLAN_METHOD, PLAN_REPLICATES, goals_of
from results.library import Answers, Gold, as_frame
from results.normal import FORECAST_LEVEL
from results.summary.buying import Plan
from results.tables.contract import as_table

__all__ = ["forecast", "plan"]


def forecast(
    answers: pd.DataFrame | Answers,
    gold: Gold = None,
    *,
    at_n: Sequence[int] = (),
    at_settings: Sequence[str] = (),
    fit_max_n: int | None = None,
    fit_settings: Sequence[str] = (),
    fit_cap: int | None = None,
    at_caps: Sequence[int] = (),
    method: str | None = None,
    predictor: str = DEFAULT,
    target: str = THESE,
    level: float = FORECAST_LEVEL,
    replicates: int = 1000,
    seed: int = 0,
) -> pd.DataFrame:
    """The table of `tts forecast`.

    Without any argument `at_…` or `fit_…`, the cheaper half of the data is fitted and the rest held out.

    Parameters:
        answers: a samples or a curves table, or a list of answers for each question.
        gold: the right answer to each question if `answers` is a list; None for a table, which has them.
        at_n: the N to forecast; empty: every N of the table.
        at_settings: the settings to forecast; "NAME=LENGTH" is a new one of LENGTH tokens (the twin: steps)
            an answer; empty: every setting of the table.
        fit_max_n: only so many answers a question (of curves: N up to this) are seen; None: all.
        fit_settings: only these settings are seen; empty: all.
        fit_cap: see only what a run stopped at this many tokens an answer would show; None: everything.
        at_caps: with `fit_cap`, the dearer caps to forecast, in tokens.
        method: "majority", "best_of_n" or "all_of_n" (not in a plan); by default the majority vote, or
            best-of-N for verdicts, which do not vote.
        predictor: a name listed by `tts forecast --help`, or "all" that apply.
        target: what the columns low and high refer to: "these-questions", sampled further, or "population",
            new questions of their kind.
        level: the share of cases in which an interval contains the true value.
        replicates: number of draws for intervals; 0: no intervals.
        seed: of all draws; equal seeds give equal tables.

    Returns one row for each model, predictor, setting and N. Columns: source, dataset, model, method,
    setting; T, the tokens of all questions; tokens_per_answer; N; permutation; accuracy and stderr as
    measured (NaN if unknown); questions; role ("used", "held_out" or "forecast"); predictor; estimator, what
    the predictor used; predicted; low, high; new_low, new_high, the interval for new questions; level;
    status ("ok" or why not); condition; for samples also allowed_low and allowed_high, the range that
    the answers alone allow; for caps also tokens_low and tokens_high. Accuracies are between 0 and 1.

    Raises BadInput if the table, or the request, makes no sense. Caveats on the forecasts are given
    as UserWarning.

    >>> answers = [list("7" * right + "abcabdae"[right:]) for right in range(9)] * 10
    >>> found = forecast(answers, gold=["7"] * 90, at_n=[16, 64])
    >>> found[["N", "predicted", "low", "high", "status"]].round(2)
        N  predicted   low  high status
    0  16       0.77  0.73  0.81     ok
    1  64       0.81  0.75  0.86     ok
    """
    given: dict[str, Any] = {
        "fit_max_n": fit_max_n,
        "fit_settings": fit_settings,
        "fit_cap": fit_cap,
        "at_n": at_n,
        "at_settings": at_settings,
        "at_caps": at_caps,
    }
    request = Request(**given)
    options, tables = Options(replicates, seed, level, allowed=replicates > 0), []
    for group in _groups(answers, gold, method, request):
        table, notes = forecast_table(group, request, chosen(predictor, group), options, target)
        tables.append(table)
        _warn(group, [*notes, *warnings_of(table)])
    return pd.concat(tables, ignore_index=True)


def plan(
    answers: pd.DataFrame | Answers,
    gold: Gold = None,
    *,
    target_accuracy: float | None = None,
    token_budget: float | None = None,
    max_n: int = 64,
    at_settings: Sequence[str] = (),
    fit_cap: int | None = None,
    at_caps: Sequence[int] = (),
    method: str | None = None,
    predictor: str = DEFAULT,
    level: float = FORECAST_LEVEL,
    replicates: int = 300,
    seed: int = 0,
) -> list[Plan]:
    """The plans of `tts plan`: one `Plan` for each model and dataset (with caps: for each run).

    Parameters not named here are those of `forecast`.
        target_accuracy: find the cheapest choice of setting and N that reaches this accuracy.
        token_budget: find the best choice within this many tokens a question; not with `target_accuracy`.
        max_n: the largest N; powers of two up to it are considered.
        at_settings: new settings to consider too, as "NAME=LENGTH".
        replicates: as in `forecast`, at least 1.

    A Plan has `options`, every choice with its cost in tokens a question (columns of a plan table),
    `frontier`, the choices that no other one as cheap equals, `chosen`, and `cautious`, the choice by the
    lower end of its interval; the last two are None if nothing reaches the goal.

    Raises BadInput as `forecast` does, and without token counts.
    """
    goals = goals_of(target_accuracy, token_budget)
    one_name(predictor)
    given: dict[str, Any] = {"at_settings": at_settings, "fit_cap": fit_cap, "at_caps": at_caps}
    method, request = method and PLAN_METHOD.of(method), Request(**given)
    options, plans = Options(PLAN_REPLICATES.of(replicates), seed, level), []
    groups = _groups(answers, gold, method, request)
    check_new(groups, request.at_settings)
    for group in groups:
        (name,) = chosen(predictor, group)
        choices = forecast_choices(group, name, max_n, options, request.at_settings)
        plans.append(plan_of(choices, level, *goals))
        _warn(group, caveats(group, options.replicates))
    return plans


def _groups(answers: pd.DataFrame | Answers, gold: Gold, method: str | None, request: Request) -> list[Group]:
    frame = as_frame(answers, gold)
    kind = kind_of(frame)
    return groups_asked(as_table(frame, kind), kind, method, request)


def _warn(group: Group, notes: Sequence[str]) -> None:
    for note in notes:
        warnings.warn(f"{group.name}: {note}", stacklevel=3)
