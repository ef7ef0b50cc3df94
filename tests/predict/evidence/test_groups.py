"""Groups and cut pools."""

import numpy as np
import pandas as pd
import pytest

from predict.evidence.groups import grid, groups_of_curves, groups_of_samples
from predict.evidence.points import Pool, chosen_answers
from predict.evidence.request import Request, fitted
from results import build_curves
from results.votes.exact import AnswerPools
from tests.predict.conftest import simulated_samples


def toy_pool() -> Pool:
    """Two questions with 5 and 4 answers."""
    votes = np.array([0, 1, 2, 1, -1, 3, 0, 1, 2])
    return Pool("s", 2.0, AnswerPools(["a", "b"], np.array([0, 5, 9]), votes, np.full(9, 10.0)))


def test_first_answers_are_kept_in_order_and_renumbered() -> None:
    cut = chosen_answers(toy_pool(), np.arange(len(toy_pool().answers.votes)), 3)
    assert cut.answers.votes.tolist() == [0, 1, 2, 2, 0, 1]
    assert cut.answers.starts.tolist() == [0, 3, 6]
    assert cut.T == 2.0


def test_chosen_answers_follow_the_order_given() -> None:
    cut = chosen_answers(toy_pool(), np.array([4, 3, 8, 7, 0, 1, 2, 5, 6]), 2)
    counts = cut.answers.counts()
    assert counts.nulls.tolist() == [1, 0]
    assert counts.correct.tolist() == [0, 0]
    assert counts.pools.tolist() == [2, 2]
    assert (counts.wrong > 0).all()


def test_grid_holds_small_n_powers_of_two_the_pool_and_what_is_asked() -> None:
    assert grid(5).tolist() == [1, 2, 3, 4, 5]
    assert grid(40, (10, 99)).tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 10, 16, 32, 40]


def test_greedy_answers_are_left_out() -> None:
    frame = simulated_samples(questions=6, answers=4)
    greedy = frame[frame["sample"] == 0].assign(decoding="greedy", correct=True)
    with_greedy = groups_of_samples(pd.concat([frame, greedy]), "majority")[0]
    assert with_greedy.accuracy == pytest.approx(groups_of_samples(frame, "majority")[0].accuracy)


def test_unequal_pools_have_the_same_length_from_samples_and_from_curves() -> None:
    """Question a has answers of 10 and 50 tokens, question b one of 200: 115 tokens per answer."""
    frame = pd.DataFrame(
        {
            "question_id": ["a", "a", "b"],
            "sample": [0, 1, 0],
            "answer": ["1", "2", "1"],
            "gold": "1",
            "tokens": [10, 50, 200],
            "correct": [True, False, True],
        }
    ).assign(dataset="d", model="m", setting="s", decoding="sample")
    (from_samples,) = groups_of_samples(frame, "majority")
    (from_curves,) = groups_of_curves(build_curves(frame, ["majority"], ns=[1], permutations=0), "majority")
    assert from_samples.points.settings() == [("s", 115.0)]
    assert from_curves.points.settings() == [("s", 115.0)]


def test_answers_without_a_source_are_a_language_model_s_beside_the_twin_s() -> None:
    """One table has no column `source`, so its rows have an empty one when the two are read together."""
    frame = simulated_samples(questions=3, answers=2)
    both = pd.concat([frame, frame.assign(source="synthetic", model="twin")])
    assert [(g.key.source, g.key.model) for g in groups_of_samples(both, "majority")] == [
        ("llm", "sim"),
        ("synthetic", "twin"),
    ]


def test_a_setting_of_an_unknown_number_of_questions_is_kept_beside_others() -> None:
    curves = build_curves(simulated_samples(8, 4, ("40", "80")), permutations=0)
    known = curves["questions"].astype("Int64").where(curves["setting"] == "40")
    (group,) = groups_of_curves(curves.assign(questions=known), "majority")
    assert group.questions == {"40": 8, "80": 0}


def test_lengths_that_are_sums_over_an_unknown_number_of_questions_order_but_do_not_price() -> None:
    frame = pd.DataFrame({"setting": ["b", "a"], "T": [2e5, 1e5], "N": 1, "accuracy": [0.5, 0.4]}).assign(
        source="llm", dataset="d", model="m", method="majority", permutation="exact"
    )
    (bare,) = groups_of_curves(frame, "majority")
    assert bare.points.settings() == [("a", 1e5), ("b", 2e5)]
    (known,) = groups_of_curves(pd.concat([frame, frame.assign(N=2, accuracy=np.nan)]), "majority")
    assert known.points.N.tolist() == [1, 1]  # a row without an accuracy says nothing
    assert not bare.priced
    (counted,) = groups_of_curves(frame.assign(questions=100), "majority")
    assert counted.points.settings() == [("a", 1e3), ("b", 2e3)]
    assert counted.priced
    (partly,) = groups_of_curves(frame.assign(questions=[np.nan, 100]), "majority")
    assert partly.points.settings() == [("a", 1e3), ("b", pytest.approx(np.nan, nan_ok=True))]
    assert partly.priced
    fewer = frame.assign(questions=100), frame.assign(N=2, questions=[90, 80])
    assert groups_of_curves(pd.concat(fewer), "majority")[0].questions == {"a": 100, "b": 100}


@pytest.mark.parametrize("column", ["dataset", "model"])
def test_a_group_does_not_hang_on_what_stands_beside_it(column: str) -> None:
    """Here another model or data set has the same settings with fewer questions, and rows are interleaved."""
    tables = [simulated_samples(questions=q).assign(**{column: f"{q}"}) for q in (12, 5)]
    curves = [build_curves(table, ["majority"], permutations=0) for table in tables]
    both = groups_of_curves(pd.concat(curves).sample(frac=1, random_state=0), "majority")
    alone = [group for table in curves for group in groups_of_curves(table, "majority")]
    for one, other in zip(
        sorted(both, key=lambda g: g.name), sorted(alone, key=lambda g: g.name), strict=True
    ):
        assert one.points.places() == other.points.places()
        assert one.accuracy.tolist() == other.accuracy.tolist()
        assert one.questions == other.questions


@pytest.mark.parametrize("method", ["majority", "best_of_n"])
def test_samples_give_the_accuracies_and_standard_errors_of_their_curves(method: str) -> None:
    frame = simulated_samples(questions=12, answers=5)
    (ours,) = groups_of_samples(frame, method)
    curves = build_curves(frame, [method], ns=[1, 2, 3, 4, 5], permutations=0)
    (theirs,) = groups_of_curves(curves, method)
    assert ours.points.setting.tolist() == theirs.points.setting.tolist()
    assert ours.accuracy == pytest.approx(theirs.accuracy)
    assert ours.stderr == pytest.approx(theirs.stderr)


def test_what_is_asked_for_is_measured_at_an_n_beside_the_grid() -> None:
    frame = simulated_samples(questions=6, answers=12)
    (group,) = groups_of_samples(frame, "majority", at_n=(11,))
    curves = build_curves(frame, ["majority"], ns=[11], permutations=0)
    assert group.accuracy[group.points.N == 11] == pytest.approx(curves["accuracy"].to_numpy())


def test_settings_up_to_a_number_of_tokens_are_seen_those_of_as_many_too() -> None:
    (group,) = groups_of_samples(simulated_samples(20, 4, ("20", "40", "80")), "majority")
    lengths = dict(group.points.settings())
    for name, length in lengths.items():
        seen, _ = fitted(group, Request(fit_max_tokens=length))
        assert seen == [other for other in lengths if lengths[other] <= lengths[name]]
