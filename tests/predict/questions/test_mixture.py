"""The mixture: its fits maximise what they should, and a known population is recovered from few answers."""

import itertools

import numpy as np
import pytest

from predict.groups import Group, group_of_pools
from predict.protocol import Observed, Options, Points, Pool, Status
from predict.questions.atoms import ATOMS, CHOICES, RESTS, THETAS, A, P
from predict.questions.fit import Problem, fit_mixtures
from predict.questions.mixture import mixture
from predict.questions.models import EVEN, GUESSES, MixtureModel, base, features
from predict.questions.population import _learning_set, fit_rates, fit_votes
from predict.questions.votes import vote_table
from results.votes.exact import AnswerPools, VoteCounts


def test_patterns_to_learn_from_are_those_of_questions_drawn_at_random(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A pattern that half of the questions share is always among them, with about half of the weight."""
    monkeypatch.setattr("predict.questions.population.LEARN_FROM", 20)
    of = np.concatenate([np.zeros(100, dtype=np.int64), np.arange(1, 101)])
    rows, times = _learning_set(of)
    assert len(rows) == 20
    assert rows[0] == 0
    assert times[0] / times.sum() == pytest.approx(0.5, abs=0.2)
    monkeypatch.undo()
    assert _learning_set(of)[1].sum() == 200


def test_derivatives_agree_with_differences_and_vanish_at_the_maximum() -> None:
    rng = np.random.default_rng(0)
    likelihood, times = rng.random((30, ATOMS)) ** 8, np.ones(30)
    problem = Problem(likelihood, times, MixtureModel(base(0.02), features(), 2.0))
    alpha = rng.normal(0, 0.1, features().shape[1])
    gradient, _ = problem.derivatives(alpha)
    step = 1e-5 * np.eye(len(alpha))
    slopes = [(problem.value(alpha + e) - problem.value(alpha - e)) / 2e-5 for e in step]
    assert gradient == pytest.approx(slopes, abs=1e-4)
    best, _ = problem.maximum(alpha)
    assert problem.value(best) == pytest.approx(problem.value(problem.maximum(best)[0]), abs=0.02)
    assert np.abs(problem.derivatives(best)[0]).max() < 0.3


def drawn_pool(questions: int, answers: int, rng: np.random.Generator, blank: float = 0.0) -> Pool:
    """Answers of a two-humped population: easy questions, and hard ones with a strong wrong answer."""
    votes = []
    for _ in range(questions):
        p = rng.beta(8, 2) if rng.random() < 0.6 else rng.beta(1.5, 4)
        wrong = np.array([0.5, 0.2, 0.1, 0.1, 0.1])
        raw = rng.choice(6, answers, p=[p, *(1 - p) * wrong])
        raw[rng.random(answers) < blank] = -1
        kinds = {kind: i + 1 for i, kind in enumerate(np.unique(raw[raw > 0]))}
        votes += [kinds.get(kind, kind) for kind in raw.tolist()]
    starts = np.arange(0, (questions + 1) * answers, answers)
    found = np.array(votes, dtype=np.int64)
    pool = AnswerPools([f"q{i:04}" for i in range(questions)], starts, found, np.full(len(found), 100.0))
    return Pool("s", 1.0, pool)


def observed(pool: Pool, n: int, method: str = "majority") -> tuple[Observed, Group]:
    """The first n answers of a pool, and all of them as a group."""
    from predict.groups import first_answers

    cut = group_of_pools("llm", "d", "m", method, [first_answers(pool, n)])
    whole = group_of_pools("llm", "d", "m", method, [pool], at_n=(20, 40))
    return Observed(
        cut.points, cut.accuracy, cut.stderr, np.empty((0, len(cut.points))), cut.pools, method
    ), whole


@pytest.mark.parametrize("blank", [0.0, 0.15])
def test_forecast_recovers_the_vote_of_hidden_answers(blank: float) -> None:
    rng = np.random.default_rng(3)
    seen, whole = observed(drawn_pool(400, 40, rng, blank), 6)
    targets = Points(np.array(["s", "s"]), np.ones(2), np.array([20, 40]))
    truth = [whole.accuracy[n == whole.points.N][0] for n in (20, 40)]
    found = mixture(seen, targets, Options(replicates=400, pool=40))
    assert found.mean == pytest.approx(truth, abs=0.025)
    assert (found.low <= truth).all()
    assert (truth <= found.high).all()
    assert (found.high - found.low < 0.1).all()
    assert set(found.status) == {"ok"}


def test_best_of_n_recovers_hidden_answers() -> None:
    targets = Points(np.array(["s", "s"]), np.ones(2), np.array([20, 40]))
    held, errors, widths = [], [], []
    for seed in range(8):
        seen, whole = observed(drawn_pool(400, 40, np.random.default_rng(seed)), 6, "best_of_n")
        truth = [whole.accuracy[n == whole.points.N][0] for n in (20, 40)]
        found = mixture(seen, targets, Options(replicates=200, pool=40))
        widths.append(found.high - found.low)
        held.append((found.low <= truth) & (truth <= found.high))
        errors.append(np.abs(found.mean - truth))
    assert np.mean(errors) < 0.02
    assert np.mean(widths) < 0.1
    assert np.mean(held) >= 0.75  # 14 of 16 are expected of 90 % intervals


def guessed_pool(questions: int, answers: int, rng: np.random.Generator) -> Pool:
    """Every question is guessed at: some thirty likely answers, of which the right one is any."""
    votes = []
    for _ in range(questions):
        shares = rng.dirichlet(np.full(30, 1.0))
        raw = rng.choice(30, answers, p=shares).tolist()
        kinds = {kind: i + 1 for i, kind in enumerate(sorted({k for k in raw if k}))}
        votes += [kinds.get(kind, 0) for kind in raw]
    starts = np.arange(0, (questions + 1) * answers, answers)
    names = [f"q{i:04}" for i in range(questions)]
    return Pool("s", 1.0, AnswerPools(names, starts, np.array(votes), np.full(len(votes), 1.0)))


def test_lucky_guesses_are_not_taken_for_knowledge() -> None:
    """A right answer that is one guess among thirty wins hardly more votes than the thirtieth part."""
    found = {}
    for n in (4, 8):
        seen, whole = observed(guessed_pool(300, 40, np.random.default_rng(6)), n)
        truth = whole.accuracy[whole.points.N == 40][0]
        found[n] = mixture(seen, Points(np.array(["s"]), np.ones(1), np.array([40])), Options(replicates=400))
    assert truth == pytest.approx(0.03, abs=0.02)
    assert found[4].mean[0] == pytest.approx(truth, abs=0.05)
    assert found[8].mean[0] == pytest.approx(truth, abs=0.02)
    assert found[8].low[0] <= truth <= found[8].high[0]


def test_evidence_is_the_probability_of_the_answers() -> None:
    """One feature, so that the integral over α can be done on a grid."""
    seen, _ = observed(drawn_pool(60, 16, np.random.default_rng(2)), 8)
    likelihood = fit_votes(seen.pools[0].answers.counts()).likelihood
    times = np.ones(likelihood.shape[0])
    model = MixtureModel(base(0.02), features()[:, :1], 4.0)
    (fit,) = fit_mixtures(likelihood, times, [model])
    problem = Problem(likelihood, times, model)
    grid = fit.alpha + np.linspace(-8, 8, 801)[:, None] * np.sqrt(fit.covariance[0])
    logs = np.array([problem.value(alpha) for alpha in grid]) + np.log(model.ridge / (2 * np.pi)) / 2
    integral = logs.max() + np.log(np.exp(logs - logs.max()).sum() * (grid[1, 0] - grid[0, 0]))
    assert fit.log_evidence == pytest.approx(integral, abs=0.05)


def test_fits_count_by_their_evidence() -> None:
    seen, _ = observed(drawn_pool(60, 16, np.random.default_rng(2)), 8)
    population = fit_votes(seen.pools[0].answers.counts())
    evidence = np.array([fit.log_evidence for fit in population.fits])
    assert population.shares.sum() == pytest.approx(1.0)
    assert np.diff(np.log(population.shares)) == pytest.approx(np.diff(evidence))


def test_base_weights_are_a_law_and_guesses_tie_the_right_answer_to_the_wrong_ones() -> None:
    hardly, half = (np.exp(base(guesses)).reshape(len(P), len(A), RESTS) for guesses in GUESSES)
    for weights in (hardly, half):
        rests = np.array(
            [EVEN if k >= len(THETAS) and CHOICES[k - len(THETAS)][1] > 1 else 1.0 for k in range(RESTS)]
        )
        assert weights.sum(axis=(0, 1)) == pytest.approx(rests, abs=0.01)
    mean = [(P[:, None] * w.sum(axis=1)).sum(axis=0) for w in (hardly, half)]
    share = (mean[0] - mean[1]) / (GUESSES[1] - GUESSES[0])  # known minus guessed
    theta = np.array(THETAS)
    assert share[: len(theta)] == pytest.approx(0.5 - 1 / (1 + theta), abs=0.02)


def test_population_interval_is_wider_than_that_of_these_questions() -> None:
    seen, _ = observed(drawn_pool(60, 16, np.random.default_rng(5)), 8)
    targets = Points(np.array(["s"]), np.ones(1), np.array([16]))
    widths = {}
    for target in ("these-questions", "population"):
        found = mixture(seen, targets, Options(replicates=400, target=target))
        widths[target] = float(found.high[0] - found.low[0])
    assert widths["population"] > 1.3 * widths["these-questions"]


@pytest.mark.parametrize("vote", [0, 1], ids=["all right", "all wrong"])
def test_unanimous_answers_give_a_defined_forecast(vote: int) -> None:
    starts = np.arange(0, 41, 4)
    answers = AnswerPools([f"q{i}" for i in range(10)], starts, np.full(40, vote), np.full(40, np.nan))
    seen, _ = observed(Pool("s", np.nan, answers), 4)
    found = mixture(seen, Points(np.array(["s"]), np.array([np.nan]), np.array([16])), Options(replicates=50))
    assert found.mean[0] == pytest.approx(1 - vote, abs=0.12)
    assert 0 <= found.low[0] <= found.mean[0] <= found.high[0] <= 1


def test_one_question_gives_a_defined_forecast() -> None:
    answers = AnswerPools(["q"], np.array([0, 4]), np.array([0, 0, 1, 2]), np.full(4, np.nan))
    seen, _ = observed(Pool("s", np.nan, answers), 4)
    found = mixture(seen, Points(np.array(["s"]), np.array([np.nan]), np.array([16])), Options(replicates=50))
    assert 0 < found.mean[0] < 1


def test_one_answer_a_question_pins_no_vote_down() -> None:
    seen, _ = observed(drawn_pool(60, 4, np.random.default_rng(0)), 1)
    found = mixture(seen, Points(np.array(["s"]), np.ones(1), np.array([16])), Options())
    assert found.status[0] == Status.BOUND_HIT


def test_settings_without_answers_are_forecast_along_T_and_curves_fall_back_to_joint() -> None:
    pools = []
    for i, blank in enumerate((0.5, 0.3, 0.2, 0.15)):
        pool = drawn_pool(100, 8, np.random.default_rng(7), blank)
        pools.append(Pool(f"s{i}", 1.0 + i, pool.answers))
    cut = group_of_pools("llm", "d", "m", "majority", pools)
    empty = np.empty((0, len(cut.points)))
    seen = Observed(cut.points, cut.accuracy, cut.stderr, empty, cut.pools)
    targets = Points(np.array(["s3", "new"]), np.array([4.0, 6.0]), np.array([32, 32]))
    found = mixture(seen, targets, Options(replicates=60))
    assert found.mean[1] == pytest.approx(found.mean[0], abs=0.08)
    assert np.isfinite([*found.low, *found.high]).all()
    curves = mixture(Observed(cut.points, cut.accuracy, cut.stderr, empty), targets, Options())
    assert "mixture needs samples" in curves.notes[0]


def test_a_population_that_is_far_from_the_observed_accuracy_is_a_poor_fit() -> None:
    from predict.questions.mixture import _check

    seen, _ = observed(drawn_pool(100, 8, np.random.default_rng(1)), 8)
    (pool,) = seen.pools
    counts = pool.answers.counts()
    wrong = VoteCounts(np.full(200, 0), np.full(200, 4), np.arange(201), np.zeros(200, dtype=np.int64))
    assert _check(seen, pool, fit_votes(wrong)) is Status.POOR_FIT
    assert _check(seen, pool, fit_votes(counts)) is Status.OK
    best, _ = observed(pool, 8, "best_of_n")
    assert _check(best, pool, fit_rates(counts)) is Status.OK


def alike_pool(questions: int, answers: int, rng: np.random.Generator) -> Pool:
    """Every question has the same p = 0.6 and three equally likely wrong answers."""
    raw = rng.choice(4, (questions, answers), p=[0.6, 0.4 / 3, 0.4 / 3, 0.4 / 3])
    rows = []
    for row in raw.tolist():
        kinds = {kind: i + 1 for i, kind in enumerate(dict.fromkeys(k for k in row if k))}
        rows += [kinds.get(kind, 0) for kind in row]
    starts = np.arange(0, (questions + 1) * answers, answers)
    names = [f"q{i:04}" for i in range(questions)]
    return Pool("s", 1.0, AnswerPools(names, starts, np.array(rows), np.full(len(rows), 1.0)))


def test_questions_that_are_all_alike_raise_the_alarm() -> None:
    """The one population that smooth weights cannot follow: forecasts are too low, and say so."""
    alarms = 0
    for seed in range(5):
        seen, _ = observed(alike_pool(300, 8, np.random.default_rng(seed)), 8)
        found = mixture(seen, Points(np.array(["s"]), np.ones(1), np.array([16])), Options())
        assert 0.88 < found.mean[0] < 0.979  # what infinitely many such questions give
        alarms += found.status[0] == Status.POOR_FIT
    assert alarms >= 4


def test_question_order_and_label_order_do_not_matter() -> None:
    pool = drawn_pool(50, 8, np.random.default_rng(9))
    counts = pool.answers.counts()
    flip = np.arange(50)[::-1]
    wrong = [counts.wrong[a:b][::-1] for a, b in itertools.pairwise(counts.starts)]
    sizes = np.array([len(wrong[i]) for i in flip])
    other = VoteCounts(
        counts.correct[flip],
        np.concatenate([wrong[i] for i in flip]),
        np.concatenate([[0], sizes.cumsum()]),
        counts.nulls,
    )
    values = np.stack([vote_table(16)], axis=1)
    one, two = fit_votes(counts).moments(values)[0], fit_votes(other).moments(values)[0]
    assert one[flip] == pytest.approx(two, abs=1e-3)
