"""results.paired.runs: which runs are paired, on which questions; every number of a row by hand."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from results import BadInput, as_samples
from results.paired.needed import POWER, Decision, given
from results.paired.pairs import pairs
from results.paired.runs import Pair, compare_runs, pairs_looked_at
from results.paired.sides import sides_of
from results.tables.money import Price
from tests.by_hand import by_subsets


def run(answers: dict[str, str], tokens: int | Sequence[int] = 10, **constants: Any) -> pd.DataFrame:
    """Samples from a letter per answer: "r" is right, "-" null; `tokens` for every answer, or by question."""
    each = [tokens] * len(answers) if isinstance(tokens, int) else tokens
    rows = [
        (name, i, None if answer == "-" else answer, "r", n)
        for (name, given), n in zip(answers.items(), each, strict=True)
        for i, answer in enumerate(given)
    ]
    columns = ["question_id", "sample", "answer", "gold", "tokens"]
    return as_samples(pd.DataFrame(rows, columns=columns).assign(**constants))


A = {"q1": "raab", "q2": "rrrr", "q3": "aaaa", "q4": "rraa"}
B = {"q1": "rrra", "q2": "rraa", "q3": "aa-r", "q4": "rrrr"}


@pytest.mark.parametrize("method", ["majority", "best_of_n"])
@pytest.mark.parametrize("n", [1, 2, 4])
def test_a_row_is_the_mean_over_questions_of_each_with_itself(method, n):
    row = compare_runs({"one": run(A), "two": run(B)}).set_index(["method", "N"], drop=False).loc[method, n]
    one = np.array([by_subsets(answers, n, method, null="-") for answers in A.values()])
    two = np.array([by_subsets(answers, n, method, null="-") for answers in B.values()])
    assert row[["a", "b", "method", "N", "questions"]].tolist() == ["one", "two", method, n, 4]
    assert [row["accuracy_a"], row["accuracy_b"]] == pytest.approx([one.mean(), two.mean()], abs=1e-12)
    assert row["difference"] == pytest.approx((two - one).mean(), abs=1e-12)
    assert row["stderr"] == pytest.approx((two - one).std(ddof=1) / 2, abs=1e-12)
    assert row["low"] < row["difference"] < row["high"]


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (run({"x": "ra"}, dataset="d"), "no question in common"),
        (run(B).assign(gold="a"), "question 'q1'"),
        (run(B, dataset="other"), "nothing to compare"),
        (run(B, dataset="d", decoding="greedy"), "two: .*greedy"),
    ],
)
def test_runs_that_cannot_be_paired_are_refused(other, named):
    with pytest.raises(BadInput, match=named):
        compare_runs({"one": run(A, dataset="d"), "two": other})


def names(runs: dict[str, pd.DataFrame]) -> list[tuple[str, ...]]:
    """The names and settings of the pairs that are compared."""
    looked_at = pairs_looked_at(runs, methods="majority")
    return [(*pair.names, pair.a.setting, pair.b.setting) for pair in looked_at]


def test_runs_meet_at_each_setting_they_share_or_else_everywhere():
    low, high = run(A, setting="low"), run(B, 20, setting="high")
    both = pd.concat([high, low])
    assert names({"x": both, "y": both}) == [("x", "y", "low", "low"), ("x", "y", "high", "high")]
    third = {"x": both, "y": run(A, setting="z")}
    assert names(third) == [("x", "y", "low", "z"), ("x", "y", "high", "z")]
    assert names({"x": both}) == [("low", "high", "low", "high")]
    numbered = pd.concat([run(A, setting="100"), run(B, setting="20")])
    assert names({"x": numbered}) == [("20", "100", "20", "100")]
    assert names({"x": both.drop(columns="tokens")}) == [("low", "high", "low", "high")]  # short names first
    with pytest.raises(BadInput, match="nothing to compare"):
        compare_runs({"x": low})


def test_data_sets_without_a_name_are_not_paired_in_silence(recwarn):
    """Equal names may be of different questions, unless the right answers agree as well."""
    with pytest.warns(UserWarning, match=r"x and y: .* column dataset"):
        one_named = compare_runs({"x": run(A), "y": run(B, dataset="d")})
    assert set(one_named["dataset"]) == {"d"}
    with pytest.warns(UserWarning, match="column dataset"):
        compare_runs({"x": run(A), "y": run(B).drop(columns="gold")})
    some = run(B)
    some["gold"] = some["gold"].where(some["question_id"] == "q1")
    with pytest.warns(UserWarning, match="column dataset"):
        compare_runs({"x": run(A), "y": some})
    recwarn.clear()
    compare_runs({"x": run(A), "y": run(B)})
    compare_runs({"x": run(A, dataset="d"), "y": run(B, dataset="d").drop(columns="gold")})
    assert not recwarn.list


LIKE_A = {f"q{i}": "rraa" for i in range(12)}
LIKE_B = {f"q{i}": ("rrrr", "raaa", "rraa", "rrrr")[i % 4] for i in range(12)}


def test_one_row_named_before_looking_has_the_level_alone():
    runs = {"one": run(LIKE_A), "two": run(LIKE_B)}
    at_one = compare_runs(runs, at=2, methods=["majority"])
    assert at_one[["method", "N", "level"]].to_numpy().tolist() == [["majority", 2, 0.95]]
    row, several = at_one.iloc[0], compare_runs(runs)
    half = stats.t(11).ppf(0.975) * row["stderr"]
    assert [row["low"], row["high"]] == pytest.approx([row["difference"] - half, row["difference"] + half])
    same = several[(several["N"] == 2) & (several["method"] == "majority")].iloc[0]
    assert same["difference"] == row["difference"]
    assert same["high"] - same["low"] > row["high"] - row["low"]
    assert same["questions_needed"] >= row["questions_needed"]
    with pytest.raises(BadInput, match=r"N = 5: .* only 4 answers"):
        compare_runs(runs, at=5)


def test_what_the_questions_of_another_data_set_are_called_changes_nothing():
    """Both data sets number their questions from 0, yet are independent."""
    rng = np.random.default_rng(3)

    def both(prefix: str, seed: int) -> pd.DataFrame:
        letters = np.random.default_rng(seed).choice(["r", "a", "b"], (2, 14, 4), p=[0.5, 0.3, 0.2])
        sets = (("d", "", letters[0]), ("e", prefix, letters[0]))
        parts = [
            run({f"{name}{i}": "".join(row) for i, row in enumerate(rows)}, dataset=dataset)
            for dataset, name, rows in sets
        ]
        return pd.concat(parts).sample(frac=1, random_state=int(rng.integers(99)))

    same, renamed = (
        compare_runs({"x": both(name, 1), "y": both(name, 2)}).drop(columns="flips") for name in ("", "z")
    )
    assert set(same["dataset"]) == {"d", "e"}
    pd.testing.assert_frame_equal(same, renamed)


def test_a_cluster_that_one_side_does_not_name_is_told_with_its_table():
    whole = run(A).assign(cluster=lambda table: "c" + table["question_id"])
    holes = whole.assign(cluster=whole["cluster"].mask(whole["question_id"] == whole["question_id"][0]))
    with pytest.raises(BadInput, match=r"'cluster cq.*' in whole and in no cluster in holes"):
        compare_runs({"whole": whole, "holes": holes})


def test_equal_cost_gives_the_cheaper_run_more_answers():
    rows = compare_runs({"dear": run(A, tokens=20), "cheap": run(B, tokens=8)})
    rows = rows[rows["method"] == "majority"].set_index("N")
    assert rows["cost"].tolist() == [20, 40, 80]
    assert rows.loc[1, "N_at_cost"] == 2.5
    curve = [np.mean([by_subsets(answers, n, null="-") for answers in B.values()]) for n in (2, 3)]
    single = np.mean([by_subsets(answers, 1, null="-") for answers in A.values()])
    assert rows.loc[1, "difference_at_cost"] == pytest.approx(np.mean(curve) - single)
    assert rows.loc[2, "N_at_cost"] == 5  # of only four
    assert rows.loc[2, ["difference_at_cost", "low_at_cost"]].isna().all()
    back = compare_runs({"cheap": run(B, tokens=8), "dear": run(A, tokens=20)}).head(3)
    assert back["difference_at_cost"].isna().tolist() == [True, True, False]


def test_prices_turn_tokens_into_money():
    """Prices are given by run or model, or costs come with the answers."""
    runs = {"dear": run(A, tokens=10, model="large"), "cheap": run(B, tokens=20, model="small")}
    rows = compare_runs(runs, {"dear": Price(0.6e6), "cheap": Price(0.1e6)})
    assert rows.loc[rows["N"] == 1, ["cost", "N_at_cost"]].to_numpy().tolist() == [[6.0, 3.0]] * 2
    assert set(rows["cost_unit"]) == {"US$"}
    by_model = {"large": Price(0.6e6), "small": Price(0.1e6)}
    pd.testing.assert_frame_equal(rows, compare_runs(runs, by_model))
    own = {name: runs[name].assign(cost=cost) for name, cost in (("dear", 6.0), ("cheap", 2.0))}
    pd.testing.assert_frame_equal(rows, compare_runs(own))
    greedy = own["dear"].head(1).assign(decoding="greedy", cost=None)  # not voted on
    own["dear"] = pd.concat([own["dear"], greedy])
    pd.testing.assert_frame_equal(rows, compare_runs(own))
    both = {"x": pd.concat(runs.values())}
    np.testing.assert_allclose(compare_runs(both, by_model)["cost"], rows["cost"])
    with np.errstate(all="raise"):
        assert compare_runs({"x": both["x"].assign(cost=0.0)})["N_at_cost"].isna().all()
    long = run(A, tokens=10, model="large").assign(prompt_tokens=[None] * 4 + [8] * 12)  # or as the others
    assert [side.cost.tolist() for side in sides_of({"x": long}, {"large": Price(1e6, 1e6)})] == [[18.0] * 4]
    one = Price(1.0)
    one_each = {"large": one, "small": one}
    for prices, named in (
        ({"large": one}, "small"),
        ({**one_each, "z": one}, "'z'"),
        ({**one_each, "x": one}, "'x'"),  # a table whose models have prices
    ):
        with pytest.raises(BadInput, match=f"--price: .*{named}"):
            compare_runs(both, prices)


def test_the_uncertain_price_of_an_answer_is_in_the_interval_at_equal_cost():
    """Compared with resampling the questions, which changes the price as well."""
    rng = np.random.default_rng(4)
    Q, n = 400, 8
    right = rng.uniform(0.05, 0.35, Q)

    def drawn(seed: int) -> dict[str, str]:
        hits = np.random.default_rng(seed).random((Q, n)) < right[:, None]
        return {f"q{i}": "".join("r" if hit else "a" for hit in row) for i, row in enumerate(hits)}

    dear, cheap = drawn(1), drawn(2)
    prices = (np.exp(6 - 8 * right) * rng.lognormal(0, 0.5, Q)).astype(int) + 1, np.full(Q, 30)
    ((a, b),) = pairs(sides_of({"d": run(dear, prices[0]), "c": run(cheap, prices[1])}, {}))
    at_cost = Pair(a, b, "best_of_n", np.array([1])).at_cost
    hits = [np.array([given.count("r") for given in side.values()]) for side in (dear, cheap)]
    table = np.array(
        [[by_subsets("r" * c + "a" * (n - c), k, "best_of_n") for k in range(1, n + 1)] for c in range(n + 1)]
    )
    resampled = []
    for _ in range(2000):
        q = rng.integers(0, Q, Q)
        answers = prices[0][q].mean() / prices[1][q].mean()
        curve = table[hits[1][q]].mean(axis=0)
        resampled.append(np.interp(answers, np.arange(1, n + 1), curve) - hits[0][q].mean() / n)
    assert at_cost.mean() == pytest.approx(np.mean(resampled), abs=0.002)
    assert at_cost.std(ddof=1) / np.sqrt(Q) == pytest.approx(np.std(resampled), rel=0.06)
    spread, total = [], prices[0].sum()
    for each in (total, total * 1002 // 1000):
        ((a, b),) = pairs(sides_of({"d": run(dear, prices[0] * Q * n), "c": run(cheap, int(each))}, {}))
        spread.append(Pair(a, b, "best_of_n", np.array([1])).at_cost.std())
    assert spread[0] == pytest.approx(spread[1], rel=0.01)


def test_answers_needed_are_those_of_the_smaller_pool():
    """18 of 30 and 10 of 20 right in every question: the only variance is p(1 − p) / (n − 1) of each.

    It is known to within a tenth from halves of the pools. As all questions have the same difference, the
    uncertainty left is that one of them might differ by 1 more.
    """
    variance, truth, test = 0.24 / 29 + 0.25 / 19, given(0.1, 1 / 40), Decision()
    more = {f"q{i}": "r" * 18 + "a" * 12 for i in range(40)}
    fewer = {f"q{i}": "r" * 10 + "a" * 10 for i in range(40)}
    for sides in ((more, fewer), (fewer, more)):
        row = compare_runs({"one": run(sides[0]), "two": run(sides[1])}, at=1).iloc[0]
        needed = row["answers_needed"] / 20 * np.array([0.85, 1.15])
        fewer_chance, more_chance = (test.decided(40, variance / times, truth) for times in needed)
        assert fewer_chance < POWER < more_chance
        assert row["questions_needed"] == test.questions(0.0, truth)


def test_the_order_of_the_rows_of_a_table_does_not_say_which_is_a():
    models = pd.concat([run(A, model="zeta"), run(B, model="alpha")], ignore_index=True)
    orders = (models, models.iloc[::-1], models.sample(frac=1, random_state=0))
    tables = [compare_runs({"t": rows.reset_index(drop=True)}) for rows in orders]
    assert tables[0].iloc[0][["a", "b"]].tolist() == ["alpha", "zeta"]
    for table in tables[1:]:
        pd.testing.assert_frame_equal(table, tables[0])


def test_a_vote_of_exactly_one_half_is_no_flip_until_it_leaves_it():
    """Six against six is 1/2 at every N; the curve gave 0.5000000000000003, so no question was gained."""
    even = dict.fromkeys(map(str, range(30)), "rrrrrraaaaaa")
    split = dict.fromkeys(even, "rrrrrraaabbb")
    rows = compare_runs({"one": run(even), "two": run(split)}, methods=["majority"]).set_index("N")
    assert rows["accuracy_a"].tolist() == [0.5] * 5
    assert rows["gained"].tolist() == [0, 0, 30, 30, 30]
    assert rows.loc[1:2, ["difference", "p_value"]].to_numpy().tolist() == [[0.0, 1.0]] * 2
    assert rows.loc[1:2, "questions_needed"].isna().all()


def test_the_largest_changes_are_the_first_flips_whichever_way_they_go():
    one, two = run({"q1": "raaa", "q2": "rrrr"}), run({"q1": "rrra", "q2": "aaaa"})
    assert compare_runs({"one": one, "two": two}, at=1)["flips"][0] == "q2 1.00 to 0.00, q1 0.25 to 0.75"


def test_no_difference_is_none_however_its_parts_are_rounded():
    thirds = {"q": "raa", "r": "raa", "s": "raa", "t": "r"}
    two_thirds = {"q": "rra", "r": "rra", "s": "rra", "t": "a"}
    row = compare_runs({"one": run(thirds), "two": run(two_thirds)}, at=1, methods=["majority"]).iloc[0]
    assert row["difference"] == 0
    assert np.isnan(row["questions_needed"])
