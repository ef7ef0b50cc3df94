"""Best by score and the weighted vote against every subset of random pools, with ties and gaps."""

import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from results import BadInput, as_samples, build_curves, compare
from results.votes.curves import usual_methods
from results.votes.exact import AnswerPools, majority_accuracy
from results.votes.scored import accuracy_by_score, grid_steps

NAN, INF = np.nan, np.inf


def pools_of(votes, scores):
    return AnswerPools(
        ["q"], np.array([0, len(votes)]), np.array(votes), np.full(len(votes), NAN), np.array(scores, float)
    )


def best_of_subset(votes, scores):
    """Unreadable below unscored below all scores; ties share."""

    def rank(i):
        return (0, 0.0) if votes[i] < 0 else (1, 0.0) if np.isnan(scores[i]) else (2, scores[i])

    ranks = [rank(i) for i in range(len(votes))]
    top = [i for i, one in enumerate(ranks) if one == max(ranks)]
    return sum(votes[i] == 0 for i in top) / len(top)


def weighted_of_subset(votes, scores):
    """Sums of weights by answer; what has none casts no vote."""
    totals = {}
    for vote, score in zip(votes, scores, strict=True):
        if vote >= 0 and score > 0:
            totals[vote] = totals.get(vote, 0) + score
    leading = [vote for vote, total in totals.items() if total == max(totals.values())]
    return (0 in leading) / len(leading) if leading else 0.0


def by_subsets(one, votes, scores, n):
    subsets = list(combinations(range(len(votes)), n))
    return np.mean([one([votes[i] for i in s], [scores[i] for i in s]) for s in subsets])


@pytest.mark.parametrize("seed", range(150))
def test_best_by_score_is_the_mean_over_all_subsets(seed):
    rng = np.random.default_rng([1, seed])
    n = int(rng.integers(1, 9))
    votes = rng.integers(-1, 4, n)
    scores = rng.choice([NAN, -INF, INF, -1.0, 0.0, 0.5, 0.5, 2.0], n)
    ns = np.arange(1, n + 1)
    expected = [by_subsets(best_of_subset, votes, scores, k) for k in ns]
    np.testing.assert_allclose(
        accuracy_by_score(pools_of(votes, scores), "best_by_score", ns)[0], expected, atol=1e-12
    )


@pytest.mark.parametrize("seed", range(150))
def test_the_weighted_vote_is_the_mean_over_all_subsets(seed):
    """Weights of 0 to 6 sixths of the largest are on the grid."""
    rng = np.random.default_rng([2, seed])
    n = int(rng.integers(1, 10))
    votes = rng.integers(-1, 4, n)
    scores = rng.choice([NAN, 0.0, 1.0, 1.0, 2.0, 3.0, 6.0], n)
    ns = np.arange(1, n + 1)
    expected = [by_subsets(weighted_of_subset, votes, scores, k) for k in ns]
    np.testing.assert_allclose(
        accuracy_by_score(pools_of(votes, scores), "weighted_majority", ns)[0], expected, atol=1e-12
    )


@pytest.mark.parametrize("scale", [1, 10])
@pytest.mark.parametrize(
    ("votes", "ratings"), [([1, 0, 2, 0, 0, 2], [7, 1, 1, 4, 9, 5]), ([0, 1, 1, 0, 1, 0], [4, 1, 7, 3, 2, 6])]
)
def test_ratings_that_add_up_to_as_much_tie(votes, ratings, scale):
    """Whichever of 1 to 10 is the largest; so do their tenths, whose sums are not equal as floats."""
    exact = [by_subsets(weighted_of_subset, votes, ratings, n) for n in range(1, 7)]
    pools = pools_of(votes, np.array(ratings) / scale)
    found = accuracy_by_score(pools, "weighted_majority", np.arange(1, 7))
    np.testing.assert_allclose(found[0], exact, atol=1e-12)


