"""The best of many noisy settings is partly lucky: how often does the expected value's interval hold?

Settings have varying true accuracies, and measured values with noise: equal, unequal (standard errors of 1 to
4 points), or very unequal (one setting is known to ± 1 point, the others to ± 8). The setting with the
largest expected value (`results.summary.expected`) is chosen, as by `tts plan`.
"""

from collections.abc import Iterator

import numpy as np

from results.normal import FORECAST_LEVEL, z_of
from results.summary.expected import given_all
from results.votes.exact import Floats
from studies.promises.rows import Row, at_least, mean, share

RUNS = 2000
"""The number of choices for each case."""

NOISE = {"equal noise": (0, 2, 5), "unequal noise": (0, 2, 5), "very unequal noise": (0, 5)}
"""By kind of noise, the standard deviations in points of true accuracies around 70 %."""


def measured(times: float) -> Iterator[Row]:
    """Measure all cases; `times` multiplies RUNS."""
    runs = max(100, round(times * RUNS))
    for noise, scatters in NOISE.items():
        for scatter in scatters:
            for settings in (4, 8, 20):
                yield from chosen(noise, scatter, settings, runs)


def chosen(noise: str, scatter: int, settings: int, runs: int) -> Iterator[Row]:
    """The coverage for the chosen setting, and the biases of its expected and of its measured value."""
    rng = np.random.default_rng([len(noise), scatter, settings])
    held, over, alone = [], [], []
    for _ in range(runs):
        true = 0.7 + scatter / 100 * rng.standard_normal(settings)
        luck = noise_of(noise, settings, rng)
        values = true + luck * rng.standard_normal(settings)
        expected, sd = given_all(values, luck)
        best = expected.argmax()
        held.append(abs(true[best] - expected[best]) <= z_of(FORECAST_LEVEL) * sd[best])
        over.append(expected[best] - true[best])
        alone.append(values[best] - true[best])
    table, case = "the best of many settings", f"{noise}, true ones ± {scatter}, {settings} settings"
    yield Row(table, case, "held, %", *share(held), at_least(FORECAST_LEVEL))
    yield Row(table, case, "expected too high, points", *mean(over, 100))
    yield Row(table, case, "its own value, points", *mean(alone, 100))


def noise_of(noise: str, settings: int, rng: np.random.Generator) -> Floats:
    """The standard error of each setting's value."""
    if noise == "equal noise":
        return np.full(settings, 0.03)
    if noise == "unequal noise":
        return rng.uniform(0.01, 0.04, settings)
    return np.where(np.arange(settings) == 0, 0.01, 0.08)
