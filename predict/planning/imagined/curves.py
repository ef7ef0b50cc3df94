"""Curve points that have not been measured yet, drawn from what is forecast at them.

    setting 120, N = 1 … 64   ->   N = 128: 0.962 ± 0.011, and N = 1 … 64 with a little less noise
    settings 10 … 120         ->   a new one of 72 tokens: N = 1, 2, 4, 8: 0.93 0.94 0.96 0.97

A point lies where it is forecast, off by a draw of the forecast's uncertainty and by the luck of its answers;
its standard error over questions is that of the nearest present point. All points of a run share both draws,
since they share their answers. This is an approximation: a table does not say how much of a standard error is
the luck of the answers, so 1 − `SHARED` of the variance is taken for it, as the intervals do (`intervals`).
Only that part falls when there are more answers; that of the questions stays, and no run narrows it.
"""

from dataclasses import replace

import numpy as np

from predict.curves.intervals import SHARED
from predict.groups import Group
from predict.planning.imagined.answers import accuracy_at
from predict.predictors import DEFAULT
from predict.protocol import Floats, Ints, Options, Points


def more_answers(
    group: Group, predictor: str, setting: str, times: int, options: Options, quantiles: Floats, luck: Floats
) -> list[Group]:
    """The group after a run that made the answers at `setting` `times` as many: 2, 4, …; one for each draw.

    New points at 2, 4, … times the largest N there. Arguments: `quantiles` in (0, 1), shape (draws,): where
    in the forecast's interval they lie; `luck` (draws,): that of their answers, standard normal.
    """
    here = group.points.setting == setting
    last = int(np.flatnonzero(here)[np.argmax(group.points.N[here])])
    N = int(group.points.N[last]) * 2 ** np.arange(1, times.bit_length())
    places = _places(setting, float(group.points.T[last]), N)
    stderr = np.full(len(N), group.stderr[last])
    # at a setting with points the mixture's interval holds the luck of the questions, which these share
    common = SHARED * stderr**2 if predictor == DEFAULT else np.zeros(len(N))
    drawn = accuracy_at(group, predictor, places, options, quantiles, common)
    surer = np.where(here, np.sqrt(SHARED + (1 - SHARED) / times), 1.0)
    group = replace(group, stderr=group.stderr * surer)
    return [_with_points(group, places, value, stderr) for value in _off(drawn, stderr, luck)]


def new_setting(
    group: Group, predictor: str, setting: str, T: float, answers: int, options: Options,
    quantiles: Floats, luck: Floats,
) -> list[Group]:  # fmt: skip
    """The group after a run of `answers` to every question at a setting of length `T` not run before.

    One group for each draw, as in `more_answers`; points at all powers of two up to `answers`, and there.
    """
    places = _places(setting, T, np.unique([*(2 ** np.arange(answers.bit_length())), answers]))
    stderr = _nearest_stderr(group, T, places.N)
    drawn = accuracy_at(group, predictor, places, options, quantiles)
    return [_with_points(group, places, value, stderr) for value in _off(drawn, stderr, luck)]


def _places(setting: str, T: float, N: Ints) -> Points:
    return Points(np.full(len(N), setting), np.full(len(N), T), N)


def _off(drawn: Floats, stderr: Floats, luck: Floats) -> Floats:
    """Accuracies `drawn` (draws, points) as they are measured."""
    return np.asarray(np.clip(drawn + luck[:, None] * np.sqrt(1 - SHARED) * stderr, 0.0, 1.0))


def _nearest_stderr(group: Group, T: float, N: Ints) -> Floats:
    """Standard errors at the setting nearest to T in log T, each at the nearest N there: (len(N),)."""
    name = group.points.setting[np.abs(np.log(group.points.T / T)).argmin()]
    here = np.flatnonzero(group.points.setting == name)
    nearest = np.abs(np.log(N)[:, None] - np.log(group.points.N[here])).argmin(axis=1)
    return np.asarray(group.stderr[here[nearest]])


def _with_points(group: Group, more: Points, accuracy: Floats, stderr: Floats) -> Group:
    """The group with points added, sorted as ever by T, then N."""
    old = group.points
    setting = np.concatenate([old.setting, more.setting])
    T, N = np.concatenate([old.T, more.T]), np.concatenate([old.N, more.N])
    order = np.lexsort((N, setting, T))
    return replace(
        group,
        points=Points(setting[order], T[order], N[order]),
        accuracy=np.concatenate([group.accuracy, accuracy])[order],
        stderr=np.concatenate([group.stderr, stderr])[order],
    )
