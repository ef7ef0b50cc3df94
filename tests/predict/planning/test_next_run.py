"""The next run: what is announced before it agrees with what is seen when it is made."""

import numpy as np
import pandas as pd
import pytest

from predict.groups import Group, groups_of_samples, make_pool
from predict.planning.imagined import agreement, imagine, imagine_setting, more_answers
from predict.planning.next_run import (
    Candidate,
    NextRun,
    advised,
    after,
    candidates,
    next_runs,
    width,
)
from predict.protocol import Options, Points
from results import BadInput
from results.votes.exact import AnswerPools, answer_pools
from tests.predict.conftest import simulated_samples


def samples(answers: int, questions: int = 300, seed: int = 0) -> pd.DataFrame:
    """One setting of 100 tokens; rates from a beta law, wrong answers from a law of each question's own."""
    rng = np.random.default_rng(seed)
    rate, wrong = rng.beta(1.2, 0.9, questions), rng.dirichlet([1, 0.5, 0.3, 0.2, 0.2], questions)
    chance = np.column_stack([rate, (1 - rate)[:, None] * wrong])
    drawn = np.stack([rng.choice(6, answers, p=row / row.sum()) for row in chance])
    question, sample = (axis.ravel() for axis in np.indices(drawn.shape))
    frame = pd.DataFrame(
        {"question_id": question.astype(str), "sample": sample, "answer": drawn.ravel().astype(str)}
    )
    return frame.assign(
        dataset="toy", model="sim", setting="s", decoding="sample", tokens=100, correct=drawn.ravel() == 0
    )


def group(frame: pd.DataFrame, method: str = "majority") -> Group:
    return groups_of_samples(frame, method)[0]


def decision(of: Group, N: int, setting: str = "s") -> Points:
    return Points(np.array([setting]), np.array([dict(of.points.settings())[setting]]), np.array([N]))


@pytest.mark.parametrize(("method", "predictor"), [("majority", "mixture"), ("best_of_n", "beta-binomial")])
def test_announced_width_is_the_width_seen_when_the_run_is_made(method: str, predictor: str) -> None:
    options = Options(replicates=400, pool=64)
    told, seen = [], []
    for seed in range(2):
        frame = samples(16, seed=seed)
        now = group(frame[frame["sample"] < 4], method)
        at = decision(now, 16)
        runs = sorted(next_runs(now, predictor, at, options, draws=2), key=lambda one: one.run.more)
        assert [one.run.more for one in runs] == [4, 12]
        told.append([run.width_then for run in runs])
        seen.append(
            [width(group(frame[frame["sample"] < n], method), predictor, at, options) for n in (8, 16)]
        )
    assert np.mean(told, axis=0) == pytest.approx(np.mean(seen, axis=0), rel=0.15)
    assert np.mean(told, axis=0)[1] < np.mean(told, axis=0)[0] < runs[0].width_now


def test_runs_are_priced_by_questions_answers_and_tokens_and_ranked() -> None:
    now = group(simulated_samples(questions=30, answers=8))
    runs = next_runs(now, "plug-in", decision(now, 32, "80"), Options(replicates=100))
    assert len(runs) == 5
    lengths = dict(now.points.settings())
    for one in runs:
        assert one.tokens == pytest.approx(30 * one.run.more * lengths[one.run.setting])
    rates = [run.narrowing / run.tokens for run in runs]
    assert rates == sorted(rates, reverse=True)


def test_only_a_run_that_narrows_by_a_tenth_is_advised() -> None:
    run = Candidate("a", 100.0, 4, 4)
    little, much = NextRun(run, 1.0, 0.10, 0.095), NextRun(run, 1e9, 0.10, 0.05)
    assert advised([little, much]) == much
    assert advised([little]) is None


def test_no_next_run_without_samples_or_token_counts_or_intervals() -> None:
    frame = samples(4, questions=20)
    now = group(frame)
    at = decision(now, 8)
    with pytest.raises(BadInput, match="no interval"):
        next_runs(now, "mixture", at, Options())
    with pytest.raises(BadInput, match="no token counts"):
        next_runs(group(frame.drop(columns="tokens")), "mixture", at, Options(replicates=20))