@pytest.mark.parametrize("size", [7, 64, 300])
def test_equal_weights_are_the_plain_vote(size):
    rng = np.random.default_rng(size)
    votes = np.minimum(rng.geometric(0.4, size) - 2, 6)
    present = np.unique(votes[votes > 0])
    votes = np.where(votes > 0, np.searchsorted(present, votes) + 1, votes)
    pools, ns = pools_of(votes, np.full(size, 0.37)), np.array([1, 2, 5, 7, size])[: 3 + 2 * (size > 7)]
    plain = majority_accuracy(pools.counts(), ns)
    np.testing.assert_allclose(accuracy_by_score(pools, "weighted_majority", ns), plain, atol=1e-10)


def test_constant_scores_say_nothing():
    """Best by a constant is one answer drawn at random among those that can be read."""
    pools = pools_of([0, 0, 1, 2, 3], [4.0] * 5)
    found = accuracy_by_score(pools, "best_by_score", np.arange(1, 6))[0]
    np.testing.assert_allclose(found, 0.4, atol=1e-14)


def test_a_score_of_right_and_wrong_is_the_oracle():
    rng = np.random.default_rng(3)
    votes = rng.integers(-1, 5, 40)
    pools = pools_of(votes, (votes == 0).astype(float))
    ns = np.array([1, 3, 10, 40])
    c = int((votes == 0).sum())
    expected = [1 - np.prod([(40 - c - i) / (40 - i) for i in range(n)]) for n in ns]
    np.testing.assert_allclose(accuracy_by_score(pools, "best_by_score", ns)[0], expected, atol=1e-12)


def test_weights_off_the_grid_are_rounded_by_less_than_they_say():
    """200 pools of 8 uniform weights: hardly a subset has another winner, and none at N = 1."""
    rng, errors = np.random.default_rng(4), []
    for _ in range(200):
        votes, scores = rng.integers(0, 3, 8), rng.random(8)
        exact = [by_subsets(weighted_of_subset, votes, scores, n) for n in (1, 3, 8)]
        errors.append(
            accuracy_by_score(pools_of(votes, scores), "weighted_majority", np.array([1, 3, 8]))[0] - exact
        )
    assert abs(np.array(errors)[:, 0]).max() < 1e-12
    assert abs(np.array(errors)).mean(axis=0).max() < 0.002
    for least in (1e-6, 1e-12):  # which is no weight of 0
        hardly = pools_of(np.array([1, 0]), np.array([1.0, least]))
        assert accuracy_by_score(hardly, "weighted_majority", np.array([1, 2])).tolist() == [[0.5, 0]]


def test_the_weighted_vote_hangs_on_no_order_and_on_no_name_of_an_answer():
    rng, ns = np.random.default_rng(6), np.array([1, 2, 3, 8, 20])
    for _ in range(40):
        votes, scores = np.append(rng.integers(-1, 4, 16), range(4)), rng.random(20).round(1)
        scores *= rng.choice([1, 0.013], 20)
        named, order = np.append(np.append(0, rng.permutation([1, 2, 3])), -1)[votes], rng.permutation(20)
        pools = pools_of(votes, scores), pools_of(named, scores), pools_of(votes[order], scores[order])
        one, *others = (accuracy_by_score(pool, "weighted_majority", ns) for pool in pools)
        np.testing.assert_allclose(others, [one, one], atol=1e-12)


@pytest.mark.parametrize("law", ["one of 64 beats 63", "beta", "near 1", "softmax"])
def test_sharp_weights_are_not_rounded_away(law):
    """By float sums over all pairs, and all but one; weights rounded to 1/60 are off by 1.5 to 100 points."""
    rng, errors = np.random.default_rng(5), []
    for _ in range(40):
        votes = np.where(rng.random(64) < rng.random(), 0, rng.integers(1, 4, 64))
        logit = np.where(votes == 0, 6, 4) + 2 * rng.normal(size=64)
        scores = {"near 1": 1 / (1 + np.exp(-logit)), "beta": rng.beta(0.05, 0.05, 64)}
        scores["softmax"] = np.exp(5 * rng.normal(size=64))
        if law == "one of 64 beats 63":
            votes, scores[law] = np.arange(64).clip(0, 1), np.array([0.9] + [0.001] * 63)
        found = accuracy_by_score(pools_of(votes, scores[law]), "weighted_majority", np.array([2, 63, 64]))[0]
        exact = [by_subsets(weighted_of_subset, votes, scores[law], n) for n in (2, 63, 64)]
        errors.append(found - exact)
    assert abs(np.mean(errors, axis=0)).max() < 0.003


