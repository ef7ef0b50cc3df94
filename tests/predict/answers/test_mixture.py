"""The mixture: the vote of hidden answers is recovered, and intervals have the stated coverage."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import predict.answers.mixture as law
from predict.answers.atom_votes import vote_table
from predict.answers.atoms import CHOICES, RESTS, THETAS, A, P
from predict.answers.mixture import accuracies, accuracy_by_atom, from_answers, mixture, populations
from predict.answers.population import fit_population, learning_set
from predict.answers.prior import _EVEN_CHOICES, _log_law
from predict.answers.unread import Unread
from predict.estimate import Estimate, Options
from predict.evidence.capped import observe
from predict.evidence.groups import group_of_pools
from predict.evidence.points import Points
from results.tables.key import Key
from results.votes.exact import VoteCounts
from tests.predict.answers.pools import drawn_pool, observed, pool_of, targets


@pytest.mark.parametrize("blank", [0.0, 0.15])
def test_forecast_recovers_the_vote_of_hidden_answers(blank: float) -> None:
    rng = np.random.default_rng(3)
    seen, whole = observed(drawn_pool(400, 40, rng, blank), 6)
    truth = [whole.accuracy[n == whole.points.N][0] for n in (20, 40)]
    found = mixture(seen, targets([20, 40]), Options(replicates=400))
    assert found.mean == pytest.approx(truth, abs=0.025)
    assert (found.these.low <= truth).all()
    assert (truth <= found.these.high).all()
    assert (found.these.high - found.these.low < 0.1).all()
    assert set(found.status) <= {"ok", "bound_hit"}  # the weights are uncertain by about 3 points


@pytest.mark.integration  # many seconds
@pytest.mark.parametrize("method", ["majority", "best_of_n"])
def test_intervals_of_90_percent_hold_about_that_share_of_the_truths(method: str) -> None:
    """Twelve sets with two truths each. Correct intervals miss a truth in 8 or more sets once in 2,000 times
    (in one set with probability 0.1 to 0.19); far too wide ones are caught by their width."""
    held, errors, widths = [], [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        p = np.where(rng.random(400) < 0.6, rng.beta(8, 2, 400), rng.beta(1.5, 4, 400))
        shares = np.column_stack([p, (1 - p)[:, None] * rng.dirichlet(np.ones(4), 400)])
        raw = np.array([rng.choice(5, 40, p=row / row.sum()) for row in shares])
        seen, whole = observed(pool_of(raw), 6, method)
        truth = [whole.accuracy[n == whole.points.N][0] for n in (20, 40)]
        found = mixture(seen, targets([20, 40]), Options(replicates=200))
        widths.append(found.these.high - found.these.low)
        held.append((found.these.low <= truth) & (truth <= found.these.high))
        errors.append(np.abs(found.mean - truth))
    assert np.mean(errors) < 0.03
    assert np.all(held, axis=1).sum() > 4
    assert np.mean(widths) < 8 * np.mean(errors)


def test_lucky_guesses_are_not_taken_for_knowledge() -> None:
    """A right answer that is one of thirty guesses wins hardly more than a thirtieth of the votes."""
    rng = np.random.default_rng(6)
    guesses = pool_of(np.array([rng.choice(30, 40, p=rng.dirichlet(np.ones(30))) for _ in range(300)]))
    found = {}
    for n in (4, 8):
        seen, whole = observed(guesses, n)
        truth = whole.accuracy[whole.points.N == 40][0]
        found[n] = mixture(seen, targets([40]), Options(replicates=400))
    assert truth == pytest.approx(0.03, abs=0.02)
    assert found[4].mean[0] == pytest.approx(truth, abs=0.05)
    assert found[8].mean[0] == pytest.approx(truth, abs=0.02)
    assert found[8].these.low[0] <= truth <= found[8].these.high[0]


def test_prior_weights_are_a_law_and_guesses_tie_the_right_answer_to_the_wrong_ones() -> None:
    known, guessed = (np.exp(_log_law(share)).reshape(len(P), len(A), RESTS) for share in (0.0, 1.0))
    rests = [1.0] * len(THETAS) + [_EVEN_CHOICES if beta > 1 else 1.0 for _, beta in CHOICES]
    for weights in (known, guessed):
        assert weights.sum(axis=(0, 1)) == pytest.approx(rests, abs=0.01)
    mean = [(P[:, None] * w.sum(axis=1)).sum(axis=0)[: len(THETAS)] for w in (known, guessed)]
    assert mean[0] == pytest.approx(0.5, abs=0.01)
    assert mean[1] == pytest.approx(1 / (1 + np.array(THETAS)), abs=0.02)


@pytest.mark.parametrize("share", [0.25, 0.5])
def test_unreadable_answers_narrow_the_spread_of_a_vote_of_one(share: float) -> None:
    """If a share b of every question's answers is unreadable, f = (1 − b) p, so its spread is 1 − b times
    that of p, without the variance of whether a vote is cast."""
    rng = np.random.default_rng(4)
    raw = (rng.random((200, 8)) > rng.beta(2, 2, (200, 1))).astype(np.int64)
    blank = np.concatenate([raw, np.full((200, round(8 * share / (1 - share))), -1)], axis=1)
    widths = []
    for rows in (raw, blank):
        seen, _ = observed(pool_of(rows), rows.shape[1])
        found = mixture(seen, targets([1]), Options(replicates=2000))
        widths.append(float(found.these.high[0] - found.these.low[0]))
    assert widths[1] == pytest.approx((1 - share) * widths[0], rel=0.12)  # 2,000 draws: 4 % error each


def test_votes_cast_are_beta_binomial_with_each_questions_own_unreadable_answers() -> None:
    counts = VoteCounts(np.array([4, 2, 4]), np.zeros(0, int), np.zeros(4, int), np.array([0, 2, 0]))
    a, b = np.geomspace(0.2, 3.0, len(P)), np.full(len(P), 1.5)
    values, which = accuracy_by_atom(counts, np.array([1, 2]), unread=Unread(a, b))
    assert which[0] == which[2] != which[1]
    a, b = a[-1] + counts.nulls, b[-1] + 4 - counts.nulls
    none = np.stack([a / (a + b), a / (a + b) * (a + 1) / (a + b + 1)], axis=1)
    assert values[which, -1] == pytest.approx(1 - none)  # the last atom is right whenever readable


def test_questions_that_are_never_answered_stay_so() -> None:
    """Half of 300 questions are never readable, the others always; the right answer leads in all."""
    rng = np.random.default_rng(7)
    raw = rng.choice(4, (300, 40), p=[0.7, 0.1, 0.1, 0.1])
    raw[:150] = -1
    seen, whole = observed(pool_of(raw), 4)
    found = mixture(seen, targets([20, 40]), Options())
    truth = [whole.accuracy[n == whole.points.N][0] for n in (20, 40)]
    assert found.mean == pytest.approx(truth, abs=0.05)


@pytest.mark.parametrize("method", ["majority", "best_of_n"])
@pytest.mark.parametrize("vote", [0, 1], ids=["all right", "all wrong"])
def test_unanimous_answers_give_a_defined_forecast(vote: int, method: str) -> None:
    seen, _ = observed(pool_of(np.full((10, 4), vote)), 4, method)
    found = mixture(seen, targets([16], T=np.nan), Options(replicates=50))
    assert found.mean[0] == pytest.approx(1 - vote, abs=0.12)
    assert 0 <= found.these.low[0] <= found.mean[0] <= found.these.high[0] <= 1


def test_question_order_and_label_order_do_not_matter() -> None:
    counts = drawn_pool(50, 8, np.random.default_rng(9)).answers.counts()
    flip = np.arange(50)[::-1]
    wrong = [counts.wrong[a:b][::-1] for a, b in itertools.pairwise(counts.starts)]
    sizes = np.array([len(wrong[i]) for i in flip])
    other = VoteCounts(
        counts.correct[flip],
        np.concatenate([wrong[i] for i in flip]),
        np.concatenate([[0], sizes.cumsum()]),
        counts.nulls,
    )
    values = vote_table(16)[:, None]
    one, two = (fit_population(each).posterior() @ values for each in (counts, other))
    assert one[flip] == pytest.approx(two, abs=1e-6)


def test_patterns_to_learn_from_are_those_of_questions_drawn_at_random(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A pattern shared by half of the questions is always included, with about half of the weight."""
    monkeypatch.setattr("predict.answers.population.LEARN_FROM", 20)
    pattern = np.concatenate([np.zeros(100, dtype=np.int64), np.arange(1, 101)])
    rows, times = learning_set(pattern)
    assert len(rows) == 20
    assert rows[0] == 0
    assert times[0] / times.sum() == pytest.approx(0.5, abs=0.2)
    monkeypatch.undo()
    assert learning_set(pattern)[1].sum() == 200