def test_imagined_answers_follow_the_seen_ones() -> None:
    answers = answer_pools(samples(8))
    larger = imagine(answers, 5, np.random.default_rng(0))
    assert larger.sizes.tolist() == [13] * 300
    first = larger.votes.reshape(300, 13)[:, :8].ravel()
    assert np.array_equal(first, answers.votes)
    assert (larger.tokens == 100).all()


def test_imagined_answers_are_right_as_often_as_the_real_ones_will_be() -> None:
    shares = []
    for seed in range(6):
        frame = samples(16, seed=seed)
        few = answer_pools(frame[frame["sample"] < 8])
        both = imagine(few, 8, np.random.default_rng(seed)), answer_pools(frame)
        shares.append([pool.counts().correct.mean() / 16 for pool in both])
    assert np.diff(np.mean(shares, axis=0)) == pytest.approx(0, abs=0.01)


def test_wrong_answers_agree_as_the_seen_ones_do() -> None:
    rng, theta, answers = np.random.default_rng(0), 2.0, []
    for _ in range(300):  # Ewens' law by its definition
        seats: list[int] = []
        for i in range(6):
            new = rng.random() < theta / (theta + i)
            seats.append(max(seats, default=0) + 1 if new else int(rng.choice(seats)))
        answers += seats
    ids = [f"{q:03d}" for q in range(300)]
    seen = AnswerPools(ids, 6 * np.arange(301), np.array(answers), np.full(1800, np.nan))
    assert agreement(seen.counts()) == pytest.approx(theta, rel=0.1)
    assert agreement(imagine(seen, 10, rng).counts()) == pytest.approx(theta, rel=0.1)


def test_all_right_all_wrong_and_unreadable_answers_are_continued() -> None:
    for votes in (np.zeros(12), np.ones(12), -np.ones(12)):
        ids, starts = ["a", "b", "c"], np.array([0, 4, 8, 12])
        answers = AnswerPools(ids, starts, votes.astype(np.int64), np.full(12, np.nan))
        assert imagine(answers, 3, np.random.default_rng(0)).sizes.tolist() == [7, 7, 7]


def test_the_rest_of_the_group_is_left_alone() -> None:
    now = group(simulated_samples(questions=10, answers=4))
    larger = more_answers(now, "80", 4, np.random.default_rng(0))
    sizes = {pool.setting: int(pool.answers.sizes.max()) for pool in larger.pools}
    assert sizes == {"40": 4, "80": 8, "160": 4, "320": 4}
    assert pytest.approx(now.pools[1].T) == make_pool("80", larger.pools[1].answers).T


def logistic_samples(lengths: tuple[int, ...], questions: int, seed: int) -> pd.DataFrame:
    """8 answers at settings of these lengths; log-odds of a right one rise with log T, questions differ."""
    rng = np.random.default_rng(seed)
    hard, wrong = rng.normal(0.5, 1.5, questions), rng.dirichlet([1, 0.5, 0.3, 0.2], questions)
    frames = []
    for T in lengths:
        rate = 1 / (1 + np.exp(-1.2 * np.log(T / 200) - hard))
        chance = np.column_stack([rate, (1 - rate)[:, None] * wrong]).cumsum(axis=1)
        drawn = (rng.random((questions, 8, 1)) > chance[:, None, :4]).sum(axis=2)
        question, sample = (axis.ravel() for axis in np.indices(drawn.shape))
        frames.append(
            pd.DataFrame(
                {"question_id": question.astype(str), "sample": sample, "answer": drawn.ravel().astype(str)}
            ).assign(setting=str(T), tokens=T, correct=drawn.ravel() == 0)
        )
    return pd.concat(frames).assign(dataset="toy", model="sim", decoding="sample")


