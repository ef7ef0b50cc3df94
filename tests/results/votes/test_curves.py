"""results.votes.curves: the rows made from a samples table, their T, standard errors and warnings."""

import warnings

import numpy as np
import pandas as pd
import pytest

from results import BadInput, build_curves, majority_curve, read_samples
from tests.by_hand import by_subsets
from tests.results.votes.samples import samples_of


def exact(curves: pd.DataFrame, method: str = "majority") -> pd.DataFrame:
    return curves[(curves["permutation"] == "exact") & (curves["method"] == method)].set_index("N")


TWO = {"q1": "rrab", "q2": ["a", "a", None, "r"]}


def test_exact_rows_are_means_over_questions_with_their_standard_error():
    rows = exact(build_curves(samples_of(TWO), permutations=0))
    for n in (1, 2, 4):
        values = [majority_curve(2, [1, 1], 0)[n - 1], majority_curve(1, [2], 1)[n - 1]]
        assert rows.loc[n, "accuracy"] == pytest.approx(np.mean(values), abs=1e-12)
        assert rows.loc[n, "stderr"] == pytest.approx(np.std(values, ddof=1) / np.sqrt(2), abs=1e-12)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [("samples.jsonl", "found a str"), (pd.DataFrame({"question_id": ["q"]}), "'sample', 'answer'")],
)
def test_what_is_no_samples_table_is_refused_in_one_line(wrong, named):
    with pytest.raises(BadInput, match=named):
        build_curves(wrong)


def test_standard_error_of_one_question_is_null():
    assert build_curves(samples_of({"q": "ra"}))["stderr"].isna().all()


def test_t_is_the_sum_over_questions_of_the_mean_tokens_of_an_answer():
    tokens = {"q1": [10, 20, 30, 40], "q2": [1, 2, 3, 6]}
    curves = build_curves(samples_of(TWO, tokens=tokens), ns=[1, 2, 4], permutations=3)
    rows = exact(curves)
    assert rows["T"].tolist() == pytest.approx([28.0] * 3)
    assert rows["tokens_per_answer"].tolist() == pytest.approx([14.0] * 3)
    drawn = curves[(curves["permutation"] != "exact") & (curves["method"] == "majority")]
    whole_pool = drawn[drawn["N"] == 4]
    assert whole_pool["T"].tolist() == pytest.approx([28.0] * 3)
    one_answer = {q1 + q2 for q1 in tokens["q1"] for q2 in tokens["q2"]}
    assert set(drawn[drawn["N"] == 1]["T"]) <= one_answer


@pytest.mark.parametrize(("unknown", "known"), [(1, True), (5, False)])
def test_answers_without_a_token_count_are_counted_and_most_of_them_leave_no_t(unknown, known):
    """The others have 10 tokens each; random orders also get the T of all answers."""
    used = [None] * unknown + [10] * (8 - unknown)
    with pytest.warns(UserWarning, match=f"d/m/100: .*{unknown} of 8 answers"):
        curves = build_curves(samples_of(TWO, tokens={"q1": used[:4], "q2": used[4:]}))
    assert curves["T"].tolist() == pytest.approx([20.0 if known else np.nan] * len(curves), nan_ok=True)
    assert curves["accuracy"].notna().all()


def test_greedy_answers_stay_out_of_the_vote_and_make_rows_of_their_own():
    sampled = samples_of(TWO, tokens={"q1": [10] * 4, "q2": [10] * 4})
    used = {"q1": [7, 7, 10], "q2": [9, 11]}
    greedy = samples_of({"q1": "rra", "q2": ["a", None]}, decoding="greedy", tokens=used)
    curves = build_curves(pd.concat([sampled, greedy]))
    alone = build_curves(sampled)
    pd.testing.assert_frame_equal(curves[curves["method"] != "greedy"], alone)
    row = curves[curves["method"] == "greedy"].iloc[0]
    assert row[["N", "permutation", "T", "questions", "unreadable"]].tolist() == [1, "exact", 18.0, 2, 0.25]
    assert row[["accuracy", "stderr"]].tolist() == pytest.approx([1 / 3, 1 / 3])


