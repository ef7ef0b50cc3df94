"""The study of the gap against independent references, and on simulated data with a known truth."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import beta, binom

from studies.bridge import laws, mirror, posterior, signs
from studies.bridge.answers import NULL, WHOLE, Answers, read_answers
from studies.bridge.exponents import chernoff, exponents
from studies.bridge.figure import changes

TOKENS = np.array([20.0, 50.0, 100.0, 200.0])


def answers_of(codes: np.ndarray) -> Answers:
    names = tuple(f"q{i}" for i in range(len(codes)))
    lengths = tuple(f"forced={i}" for i in range(codes.shape[2]))
    return Answers(names, lengths, TOKENS[: codes.shape[2]], codes)


def rows_of(counts: dict[str, int], settings: tuple[str, ...]) -> pd.DataFrame:
    """Samples: 7 at forced=9, unreadable at forced=10; elsewhere the first is right, the others are 7."""
    rows = []
    for question, count in counts.items():
        for sample in range(count):
            for setting in settings:
                answer = {"forced=9": "7", "forced=10": None}.get(setting, "7" if sample else "5")
                row = {"question_id": question, "sample": sample, "setting": setting, "answer": answer}
                rows.append(row | {"correct": answer == "5", "tokens": 3})
    return pd.DataFrame(rows)


def test_answers_keep_their_number_along_lengths():
    forced, whole = rows_of({"a": 2}, ("forced=9", "forced=10")), rows_of({"a": 2}, ("500",))
    answers = read_answers(forced, whole)
    assert answers.lengths == ("forced=9", "forced=10", WHOLE)
    assert answers.codes[0].tolist() == [[1, NULL, 0], [1, NULL, 1]]


def test_of_a_run_that_is_not_finished_the_largest_block_is_taken():
    more, fewer = rows_of({"a": 4}, ("forced=9", "forced=10")), rows_of({"b": 2, "c": 2}, ("forced=9",))
    some = read_answers(pd.concat([more, fewer]), rows_of({"a": 4, "b": 2, "c": 2}, ("500",)))
    most = read_answers(pd.concat([more, fewer[:1]]), rows_of({"a": 4, "b": 1}, ("500",)))
    assert (some.questions, some.lengths, some.shape) == (("a", "b", "c"), ("forced=9", WHOLE), (3, 2, 2))
    assert (most.questions, most.shape) == (("a",), (1, 4, 3))


def test_at_one_length_the_share_of_right_answers_has_its_beta_posterior():
    codes = np.array([0] * 6 + [1] * 5 + [2] * 2 + [NULL])[None, :, None]
    prior = posterior.Prior(np.array([[1.0, 2.0, 0.5]]), np.array([3.0]))

    law = next(posterior.draw_laws(answers_of(codes), prior, 20_000, seed=0))

    exact = beta(7, 2 + 7 + 1.5)
    for tail in (0.05, 0.5, 0.95):
        assert abs(np.quantile(law.right[:, 0], tail) - exact.ppf(tail)) < 0.01
    seen = law.wrong[:, 0, 0] / law.wrong[:, 0].sum(axis=1)
    assert abs(seen.mean() - 5 / (7 + 3)) < 0.01
    assert (law.right + law.wrong.sum(axis=2) < 1).all()


def test_an_answer_that_stays_the_same_moves_the_gap_nowhere():
    codes = np.repeat(np.array([0, 0, 1, 1, 2])[None, :, None], 2, axis=2)
    prior = posterior.Prior(np.full((2, 3), 0.5), np.array([2.0, 2.0]))

    draws = posterior.draw_gaps(answers_of(codes), prior, draws=50)

    assert (draws[:, :, 0] == draws[:, :, 1]).all()


def test_a_questions_draws_depend_on_no_other_question():
    codes = np.random.default_rng(0).integers(-1, 4, (6, 8, 3))
    prior = posterior.Prior(np.ones((3, 3)), np.ones(3))
    answers = answers_of(codes)

    every = posterior.draw_gaps(answers, prior, draws=20)
    some = posterior.draw_gaps(answers.of(np.array([4, 1])), prior, draws=20)

    assert (every[:, [4, 1]] == some).all()


def test_intervals_of_the_gap_hold_in_a_world_of_the_prior():
    rng = np.random.default_rng(3)
    questions, n, theta = 400, 24, 6.0
    p = rng.dirichlet([1.2, 2.4, 0.2], questions)
    broken = 1 - rng.random((questions, 200)) ** (1 / theta)
    split = broken * np.cumprod(np.c_[np.ones(questions), 1 - broken[:, :-1]], axis=1) * p[:, [1]]
    world = mirror.World(np.concatenate([p[:, :1], split], axis=1)[:, None])
    like = answers_of(np.zeros((questions, n, 1), np.int64))

    drawn = world.answers(like, seed=5)
    draws = posterior.draw_gaps(drawn, draws=400)

    low, high = np.quantile(draws, [0.05, 0.95], axis=0)
    inside = ((world.gap > low) & (world.gap < high)).sum()
    assert binom.cdf(inside, questions, 0.9) > 1e-3
    assert binom.sf(inside, questions, 0.9) > 1e-3
    behind, share = (draws < 0).mean(), (world.gap < 0).mean()
    assert abs(behind - share) < 0.05


@pytest.mark.parametrize(("right", "rival"), [(0.5, 0.1), (0.3, 0.25), (0.9, 0.0), (0.2, 0.4)])
def test_chernoffs_exponent_is_the_least_of_the_moment_generating_function(right, rival):
    def moment(s: float) -> float:
        return right * np.exp(-s) + rival * np.exp(s) + 1 - right - rival

    least = minimize_scalar(moment, bounds=(0, 40), method="bounded").fun

    assert chernoff(np.array(right), np.array(rival)) == pytest.approx(-np.log(min(least, 1)), abs=1e-5)
    assert chernoff(np.array(right), np.array(rival)) >= max(right - rival, 0) ** 2 / 2


def test_bounds_lie_above_the_vote_that_a_half_suggests():
    rng = np.random.default_rng(0)
    codes = np.where(rng.random((8, 16, 1)) < 0.7, 0, rng.integers(1, 4, (8, 16, 1)))

    places = exponents(answers_of(codes), (2, 8), draws=4)

    assert places
    for place in places:
        hoeffding, bound, exact = place.bounds
        assert (hoeffding >= bound).all()
        assert 2 * bound[1] > exact[1]
        assert ((place.seen >= 0) & (place.seen <= 1)).all()


def test_the_vote_of_the_other_half_is_counted_by_hand():
    codes = np.array([[0, 1, 0, 0, 0, 1]])[:, :, None]  # the odd half is 1, 0, 1
    place = next(one for one in exponents(answers_of(np.repeat(codes, 3, axis=0)), (1, 3), draws=2))
    assert place.seen == pytest.approx([2 / 3, 1.0])


def draw_exponential(rate: float, questions: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    ends = rng.multivariate_normal([-0.2, 0.4], [[0.02, 0.005], [0.005, 0.05]], questions)
    truth = ends @ laws.basis(TOKENS, rate).T
    halves = truth + rng.normal(0, 0.05, (2, *truth.shape))
    return truth, halves[0], halves[1]


def test_a_law_with_one_rate_is_found_again_and_beats_every_other():
    truth, one, other = draw_exponential(1 / 60, 300, seed=1)
    noise = laws.noise_of(one, other)
    half, judge = laws.Half(one, noise), laws.Half(other, noise)

    fit = laws.fit_exponential(half, TOKENS, shared=True)
    said = fit.predict(half, TOKENS, TOKENS)
    shapeless = laws.fit_shapeless(half).predict(half, np.arange(len(TOKENS)))

    assert 1 / fit.rates[0] == 60
    assert np.allclose(fit.mean, [-0.2, 0.4], atol=0.05)
    assert np.allclose(np.diag(noise), 0.05**2, atol=5e-4)
    errors = [laws.squared_error(line, judge).mean() for line in (said.mean, shapeless.mean, one)]
    assert errors == sorted(errors)
    assert np.abs(said.mean - truth).mean() < 0.04
    assert laws.log_score(said, judge).mean() > laws.log_score(shapeless, judge).mean()


def test_a_law_is_the_conditional_normal_of_its_gaps():
    noise = np.diag([0.01, 0.02, 0.03, 0.04])
    fit = laws.Exponential(
        np.array([1 / 90]), np.ones(1), np.array([-0.1, 0.3]), np.array([[0.05, 0.01], [0.01, 0.1]]),
        TOKENS[[0, -1]], 0.0,
    )  # fmt: skip
    gaps = np.array([[0.0, 0.2, 0.1, 0.5]])

    said = fit.predict(laws.Half(gaps, noise), TOKENS, TOKENS)

    b = laws.basis(TOKENS, 1 / 90)
    precision = np.linalg.inv(fit.spread) + b.T @ np.linalg.inv(noise) @ b
    ends = np.linalg.solve(
        precision, np.linalg.inv(fit.spread) @ fit.mean + b.T @ np.linalg.inv(noise) @ gaps[0]
    )
    assert said.mean[0] == pytest.approx(b @ ends)
    assert said.covariance[0] == pytest.approx(b @ np.linalg.inv(precision) @ b.T)


def test_kinds_of_questions_and_changes_of_lead():
    gaps = np.array([[-0.3, -0.1], [-0.2, 0.4], [0.3, 0.1], [0.2, -0.2]])

    found = signs.kinds(gaps[None])

    for place, name in enumerate((signs.BEHIND, signs.UP, signs.AHEAD, signs.DOWN)):
        assert np.flatnonzero(found[name][0]).tolist() == [place]
    assert np.flatnonzero(found[signs.FALLS][0]).tolist() == [2, 3]
    assert not found[signs.LATE].any()
    assert signs.likeliest(np.array([0.2, 0.9, 0.1, 0.8])).tolist() == [False, True, False, True]
    lead = changes(TOKENS[:2], gaps)
    assert lead["question"].tolist() == [1, 3]
    assert lead["T"].tolist() == pytest.approx([30, 35])


def test_a_world_without_theory_has_the_models_means_and_never_falls():
    shares = np.array([[0.5, 6.0, 0.2], [1.0, 5.0, 0.2], [2.0, 3.0, 0.2]])
    prior = posterior.Prior(shares, np.array([5.0, 4.0, 3.0]))
    like = answers_of(np.zeros((400, 30, 3), np.int64))

    world = mirror.null_world(like, prior, seed=0)
    drawn = world.answers(like, seed=1)

    assert world.laws[:, :, 0].mean(axis=0) == pytest.approx(shares[:, 0] / shares.sum(axis=1), abs=0.01)
    assert (np.diff(world.laws[:, :, 0], axis=1) >= 0).all()
    assert drawn.right().mean(axis=0) == pytest.approx(world.laws[:, :, 0].mean(axis=0), abs=0.02)


def test_the_matched_twin_is_as_accurate_as_the_model():
    accuracy = np.array([0.06, 0.1, 0.2, 0.3])
    families = mirror.twin_worlds(accuracy, tasks=100, seed=0)
    assert families
    for world in families.values():
        assert world.laws[:, :, 0].mean(axis=0) == pytest.approx(accuracy, abs=mirror.CLOSE)
        assert world.laws.sum(axis=2) == pytest.approx(1.0)