@pytest.mark.parametrize(
    ("answers", "steps"), [(1, 960), (16, 960), (17, 540), (32, 240), (64, 60), (500, 60)]
)
def test_the_grid_is_as_fine_as_time_allows(answers, steps):
    assert grid_steps(answers) == steps


@pytest.mark.parametrize("answers", [8, 16, 24])
def test_two_leaders_a_step_apart_do_not_tie(answers):
    """With every answer in the vote, one step of the grid decides between equal numbers of answers."""
    step = 1 / grid_steps(answers)
    for gain, expected in ((step, 1.0), (0.0, 0.5), (-step, 0.0)):
        votes = np.arange(answers) % 2
        scores = np.where(votes == 0, 1 - step + gain, 1 - step)
        scores[:2] = 1.0  # the largest, on both sides
        found = accuracy_by_score(pools_of(votes, scores), "weighted_majority", np.array([answers]))
        assert found[0, 0] == pytest.approx(expected, abs=1e-12)


SAMPLES = pd.DataFrame(
    {
        "question_id": ["a", "a", "a", "b", "b", "b"],
        "sample": [0, 1, 2] * 2,
        "answer": ["18", "7", "7", "5", "6", None],
        "gold": ["18"] * 3 + ["5"] * 3,
        "score": [0.9, 0.8, 0.3, 0.1, None, 0.9],
        "score_rm": ["-1", "2", "3", "-inf", "", "nan"],
        "logprob": [-0.1, -1.0, -1.0, -2.0, -2.0, -0.5],
    }
)


def curve(method, **options):
    table = build_curves(SAMPLES, [method], permutations=3, **options)
    assert (table["permutation"] == "exact").all()
    return table.set_index("N")["accuracy"]


def test_curves_by_the_scores_of_a_table():
    """By hand. b: 5 (.1) before 6 (no score) before what cannot be read."""
    assert curve("best_by_score").to_dict() == pytest.approx({1: 1 / 3, 2: (2 / 3 + 2 / 3) / 2, 3: 1.0})
    # rm, a: 7 of score 3 and 2 beat 18; b: −∞ is a score, above none
    assert curve("best_by_score", score="rm").to_dict() == pytest.approx({1: 1 / 3, 2: 1 / 3, 3: 0.5})
    # a: 18 weighs .9, 7 weighs 1.1 together; b: only 5 has a weight
    assert curve("weighted_majority").to_dict() == pytest.approx({1: 1 / 3, 2: 2 / 3, 3: 0.5})
    # e^−.1 = .905 against 2 e^−1 = .736; 5 and 6 tie
    assert curve("weighted_majority", score="logprob").to_dict() == pytest.approx(
        {1: 1 / 3, 2: 7 / 12, 3: 0.75}
    )


@pytest.mark.parametrize(
    ("method", "change", "message"),
    [
        ("best_by_score", {"drop": "score"}, "no column 'score'"),
        ("best_by_score", {"score": ["x", 1, 1, 1, 1, 1]}, "column 'score': found 'x'"),
        ("best_by_score", {"score": [None] * 6}, "is empty"),
        ("best_by_score", {"logprob": [-1.0, 2.5, -1, -1, -1, -1]}, "column 'logprob': found '2.5'"),
        ("weighted_majority", {"score": [-1.0, 1, 1, 1, 1, 1]}, "question a: a score of -1"),
        ("weighted_majority", {"score": [1.0, 1, 1, INF, 1, 1]}, "question b: a score of inf"),
    ],
)
def test_scores_that_cannot_be_used_are_one_line(method, change, message):
    given = SAMPLES.drop(columns=change["drop"]) if "drop" in change else SAMPLES.assign(**change)
    with pytest.raises(BadInput, match=message) as caught:
        build_curves(given, [method])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("shift", [0.0, -300.0, -2000.0])
