"""results.votes.curves: the rows made from a samples table, their standard errors and warnings."""

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


def test_n_above_the_smallest_pool_is_of_the_questions_that_reach_it_and_said_so():
    """At N = 4 only q1 and q2 count, as if q3 did not exist; one of three questions is not a majority."""
    pools = {"q1": "rraa", "q2": "rrraaaab", "q3": "rra"}
    tokens = {"q1": [10] * 4, "q2": [20] * 8, "q3": [90] * 3}
    with pytest.warns(UserWarning, match="N = ") as said:
        curves = build_curves(samples_of(pools, tokens=tokens), permutations=11)
    assert curves.loc[curves["N"] == 4, "permutation"].tolist() == ["exact", *map(str, range(11))] * 2
    (beyond,) = (str(line.message) for line in said if "N = 4: only" in str(line.message))
    assert "d/m/100" in beyond
    assert "2 of 3 questions" in beyond
    assert "right in 43.8%; all: 51.4%" in beyond  # 1/2 and 3/8; 2/3 of q3
    assert any("N = 8 left out: 2 of 3 questions" in str(line.message) for line in said)
    assert exact(curves).index.tolist() == [1, 2, 3, 4]
    assert curves.groupby("N")["questions"].unique().map(list).to_dict() == {1: [3], 2: [3], 3: [3], 4: [2]}
    del pools["q3"]
    with pytest.warns(UserWarning, match="N = 8, 9 left out: 1 of 2 questions have fewer than 8 "):
        reach = build_curves(samples_of(pools, tokens=tokens), ns=[1, 4, 8, 9], permutations=0)
    own, alone = (exact(rows).loc[4].drop("stderr_vs_first_n") for rows in (curves, reach))
    pd.testing.assert_series_equal(own, alone)
    assert own["tokens_per_answer"] == 15
    assert np.isnan(exact(curves).loc[4, "stderr_vs_first_n"])
    with pytest.warns(UserWarning, match="2 of 3 questions"):
        two = build_curves(samples_of({"q1": "rrrrabrr", "q2": "rrraabbr", "q3": "rra"}), permutations=0)
    assert np.isnan(exact(two).loc[[4, 8], "stderr_vs_first_n"]).all()  # N = 1 uses all three


@pytest.mark.filterwarnings("ignore:.*questions")
@pytest.mark.parametrize(("second", "known"), [("q2", ["2"]), ("q3", [])])
def test_without_tokens_the_first_setting_is_compared_with_if_its_questions_are_the_same(second, known):
    both = pd.concat([samples_of(TWO, "1"), samples_of({"q1": "raab", second: "aaab"}, "2")])
    found = build_curves(both, permutations=0).dropna(subset="stderr_vs_cheapest")
    assert found["setting"].unique().tolist() == known


@pytest.mark.parametrize("ns", [[5], [8, 16]])
def test_n_too_large_for_every_setting_is_refused(ns):
    both = pd.concat([samples_of({"q1": "ra", "q2": "rrrrr"}, "10"), samples_of(TWO)])
    with pytest.warns(UserWarning, match="left out"), pytest.raises(BadInput, match=f"N = {ns[0]}.* 4$"):
        build_curves(both, ns=ns)


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
