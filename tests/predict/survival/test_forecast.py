"""predict.survival: what is seen, what is forecast from it, and that nothing else is looked at."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logit

from predict.estimate import Estimate, Options, Status
from predict.evidence.points import Evidence, Points, Run
from predict.survival.fit import Fit, Problem, fit
from predict.survival.forecast import ahead_of, survival
from predict.survival.law import PRIOR_MEAN
from predict.survival.pace import LASTING, ORIGINS, PASSING, misses, paces
from predict.survival.seen import seen_at, stopped, thinned
from predict.survival.simulate import Simulated, bins_to, simulate
from predict.survival.votes import WrongAnswers, vote_accuracy, wrong_answers
from results.votes.exact import AnswerPools, VoteCounts, best_of_n, majority_accuracy
from tests.predict.survival.simulated import answers, questions

pytestmark = pytest.mark.integration  # many seconds

CAP, CAPS = 9000, (11000, 15000, 30000)
NAMES = np.array([str(cap) for cap in CAPS])


@pytest.fixture(scope="module")
def world() -> tuple[AnswerPools, AnswerPools]:
    """60 questions: 8 answers to look at, and 400 others of each that tell the truth."""
    rng = np.random.default_rng(1)
    of = questions(60, rng)
    return answers(of, 8, rng), answers(of, 400, rng)


def run_of(pools: AnswerPools, cap: int = CAP) -> Run:
    return Run("s", pools, cap, {str(one): one for one in (cap, *CAPS)}, pools.sizes.clip(400))


@pytest.fixture(scope="module")
def run(world: tuple[AnswerPools, AnswerPools]) -> Run:
    return run_of(world[0])


def accuracy(run: Run, ns: list[int], method: str, **options: object) -> Estimate:
    """At all of CAPS and `ns`."""
    nothing = Points.grid({}, [])
    observed = Evidence(nothing, np.empty(0), np.empty(0), method=method, run=run)
    asked = replace(Options(replicates=100), **options)
    return survival(observed, Points.grid(dict.fromkeys(NAMES.tolist(), 0.0), ns), asked)


def test_what_a_cap_shows() -> None:
    pools = AnswerPools(
        ["a", "b"],
        np.array([0, 4, 7]),
        np.array([2, 0, 1, -1, -1, 0, 1]),
        np.array([50.0, 10, 90, 20, 60, 60, 61]),
    )
    cut = stopped(pools, 60)
    assert cut.votes.tolist() == [1, 0, -1, -1, -1, 0, -1]  # the first wrong answer's number is free again
    assert cut.tokens.tolist() == [50, 10, 61, 20, 61, 60, 61]
    seen = seen_at(pools, 60)
    assert seen.unfinished.tolist() == [1, 2]
    assert seen.ended_counts.sum(axis=1).tolist() == [3, 1]
    assert seen.right.sum(axis=1).tolist() == [1, 1]
    assert seen.votes.nulls.tolist() == [1, 0]
    assert seen.ended_share == pytest.approx(4 / 7)
    assert (seen.middles <= seen.edges[1:]).all()
    assert (seen.middles > seen.edges[:-1]).all()
    with pytest.raises(ValueError, match="9 tokens"):
        seen_at(pools, 9)


def test_fewer_questions_and_answers() -> None:
    rng = np.random.default_rng(0)
    pools = answers(questions(20, rng), 6, rng)
    few = thinned(pools, 5, 4)
    assert few.sizes.tolist() == [4] * 5
    for name, start in zip(few.question_ids, few.starts[:-1], strict=True):
        first = pools.starts[pools.question_ids.index(name)]
        assert few.tokens[start : start + 4].tolist() == pools.tokens[first : first + 4].tolist()
    whole = thinned(pools, 99, 99)
    assert whole.tokens.tolist() == pools.tokens.tolist()
    assert whole.votes.tolist() == pools.votes.tolist()


def test_nothing_beyond_the_cap_is_looked_at(run: Run) -> None:
    """Whatever longer answers say, and however long they are, the forecast is the same to the last bit."""
    pools = thinned(run.answers, 20, 8)
    longer = pools.tokens > CAP
    rng = np.random.default_rng(5)
    other = replace(
        pools,
        votes=np.where(longer, rng.integers(-1, 9, len(longer)), pools.votes),
        tokens=np.where(longer, CAP + 1 + rng.integers(0, 10**6, len(longer)), pools.tokens),
    )
    assert (other.votes != pools.votes).any()
    told = []
    for one in (run_of(pools), run_of(other)):
        found = [accuracy(one, [1, 8], method, replicates=20) for method in ("majority", "best_of_n")]
        told.append([part for one in found for part in (one.mean, one.these.low, one.these.high)])
        told[-1] += [
            part for one in found if one.lengths for part in (one.lengths.mean, one.lengths.interval.high)
        ]
    assert all(np.array_equal(x, y) for x, y in zip(*told, strict=True))


def test_forecasts_of_a_world_that_follows_the_law(world: tuple[AnswerPools, AnswerPools], run: Run) -> None:
    """The truth lies within the interval widened by half on both sides, as 99 of 100 such truths do; the 24
    that are asked are closely related. No interval is wider than 30 points."""
    ns = [1, 4, 16, 64]
    for method in ("majority", "best_of_n"):
        found = accuracy(run, ns, method)
        counts = [stopped(world[1], cap).counts() for cap in CAPS]
        if method == "majority":
            truth = np.concatenate([majority_accuracy(one, ns).mean(axis=0) for one in counts])
        else:
            each = [best_of_n(one.pools[:, None], one.correct[:, None], np.array(ns)) for one in counts]
            truth = np.concatenate([one.mean(axis=0) for one in each])
        spare = (found.these.high - found.these.low) / 2
        assert ((found.these.low - spare < truth) & (truth < found.these.high + spare)).all(), method
        assert (found.these.high - found.these.low < 0.3).all()
        assert (found.these.low < found.mean).all()
        assert (found.mean < found.these.high).all()
    lengths = accuracy(run, [1], "majority").lengths
    assert lengths
    mean, low, high = lengths.mean, lengths.interval.low, lengths.interval.high
    spent = np.array([np.minimum(world[1].tokens, cap).mean() for cap in CAPS])
    assert (low - (high - low) / 2 < spent).all()
    assert (spent < high + (high - low) / 2).all()
    assert (np.diff(mean) > 0).all()


def test_new_questions_are_less_certain_than_these(run: Run) -> None:
    found = accuracy(run, [1, 8], "majority")
    these, new = found.these, found.new
    assert (new.high - new.low > 1.1 * (these.high - these.low)).all()


def test_a_law_that_missed_by_far_is_a_poor_fit(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    lost = replace(ahead_of(run, 100, 0), missed=4.0)
    monkeypatch.setattr("predict.survival.forecast.ahead_of", lambda *_: lost)
    assert set(accuracy(run, [1], "best_of_n").status) == {Status.POOR_FIT}


def test_a_miss_at_earlier_cuts_and_its_noise_are_those_of_answers_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Chances to end by the cap that the forecast says at an earlier cut, and how many did: the noise is what
    such draws scatter by. 40 % or 20 % of the ended answers ended later, and 60 never did."""
    rng = np.random.default_rng(0)
    tokens = rng.permutation([*np.arange(1.0, 201.0), *np.full(60, 900.0)])
    pools = AnswerPools(["a", "b"], np.array([0, 90, 260]), np.zeros(260, int), tokens)
    chances = np.array([0.45, 0.5, 0.56])[:, None, None] * np.ones((1, 2, 1))
    ended = np.concatenate([0.2 + 0 * chances, 0.2 + 0.8 * chances], axis=2)
    monkeypatch.setattr("predict.survival.pace.simulate", lambda *_: Simulated(ended, ended, ended))
    monkeypatch.setattr("predict.survival.pace.fit", lambda *_: None)
    found, noise = misses(pools, 500, Fit(PRIOR_MEAN, np.eye(len(PRIOR_MEAN))), 0)
    missed, scatter = [], []
    for later in (80, 40):
        count = later + 60
        drawn = logit((rng.binomial(count, rng.choice(chances[:, 0, 0], 200_000)) + 0.5) / (count + 1))
        missed.append(logit((later + 0.5) / (count + 1)) - drawn.mean())
        scatter.append(drawn.var())
    assert found == pytest.approx(np.mean(missed), abs=0.01)
    assert noise == pytest.approx(np.mean(scatter), rel=0.05)


