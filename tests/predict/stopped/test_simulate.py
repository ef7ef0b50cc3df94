"""predict.stopped.simulate: draws beyond the cap, against fresh answers and against what was seen."""

import numpy as np
import pytest
from scipy.special import logit

from predict.answers.mixture import drawn_at
from predict.stopped.answer_law import PARAMETERS
from predict.stopped.fit import Fit, Problem
from predict.stopped.observed import SeenLengths, seen_at
from predict.stopped.simulate import LAWS, Simulated, bins_to, simulate
from tests.predict.stopped.simulated import THETA, answers, questions

CAP, CAPS = 8000, [8000, 11000, 15000, 30000]
AT = np.array([THETA[name] for name in PARAMETERS])
CERTAIN = Fit(AT, np.zeros((len(AT), len(AT))))
"""The true parameters, without uncertainty."""


def seen(Q: int = 20, n: int = 6) -> SeenLengths:
    rng = np.random.default_rng(0)
    return seen_at(answers(questions(Q, rng), n, rng), CAP)


def test_the_same_seed_draws_the_same_where_laws_serve_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("predict.stopped.simulate.MANY", 5)
    spread = Fit(AT, 0.1 * np.eye(len(AT)))
    one, again = (simulate(Problem(seen()), spread, CAPS, np.zeros((LAWS + 2, 2)), 0) for _ in "ab")
    assert (one.ended == again.ended).all()
    assert (one.ended[0] != one.ended[LAWS]).any()  # one law, but questions drawn afresh


def drawn(moved: tuple[float, float] = (0.0, 0.0), of: SeenLengths | None = None, R: int = 3) -> Simulated:
    return simulate(Problem(of or seen()), CERTAIN, CAPS, np.full((R, 2), moved), 0)


def test_bins_reach_each_cap_in_small_steps() -> None:
    shown = seen_at(answers(questions(20, np.random.default_rng(0)), 6, np.random.default_rng(0)), 7000)

    edges, middles, last = bins_to(shown, [7000, 7100, 14000])

    assert np.exp(edges[last + 1]) == pytest.approx([7000, 7100, 14000])
    assert last[0] == len(shown.middles) - 1
    assert last[1] == last[0] + 1  # one bin suffices for so near a cap
    assert edges[: len(shown.edges)].tolist() == shown.edges.tolist()
    assert middles[: len(shown.middles)].tolist() == shown.middles.tolist()
    beyond = slice(len(shown.edges) - 1, None)
    assert (np.diff(edges[beyond]) < 0.0801).all()
    assert middles[len(shown.middles) :] == pytest.approx((edges[beyond][1:] + edges[beyond][:-1]) / 2)


def test_a_row_falls_on_the_place_of_its_number() -> None:
    """Numbers are in [0, 1); nothing with weight 0 is drawn."""
    weights = np.array([[0.25, 0.25, 0.5]] * 6 + [[0.0, 4.0, 0.0]] * 2)

    places = drawn_at(weights, np.array([[0.0, 0.24, 0.25, 0.49, 0.5, 0.99, 0.0, 0.99]]).T)[:, 0]

    assert places.tolist() == [0, 0, 1, 1, 2, 2, 1, 1]


def test_without_answers_the_draws_are_the_law_of_the_questions() -> None:
    """For questions without any data, shares and tokens are those of fresh answers, within 4 standard
    errors."""
    nothing = seen(Q=1000, n=1)
    blank = SeenLengths(
        CAP,
        nothing.edges,
        nothing.middles,
        0 * nothing.right,
        0 * nothing.other,
        np.zeros(1000),
        nothing.votes,
    )

    found = drawn(of=blank, R=4)

    rng = np.random.default_rng(7)
    fresh = answers(questions(40_000, rng), 1, rng)
    for c, cap in enumerate(CAPS):
        ended = fresh.tokens <= cap
        right, spent = ended & (fresh.votes == 0), np.minimum(fresh.tokens, cap)
        for one, true in ((found.ended, ended), (found.right, right), (found.tokens, spent)):
            by_question = one[:, :, c]
            noise = np.hypot(by_question.std() / np.sqrt(by_question.size), true.std() / np.sqrt(true.size))
            assert by_question.mean() == pytest.approx(true.mean(), abs=4 * noise + 0.01 * true.mean())


@pytest.mark.parametrize("moved", [(0.0, 0.0), (0.0, -9.0)])
def test_more_have_ended_and_more_is_spent_at_each_dearer_cap_however_slow_the_draw(
    moved: tuple[float, float],
) -> None:
    found = drawn(moved)

    assert (np.diff(found.ended, axis=2) >= 0).all()
    assert (found.ended[:, :, 1:] > found.ended[:, :, :1]).all()
    assert (np.diff(found.right, axis=2) >= 0).all()
    assert (np.diff(found.tokens, axis=2) > 0).all()
    assert (found.right <= found.ended).all()
    assert (found.tokens <= CAPS).all()


@pytest.mark.parametrize("moved", [(-0.7, 0.0), (0.2, 0.4)])
def test_a_pace_moves_the_log_odds_of_ending_and_growth_by_the_distance_in_spreads_of_the_modes(
    moved: tuple[float, float],
) -> None:
    """The odds of all questions move equally; if fewer answers end, more is spent and fewer are right."""
    plain, found = drawn(), drawn(moved)

    assert found.ended[:, :, 0] == pytest.approx(plain.ended[:, :, 0])
    odds = [
        logit((one.ended[:, :, 1:] - one.ended[:, :, :1]) / (1 - one.ended[:, :, :1]))
        for one in (plain, found)
    ]
    spread = np.exp(THETA["log_ratio"] + THETA["log_scale"])
    expected = moved[0] + moved[1] * np.log(np.array(CAPS[1:]) / CAP) / spread
    assert odds[1] - odds[0] == pytest.approx(np.broadcast_to(expected, odds[0].shape), abs=1e-4)
    fewer, more = (found, plain) if moved[0] < 0 else (plain, found)
    assert (fewer.tokens[:, :, 1:] > more.tokens[:, :, 1:]).all()
    assert (fewer.right[:, :, 1:] <= more.right[:, :, 1:]).all()


def test_at_the_cap_itself_the_draws_are_what_was_seen() -> None:
    """With many answers, the probabilities to be right and to have ended by the cap are the frequencies."""
    rng = np.random.default_rng(2)
    pools = answers(questions(15, rng), 150, rng)
    shown = seen_at(pools, CAP)

    found = drawn(of=shown, R=6)

    frequency = shown.ended_counts.sum(axis=1) / 150
    assert found.ended[:, :, 0].mean(axis=0) == pytest.approx(frequency, abs=0.12)
    assert found.ended[:, :, 0].mean() == pytest.approx(frequency.mean(), abs=0.01)
    assert found.right[:, :, 0].mean() == pytest.approx(shown.right.sum() / 15 / 150, abs=0.01)
    assert found.tokens[:, :, 0].mean() == pytest.approx(np.minimum(pools.tokens, CAP).mean(), rel=0.01)
