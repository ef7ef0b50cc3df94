"""Best by score and the weighted vote against all subsets of random pools, with ties and missing scores."""

import numpy as np
import pandas as pd
import pytest

from results import BadInput, as_samples, best_of_n_curve, build_curves, vote_curve
from results.votes.curves import usual_methods
from results.votes.exact import Floats, majority_accuracy
from results.votes.score_kernel import credit
from results.votes.scored import accuracy_by_score, grid_steps, score_column
from tests.by_hand import best_of_subset, pools_of, scored_by_subsets, weighted_of_subset

NAN, INF = np.nan, np.inf


def chosen(method: str, votes, scores, ns, **options) -> Floats:
    """The accuracy of one question at each N."""
    return accuracy_by_score(pools_of([votes], scores=[scores], **options), method, np.array(ns))[0]


def weighted(votes, scores, ns) -> list[float]:
    """The mean weighted vote over all subsets of each size."""
    return [scored_by_subsets(weighted_of_subset, votes, scores, n) for n in ns]


def highest_of_subset(_, scores) -> float:
    return float(max(np.nan_to_num(scores)))


@pytest.mark.parametrize(
    ("method", "of_subset", "given"),
    [
        ("best_by_score", best_of_subset, [NAN, -INF, INF, -1.0, 0.0, 0.5, 0.5, 2.0]),
        # multiples of a sixth of the largest weight are on the grid
        ("weighted_majority", weighted_of_subset, [NAN, 0.0, 1.0, 1.0, 2.0, 3.0, 6.0]),
        ("highest_score", highest_of_subset, [NAN, 0.0, 0.25, 0.25, 0.7, 1.0]),
    ],
)
def test_each_choice_by_score_is_the_mean_over_all_subsets(method, of_subset, given):
    for seed in range(150):
        rng = np.random.default_rng([len(given), seed])
        n = int(rng.integers(1, 10))
        votes, scores = rng.integers(-1, 4, n), rng.choice(given, n)
        ns = range(1, n + 1)
        expected = [scored_by_subsets(of_subset, votes, scores, k) for k in ns]
        np.testing.assert_allclose(chosen(method, votes, scores, ns), expected, atol=1e-12)


@pytest.mark.parametrize("scale", [1, 10])
@pytest.mark.parametrize(
    ("votes", "ratings"), [([1, 0, 2, 0, 0, 2], [7, 1, 1, 4, 9, 5]), ([0, 1, 1, 0, 1, 0], [4, 1, 7, 3, 2, 6])]
)
def test_ratings_that_add_up_to_as_much_tie(votes, ratings, scale):
    """This holds for any largest rating from 1 to 10, and for tenths, whose sums differ in floating point."""
    ns = range(1, 7)
    found = chosen("weighted_majority", votes, np.array(ratings) / scale, ns)
    np.testing.assert_allclose(found, weighted(votes, ratings, ns), atol=1e-12)


@pytest.mark.parametrize("size", [7, 64, 300])
def test_equal_weights_are_the_plain_vote(size):
    rng = np.random.default_rng(size)
    votes = np.minimum(rng.geometric(0.4, size) - 2, 6)
    present = np.unique(votes[votes > 0])
    votes = np.where(votes > 0, np.searchsorted(present, votes) + 1, votes)
    ns = np.array([1, 2, 5, 7, size])[: 3 + 2 * (size > 7)]
    plain = majority_accuracy(pools_of([votes]).counts(), ns)[0]
    found = chosen("weighted_majority", votes, np.full(size, 0.37), ns)
    np.testing.assert_allclose(found, plain, atol=1e-10)


def test_weights_off_the_grid_are_rounded_by_less_than_they_say():
    """200 pools of 8 uniform weights: rounding changes hardly any subset's winner, and none at N = 1."""
    rng, errors = np.random.default_rng(4), []
    for _ in range(200):
        votes, scores = rng.integers(0, 3, 8), rng.random(8)
        found = chosen("weighted_majority", votes, scores, [1, 3, 8])
        errors.append(found - weighted(votes, scores, [1, 3, 8]))
    assert abs(np.array(errors)[:, 0]).max() < 1e-12
    assert abs(np.array(errors)).mean(axis=0).max() < 0.002
    for least in (1e-6, 1e-12):  # not a weight of 0
        assert chosen("weighted_majority", [1, 0], [1.0, least], [1, 2]).tolist() == [0.5, 0]