def test_the_pace_is_that_of_answers_at_earlier_cuts(
    world: tuple[AnswerPools, AnswerPools], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the law holds it is about 0; where most answers after the first cut are held up, it is slower."""
    pools = world[0]
    start = Fit(PRIOR_MEAN, np.eye(len(PRIOR_MEAN)))
    first = np.quantile(pools.tokens[pools.tokens <= CAP], ORIGINS[0])
    late = (pools.tokens > first) & (np.arange(len(pools.tokens)) % 4 > 0)
    held_up = replace(pools, tokens=np.where(late, 2 * CAP, pools.tokens))
    (lawful, _), (slow, noise) = (misses(one, CAP, start, 0) for one in (pools, held_up))
    assert abs(lawful) < 0.3
    assert slow < -1
    monkeypatch.setattr("predict.survival.pace.misses", lambda *_: (slow, noise))
    lasting, fresh, new = np.random.default_rng(0).standard_normal((3, 400_000))
    at_cuts = LASTING * lasting + np.sqrt(PASSING**2 + noise) * fresh
    beyond = LASTING * lasting + PASSING * new
    (slope, level), left, *_ = np.polyfit(at_cuts, beyond, 1, full=True)
    drawn, off = paces(pools, CAP, start, 4000, 0)
    assert drawn.mean() == pytest.approx(level + slope * slow, abs=0.015)
    assert drawn.std() == pytest.approx(np.sqrt(left[0] / 400_000), rel=0.04)
    assert off == pytest.approx(abs(slow) / at_cuts.std(), rel=0.01)


def test_a_pace_moves_the_log_odds_of_ending(run: Run) -> None:
    """Of every question, by as much at every cap; the order of caps and what was seen stay."""
    problem = Problem(seen_at(run.answers, CAP))
    start = Fit(PRIOR_MEAN, np.zeros((len(PRIOR_MEAN),) * 2))
    plain, moved = (simulate(problem, start, [CAP, *CAPS], np.full(3, by), 0) for by in (0.0, -0.7))
    assert moved.ended[:, :, 0] == pytest.approx(plain.ended[:, :, 0])
    odds = [
        logit((one.ended[:, :, 1:] - one.ended[:, :, :1]) / (1 - one.ended[:, :, :1]))
        for one in (plain, moved)
    ]
    assert odds[1] - odds[0] == pytest.approx(np.full(odds[0].shape, -0.7), abs=1e-4)
    assert (moved.tokens[:, :, 1:] > plain.tokens[:, :, 1:]).all()
    assert (moved.right[:, :, 1:] <= plain.right[:, :, 1:]).all()


@pytest.mark.parametrize(
    ("ended", "of", "enough"), [(29, 40, False), (30, 601, False), (30, 600, True), (40, 60, True)]
)
def test_too_little_that_ended_gives_no_forecast(
    monkeypatch: pytest.MonkeyPatch, ended: int, of: int, enough: bool
) -> None:
    """At least 30 answers, and a twentieth of all."""
    monkeypatch.setattr("predict.survival.forecast.fit", lambda _: pytest.fail("so it is fitted"))
    tokens = np.where(np.arange(of) < ended, 10.0, CAP + 1)
    few = run_of(AnswerPools(["a"], np.array([0, of]), np.zeros(of, int), tokens))
    if enough:
        with pytest.raises(pytest.fail.Exception):
            ahead_of(few, 50, 0)
    else:
        assert ahead_of(few, 50, 0) is None
        assert set(accuracy(few, [1], "majority").status) == {Status.NOT_IDENTIFIABLE}


@pytest.mark.parametrize(("questions", "asked", "draws"), [(3, 0, 200), (3, 7, 7), (3, 300, 200), (4, 0, 50)])
def test_so_many_draws_as_are_asked_for_and_fewer_of_many_questions(
    monkeypatch: pytest.MonkeyPatch, questions: int, asked: int, draws: int
) -> None:
    monkeypatch.setattr("predict.survival.forecast.MANY", 3)
    monkeypatch.setattr("predict.survival.forecast.fit", lambda _: None)
    monkeypatch.setattr("predict.survival.forecast.paces", lambda *given: pytest.fail(f"{given[3]} draws"))
    starts = np.arange(0, 20 * questions + 1, 20)
    pools = AnswerPools(list("abcd")[:questions], starts, np.zeros(starts[-1], int), np.full(starts[-1], 9.0))
    with pytest.raises(pytest.fail.Exception, match=f"^{draws} draws"):
        ahead_of(run_of(pools), asked, 0)


def test_bins_reach_each_cap() -> None:
    rng = np.random.default_rng(0)
    seen = seen_at(answers(questions(20, rng), 6, rng), 7000)
    edges, middles, last = bins_to(seen, [7000, 7100, 14000])
    assert np.exp(edges[last + 1]) == pytest.approx([7000, 7100, 14000])
    assert len(edges) == len(middles) + 1
    assert np.diff(edges[1:]).max() < 1.0
    assert (np.diff(edges[len(seen.edges) - 1 :]) < 0.0801).all()


def test_at_the_cap_itself_the_forecast_is_what_was_seen() -> None:
    """With many answers, the chance to be right, and to have ended, by the cap is the frequency."""
    rng = np.random.default_rng(2)
    pools = answers(questions(15, rng), 150, rng)
    seen = seen_at(pools, 7000)
    few = fit(Problem(seen_at(thinned(pools, 15, 16), 7000)))
    found = simulate(Problem(seen), few, [7000], np.zeros(20), 0)
    sizes = 150.0
    assert found.right[:, :, 0].mean() == pytest.approx(seen.right.sum() / 15 / sizes, abs=0.01)
    assert found.ended[:, :, 0].mean() == pytest.approx(seen.ended_counts.sum() / 15 / sizes, abs=0.01)
    spent = np.minimum(pools.tokens, 7000).mean()
    assert found.tokens[:, :, 0].mean() == pytest.approx(spent, rel=0.01)


def test_a_vote_against_votes_drawn_one_by_one() -> None:
    """One wrong answer that everybody gives, so that the split is known: a race of right against wrong."""
    counts = VoteCounts(np.full(40, 1), np.full(40, 60), np.arange(41), np.zeros(40, int))
    wrong = wrong_answers(counts)
    rng = np.random.default_rng(0)
    for right, other, n in ((0.3, 0.3, 8), (0.5, 0.2, 5), (0.1, 0.6, 16), (0.4, 0.0, 3)):
        draws = rng.multinomial(n, [right, other, 1 - right - other], size=100_000)
        expected = np.where(draws[:, 0] > draws[:, 1], 1.0, np.where(draws[:, 0] == draws[:, 1], 0.5, 0.0))
        expected = np.where(draws[:, 0] + draws[:, 1] == 0, 0.0, expected).mean()
        shape = np.ones((1, 40))
        found = vote_accuracy(replace(wrong, unreadable=np.zeros(40)), right * shape, other * shape, n)
        assert found.mean() == pytest.approx(expected, abs=0.02), (right, other, n)
    nobody = vote_accuracy(wrong, 0.0 * shape, 0.0 * shape, 8)
    assert nobody == pytest.approx(0.0)


def test_unreadable_answers_are_a_share_of_those_not_right() -> None:
    """Of ten answers to each question five are right, two wrong and three unreadable."""
    counts = VoteCounts(np.full(40, 5), np.full(40, 2), np.arange(41), np.full(40, 3))
    assert wrong_answers(counts).unreadable == pytest.approx(np.full(40, 0.6), abs=0.01)


def test_unreadable_answers_cast_no_vote() -> None:
    split = np.full((1, 34, 80), 1 / 80)
    one = WrongAnswers(split, np.zeros(3, int), np.array([0.0, 0.5, 1.0]))
    found = vote_accuracy(one, np.full((1, 3), 0.3), np.full((1, 3), 0.6), 9)[0]
    assert (np.diff(found) > 0.05).all()
    assert found[2] == pytest.approx(1 - 0.7**9, abs=0.01)
