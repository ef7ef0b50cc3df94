"""The next run: what is announced before it agrees with what is seen when it is made."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from predict.answers.prior import RIDGE, features
from predict.estimate import Options
from predict.evidence.groups import Group, groups_of_samples
from predict.evidence.points import Points
from predict.planning.next_run import agreement, candidates, imagine, next_runs, widths
from results.votes.exact import AnswerPools, answer_pools
from tests.predict.conftest import samples_of, simulated_samples


def samples(answers: int, questions: int = 300, seed: int = 0) -> pd.DataFrame:
    """One setting of 100 tokens; rates from a beta law, wrong answers from a law of each question's own."""
    rng = np.random.default_rng(seed)
    rate, wrong = rng.beta(1.2, 0.9, questions), rng.dirichlet([1, 0.5, 0.3, 0.2, 0.2], questions)
    chances = np.column_stack([rate, (1 - rate)[:, None] * wrong, np.zeros(questions)])
    return samples_of({"s": chances / chances.sum(axis=1, keepdims=True)}, answers, seed)


def group(frame: pd.DataFrame, method: str = "majority") -> Group:
    return groups_of_samples(frame, method)[0]


def decision(of: Group, N: int, setting: str = "s") -> Points:
    return Points(np.array([setting]), np.array([dict(of.points.settings())[setting]]), np.array([N]))


@pytest.mark.integration
@pytest.mark.parametrize(
    ("method", "predictor", "questions"), [("majority", "mixture", 600), ("best_of_n", "mixture", 2400)]
)
def test_announced_width_is_the_width_seen_when_the_run_is_made(
    method: str, predictor: str, questions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More answers narrow the interval of these questions, twice the questions that of new ones.

    Of the mixture's three fits one is held: which has the largest evidence, and with it the width, may change
    with the answers drawn. Widths of one run then differ by 4 to 6 % from those of another.
    """
    for other in ("more", "shape"):
        monkeypatch.setattr(f"predict.answers.population.{other}_features", features)
    for other in ("MORE", "ALIKE"):
        monkeypatch.setattr(f"predict.answers.population.RIDGE_OF_{other}", RIDGE)
    options = Options(replicates=400)
    told, seen = [], []
    for seed in range(2):
        frame, more = (samples(n, questions, seed + n) for n in (16, 4))
        few = frame[frame["sample"] < 4]
        now = group(few, method)
        at = decision(now, 16)
        runs = {(one.kind, one.then): one for one in next_runs(now, predictor, at, options, draws=2)}
        later = {
            ("answers", 8): frame[frame["sample"] < 8],
            ("answers", 16): frame,
            ("questions", 2 * questions): pd.concat(
                [few, more.assign(question_id="new " + more["question_id"])]
            ),
        }
        assert runs.keys() == later.keys()
        assert {one.now for one in runs.values()} == {4, questions}
        told.append([runs[what].width_then for what in later])
        seen.append(
            [
                widths(group(rows, method), predictor, at, options)[kind == "questions"]
                for (kind, _), rows in later.items()
            ]
        )
    found = np.mean(told, axis=0)
    assert found == pytest.approx(np.mean(seen, axis=0), rel=0.15)
    assert found[1] < found[0] < runs["answers", 8].width_now


def test_runs_are_priced_by_questions_answers_and_tokens() -> None:
    """Where one question has 7 answers only, as of 7 to each."""
    frame = simulated_samples(questions=30, answers=8)
    lost = (frame["setting"] == "80") & (frame["question_id"] == "q3") & (frame["sample"] == 2)
    now = group(frame[~lost])
    runs = candidates(now, decision(now, 32, "80"))
    lengths = dict(now.points.settings())
    known = {(run.setting, run.kind, run.now, run.then): run.tokens for run in runs}
    assert known == pytest.approx(
        {
            ("40", "answers", 8, 16): 30 * 8 * lengths["40"],
            ("80", "answers", 7, 14): 30 * 7 * lengths["80"],
            ("80", "answers", 7, 28): 30 * 21 * lengths["80"],
            ("80", "questions", 30, 60): 30 * 7 * lengths["80"],
            ("160", "answers", 8, 16): 30 * 8 * lengths["160"],
            ("320", "answers", 8, 16): 30 * 8 * lengths["320"],
        }
    )


def test_imagined_answers_follow_the_seen_ones() -> None:
    answers = replace(answer_pools(samples(8)), tokens=np.arange(2400.0))
    larger = imagine(answers, 5, np.random.default_rng(0))
    assert larger.sizes.tolist() == [13] * 300
    votes, tokens = larger.votes.reshape(300, 13), larger.tokens.reshape(300, 13)
    assert np.array_equal(votes[:, :8].ravel(), answers.votes)
    assert np.array_equal(tokens[:, :8].ravel(), answers.tokens)
    assert (tokens[:, 8:] == 2399 / 2).all()
    assert (larger.counts().wrong > 0).all()  # every number of a wrong answer is in use


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
