"""The pace of a session with a server of known rate, measured only from finished answers."""

import time

import pytest

from harness.tally.rate import STUCK_SECONDS, Pace


def test_the_steady_middle_has_the_servers_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    """20 requests, four at a time; each takes 40 s (the last ones longer) and brings 100 tokens."""
    pace, clock, seen = Pace(8), 0.0, list[tuple[float, float] | None]()
    monkeypatch.setattr(time, "monotonic", lambda: clock)
    for number in range(20):
        clock = 40.0 * (1 + number // 4) + 10 * (number % 4) + (100 if number > 15 else 0)
        pace.add(2, 100)
        seen.append(pace.rates())
        pace.ending = pace.ending or number >= 15  # when the sixteenth ends, the last one begins
    assert seen[:4] == [None] * 4
    assert seen[4:] == [pytest.approx((0.2, 10.0))] * 16  # although 2,000 tokens in 330 s are 6 a second
    assert (pace.answers, pace.tokens) == (40, 2000)


def test_the_time_left_goes_by_the_last_minutes_and_silence_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: clock)
    pace = Pace(4)
    assert pace.seconds_left(100) is None
    for _ in range(600):  # ten minutes at one answer a second
        clock += 1
        pace.add(1, 10)
    assert pace.seconds_left(100) == pytest.approx(100)
    for _ in range(60):  # ten minutes at one answer in ten seconds
        clock += 10
        pace.add(1, 10)
    assert pace.seconds_left(100) == pytest.approx(1000)
    assert pace.rates() == (pytest.approx(656 / 1196), pytest.approx(6560 / 1196))  # over the whole session
    assert pace.stuck_for() is None
    clock += STUCK_SECONDS
    assert pace.stuck_for() == STUCK_SECONDS
    assert pace.seconds_left(100) == pytest.approx(1000 * (300 + STUCK_SECONDS) / 300)
    pace.add(1, 10)
    assert pace.stuck_for() is None
