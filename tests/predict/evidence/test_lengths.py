"""predict.evidence.targets: the expected length of answers at a new budget, and forecasts there."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from predict.evidence.points import Points
from predict.evidence.targets import STRAYS, expected_length
from tests.predict.commands import command, curve


def test_log_tokens_go_on_at_the_last_slope() -> None:
    """An exact power law has no errors, so only the prior's share of the spread remains."""
    lengths = {str(r): 3 * r**0.7 for r in (100, 200, 400, 800)}
    length, sd = expected_length("1600", lengths) or (0, 0)
    assert length == pytest.approx(3 * 1600**0.7)
    assert sd == pytest.approx(STRAYS * np.sqrt(np.log(2) / 3))
    far = expected_length("6400", lengths) or (0, 0)
    assert far[1] == pytest.approx(sd * np.sqrt(3))
    between = expected_length("300", lengths) or (0, 0)
    assert lengths["200"] < between[0] < lengths["400"]
    assert between[1] < sd


def test_between_two_requests_less_is_open_than_beyond_them() -> None:
    """A Brownian path known at both ends of a step has a quarter of the step's variance half-way along it,
    and half of it at that distance beyond the last request."""
    lengths = {str(r): 3 * r**0.7 for r in (100, 400, 1600)}
    (_, between), (_, beyond) = (expected_length(at, lengths) or (0, 0) for at in ("200", "3200"))
    step = STRAYS**2 / 2 * np.log(4)  # one rolling origin without error, and the prior
    assert between**2 == pytest.approx(step / 4)
    assert beyond**2 == pytest.approx(step / 2)


def test_what_strayed_before_widens() -> None:
    """Tokens of three requests level off abruptly: the only rolling origin is wrong by its whole slope."""
    length, sd = expected_length("80", {"10": 10.0, "20": 20.0, "40": 20.0}) or (0, 0)
    assert length == pytest.approx(20.0)
    strayed = np.log(2) ** 2 / np.log(2)
    assert sd == pytest.approx(np.sqrt((STRAYS**2 + strayed) / 2 * np.log(2)))


@pytest.mark.parametrize("asked", ["high", "0", "thinking-9", "", "-5"])
def test_what_is_no_request_among_requests(asked: str) -> None:
    assert expected_length(asked, {"10": 9.0, "20": 17.0, "think": 3.0}) is None


def test_names_must_agree_but_for_the_number() -> None:
    lengths = {"thinking-8000": 5000.0, "thinking-16000": 9000.0, "none": 700.0, "20000": 1.0}
    length, _ = expected_length("thinking-32000", lengths) or (0, 0)
    assert length == pytest.approx(9000 * 9 / 5)


@pytest.mark.parametrize("at", [np.array([False, True, True]), np.array([2, 1])])
def test_points_that_are_chosen_keep_how_sure_their_length_is(at: np.ndarray) -> None:
    cells = np.array(["a", "b", "c"]), np.array([1.0, 2.0, 4.0]), np.array([1, 8, 8]), np.array([0, 0.1, 0.2])
    chosen = Points(*cells)[at]
    for kept, cell in zip((chosen.setting, chosen.T, chosen.N, chosen.spread), cells, strict=True):
        np.testing.assert_array_equal(kept, cell[at])


def test_the_forecast_takes_it_and_is_less_certain_than_of_a_known_length(tmp_path: Path) -> None:
    settings = {"100": (60.0, 0.3), "200": (110.0, 0.45), "400": (200.0, 0.55), "800": (300.0, 0.6)}
    frame = pd.concat(
        [
            curve(
                setting=name,
                tokens_per_answer=T,
                questions=50,
                stderr=0.01,
                source="llm",
                accuracy=[top, top, top + 0.05, top + 0.08],
                T=50 * T,
                dataset="d",
                model="m",
                permutation="exact",
            )
            for name, (T, top) in settings.items()
        ]
    )
    out = ["--out", str(tmp_path / "f.csv"), "--fit-settings", "100,200,400", "--at-n", "4"]
    done = command("forecast", frame, tmp_path, *out, "--at-settings", "1600,new=661")
    assert done.exit_code == 0, done.output
    table = pd.read_csv(tmp_path / "f.csv").set_index("setting")
    asked, known = table.loc["1600"], table.loc["new"]
    expected = expected_length("1600", {name: settings[name][0] for name in ("100", "200", "400")}) or (0, 0)
    assert asked["tokens_per_answer"] == pytest.approx(expected[0])  # without 800, which is hidden
    assert known["tokens_per_answer"] == pytest.approx(asked["tokens_per_answer"], rel=0.01)
    assert asked["high"] - asked["low"] > known["high"] - known["low"]
    assert "1600" in done.output
    assert command("forecast", frame, tmp_path, *out, "--at-settings", "far").exit_code == 2
