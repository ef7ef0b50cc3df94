"""Algorithm 3 on data with known parameters, and in its own failure modes.

It may be trusted only where the question law is ok and gives nearly the same forecast.
"""

import numpy as np
import pytest

from predict.curves.algorithm_3 import APART, Ends, judged, low_cost_to_high
from predict.curves.from_curves import of_the_law
from predict.curves.intervals import on_curves
from predict.estimate import Estimate, Options, Status
from predict.estimators import ESTIMATORS
from predict.evidence.capped import observe
from predict.evidence.groups import Group
from predict.evidence.points import Evidence, Points
from results import fit_saturating
from results.low_cost_to_high import Gap, part_1, part_2, read_off
from tests.predict.curves.worlds import twin_line

GAMMA, KAPPA, MU = 0.8, 0.5, 0.6
T = np.array([0.8, 1.2, 1.7, 2.5])
N = np.array([1, 2, 4, 8, 16, 32])


def gap(t: float | np.ndarray) -> np.ndarray:
    return GAMMA - KAPPA * np.exp(-MU * np.asarray(t))


def curve_at(t: float, alpha: float, beta: float) -> np.ndarray:
    return alpha - beta * np.exp(-(gap(t) ** 2) * N / 2)


def table(rows: dict[float, np.ndarray]) -> tuple[Points, np.ndarray]:
    """Points and accuracies of whole curves over N at several T."""
    names = [f"{t:g}" for t in rows]
    points = Points(np.repeat(names, len(N)), np.repeat(list(rows), len(N)), np.tile(N, len(rows)))
    return points, np.concatenate(list(rows.values()))


def gap_of(rows: dict[float, np.ndarray]) -> Gap:
    """The result of part 1 on whole curves at `T`."""
    single = np.array([row[0] for row in rows.values()])
    return part_1(T, single, T[[0, -1]], [(N, rows[T[0]]), (N, rows[T[-1]])])


def test_part_1_recovers_gamma_kappa_mu_from_exact_curves() -> None:
    singles = 0.7 - 0.4 * np.exp(-MU * T)
    first, last = curve_at(T[0], 0.9, 0.4), curve_at(T[-1], 0.95, 0.5)
    found = part_1(T, singles, T[[0, -1]], [(N, first), (N, last)])
    assert found.gamma == pytest.approx(GAMMA, abs=1e-6)
    assert found.kappa == pytest.approx(KAPPA, abs=1e-6)
    assert found.mu == pytest.approx(MU, abs=1e-6)
    assert found.status is Status.OK


def test_part_2_recovers_alpha_and_beta_and_reads_them_at_a_new_T() -> None:
    singles = 0.7 - 0.4 * np.exp(-MU * T)
    ends = [curve_at(t, 0.9, 0.4) for t in T[[0, -1]]]
    known = part_1(T, singles, T[[0, -1]], [(N, curve) for curve in ends])
    found, _ = part_2(known, T[[0, -1]], np.array([curve[3] for curve in ends]), 8)
    assert found == pytest.approx((0.9, 0.4), abs=1e-5)
    assert read_off(known, *found, 4.0, 8) == pytest.approx(
        0.9 - 0.4 * np.exp(-(gap(4.0) ** 2) * 4), abs=1e-5
    )


def test_whole_algorithm_predicts_unseen_T_on_curves_of_the_paper_s_form() -> None:
    rows = {t: curve_at(t, 0.9, 0.4) for t in T}
    points, accuracy = table(rows)
    wanted = Points(np.array(["4", "4", "8"]), np.array([4.0, 4.0, 8.0]), np.array([8, 64, 16]))
    truth = 0.9 - 0.4 * np.exp(-(gap(wanted.T) ** 2) * wanted.N / 2)
    found = low_cost_to_high(points, accuracy[None], wanted)
    # Acc(T, 1) of this model is only approximately exponential in T, so μ is only approximately right.
    assert found.mean[0] == pytest.approx(truth, abs=0.01)
    assert set(found.status) == {"ok"}
    known = gap_of(rows)
    _, at_8 = part_2(known, T[[0, -1]], np.array([rows[T[0]][3], rows[T[-1]][3]]), 8)
    assert found.condition[0] == max(known.condition, at_8)
    assert found.condition.min() >= known.condition