def test_the_weighted_vote_hangs_on_no_order_and_on_no_name_of_an_answer():
    rng, ns = np.random.default_rng(6), [1, 2, 3, 8, 20]
    for _ in range(40):
        votes, scores = np.append(rng.integers(-1, 4, 16), range(4)), rng.random(20).round(1)
        scores *= rng.choice([1, 0.013], 20)
        named, order = np.append(np.append(0, rng.permutation([1, 2, 3])), -1)[votes], rng.permutation(20)
        ways = (votes, scores), (named, scores), (votes[order], scores[order])
        one, *others = (chosen("weighted_majority", *way, ns) for way in ways)
        np.testing.assert_allclose(others, [one, one], atol=1e-12)


@pytest.mark.parametrize("law", ["one of 64 beats 63", "beta", "near 1", "softmax"])
def test_sharp_weights_are_not_rounded_away(law):
    """Against float sums for N = 2, 63 and 64; weights rounded to 1/60 would err by 1.5 to 100 points."""
    rng, errors = np.random.default_rng(5), []
    for _ in range(15):
        votes = np.where(rng.random(64) < rng.random(), 0, rng.integers(1, 4, 64))
        logit = np.where(votes == 0, 6, 4) + 2 * rng.normal(size=64)
        scores = {"near 1": 1 / (1 + np.exp(-logit)), "beta": rng.beta(0.05, 0.05, 64)}
        scores["softmax"] = np.exp(5 * rng.normal(size=64))
        if law == "one of 64 beats 63":
            votes, scores[law] = np.arange(64).clip(0, 1), np.array([0.9] + [0.001] * 63)
        found = chosen("weighted_majority", votes, scores[law], [2, 63, 64])
        errors.append(found - weighted(votes, scores[law], [2, 63, 64]))
    assert abs(np.mean(errors, axis=0)).max() < 0.003


@pytest.mark.parametrize(
    ("answers", "steps"), [(1, 960), (16, 960), (17, 540), (32, 240), (64, 60), (500, 60)]
)
def test_the_grid_is_as_fine_as_time_allows(answers, steps):
    assert grid_steps(answers) == steps


def test_weights_that_differ_by_their_rounding_alone_share_the_credit():
    assert credit(np.array([0.3, 0.1 + 0.2, 0.2]), 0.1 + 0.2) == 0.5


@pytest.mark.parametrize("answers", [8, 16, 24])
def test_two_leaders_a_step_apart_do_not_tie(answers):
    """When all answers vote, one grid step decides between equal numbers of answers."""
    step = 1 / grid_steps(answers)
    for gain, expected in ((step, 1.0), (0.0, 0.5), (-step, 0.0)):
        votes = np.arange(answers) % 2
        scores = np.where(votes == 0, 1 - step + gain, 1 - step)
        scores[:2] = 1.0  # both sides have the largest
        (found,) = chosen("weighted_majority", votes, scores, [answers])
        assert found == pytest.approx(expected, abs=1e-12)


ANSWERS, GOLD = [["18", "7", "7"], ["5", "6", None]], ["18", "5"]
SCORES = [[0.9, 0.8, 0.3], [0.1, None, 0.9]]
SAMPLES = pd.DataFrame(
    {
        "question_id": ["a", "a", "a", "b", "b", "b"],
        "sample": [0, 1, 2] * 2,
        "answer": [*ANSWERS[0], *ANSWERS[1]],
        "gold": ["18"] * 3 + ["5"] * 3,
        "score": [*SCORES[0], *SCORES[1]],
        "score_rm": ["-1", "2", "3", "-inf", "", "nan"],
        "logprob": [-0.1, -1.0, -1.0, -2.0, -2.0, -0.5],
    }
)