def test_log_probabilities_far_below_zero_weigh_by_their_differences(shift):
    """Sums over long answers are below −745, where e to their power is 0."""
    logs = np.array([-0.1, -1.0, -1.2, -0.4, -2.0]) + shift
    pools = pools_of([0, 1, 1, 2, -1], [*logs[:4], logs[4] + 1000])  # what cannot be read has no say
    found = accuracy_by_score(pools, "weighted_majority", np.arange(1, 6), logs=True)
    steps = np.rint(np.exp(logs[:4] - logs[0]) * grid_steps(5))
    expected = [by_subsets(weighted_of_subset, [0, 1, 1, 2, -1], [*steps, 0.0], n) for n in range(1, 6)]
    np.testing.assert_allclose(found[0], expected, atol=1e-12)


@pytest.mark.parametrize("verdicts", [[True, False, True, False, True, False], list("101010")])
def test_verdicts_are_scores_of_one_and_zero(verdicts):
    given = SAMPLES.assign(score=verdicts, score_judge=[str(one).lower() for one in verdicts])
    numbers = build_curves(SAMPLES.assign(score=[1, 0, 1, 0, 1, 0]), ["best_by_score"], permutations=0)
    for score in ("score", "judge"):
        curves = build_curves(given, ["best_by_score"], permutations=0, score=score)
        assert curves["accuracy"].tolist() == numbers["accuracy"].tolist()