def test_n_above_the_smallest_pool_is_of_the_questions_that_reach_it_and_said_so():
    """At N = 4 only q1 and q2 count, as if q3 did not exist; one of three questions is not a majority."""
    pools = {"q1": "rraa", "q2": "rrraaaab", "q3": "rra"}
    tokens = {"q1": [10] * 4, "q2": [20] * 8, "q3": [90] * 3}
    with pytest.warns(UserWarning, match="N = ") as said:
        curves = build_curves(samples_of(pools, tokens=tokens))
    (beyond,) = (str(line.message) for line in said if "N = 4: only" in str(line.message))
    assert "d/m/100" in beyond
    assert "2 of 3 questions" in beyond
    assert any("N = 8 left out: 2 of 3 questions" in str(line.message) for line in said)
    assert exact(curves).index.tolist() == [1, 2, 3, 4]
    assert curves.groupby("N")["questions"].unique().map(list).to_dict() == {1: [3], 2: [3], 3: [3], 4: [2]}
    del pools["q3"]
    with pytest.warns(UserWarning, match="N = 8 left out"):
        reach = build_curves(samples_of(pools, tokens=tokens), ns=[1, 4, 8], permutations=0)
    own, alone = (exact(rows).loc[4].drop("stderr_vs_first_n") for rows in (curves, reach))
    pd.testing.assert_series_equal(own, alone)
    assert own["tokens_per_answer"] == 15
    assert np.isnan(exact(curves).loc[4, "stderr_vs_first_n"])
    with pytest.warns(UserWarning, match="2 of 3 questions"):
        two = build_curves(samples_of({"q1": "rrrrabrr", "q2": "rrraabbr", "q3": "rra"}), permutations=0)
    assert np.isnan(exact(two).loc[[4, 8], "stderr_vs_first_n"]).all()  # N = 1 uses all three


@pytest.mark.parametrize("ns", [[5], [8, 16]])
def test_n_too_large_for_every_setting_is_refused(ns):
    both = pd.concat([samples_of({"q1": "ra", "q2": "rrrrr"}, "10"), samples_of(TWO)])
    with pytest.warns(UserWarning, match="left out"), pytest.raises(BadInput, match=f"N = {ns[0]}.* 4$"):
        build_curves(both, ns=ns)


def test_complete_table_gives_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        other = samples_of({"x": "ra"}, dataset="e", tokens={"x": [1, 2]})
        build_curves(pd.concat([samples_of(TWO, "10"), samples_of(TWO, "20"), other]))


@pytest.mark.parametrize(
    ("given", "expected"),
    [(["100", "20", "3"], ["3", "20", "100"]), (["low", "high", "20"], ["low", "high", "20"])],
)
def test_settings_are_ordered_by_size_where_they_are_numbers_and_models_as_given(given, expected):
    tables = [samples_of(TWO, setting, model=model) for model in ("z", "b") for setting in given]
    rows = exact(build_curves(pd.concat(tables))).loc[4, ["model", "setting"]]
    assert rows.to_numpy().tolist() == [[model, setting] for model in ("z", "b") for setting in expected]


def test_groups_do_not_depend_on_each_other_or_on_the_order_of_the_rows():
    tokens = {"q1": [1, 2, 3, 5], "q2": [7, 9, 2, 4]}
    first, second = samples_of(TWO, "10", tokens), samples_of(TWO, "20", tokens)
    together = build_curves(pd.concat([second, first]).sample(frac=1, random_state=0), seed=3)
    alone = build_curves(first, seed=3)
    pd.testing.assert_frame_equal(together[together["setting"] == "10"].reset_index(drop=True), alone)
    assert not alone.equals(build_curves(first, seed=4))


