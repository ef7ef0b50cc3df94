"""What `from predict import …` gives: one line from answers, or their curves, to forecasts."""

import warnings
from collections.abc import Sequence

import pandas as pd

from predict import forecasting
from predict.groups import groups_of
from predict.predictors import DEFAULT, chosen
from predict.protocol import Options
from predict.split import Request
from results import kind_of
from results.library import Answers, Gold, as_frame
from results.tables.contract import as_table

__all__ = ["forecast"]


def forecast(
    answers: pd.DataFrame | Answers, gold: Gold = None, *, at_n: Sequence[int] = (),
    at_settings: Sequence[str] = (), fit_max_n: int | None = None, method: str = "majority",
    predictor: str = DEFAULT, replicates: int = 1000, seed: int = 0,
) -> pd.DataFrame:  # fmt: skip
    """The table of `python -m predict forecast`, from samples or curves, or a list of answers a question.

    With none of at_n, at_settings and fit_max_n the cheaper half of the data is fitted and the rest held out.
    Raises BadInput; what a reader must be told of the forecasts is a UserWarning.

    >>> answers = [list("7" * right + "abcabdae"[right:]) for right in range(9)] * 10
    >>> found = forecast(answers, gold=["7"] * 90, at_n=[16, 64])
    >>> found[["N", "predicted", "low", "high", "status"]].round(2)
        N  predicted   low  high status
    0  16       0.74  0.70  0.78     ok
    1  64       0.78  0.73  0.84     ok
    """
    frame = as_frame(answers, gold)
    kind = kind_of(frame)
    request = Request(fit_max_n, at_n=tuple(at_n), at_settings=tuple(at_settings))
    options = Options(replicates, seed)
    tables = []
    for group in groups_of(as_table(frame, kind), kind, method, at_n):
        table, notes = forecasting.forecast(group, request, chosen(predictor, group), options)
        tables.append(table)
        for note in notes:
            warnings.warn(f"{group.name}: {note}", stacklevel=2)
    return pd.concat(tables, ignore_index=True)
