"""A new setting is ok only if those seen determine the accuracy along T."""

import numpy as np
import pytest

from predict.curves.from_curves import of_the_law
from predict.estimate import Options, Status
from predict.estimators import estimate
from predict.evidence.capped import observe
from predict.evidence.request import Request, read_asked
from predict.forecast_table import forecast
from tests.conftest import ROOT
from tests.predict.curves.worlds import twin_line

ENDED_AT_LENGTHS = ROOT / "results" / "cached" / "int8-gsm8k-forced.parquet"
OPTIONS = Options(replicates=30)


@pytest.mark.parametrize("predictor", ["mixture", "flat", "low-cost-to-high"])
def test_a_rise_that_has_hardly_begun(predictor: str) -> None:
    """Four of seven lengths of a real model, with 4 to 7 % right answers; the others have up to 31 %."""
    seen = tuple(f"forced={length}" for length in (20, 40, 70, 100))
    request = Request(fit_settings=seen)
    (group,) = read_asked((ENDED_AT_LENGTHS,), "majority", request)
    found, _ = forecast(group, request, [predictor], OPTIONS)
    ahead = found[(found["role"] == "held_out") & ~found["setting"].isin(seen)]
    assert set(ahead["setting"]) == {"forced=150", "forced=200", "forced=300"}
    assert (100 * (ahead["predicted"] - ahead["accuracy"]).abs().max()) > 20
    assert not (ahead["status"] == Status.OK).any()


def test_what_the_law_pins_down_stays_ok() -> None:
    """The twin of Figure 2h at step 1/5, from six lengths: a rival stays ok where the law is ok."""
    group = twin_line("fig2h", 1)
    settings = [setting for setting, _ in group.points.settings()][:6]
    evidence = observe(group, settings, 16)
    targets = group.points[~np.isin(group.points.setting, settings)]
    _, law_ok = of_the_law(evidence, targets)
    found = estimate("exponential", evidence, targets, OPTIONS)
    assert (found.status[~law_ok] != Status.OK).all()
    assert (found.status == Status.OK).sum() >= 10