def test_real_answers_of_gpt_35(data_dir):
    curves = build_curves(read_samples(data_dir / "samples/gpt-3.5-turbo_biggsm_t0.8.csv"))
    vote, best = exact(curves), exact(curves, "best_of_n")
    assert vote.loc[[1, 4, 16], "accuracy"].tolist() == pytest.approx(
        [0.519877, 0.586874, 0.646004], abs=5e-7
    )
    assert best.loc[16, "accuracy"] == pytest.approx(0.836066, abs=5e-7)
    drawn = curves[(curves["permutation"] != "exact") & (curves["method"] == "majority")]
    means = drawn.groupby("N")["accuracy"].mean()
    # Ten orders of 610 questions: the mean of 6100 prefixes is within 4 · 0.5 / √6100 of the exact value.
    assert np.all(np.abs(means - vote["accuracy"]) < 4 * 0.5 / np.sqrt(6100))


def test_shares_of_unreadable_and_cut_off_answers_are_means_over_questions():
    uneven = {"q1": ["r", None, "a", "a"], "q2": [None, "r"]}
    ended = ["stop", "length", "length", "stop", "length", "stop"]
    curves = build_curves(samples_of(uneven).assign(finish_reason=ended), ns=[1, 2], permutations=1)
    rows = curves[curves["permutation"] == "exact"]
    assert set(rows["unreadable"]) == {(1 / 4 + 1 / 2) / 2}
    assert set(rows["cut_off"]) == {(2 / 4 + 1 / 2) / 2}
    assert curves.loc[curves["permutation"] == "0", ["unreadable", "cut_off"]].isna().all(axis=None)
    assert build_curves(samples_of(uneven).assign(finish_reason=None), ns=[1])["cut_off"].isna().all()


@pytest.mark.parametrize("method", ["majority", "best_of_n"])
def test_gains_over_one_answer_and_over_the_cheapest_setting_have_errors_paired_by_question(method):
    right = {"100": {"q1": 5, "q2": 1, "q3": 3}, "20": {"q1": 4, "q2": 1, "q3": 1}}
    tokens = {"100": 30, "20": 90}  # "100" used fewer tokens than "20"
    answers = {name: {q: "r" * c + "a" * (6 - c) for q, c in of.items()} for name, of in right.items()}
    tables = [
        samples_of(answers[name], name, {q: [n] * 6 for q in answers[name]}) for name, n in tokens.items()
    ]
    other = samples_of(
        answers["20"], "5", {q: [1] * 6 for q in answers["20"]}, model="n"
    )  # cheaper, but another model
    curves = build_curves(pd.concat([*tables, other]), ns=[1, 4], permutations=0)
    values = {
        (name, n): np.array([by_subsets("r" * c + "a" * (6 - c), n, method) for c in of.values()])
        for name, of in right.items()
        for n in (1, 4)
    }

    def error(place: tuple[str, int], other: tuple[str, int]) -> float:
        return float((values[place] - values[other]).std(ddof=1) / np.sqrt(3))

    rows = curves[curves["method"] == method].set_index(["setting", "N"])
    assert rows.loc["5", "stderr_vs_cheapest"].isna().all()
    for name in right:
        assert rows.loc[(name, 4), "stderr_vs_first_n"] == pytest.approx(error((name, 4), (name, 1)))
        assert np.isnan(rows.loc[(name, 1), "stderr_vs_first_n"])
    for n in (1, 4):
        assert rows.loc[("20", n), "stderr_vs_cheapest"] == pytest.approx(error(("20", n), ("100", n)))
        assert np.isnan(rows.loc[("100", n), "stderr_vs_cheapest"])


def test_settings_with_other_questions_or_n_are_not_paired():
    tables = pd.concat(
        [
            samples_of({"q1": "rrra", "q2": "raaa"}, "20", {"q1": [1] * 4, "q2": [1] * 4}),
            samples_of({"q1": "ra", "q2": "aa"}, "10", {"q1": [9, 9], "q2": [9, 9]}),
            samples_of(
                {"q1": "rr", "q3": "ra"}, "30"
            ),  # of unknown length: then the first counts as the cheapest
        ]
    )
    with pytest.warns(UserWarning, match="1 of 3 questions"):
        rows = exact(build_curves(tables, permutations=0)).reset_index().set_index(["setting", "N"])
    paired = rows["stderr_vs_cheapest"].dropna()
    assert sorted(paired.index) == [("20", 1), ("20", 2)]
