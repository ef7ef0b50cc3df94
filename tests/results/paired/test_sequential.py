"""results.paired.sequential against published boundaries, simulated looks, and explicit bets."""

import numpy as np
import pytest

from results.paired.sequential import Open, Planned, boundaries, replayed


def drawn(questions: int, gain: float = 0.0, seed: int = 0) -> np.ndarray:
    """Differences of votes: half are 0, the rest go either way; a share `gain` is turned positive."""
    rng = np.random.default_rng(seed)
    moves = rng.choice([-1, 0, 0, 1], questions) * rng.random(questions)
    return np.where(rng.random(questions) < gain, np.abs(moves), moves)


def test_the_boundaries_are_those_that_are_published():
    """O’Brien and Fleming’s spending, five equal looks, two-sided 5 % (Jennison and Turnbull 2000, ch. 7)."""
    assert boundaries((0.2, 0.4, 0.6, 0.8, 1.0), 0.95) == pytest.approx(
        (4.877, 3.357, 2.680, 2.290, 2.031), abs=6e-4
    )
    assert boundaries((1.0,), 0.9) == pytest.approx((1.644854,), abs=1e-6)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_boundaries_are_crossed_as_often_as_the_level_allows(level):
    shares = np.array([0.05, 0.3, 0.35, 0.8, 1.0])
    steps = np.random.default_rng(0).standard_normal((100_000, 5)) * np.sqrt(np.diff(shares, prepend=0))
    crossed = np.abs(steps.cumsum(axis=1) / np.sqrt(shares)) > boundaries(tuple(shares), level)
    # 4 standard errors of the draws; crossing both sides counts once
    assert crossed.any(axis=1).mean() == pytest.approx(1 - level, abs=4 * np.sqrt(level * (1 - level) / 1e5))


@pytest.mark.parametrize("way", [Planned(60), Open()])
def test_equal_runs_are_told_apart_at_any_look_in_at_most_5_of_100_cases(way):
    """400 comparisons: more than 33 would be three standard errors above 5 %."""
    words = [way.end(drawn(60, seed=seed))[1] for seed in range(400)]
    assert sum(word in ("better", "worse") for word in words) <= 33


@pytest.mark.parametrize("way", [Planned(300), Open()])
def test_the_two_runs_are_treated_alike(way):
    differences = drawn(150, 0.5)
    look, other = way.look(differences), way.look(-differences)
    assert (look.interval.low, look.interval.high) == pytest.approx(
        (-other.interval.high, -other.interval.low)
    )
    assert look.word == "better"
    assert other.word == "worse"


@pytest.mark.parametrize("margin", [0.02, 0.05, 0.1, 0.2])
def test_a_margin_is_a_gain_of_every_question(margin):
    """This includes whether to go on: a margin may be within reach where 0 is not."""
    differences = drawn(100, seed=3)
    differences -= differences.mean()
    plan = Planned(200)
    with_margin, with_gain = plan.look(differences, margin), plan.look(differences + margin)
    assert with_margin.word == with_gain.word
    assert plan.end(differences, margin) == plan.end(differences + margin)
    assert {plan.look(differences, m).word for m in (0.02, 0.05)} == {"undecided", "go on"}


@pytest.mark.parametrize("margin", [0.0, 0.1, 0.3])
@pytest.mark.parametrize("gain", [-0.25, 0.0, 0.25])
def test_an_open_comparison_ends_at_its_first_look_that_decides(gain, margin):
    differences = np.clip(drawn(150, seed=5) + gain, -1, 1)
    words = [Open().look(differences[:place], margin).word for place in range(1, 151)]
    decided = [(place, word) for place, word in enumerate(words, 1) if word != "go on"]
    assert Open().end(differences, margin) == (decided or [(150, "go on")])[0]


def test_the_open_interval_holds_what_no_bet_refutes():
    """Check the ends by explicit bets, question by question."""
    differences = drawn(120, 0.4)
    interval = Open().look(differences).interval
    stakes = np.geomspace(0.05, 0.95, 6)

    def stake_left(value: float, d: np.ndarray) -> float:
        money = np.ones(6)
        for one in d:
            money *= 1 + stakes * ((one + 1) / (value + 1) - 1)
        return float(money.mean())

    assert stake_left(interval.low, differences) == pytest.approx(40)
    assert stake_left(-interval.high, -differences) == pytest.approx(40)
    assert stake_left(interval.low + 0.01, differences) < 40


def test_it_ends_where_all_the_questions_would_hardly_decide():
    nothing = np.zeros(100)
    assert Planned(200).look(nothing[:20]).word == "go on"
    assert Planned(200).look(nothing).word == "undecided"
    assert Open().look(nothing).word == "go on"
    assert Planned(100).look(nothing).word == "undecided"
    assert Planned(3).places(3) == [1, 2, 3]  # of ten looks


def test_a_surely_decided_comparison_needs_part_of_its_questions():
    replay = replayed(np.full(200, 0.3), Planned(200))
    assert replay.words == {"better": 200}
    assert replay.questions < 100
