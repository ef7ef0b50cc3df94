"""When the paper's algorithm may be trusted: only where the question law is ok and says nearly the same."""

import numpy as np
import pytest

from predict.curves.low_cost_to_high import low_cost_to_high
from predict.curves.question_law.estimate import estimate as question_law
from predict.curves.rival_interval import APART, on_curves
from predict.estimate import Estimate, Options, Status
from predict.estimators import ESTIMATORS
from predict.evidence.groups import Group, groups_of_curves
from predict.evidence.hidden import observe
from predict.evidence.points import Evidence, Points
from synthetic import run_panel

OPTIONS = Options(replicates=20)


@pytest.fixture(scope="module")
def twin() -> Group:
    """The panel from which the paper takes its algorithm."""
    lines = [line for _, line in run_panel("fig2h").groupby("model", sort=False)]
    (group,) = groups_of_curves(lines[1], "majority")
    return group


def of_first(group: Group, count: int, N: int = 16) -> tuple[Evidence, Points, np.ndarray]:
    """What is seen of the first settings, what is asked, and the truth."""
    settings = [setting for setting, _ in group.points.settings()][:count]
    hidden = ~np.isin(group.points.setting, settings)
    return observe(group, settings, N), group.points[hidden], group.accuracy[hidden]


def forecast(evidence: Evidence, targets: Points) -> tuple[Estimate, np.ndarray]:
    """The algorithm's estimate, and whether the law bears each forecast out."""
    found = ESTIMATORS["low-cost-to-high"](evidence, targets, OPTIONS)
    law = question_law(evidence.points, evidence.accuracy, evidence.stderr, targets, draws=0)
    return found, (law.status == Status.OK) & (np.abs(found.mean - law.mean) <= APART)


@pytest.mark.parametrize("count", [4, 6])
def test_ok_is_what_its_own_checks_and_the_law_agree_on(twin: Group, count: int) -> None:
    evidence, targets, _ = of_first(twin, count)
    found, borne_out = forecast(evidence, targets)
    alone = on_curves(low_cost_to_high)(evidence, targets, OPTIONS)
    assert ((found.status == Status.OK) == ((alone.status == Status.OK) & borne_out)).all()
    for one, other in ((found.mean, alone.mean), (found.these.low, alone.these.low)):
        np.testing.assert_array_equal(one, other)


def test_it_is_ok_where_it_works_and_right_there(twin: Group) -> None:
    evidence, targets, truth = of_first(twin, 6)
    found, _ = forecast(evidence, targets)
    ok = found.status == Status.OK
    assert ok.sum() >= 10
    assert (np.abs(found.mean - truth)[ok] <= 0.035).mean() >= 0.9


def test_too_little_for_the_law_is_no_ok(twin: Group) -> None:
    evidence, targets, _ = of_first(twin, 2)
    assert not (ESTIMATORS["low-cost-to-high"](evidence, targets, OPTIONS).status == Status.OK).any()
