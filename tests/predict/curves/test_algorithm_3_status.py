"""When the paper's algorithm may be trusted: only where the question law is ok and says nearly the same."""

import numpy as np
import pytest

from predict.curves.algorithm_3 import APART, low_cost_to_high
from predict.curves.from_curves import of_the_law
from predict.curves.intervals import on_curves
from predict.estimate import Estimate, Options, Status
from predict.estimators import ESTIMATORS
from predict.evidence.capped import observe
from predict.evidence.groups import Group, groups_of_curves
from predict.evidence.points import Evidence, Points
from synthetic import run_panel

OPTIONS = Options(replicates=20)


@pytest.fixture(scope="module")
def twin() -> Group:
    """The panel from which the paper takes its algorithm."""
    return panel("fig2h", 1)


def panel(name: str, line: int) -> Group:
    lines = [line for _, line in run_panel(name).groupby("model", sort=False)]
    (group,) = groups_of_curves(lines[line], "majority")
    return group


def of_first(group: Group, count: int, N: int = 16) -> tuple[Evidence, Points, np.ndarray]:
    """What is seen of the first settings, what is asked, and the truth."""
    settings = [setting for setting, _ in group.points.settings()][:count]
    hidden = ~np.isin(group.points.setting, settings)
    return observe(group, settings, N), group.points[hidden], group.accuracy[hidden]


def forecast(evidence: Evidence, targets: Points) -> tuple[Estimate, np.ndarray]:
    """The algorithm's estimate, and whether the law bears each forecast out."""
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


def test_a_flat_line_that_is_forecast_well_is_ok() -> None:
    """Figure 2g: accuracy hardly moves with T, which leaves the parameters open and no forecast."""
    evidence, targets, truth = of_first(panel("fig2g", 0), 6, N=256)
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
