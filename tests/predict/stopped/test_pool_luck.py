"""predict.stopped.survival: the luck of a finite pool, against pools completed by drawing."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from predict.evidence.points import Floats, Run
from predict.stopped.seen import seen_at
from predict.stopped.simulate import Simulated
from predict.stopped.survival import Ahead, _accuracies
from results.votes.exact import AnswerPools, best_of_n

POOL, CHANCE, CAP, Q = 16, 0.2, 100, 40


def accuracies(known: Sequence[int], R: int, cap: list[int], N: list[int], pool: int) -> Floats:
    """Draws of best of N at the caps, for a run with `pool` answers to each question."""
    ahead = look(known, R)
    nothing = AnswerPools([], np.zeros(1, int), np.zeros(0, int), np.zeros(0))
    run = Run("s", nothing, CAP, {"cap": CAP}, np.full(len(known), pool))
    return _accuracies(ahead, run, np.array(cap), np.array(N), "best_of_n", 0)[0]


def look(known: Sequence[int], R: int) -> Ahead:
    """As many answers `known` to each question, a quarter of them unfinished; chances without any doubt."""
    starts = np.concatenate([[0], np.cumsum(known)])
    place = np.arange(starts[-1]) - np.repeat(starts[:-1], known)
    tokens = np.where(place % 4 == 0, CAP + 1.0, 50.0)
    names = [f"q{q}" for q in range(len(known))]
    pools = AnswerPools(names, starts, np.arange(starts[-1]) % 2, tokens)
    ones = np.ones((R, len(known), 1))
    return Ahead(seen_at(pools, CAP), Simulated(CHANCE * ones, ones, ones), 0.0)


def luck(known: int, N: np.ndarray) -> Floats:
    """Variance of one question's best of N out of a pool, by completing the pool twice from what is known."""
    rng = np.random.default_rng(0)
    drawn = rng.binomial(known, CHANCE, (20_000, 1))
    first, second = (
        best_of_n(np.full_like(drawn, POOL), drawn + rng.binomial(POOL - known, CHANCE, drawn.shape), N)
        for _ in range(2)
    )
    return np.asarray(((first - second) ** 2).mean(axis=0) / 2)


@pytest.mark.parametrize("known", [(4,) * Q, (12,) * Q, (4, 12) * (Q // 2)], ids=["4", "12", "uneven"])
def test_the_luck_of_a_pool_is_that_of_the_answers_not_yet_seen(known: tuple[int, ...]) -> None:
    """Best of 4 and of 8 out of 16. Of 4,000 draws a spread is known to 1.1 %."""
    N = np.array([4, 8])

    found = accuracies(known, 4000, [0, 0], [4, 8], POOL)

    expected = np.sqrt(np.mean([luck(one, N) for one in known[:2]], axis=0) / Q)
    assert found.mean(axis=0) == pytest.approx(1 - (1 - CHANCE) ** N, abs=0.005)
    assert found.std(axis=0) == pytest.approx(expected, rel=0.05)


def test_a_pool_that_has_been_seen_has_no_luck_left() -> None:
    found = accuracies((8,) * Q, 50, [0], [4], 8)

    assert found.std() == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(("clusters", "draws"), [(None, Q), (list("abcd") * (Q // 4), 4)])
def test_new_questions_are_drawn_by_clusters(clusters: list[str] | None, draws: int) -> None:
    """Half of the clusters always right, half never: the mean of so many draws. Its spread to 1.1 %."""
    ahead = look((8,) * Q, 4000)
    right = np.broadcast_to((np.arange(Q) % 2).astype(float)[:, None], (4000, Q, 1))
    ahead = replace(ahead, simulated=Simulated(right, np.ones_like(right), np.ones_like(right)))
    names = AnswerPools(
        [f"q{q}" for q in range(Q)], np.arange(Q + 1), np.zeros(Q, int), np.ones(Q), None, clusters
    )
    run = Run("s", names, CAP, {"cap": CAP}, np.full(Q, 8))
    _, new = _accuracies(ahead, run, np.array([0]), np.array([4]), "best_of_n", 0)
    assert new.std() == pytest.approx(0.5 / np.sqrt(draws), rel=0.07)


def test_a_larger_n_beside_it_changes_no_target() -> None:
    """Each target has a pool of its own: as many answers as are asked for, unless a larger one is named."""
    alone = accuracies((4,) * Q, 50, [0], [8], 4)
    beside = accuracies((4,) * Q, 50, [0, 0], [8, 64], 4)

    assert beside[:, 0].tolist() == alone[:, 0].tolist()
    assert beside[:, 1].std() > 0