def curve(method, **options):
    table = build_curves(SAMPLES, [method], permutations=3, **options)
    assert (table["permutation"] == "exact").all()
    return table.set_index("N")["accuracy"]


def test_curves_by_the_scores_of_a_table():
    """Computed by hand. b: 5 (.1) ranks above 6 (no score), and that above the unreadable one."""
    assert curve("best_by_score").to_dict() == pytest.approx({1: 1 / 3, 2: (2 / 3 + 2 / 3) / 2, 3: 1.0})
    # rm, a: 7 with scores 3 and 2 beats 18; b: −∞ is a score and ranks above a missing one
    assert curve("best_by_score", score="rm").to_dict() == pytest.approx({1: 1 / 3, 2: 1 / 3, 3: 0.5})
    # a: 18 weighs .9, the two 7s 1.1 together; b: only 5 has a weight
    assert curve("weighted_majority").to_dict() == pytest.approx({1: 1 / 3, 2: 2 / 3, 3: 0.5})
    # e^−.1 = .905 against 2 e^−1 = .736; 5 and 6 tie
    assert curve("weighted_majority", score="logprob").to_dict() == pytest.approx(
        {1: 1 / 3, 2: 7 / 12, 3: 0.75}
    )


def test_lists_of_scores_go_with_lists_of_answers():
    best = best_of_n_curve(ANSWERS, GOLD, ns=[1, 2, 3], scores=SCORES)
    assert best["accuracy"].tolist() == pytest.approx([1 / 3, 2 / 3, 1.0])
    vote = vote_curve(ANSWERS, GOLD, ns=[1, 2, 3], scores=SCORES)
    assert vote["accuracy"].tolist() == pytest.approx([1 / 3, 2 / 3, 0.5])
    of_column = best_of_n_curve(SAMPLES, ns=[1, 2, 3], scores="rm")
    assert of_column["accuracy"].tolist() == pytest.approx([1 / 3, 1 / 3, 0.5])


@pytest.mark.parametrize("scores", [SCORES[:1], [[1, 2, 3], [1, 2]], [1, 2], [[1, 2, 3], [1, 2, 3], [1]]])
def test_scores_that_do_not_fit_are_refused(scores):
    with pytest.raises(BadInput, match=r"^scores"):
        vote_curve(ANSWERS, GOLD, scores=scores)


@pytest.mark.parametrize(
    ("method", "change", "message"),
    [
        ("best_by_score", {"drop": "score"}, "no column 'score' in"),
        ("best_by_score", {"score": ["x", 1, 1, 1, 1, 1]}, "column 'score': found 'x'"),
        ("best_by_score", {"score": [None] * 6}, "is empty"),
        ("best_by_score", {"logprob": [-1.0, 2.5, -1, -1, -1, -1]}, "column 'logprob': found '2.5'"),
        ("weighted_majority", {"score": [-1.0, 1, 1, 1, 1, 1]}, "question a: a score of -1"),
        ("weighted_majority", {"score": [1.0, 1, 1, INF, 1, 1]}, "question b: a score of inf"),
        ("highest_score", {"score": [1.0, 1, 1, 1.5, 1, 1]}, "question b: a score of 1.5"),
    ],
)
def test_scores_that_cannot_be_used_are_one_line(method, change, message):
    given = SAMPLES.drop(columns=change["drop"]) if "drop" in change else SAMPLES.assign(**change)
    with pytest.raises(BadInput, match=message) as caught:
        build_curves(given, [method])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("shift", [0.0, -300.0, -2000.0])
def test_log_probabilities_far_below_zero_weigh_by_their_differences(shift):
    """Sums over long answers are below −745, where their exponential is 0."""
    logs = np.array([-0.1, -1.0, -1.2, -0.4, -2.0]) + shift
    votes, ns = [0, 1, 1, 2, -1], range(1, 6)
    scores = [*logs[:4], logs[4] + 1000]  # an unreadable answer has no vote
    steps = np.rint(np.exp(logs[:4] - logs[0]) * grid_steps(5))
    found = chosen("weighted_majority", votes, scores, ns, logs=True)
    np.testing.assert_allclose(found, weighted(votes, [*steps, 0.0], ns), atol=1e-12)
    assert chosen("weighted_majority", [0, 1], [-INF, shift], [1, 2], logs=True).tolist() == [0, 0]


