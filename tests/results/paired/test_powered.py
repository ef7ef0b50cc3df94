"""results.paired.powered against all subsets of a few questions, separate fits, and simulation."""

from itertools import combinations

import numpy as np
import pytest
from scipy.special import stdtrit

from results.paired.powered import powered
from studies.promises.cheap import TRUE, World, row, simulated, told


def names(start: int, end: int, cluster: int = 1) -> list[str]:
    return [f"q{place // cluster}" for place in range(start, end)]


@pytest.mark.parametrize("cluster", [1, 2])
@pytest.mark.parametrize("alike", [0.0, 0.9])
def test_over_all_parts_that_may_be_asked_the_mean_is_that_of_all_questions(cluster, alike):
    """Exactly unbiased: over all 126 ways to ask the expensive side 4 of 9 questions, or clusters."""
    rng = np.random.default_rng(3)
    dear = rng.random(9 * cluster)
    cheap = alike * dear[:, None] + (1 - alike) * rng.random((9 * cluster, 2))
    found = []
    for part in combinations(range(9), 4):
        asked = np.isin(np.arange(9 * cluster) // cluster, part)
        draws = np.array(names(0, 9 * cluster, cluster))
        sides = dear[asked], cheap[asked], cheap[~asked]
        found.append(powered(*sides, list(draws[asked]), list(draws[~asked])).mean)
    assert np.ptp(found) > 0.01
    assert np.mean(found) == pytest.approx(dear.mean(), abs=1e-11)


@pytest.mark.parametrize("cluster", [1, 3])
def test_slopes_are_those_of_fits_to_the_other_questions(cluster):
    """For each question a shrunken line through the others; then mean and variance of the residuals."""
    rng = np.random.default_rng(8)
    dear, cheap, further = rng.random(12), rng.random((12, 1)), rng.random((30, 1))
    cheap += dear[:, None]

    found = powered(dear, cheap, further, names(0, 12), [f"x{i // cluster}" for i in range(30)])

    slopes = []
    for q in range(12):
        x, y = np.delete(cheap[:, 0], q), np.delete(dear, q)
        share = min(1, x.var() / np.var([*cheap[:, 0], *further[:, 0]]))
        r2 = share * np.corrcoef(x, y)[0, 1] ** 2
        slopes.append(share * np.polyfit(x, y, 1)[0] * r2 / (r2 + 2 * (1 - r2) / 11) / (1 + 12 / 30))
    left = dear - np.array(slopes) * (cheap[:, 0] - further.mean())
    by_cluster = further.reshape(-1, cluster).mean(axis=1)
    of_further = by_cluster.var(ddof=1) / len(by_cluster)
    variance = left.var(ddof=1) / 12 + np.mean(slopes) ** 2 * of_further
    assert found.mean == pytest.approx(left.mean())
    assert found.slopes[0] == pytest.approx(np.mean(slopes))
    assert found.stderr == pytest.approx(np.sqrt(variance))
    assert found.gain == pytest.approx(dear.var(ddof=1) / 12 / variance)


def test_rows_in_any_order_and_what_was_not_measured():
    rng = np.random.default_rng(1)
    dear, cheap, further = rng.random(20), rng.random((20, 3)), rng.random((40, 3))
    cheap[:, 2], further[:, 2] = cheap[:, 1], further[:, 1]  # two equal ones: the first is used
    cheap[:, :] += dear[:, None]
    whole = powered(dear, cheap, further, names(0, 20, 2), names(20, 60, 2))
    order, turned = rng.permutation(20), rng.permutation(40)
    draws, others = (np.array(one) for one in (names(0, 20, 2), names(20, 60, 2)))
    again = powered(dear[order], cheap[order], further[turned], list(draws[order]), list(others[turned]))
    assert (again.mean, again.stderr) == (whole.mean, whole.stderr)
    assert whole.slopes[2] == 0

    alone, fewer = cheap[:, :1], further[:, :1].copy()
    fewer[25:] = np.nan  # as if the cheap side had not been asked these
    unasked = powered(dear, alone, fewer, names(0, 20), names(20, 60))
    absent = powered(dear, alone, fewer[:25], names(0, 20), names(20, 45))
    assert (unasked.mean, unasked.slopes[0]) == (absent.mean, absent.slopes[0])

    cheap[:5], further[:9] = np.nan, np.nan
    part = powered(dear, cheap, further, names(0, 20), names(20, 60))
    assert np.isfinite([part.mean, part.stderr, part.gain]).all()
    nothing = powered(np.ones(12), cheap[5:17], further[9:], names(0, 12), names(12, 43))
    assert (nothing.mean, nothing.interval.high) == (1, 1)
    assert nothing.interval.low < 0.85
    passages = powered(np.ones(12), cheap[5:17], further[9:], names(0, 12, 3), names(12, 43))
    assert passages.interval.low == pytest.approx(1 - stdtrit(3, 0.975) * 1.5 / 12)  # half of a passage
    little = powered(0.5 + cheap[5:17, 0] / 100, cheap[5:17], further[9:], names(0, 12), names(12, 43))
    assert little.stderr > 0  # less than if one of twelve differed by 1
    assert little.interval.high - little.mean == pytest.approx(stdtrit(11, 0.975) / 12)
    assert np.isnan(nothing.gain)


@pytest.mark.parametrize(
    ("world", "worth"),
    [(World("none", 0.0), (0.97, 1.03)), (World("strong", 0.95), (2.2, 3)), (World("", 0.8, 1, 5), (1.8, 4))],
)
def test_intervals_hold_and_the_gain_is_what_is_told(world, worth):
    """400 runs of 50 questions, some in clusters of 5: a share of 95 % has a standard error of 1.1 %."""
    rng = np.random.default_rng(5)
    runs = [told(*simulated(world, 550, rng), 50) for _ in range(400)]
    found = {one.measure: one.now for one in row("", 50, runs, TRUE)}
    assert 92 <= found["held, %"] <= 99
    assert worth[0] <= 1 / found["variance, times that alone"] <= worth[1]
    assert found["as told"] == pytest.approx(found["variance, times that alone"], rel=0.25)  # known to 8 %
