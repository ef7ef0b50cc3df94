"""Two stages without bias: exact sums over all outcomes, and comparison with simulated answers."""

import numpy as np
import pytest

from studies.allocation.run import Design, compared, two_stages

CHANCES = np.array([0.0, 0.03, 0.3, 0.5, 0.81, 1.0])


@pytest.mark.parametrize("tries", [1, 4])
@pytest.mark.parametrize("budget", [8, 16])
def test_the_estimate_is_unbiased_at_every_chance(budget: int, tries: int) -> None:
    design = two_stages(CHANCES, budget, tries)
    mean, variance, spent = design.moments(CHANCES, "unbiased")
    np.testing.assert_allclose(mean, 1 - (1 - CHANCES) ** tries, atol=1e-12)
    assert (variance >= -1e-12).all()
    assert spent.mean() == pytest.approx(budget, rel=0.25)


def test_moments_are_those_of_answers_that_are_drawn() -> None:
    design = Design(np.array([4, 9, 9, 9, 4]), tries=2)
    generator = np.random.default_rng(1)
    draws = generator.random((200_000, 9)) < 0.6
    pilot = draws[:, :4].sum(axis=1)
    numbers = design.numbers[pilot]
    right = np.where(numbers == 4, pilot, draws.sum(axis=1))
    values = np.empty(len(draws))
    for number in (4, 9):
        values[numbers == number] = design.unbiased(number, right[numbers == number])
    mean, variance, spent = design.moments(np.array([0.6]), "unbiased")
    assert mean[0] == pytest.approx(0.84)
    assert values.mean() == pytest.approx(0.84, abs=0.004)  # five standard errors
    assert values.var() == pytest.approx(variance[0], rel=0.03)
    assert numbers.mean() == pytest.approx(spent[0], rel=0.01)


def test_one_number_for_all_is_equal_shares() -> None:
    design = Design(np.full(5, 8), tries=2)
    ours, plain = (design.moments(CHANCES, estimate) for estimate in ("unbiased", "plain"))
    np.testing.assert_allclose(ours, plain, atol=1e-12)


def test_nearly_certain_questions_make_the_allocation_worth_it() -> None:
    chances = np.array([0.999] * 30 + [0.5] * 3)
    assert compared(chances, 16, 1)["ratio"] < 0.6
