"""The next run: what is announced before it agrees with what is seen when it is made."""

import numpy as np
import pandas as pd
import pytest

from predict.data import Group, groups_of_samples, make_pool
from predict.imagined import agreement, imagine
from predict.next_run import NextRun, advised, extended, next_runs, width
from predict.plan import place
from predict.protocol import Options
from results import BadInput
from results.votes import AnswerPools, answer_pools

from .conftest import simulated_samples


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


def decision(of: Group, N: int, setting: str = "s") -> pd.Series:
    T = dict(of.points.settings())[setting] * of.scale
    return pd.Series({"setting": setting, "T": T, "N": N})


@pytest.mark.parametrize(("method", "predictor"), [("majority", "mixture"), ("best_of_n", "beta-binomial")])
def test_announced_width_is_the_width_seen_when_the_run_is_made(method: str, predictor: str) -> None:
    options = Options(replicates=300, pool=64)
    told, seen = [], []
    for seed in range(3):
        frame = samples(16, seed=seed)
        now = group(frame[frame["sample"] < 4], method)
        at = place(now, decision(now, 16))
        runs = sorted(next_runs(now, predictor, at, options), key=lambda run: run.more)
        assert [run.more for run in runs] == [4, 12]
        told.append([run.width_then for run in runs])
        seen.append(
            [width(group(frame[frame["sample"] < n], method), predictor, at, options) for n in (8, 16)]
        )
    assert np.mean(told, axis=0) == pytest.approx(np.mean(seen, axis=0), rel=0.15)
    assert np.mean(told, axis=0)[1] < np.mean(told, axis=0)[0] < runs[0].width_now


def test_runs_are_priced_by_questions_answers_and_tokens_and_ranked() -> None:
    now = group(simulated_samples(questions=30, answers=8))
    runs = next_runs(now, "plug-in", place(now, decision(now, 32, "80")), Options(replicates=100))
    assert len(runs) == 5
    for run in runs:
        assert run.tokens == pytest.approx(30 * run.more * now.cost[run.setting])
    rates = [run.narrowing / run.tokens for run in runs]
    assert rates == sorted(rates, reverse=True)


def test_only_a_run_that_narrows_by_a_tenth_is_advised() -> None:
    little, much = NextRun("a", 4, 4, 1.0, 0.10, 0.095), NextRun("b", 4, 4, 1e9, 0.10, 0.05)
    assert advised([little, much]) == much
    assert advised([little]) is None


def test_no_next_run_without_samples_or_token_counts_or_intervals() -> None:
    frame = samples(4, questions=20)
    now = group(frame)
    at = place(now, decision(now, 8))
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
    larger = extended(now, "80", 4, np.random.default_rng(0))
    sizes = {pool.setting: int(pool.answers.sizes.max()) for pool in larger.pools}
    assert sizes == {"40": 4, "80": 8, "160": 4, "320": 4}
    assert pytest.approx(now.pools[1].T) == make_pool("80", larger.pools[1].answers).T