@pytest.mark.parametrize("ends", ["spread", "first", "all"])
def test_every_choice_of_T_1_and_T_2_predicts_curves_of_the_paper_s_form(ends: Ends) -> None:
    points, accuracy = table({t: curve_at(t, 0.9, 0.4) for t in T})
    truth = 0.9 - 0.4 * np.exp(-(gap(4.0) ** 2) * N / 2)
    wanted = Points(np.repeat("4", len(N)), np.full(len(N), 4.0), N)
    found = low_cost_to_high(points, accuracy[None], wanted, ends=ends)
    assert found.mean[0] == pytest.approx(truth, abs=0.02)


def test_what_was_measured_at_N_is_the_input_of_part_2() -> None:
    """Raising Acc(T_1, N) and Acc(T_2, N) equally at one N raises the forecast there by the same amount."""
    points, accuracy = table({t: curve_at(t, 0.9, 0.4) for t in T})
    far = Points(np.array(["4"]), np.array([4.0]), np.array([32]))
    lifted = accuracy + 0.02 * (points.N == 32)
    seen = points.N < 32
    longer = low_cost_to_high(points, lifted[None], far).mean[0, 0]
    off_the_curves = low_cost_to_high(points, lifted[None], far, measured=False).mean[0, 0]
    more = low_cost_to_high(points[seen], lifted[None, seen], far).mean[0, 0]
    assert longer - more == pytest.approx(0.02, abs=0.002)
    assert longer - off_the_curves > 0.005


def test_points_at_T1_and_T2_are_reproduced_exactly() -> None:
    points, accuracy = table({t: curve_at(t, 0.9, 0.4) + 0.01 * np.sin(7 * t + N) for t in T})
    found = low_cost_to_high(points, accuracy[None], points)
    ends = (T[0] == points.T) | (T[-1] == points.T)
    assert found.mean[0, ends] == pytest.approx(accuracy[ends], abs=1e-9)


def test_equal_gaps_are_ill_conditioned_and_say_so() -> None:
    close = np.array([1.0, 1.0005, 1.001])
    points, accuracy = table({t: curve_at(t, 0.9, 0.4) for t in close})
    far = Points(np.array(["5"]), np.array([5.0]), np.array([8]))
    found = low_cost_to_high(points, accuracy[None] + 1e-4 * np.cos(np.arange(len(accuracy))), far)
    assert found.condition[0] > 100
    assert found.status[0] == Status.ILL_CONDITIONED


@pytest.mark.parametrize(
    "rows",
    [
        {1.0: curve_at(1.0, 0.9, 0.4)},
        {1.0: curve_at(1.0, 0.9, 0.4), 2.0: curve_at(2.0, 0.9, 0.4)},
        {t: np.ones(len(N)) for t in T},
        {t: np.zeros(len(N)) for t in T},
    ],
    ids=["one setting", "two settings", "all right", "all wrong"],
)
def test_data_that_fix_nothing_give_no_number(rows: dict[float, np.ndarray]) -> None:
    points, accuracy = table(rows)
    found = low_cost_to_high(points, accuracy[None], points)
    assert np.isnan(found.mean).all()
    assert set(found.status) == {"not_identifiable"}


def test_a_gap_that_shrinks_while_accuracy_rises_is_not_called_a_fall() -> None:
    """Both curves rise with T, the longer one more slowly along N."""

    def rising(t: float) -> np.ndarray:
        return 0.5 + 0.1 * t - 0.2 * np.exp(-((0.8 - 0.1 * t) ** 2) * N / 2)

    found = gap_of({t: rising(t) for t in T})
    assert found.kappa < 0
    assert found.status is Status.BOUND_HIT


def test_accuracy_that_falls_with_T_is_reported_as_falling() -> None:
    def shrinking(t: float) -> np.ndarray:
        return 0.9 - 0.4 * np.exp(-((0.2 + 0.6 * np.exp(-0.6 * t)) ** 2) * N / 2)

    rows = {t: shrinking(t) for t in T}
    points, accuracy = table(rows)
    assert gap_of(rows).kappa < 0
    assert "falling" in set(low_cost_to_high(points, accuracy[None], points).status)