@pytest.mark.parametrize("new", ["800", "566"])
def test_announced_width_of_a_new_setting_is_about_the_width_seen(new: str) -> None:
    """A run at the choice's own setting, and at one on the way there; ± 30 % on average over two sets."""
    options, questions = Options(replicates=400, pool=64), 150
    at = Points(np.array(["800"]), np.array([float(800)]), np.array([16]))
    told, seen = [], []
    for seed in range(2):
        frame = logistic_samples((100, 200, 400, int(new)), questions, seed)
        now, later = group(frame[frame["setting"] != new]), group(frame)
        run = Candidate(new, float(new), 0, 8)
        told += [width(one, "mixture", at, options) for one in after(now, "mixture", run, options, 2)]
        seen.append(width(later, "mixture", at, options))
        assert max(np.mean(told), seen[-1]) < width(now, "mixture", at, options)
    assert np.mean(told) == pytest.approx(np.mean(seen), rel=0.3)


def test_new_settings_are_candidates_around_a_choice_without_answers() -> None:
    now = group(logistic_samples((100, 200, 400), 10, 0))
    at = Points(np.array(["long"]), np.array([float(900)]), np.array([16]))
    runs = candidates(now, at)
    assert [(run.setting, run.seen, run.more) for run in runs] == [
        ("200", 8, 8),
        ("400", 8, 8),
        ("long", 0, 8),
        ("long", 0, 16),
        ("new (283 tokens)", 0, 8),
        ("new (600 tokens)", 0, 8),
        ("new (1,350 tokens)", 0, 8),
    ]
    assert runs[-1].T == 1350
    within = Points(at.setting, np.array([float(300)]), at.N)
    names = [run.setting for run in candidates(now, within) if run.seen == 0]
    assert names[2:] == [f"new ({n} tokens)" for n in (141, 245, 346)]


def test_new_settings_are_priced_and_the_same_seed_gives_the_same_runs() -> None:
    now = group(logistic_samples((100, 400), 40, 0))
    at = Points(np.array(["long"]), np.array([float(800)]), np.array([4]))
    options = Options(replicates=20, pool=64)
    runs = next_runs(now, "mixture", at, options, draws=1)
    assert runs == next_runs(now, "mixture", at, options, draws=1)
    price = {(one.run.setting, one.run.more): one.tokens for one in runs}
    assert price["long", 8] == pytest.approx(40 * 8 * 800)
    assert price["new (566 tokens)", 8] == pytest.approx(40 * 8 * 566)
    one, another = candidates(now, at)[0], Options(replicates=20, pool=64, seed=1)
    (imagined,) = after(now, "mixture", one, another, 1)
    assert width(imagined, "mixture", at, another) not in [run.width_then for run in runs]


def test_no_new_settings_where_a_length_is_unknown() -> None:
    frame = simulated_samples(questions=10, answers=4)
    frame.loc[frame["setting"] == "40", "tokens"] = np.nan
    at = Points(np.array(["long"]), np.array([400.0]), np.array([4]))
    assert all(run.seen for run in candidates(group(frame), at))


@pytest.mark.parametrize("accuracy", [0.0, 0.3, 0.8, 1.0])
def test_imagined_setting_is_right_as_often_as_asked(accuracy: float) -> None:
    near = group(samples(8)).pools[0]
    new = imagine_setting(near, "t", 2 * near.T, 20, accuracy, np.random.default_rng(0))
    assert new.answers.sizes.tolist() == [20] * 300
    assert new.answers.counts().correct.mean() / 20 == pytest.approx(accuracy, abs=0.02)
    assert (new.answers.tokens == 200).all()
    assert (new.answers.counts().wrong > 0).all()  # its wrong answers are numbered anew
    again = imagine_setting(near, "t", 2 * near.T, 20, accuracy, np.random.default_rng(0))
    assert np.array_equal(new.answers.votes, again.answers.votes)


def test_hard_questions_stay_hard_at_an_imagined_setting() -> None:
    near = group(samples(16)).pools[0]
    new = imagine_setting(near, "t", 2 * near.T, 16, 0.7, np.random.default_rng(0))
    rates = [pool.answers.counts().correct for pool in (near, new)]
    assert np.corrcoef(rates)[0, 1] > 0.8
