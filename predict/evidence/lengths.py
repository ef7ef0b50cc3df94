"""How long answers will be at a budget that nobody has asked for yet, from the budgets that were.

    asked for 100, 200, 400: used 61, 118, 190 tokens   ->   asked for 800: 306, give or take 25 %

A setting that ends in a number is a request ("200", "thinking-16000"). Log tokens go on along log request at
the slope of the nearest two settings, which is between 0 and 1; how far that strays is what rolling origins
show: each request from the third on, forecast from the smaller ones.
"""

import re
from collections.abc import Mapping

import numpy as np

from predict.evidence.points import Floats

STRAYS = 0.3
"""Standard deviation of log tokens a factor e away from what was seen; counts for one rolling origin."""


def expected_length(asked: str, lengths: Mapping[str, float]) -> tuple[float, float] | None:
    """The tokens of an answer at the setting `asked`, and the standard deviation of their logarithm.

    `lengths` maps the settings seen to their tokens. None unless `asked` ends in a number above 0 and two
    settings differ from it only in that.
    """
    wanted = _request(asked)
    if wanted is None:
        return None
    name, number = wanted
    seen = {}
    for setting, T in lengths.items():
        request = _request(setting)
        if request and request[0] == name and np.isfinite(T) and T > 0:
            seen[request[1]] = T
    if len(seen) < 2:
        return None
    x, y = np.log([(one, seen[one]) for one in sorted(seen)]).T
    at = np.log(number)
    steps = [(y[i] - _carried_on(x[:i], y[:i], x[i])) ** 2 / (x[i] - x[i - 1]) for i in range(2, len(x))]
    variance = (STRAYS**2 + sum(steps)) / (1 + len(steps))
    return float(np.exp(_carried_on(x, y, at))), float(np.sqrt(variance * _far(x, at)))


def _request(setting: str) -> tuple[str, int] | None:
    """("thinking-", 16000) of "thinking-16000"."""
    found = re.fullmatch(r"(.*?)([0-9]+)", setting)
    return (found[1], int(found[2])) if found and int(found[2]) > 0 else None


def _carried_on(x: Floats, y: Floats, at: float) -> float:
    """The line between the two settings nearest to `at`, of rising x."""
    i = int(np.clip(np.searchsorted(x, at), 1, len(x) - 1))
    slope = np.clip((y[i] - y[i - 1]) / (x[i] - x[i - 1]), 0.0, 1.0)
    nearest = np.clip(at, x[0], x[-1])
    return float(np.interp(nearest, x, y) + slope * (at - nearest))


def _far(x: Floats, at: float) -> float:
    """The variance at `at` of a Brownian path that is known at `x`."""
    if x[0] < at < x[-1]:
        i = int(np.searchsorted(x, at))
        return float((at - x[i - 1]) * (x[i] - at) / (x[i] - x[i - 1]))
    return float(np.abs(x - at).min())