@pytest.mark.parametrize(
    ("single", "rates"),
    [
        (0.1 + 0.2 * T, (0.1, 0.2)),
        (np.where(T[0] < T, 0.7, 0.3), (0.1, 0.2)),
        (0.7 - 0.4 * np.exp(-MU * T), (0.9, 1.0)),
        (0.7 - 0.4 * np.exp(-MU * T), (0.2, 0.1)),
    ],
    ids=["line", "step", "gap above 1", "gap that falls"],
)
def test_a_rate_at_its_end_and_a_gap_above_1_or_that_falls_are_told(
    single: np.ndarray, rates: tuple[float, float]
) -> None:
    """Accuracy at N = 1 is linear in T, or at its limit from the start; Δ = √(2·0.9) along N."""
    first, last = (0.9 - 0.4 * np.exp(-rate * N) for rate in rates)
    found = part_1(T, single, T[[0, -1]], [(N, first), (N, last)])
    assert found.status is Status.BOUND_HIT


@pytest.mark.filterwarnings("error")
def test_an_N_so_large_that_both_terms_vanish_gives_no_number() -> None:
    curve = fit_saturating(N, curve_at(2.0, 0.9, 0.4))
    found = Gap(1.2, 0.01, 0.5, curve, (curve, curve), 2.0, Status.OK)
    D_N = np.array([0.8, 0.9])
    values = [read_off(found, *part_2(found, T[[0, -1]], D_N, n)[0], 5.0, n) for n in range(1000, 1100)]
    assert not np.isinf(values).any()
    assert np.isnan(values[-1])


OPTIONS = Options(replicates=20)


@pytest.fixture(scope="module")
def twin() -> Group:
    """The panel from which the paper derives its algorithm."""
    return twin_line("fig2h", 1)


def of_first(group: Group, count: int, N: int = 16) -> tuple[Evidence, Points, np.ndarray]:
    """The evidence from the first settings, the targets, and their true accuracies."""
    settings = [setting for setting, _ in group.points.settings()][:count]
    hidden = ~np.isin(group.points.setting, settings)
    return observe(group, settings, N), group.points[hidden], group.accuracy[hidden]


def forecast(evidence: Evidence, targets: Points) -> tuple[Estimate, np.ndarray]:
    """The algorithm's estimate, and whether the question law confirms each forecast."""
    found = ESTIMATORS["low-cost-to-high"](evidence, targets, OPTIONS)
    law, law_ok = of_the_law(evidence, targets)
    return found, law_ok & (np.abs(found.mean - law) <= APART)


@pytest.mark.parametrize("count", [4, 6])
def test_ok_is_what_the_law_bears_out_and_its_own_checks_name_the_rest(twin: Group, count: int) -> None:
    evidence, targets, _ = of_first(twin, count)
    found, borne_out = forecast(evidence, targets)
    alone = on_curves(low_cost_to_high)(evidence, targets, OPTIONS)
    named = np.where(alone.status == Status.OK, Status.BOUND_HIT, alone.status)
    assert (found.status == np.where(borne_out, Status.OK, named)).all()
    for one, other in ((found.mean, alone.mean), (found.these.low, alone.these.low)):
        np.testing.assert_array_equal(one, other)


def test_no_forecast_outside_0_and_1_is_ok() -> None:
    law = np.array([0.99, 0.99, 0.01])
    found = judged(np.full(3, Status.OK), np.array([1.0, 1.01, -0.01]), law, np.ones(3, bool))
    assert found.tolist() == [Status.OK, Status.BOUND_HIT, Status.BOUND_HIT]


def test_a_flat_line_that_is_forecast_well_is_ok() -> None:
    """Figure 2g: accuracy hardly changes with T, which leaves the parameters uncertain but no forecast."""
    evidence, targets, truth = of_first(twin_line("fig2g", 0), 6, N=256)
    alone = on_curves(low_cost_to_high)(evidence, targets, OPTIONS)
    found, _ = forecast(evidence, targets)
    assert not (alone.status == Status.OK).any()
    assert (found.status == Status.OK).mean() > 0.9
    assert np.abs(found.mean - truth).max() < 0.01


def test_it_is_ok_where_it_works_and_right_there(twin: Group) -> None:
    evidence, targets, truth = of_first(twin, 6)
    found, _ = forecast(evidence, targets)
    ok = found.status == Status.OK
    assert ok.sum() >= 10
    assert (np.abs(found.mean - truth)[ok] <= 0.035).mean() >= 0.9


def test_too_little_for_the_law_is_no_ok(twin: Group) -> None:
    evidence, targets, _ = of_first(twin, 2)
    assert not (ESTIMATORS["low-cost-to-high"](evidence, targets, OPTIONS).status == Status.OK).any()