def test_answers_without_a_score_are_counted_where_they_are_many():
    with pytest.warns(UserWarning, match="2 of 5 answers"):
        build_curves(SAMPLES.assign(score=[1, None, 1, None, 1, None]), ["best_by_score"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # one that cannot be read needs none
        build_curves(SAMPLES.assign(score=[1, 1, 1, 1, 1, None]), ["best_by_score"])
    unread = [SAMPLES.assign(sample=SAMPLES["sample"] + 3 * n, answer=None) for n in (1, 2)]
    with pytest.warns(UserWarning, match="1 of 5 answers"):  # however few can be read
        build_curves(pd.concat([SAMPLES.assign(score=[1, 1, 1, None, 1, 1]), *unread]), ["best_by_score"])


@pytest.mark.parametrize("seed", range(30))
def test_the_highest_score_is_the_mean_of_the_maximum_over_all_subsets(seed):
    rng = np.random.default_rng([7, seed])
    n = int(rng.integers(1, 9))
    scores = rng.choice([NAN, 0.0, 0.25, 0.25, 0.7, 1.0], n)
    ns, credit = np.arange(1, n + 1), np.nan_to_num(scores)
    expected = [np.mean([max(credit[list(s)]) for s in combinations(range(n), k)]) for k in ns]
    found = accuracy_by_score(pools_of(rng.integers(-1, 3, n), scores), "highest_score", ns)[0]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def partial(**more):
    """Two questions with partial credit; the second has an answer that nobody has scored."""
    scores = [0.9, 1, 0.7, 0.75, NAN, 0.25, 0.25]
    table = {"question_id": list("aaabbbb"), "sample": [0, 1, 2, 0, 1, 2, 3], "score": scores}
    return pd.DataFrame(table).assign(**more)


@pytest.mark.filterwarnings("ignore:.*credit of an answer")
def test_scores_without_verdicts_are_credit_and_the_unscored_are_left_out():
    samples = as_samples(partial())
    assert len(samples) == 6
    assert samples["correct"].tolist() == [False, True, False, False, False, False]
    assert usual_methods(samples) == ("best_of_n", "all_of_n", "highest_score")
    curves = build_curves(samples, usual_methods(samples), [1, 2], permutations=0)
    found = curves.set_index(["method", "N"])["accuracy"]
    assert found["highest_score"].tolist() == pytest.approx([(2.6 / 3 + 1.25 / 3) / 2, 0.775])
    assert found["best_of_n"].tolist() == pytest.approx([1 / 6, 1 / 3])


@pytest.mark.filterwarnings("ignore:.*(credit of an answer|0 % right)")
def test_what_is_computed_where_nothing_is_asked_for():
    rows = partial().fillna(0.5)
    verdicts, yes = rows["score"] >= 0.75, np.where(rows["score"] >= 0.75, "yes", "no")
    usual = {
        "a threshold on scores": (rows.assign(correct=verdicts), ("best_of_n", "all_of_n", "highest_score")),
        "verdicts": (rows.drop(columns="score").assign(correct=verdicts), ("best_of_n", "all_of_n")),
        "in words": (
            rows.drop(columns="score").assign(correct=verdicts, answer=yes),
            ("best_of_n", "all_of_n"),
        ),
        "a yes that is wrong": (rows.assign(answer=yes, gold="yes"), ("majority", "best_of_n")),
        "a verifier": (rows.assign(answer=list("1212121"), gold="1"), ("majority", "best_of_n")),
    }
    for name, (frame, expected) in usual.items():
        assert usual_methods(as_samples(frame)) == expected, name


@pytest.mark.parametrize("scores", [[0.5, 1.5], [-0.1, 1], [NAN, NAN]])
def test_scores_that_are_no_credit_are_no_verdicts(scores):
    table = pd.DataFrame({"question_id": "q", "sample": [0, 1], "score": scores})
    with pytest.raises(BadInput, match="from 0 to 1"):
        as_samples(table)


@pytest.mark.filterwarnings("ignore")
def test_partial_credit_is_compared_by_clusters_over_data_sets():
    """b has a quarter more of the credit in every question of two data sets."""
    rng = np.random.default_rng(0)
    rows = [(d, f"q{q}", s, f"p{q // 4}") for d in "xy" for q in range(40) for s in range(3)]
    table = pd.DataFrame(rows, columns=["dataset", "question_id", "sample", "cluster"])
    a = table.assign(score=rng.integers(0, 4, len(table)) / 4, model="a")
    b = a.assign(score=a["score"] + 0.25, model="b")
    found = compare(a, b, methods="highest_score", score="score", at=2)
    assert found["difference"].tolist() == pytest.approx([0.25, 0.25])
    assert found[["dataset", "clusters", "verdict"]].to_numpy().tolist() == [[d, 10, "better"] for d in "xy"]


REWARDS = pd.DataFrame(
    {
        "question_id": "q",
        "sample": range(3),
        "answer": ["5", "4", "4"],
        "gold": "5",
        "score_rm": [1.2, -0.6, -2.5],
    }
)


@pytest.mark.parametrize("weigh", ["softmax", "sigmoid"])
def test_rewards_below_zero_weigh_by_the_law_that_is_asked_for(weigh):
    """By all subsets; a shift of all rewards changes no softmax."""
    law = {"softmax": np.exp, "sigmoid": lambda x: 1 / (1 + np.exp(-x))}[weigh]
    weights = law(REWARDS["score_rm"].to_numpy())
    expected = [by_subsets(weighted_of_subset, [0, 1, 1], weights, n) for n in (1, 2, 3)]
    for shift in (0.0, -900.0) if weigh == "softmax" else (0.0,):
        moved = REWARDS.assign(score_rm=REWARDS["score_rm"] + shift)
        curves = build_curves(moved, "weighted_majority", score="rm", weights=weigh)
        assert curves["accuracy"].tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": "weighted_majority", "score": "rm"}, "--weights softmax"),
        ({"methods": "weighted_majority", "score": "rm", "weights": "mean"}, "expected one of softmax"),
        ({"methods": "best_by_score", "score": "rm", "weights": "softmax"}, "weighted_majority"),
        ({"methods": "weighted_majority", "score": "logprob", "weights": "softmax"}, "leave it out"),
    ],
)
def test_weights_are_refused_where_they_make_no_sense(options, message):
    with pytest.raises(BadInput, match=message):
        build_curves(REWARDS.assign(logprob=-1.0), **options)
