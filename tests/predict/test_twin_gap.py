"""The fitted Δ_T against the exact one, known in the synthetic twin: P(right) − P(leading wrong answer).

They are not the same number. For one question the vote's error falls like e^{−νN} with Chernoff's rate
ν = −log(1 − (√p − √q)²), where p and q are the probabilities of the right and the leading wrong answer; the
paper's Δ²/2 is a lower bound of ν. So a fitted √(2ν) is larger than Δ, and larger still for a mean over
questions, in which close calls act as a level α < 1 and not as a slow rise.
"""

import numpy as np
import pytest

from results import fit_saturating
from results.low_cost_to_high import part_1
from results.votes.multinomial import vote_accuracy
from synthetic.binary.chain import PathLaw, law_of_paths
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import draw_tasks, task_keys

STEPS = (1, 2, 3, 4, 6, 8, 12, 16)
VOTES = (1, 3, 5, 9, 17, 33, 65, 129)
TASKS = 40

Twin = tuple[PathLaw, np.ndarray]
"""The law of 40 tasks, and their exact accuracies (tasks, steps, votes)."""


@pytest.fixture(scope="module")
def twin() -> Twin:
    setting = BinarySetting(n=5, k=1, d=10, eta=1.0, sigma_eps=0.1, step_rule="eta/n")  # Figure 2h
    law = law_of_paths(draw_tasks(setting, task_keys(1, TASKS), 0), setting, STEPS)
    rows = law.probabilities.reshape(-1, law.probabilities.shape[2])
    exact = vote_accuracy(rows, np.repeat(law.gold, len(STEPS)), VOTES)
    return law, exact.reshape(TASKS, len(STEPS), len(VOTES))


def test_of_one_question_the_fit_finds_chernoff_s_rate_and_so_more_than_the_gap(twin: Twin) -> None:
    law, exact = twin
    late = len(STEPS) - 1
    clear = np.flatnonzero(law.gap[:, late] > 0.2)
    fitted = np.array([np.sqrt(2 * fit_saturating(VOTES, exact[i, late]).rate) for i in clear])
    gap, right = law.gap[clear, late], law.correct[clear, late]
    rate = -np.log(1 - (np.sqrt(right) - np.sqrt(right - gap)) ** 2)
    assert len(clear) > 20
    assert np.median(fitted / np.sqrt(2 * rate)) == pytest.approx(1.0, abs=0.05)
    assert (np.sqrt(2 * rate) >= gap).all()  # so the paper's Δ²/2 is a bound
    assert 1.2 < np.median(fitted / gap) < 1.6


def test_of_many_questions_the_fitted_gap_follows_the_exact_mean_from_above(twin: Twin) -> None:
    law, exact = twin
    T, N = np.repeat(np.array(STEPS, dtype=float), len(VOTES)), np.tile(VOTES, len(STEPS))
    curve = exact.mean(axis=0).ravel()
    steps, gap = np.array(STEPS, dtype=float), law.gap.mean(axis=0)

    ends = steps[[0, -1]]
    algorithm_3 = part_1(steps, curve[N == 1], ends, [(N[t == T], curve[t == T]) for t in ends])
    fitted = algorithm_3(steps)
    assert (fitted > gap).all()
    assert fitted[-1] < 1.25 * gap[-1]  # 2.5 times at t = 1, where a quarter of the gaps are negative
    assert np.corrcoef(fitted, gap)[0, 1] > 0.97
    # Algorithm 3 takes the rate in T from Acc(T, 1). The gap saturates faster, as it also gains from the
    # decline of the leading wrong answer, which ends earlier.
    assert 0.65 < algorithm_3.mu / fit_saturating(steps, gap).rate < 0.85