def partial(**more):
    """Two questions with partial credit; the second has an unscored answer."""
    scores = [0.9, 1, 0.7, 0.75, NAN, 0.25, 0.25]
    table = {"question_id": list("aaabbbb"), "sample": [0, 1, 2, 0, 1, 2, 3], "score": scores}
    return pd.DataFrame(table).assign(**more)


@pytest.mark.filterwarnings("ignore:.*credit of an answer")
def test_scores_without_verdicts_are_credit_and_the_unscored_are_left_out():
    samples = as_samples(partial())
    assert len(samples) == 6
    assert samples["correct"].tolist() == [False, True, False, False, False, False]
    curves = build_curves(samples, None, [1, 2], permutations=0)
    assert [*curves["method"].unique()] == ["best_of_n", "all_of_n", "highest_score"]
    found = curves.set_index(["method", "N"])["accuracy"]
    assert found["highest_score"].tolist() == pytest.approx([(2.6 / 3 + 1.25 / 3) / 2, 0.775])
    assert found["best_of_n"].tolist() == pytest.approx([1 / 6, 1 / 3])


@pytest.mark.filterwarnings("ignore:.*(credit of an answer|0 % right)")
def test_what_is_computed_where_nothing_is_asked_for():
    rows = partial().fillna(0.5)
    verdicts, yes = rows["score"] >= 0.75, np.where(rows["score"] >= 0.75, "yes", "no")
    alone = rows.drop(columns="score").assign(correct=verdicts, model="m")
    usual = {
        "a threshold on scores": (rows.assign(correct=verdicts), ("best_of_n", "all_of_n", "highest_score")),
        "a threshold that all pass": (rows.assign(correct=True), ("best_of_n", "all_of_n", "highest_score")),
        "verdicts": (alone, ("best_of_n", "all_of_n")),
        "in words": (alone.assign(answer=yes), ("best_of_n", "all_of_n")),
        "a yes that is wrong": (rows.assign(answer=yes, gold="yes"), ("majority", "best_of_n")),
        "a verifier": (rows.assign(answer=list("1212121"), gold="1"), ("majority", "best_of_n")),
    }
    for name, (frame, expected) in usual.items():
        assert [*usual_methods(as_samples(frame)).values()] == [expected], name
    beside = alone.assign(answer=verdicts.map({True: "7", False: "8"}), gold="7", model="n")
    curves = build_curves(pd.concat(map(as_samples, (alone, beside))), permutations=2)
    own = curves.groupby("model")["method"].unique().map(list)
    assert own.to_dict() == {"m": ["best_of_n", "all_of_n"], "n": ["majority", "best_of_n"]}


def test_scores_that_answers_lack_are_counted_among_those_that_can_be_read():
    samples = pd.DataFrame({"answer": [None] * 8 + ["5"] * 4, "score": [1.0] * 11 + [NAN]})
    with pytest.warns(UserWarning, match="1 of 4 answers have none"):
        score_column(samples, "score")


@pytest.mark.parametrize("scores", [[0.5, 1.5], [-0.1, 1], [NAN, NAN]])
def test_scores_that_are_no_credit_are_no_verdicts(scores):
    table = pd.DataFrame({"question_id": "q", "sample": [0, 1], "score": scores})
    with pytest.raises(BadInput, match="from 0 to 1"):
        as_samples(table)
    with pytest.raises(BadInput, match="no column 'answer'"):
        as_samples(table.assign(gold="1"))


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
    """Checked on all subsets; adding a constant to all rewards does not change a softmax."""
    law = {"softmax": np.exp, "sigmoid": lambda x: 1 / (1 + np.exp(-x))}[weigh]
    weights = law(REWARDS["score_rm"].to_numpy())
    expected = weighted([0, 1, 1], weights, [1, 2, 3])
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