@pytest.mark.parametrize("common", [0.0, 0.3])
def test_of_new_questions_the_error_is_what_answers_leave_open_and_the_draw_of_questions(
    common: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For 30 questions: a thirtieth of the variance between posterior means and of that within posteriors,
    plus the share of the latter that is an error common to all questions. Only one law is used, so that
    nothing else varies."""
    pool = drawn_pool(30, 8, np.random.default_rng(0))
    counts = pool.answers.counts()
    fitted = fit_population(counts)
    law = fitted.fit.laws[0]
    sure = replace(fitted, fit=replace(law, covariance=1e-12 * np.eye(len(law.alpha))))
    N = np.array([16])
    values = accuracy_by_atom(counts, N)[0][0]
    each, square = (sure.posterior() @ power for power in (values, values**2))
    monkeypatch.setattr("predict.answers.mixture.COMMON_ERROR", common)
    found = accuracies(pool, sure, N, np.full(30, np.inf), "majority", Options(replicates=4000))
    posterior = (square - each**2).mean()
    assert found.scatter == pytest.approx(posterior, rel=0.02)
    shared = common**2 * posterior
    assert found.draws[0].var() == pytest.approx(posterior / 30 + shared, rel=0.1)
    assert found.draws[1].var() == pytest.approx((posterior + each.var()) / 30 + shared, rel=0.1)
    assert found.mean == pytest.approx(each.mean(axis=0), abs=1e-9)


@pytest.mark.release  # half a minute; test_rest.py tests the pools alone
def test_five_of_eight_seen_leave_the_luck_of_three(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interval of a pool's vote is narrower than that of an entirely new pool, and covers the truth."""
    monkeypatch.setattr("predict.answers.mixture.IMAGINED", 2**15)
    held, widths = [], []
    for seed in range(30):
        seen, whole = observed(drawn_pool(200, 8, np.random.default_rng(seed)), 5)
        truth = whole.accuracy[whole.points.N == 8][0]
        (pool,) = seen.pools
        nothing = replace(pool, whole=np.full(200, 13))  # eight new ones besides the five seen
        other = replace(seen, pools=(nothing,))
        fitted = populations(seen)
        part, new = (
            from_answers(one, targets([8]), Options(replicates=200), fitted).these for one in (seen, other)
        )
        held.append(part.low[0] <= truth <= part.high[0])
        widths.append([part.high[0] - part.low[0], new.high[0] - new.low[0]])
    assert np.mean(held) >= 0.75  # at 90 % coverage, fewer than 23 of 30 once in 60
    assert np.mean(held) <= 0.99
    narrow, wide = np.mean(widths, axis=0)
    assert narrow < wide


@pytest.mark.filterwarnings("error")
def test_a_law_with_none_of_a_questions_atoms_takes_them_as_they_were_drawn() -> None:
    """This can happen to one of 2,048 or more questions, which have 16 atoms each; it used to give 0 / 0."""
    value = np.array([[0.2, 0.4], [0.6, 1.0]])[:, :, None]
    chances = np.array([[0.0, 0.0], [1.0, 3.0]])
    mean, draws = law._one_draw(chances, value, value, np.array([0, 0]), np.random.default_rng(0))
    assert [mean[0], draws.min() > 0] == [pytest.approx((0.3 + 0.9) / 2), True]


@pytest.mark.parametrize("method", ["majority", "best_of_n"])
def test_an_estimate_does_not_hang_on_what_else_is_asked(method: str) -> None:
    """Nor does the mean depend on the number of draws, even for a setting without answers."""
    few, more = (drawn_pool(20, 16, np.random.default_rng(seed)) for seed in (0, 1))
    pools = [replace(one, setting=name, T=T) for one, name, T in ((few, "s", 1.0), (more, "t", 2.0))]
    group = group_of_pools(Key("llm", "d", "m", method=method), pools)
    evidence = observe(group, ["s", "t"], 6)

    def asked(N: list[int], replicates: int = 20) -> Estimate:
        places = Points.grid({"s": 1.0, "t": 2.0, "new": 3.0}, N)
        return mixture(evidence, places, Options(replicates))

    one, both, none = asked([16]), asked([16, 1024]), asked([16], 0)
    for found, other in ((one.these, both.these), (one.new, both.new)):
        assert found.low == pytest.approx(other.low[::2], abs=1e-12)
        assert found.high == pytest.approx(other.high[::2], abs=1e-12)
    assert one.mean == pytest.approx(none.mean, abs=1e-12)
