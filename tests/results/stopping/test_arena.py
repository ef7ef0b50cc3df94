"""The arena's table against the replay by hand, its references, and earlier results on real answers."""

import numpy as np
import pandas as pd
import pytest

from results import BadInput, as_samples
from results.report.selectors import stopping_choices
from results.stopping import RULES, Rule, Seen, arena
from results.stopping.advice import advice, at_equal_agreement, one_by_one
from results.stopping.arena import CLAIRVOYANT
from results.tables.contract import read_samples
from results.votes.exact import accuracy_by_question, answer_pools
from results.votes.permutations import random_orders
from results.words.stopping import sentences
from tests.results.stopping.by_hand import played

COLUMNS = ["question_id", "sample", "answer", "gold", "tokens"]


def answers(questions: int = 12, pool: int = 20, seed: int = 0, **columns) -> pd.DataFrame:
    """Questions from easy to hard, three wrong answers, some unreadable."""
    rng = np.random.default_rng(seed)
    rows = []
    for q in range(questions):
        right = 0.95 - 0.8 * q / questions
        law = [right, (1 - right) * 0.6, (1 - right) * 0.2, (1 - right) * 0.1, (1 - right) * 0.1]
        said = rng.choice(["7", "1", "2", "3", None], pool, p=law)
        rows += [(f"q{q:02}", i, answer, "7", rng.integers(10, 20 + 40 * q)) for i, answer in enumerate(said)]
    return as_samples(pd.DataFrame(rows, columns=COLUMNS).assign(**columns))


TABLE = arena(answers(), n_max=10, orders=20)


def row_of(table: pd.DataFrame, rule: str, threshold: float, batch: str = "1") -> pd.Series:
    found = table[(table["rule"] == rule) & (table["threshold"] == threshold) & (table["batch"] == batch)]
    assert len(found) == 1
    return found.iloc[0]


def test_means_are_those_of_votes_played_by_hand():
    samples = answers()
    pools = answer_pools(samples)
    orders = random_orders(pools, 20, 0)
    for batch in ("1", "4", "exact"):
        block = int(batch) if batch.isdecimal() else batch
        ends = [
            played(
                pools.votes[start:end].tolist(),
                pools.tokens[start:end].tolist(),
                order[start:end].tolist(),
                10,
                RULES["lead"],
                4,
                block,
            )
            for order in orders
            for start, end in zip(pools.starts[:-1], pools.starts[1:], strict=True)
        ]
        means = pd.DataFrame(ends).mean()
        row = row_of(TABLE, "lead", 4, batch)
        by_question = pd.DataFrame(ends)["agreement"].groupby(np.arange(len(ends)) % 12).mean()
        assert row["worst_tenth"] == pytest.approx(by_question.nsmallest(2).mean(), abs=1e-6)
        assert row["answers"] == pytest.approx(means["asked"])
        assert row["rounds"] == pytest.approx(means["rounds"])
        assert row["agreement"] == pytest.approx(means["agreement"], abs=1e-6)
        assert row["accuracy"] == pytest.approx(means["right"], abs=1e-6)
        assert row["tokens"] == pytest.approx(means["tokens"])


def test_accuracy_is_held_against_the_whole_pool_and_a_fixed_number_of_equal_cost():
    samples = answers()
    counts = answer_pools(samples).counts()
    curves = accuracy_by_question(counts, "majority", np.arange(1, 21)).mean(axis=0)
    row = row_of(TABLE, "lead", 3)
    assert row["difference"] == pytest.approx(row["accuracy"] - curves[-1], abs=1e-6)
    lengths = samples.groupby("question_id")["tokens"].mean().mean()
    assert row["N_fixed"] == pytest.approx(row["tokens"] / lengths)
    fixed = np.interp(row["N_fixed"], np.arange(1, 21), curves)
    assert row["difference_fixed"] == pytest.approx(row["accuracy"] - fixed, abs=1e-6)
    assert row["low_fixed"] < row["difference_fixed"] < row["high_fixed"]
    assert row["share"] == pytest.approx(row["tokens"] / lengths / 10)


def test_a_fixed_number_is_no_better_than_itself():
    fixed = arena(answers(), {RULES["fixed"]: [1.0, 2.0, 5.0, 10.0]}, n_max=10, orders=1000)
    fixed = one_by_one(fixed[fixed["rule"] == "fixed"])
    assert fixed["difference_fixed"].abs().max() < 0.012  # 3 standard errors of 12 × 1000 votes
    np.testing.assert_allclose(fixed["N_fixed"], fixed["threshold"], rtol=0.01)
    np.testing.assert_allclose(fixed["agreement"], fixed["agreement_fixed"], atol=0.01)
    plain = TABLE[TABLE["rule"] == "fixed"]  # the default of 16 exceeds the pool
    assert plain["threshold"].tolist() == plain["answers"].tolist() == list(range(1, 11))


def test_the_interval_of_equal_cost_is_that_of_leaving_out_each_question(monkeypatch):
    """The jackknife's error, relative to that of the other difference, which is a plain mean over questions.

    Questions with few readable answers have long ones, and a rule asks for more of them. N stays between 2
    and 3, where the curve is a straight line.
    """
    monkeypatch.setattr("results.paired.differences.ONE_THAT_DIFFERS", 0.0)  # as measured
    rng = np.random.default_rng(3)
    rows = []
    for q, readable in enumerate(rng.uniform(0.15, 1, 30)):
        said = np.where(rng.random(12) < readable, rng.choice(["7", "1"], 12, p=[0.8, 0.2]), None)
        rows += [(f"q{q:02}", i, answer, "7", int(100 / readable)) for i, answer in enumerate(said)]
    frame = pd.DataFrame(rows, columns=COLUMNS)

    def found(kept: pd.DataFrame) -> pd.Series:
        return row_of(arena(as_samples(kept), {RULES["lead"]: [1.0]}, n_max=8, orders=20), "lead", 1)

    without = [found(frame[frame["question_id"] != name]) for name in frame["question_id"].unique()]
    plain, fixed = np.std([(row["difference"], row["difference_fixed"]) for row in without], axis=0)
    every = found(frame)
    assert {int(row["N_fixed"]) for row in [every, *without]} == {2}
    ratio = (every["high_fixed"] - every["low_fixed"]) / (every["high"] - every["low"])
    assert ratio == pytest.approx(fixed / plain, rel=0.05)


def test_a_rule_of_ones_own_is_a_function_of_counts():
    def as_lead(seen: Seen, threshold: float) -> np.ndarray:
        return seen.a - seen.b >= threshold

    mine = Rule("mine", "a − b ≥ t", "this test", as_lead, 4, (4,))
    table = arena(answers(), [mine], n_max=10, orders=20)
    told = ["answers", "rounds", "agreement"]
    for batch in ("1", "4", "exact"):
        own, lead = row_of(table, "mine", 4, batch), row_of(TABLE, "lead", 4, batch)
        assert own[told].tolist() == lead[told].tolist()


@pytest.mark.filterwarnings("ignore:.*0 % right")
def test_answers_that_leave_nothing_to_stop_are_refused():
    with pytest.raises(BadInput, match="two or more"):
        arena(answers(pool=1))
    with pytest.raises(BadInput, match="no answer could be read"):
        arena(as_samples(answers().assign(answer=None, correct=False)))
    with pytest.raises(BadInput, match="verdicts cast no votes"):
        arena(as_samples(answers()[["question_id", "sample", "correct"]]))
    with pytest.raises(BadInput, match="6 answers to each question are too few for fixed:8"):
        arena(answers(pool=6), {RULES["fixed"]: [8.0], RULES["lead"]: [2.0]}, n_max=6, orders=3)


def test_a_rule_that_disagrees_too_often_at_one_setting_is_never_taken():
    """ "y" is nearly free at "a" and never agrees at "b"; the lead agrees at both."""
    table = arena(pd.concat([answers(pool=8, setting="a"), answers(seed=1, setting="b")]), orders=5, n_max=10)
    lead = one_by_one(table)[one_by_one(table)["rule"] == "lead"]
    other = lead.assign(rule="y", share=0.01, agreement=lead["agreement_all"])
    other.loc[other["setting"] == "b", "agreement"] = 0.1
    both = pd.concat([lead, other])
    assert at_equal_agreement(both).set_index("rule")["share"].isna().to_dict() == {"lead": False, "y": True}
    taken = advice(both)
    assert taken is not None
    assert (taken.rule, taken.cheapest) == ("lead", None)
    assert (taken.n_max, taken.unit, taken.fixed) == ((8, 10), "tokens", None)
    in_part = advice(both.assign(tokens=both["tokens"].where(both["setting"] == "a")))
    assert in_part is not None
    assert in_part.unit == "tokens or answers"


def test_what_to_take_is_the_lead_unless_another_is_clearly_cheaper():
    rows = TABLE[(TABLE["rule"] == "lead") & (TABLE["batch"] == "1")].head(3)
    rows = rows.assign(threshold=[2.0, 3, 4], agreement=[0.95, 0.98, 0.99], agreement_all=0.99)
    shares = {"lead": 0.2, "x": 0.196, "y": 0.15}
    lead, near, far = (rows.assign(rule=rule, share=[0.1, shares[rule], 0.4]) for rule in shares)
    close = advice(pd.concat([lead, near]))
    assert close is not None
    assert (close.rule, close.threshold, close.share) == ("lead", 3.0, 0.2)
    assert close.cheapest == ("x", pytest.approx(0.98))
    clear = advice(pd.concat([lead, far]))
    assert clear is not None
    assert (clear.rule, clear.threshold) == ("y", 3.0)
    assert at_equal_agreement(pd.concat([lead, far]))["vs_lead"].tolist() == [pytest.approx(0.75), 1.0]
    assert at_equal_agreement(lead.head(2))["share"].tolist() == [0.2]  # .98 less the tolerated .01
    assert advice(lead.head(1)) is None
    assert len(sentences(None)) == 1


# Tokens relative to 40 answers, and agreement with the vote of all 80, both in %.
SEEN = {
    ("boinf-qwen3-14b-aime2425-80", "lead", 3): (19.2, 98.5),
    ("boinf-qwen3-14b-aime2425-80", "lead", 4): (24.7, 99.0),
    ("boinf-qwen3-14b-aime2425-80", "asc-beta", 0.95): (29.7, 99.0),
    ("boinf-qwen3-14b-aime2425-80", "fixed", 9): (22.5, 95.3),
    ("boinf-nemotron-9b-v2-gpqa-80", "lead", 3): (18.6, 92.2),
    ("boinf-nemotron-9b-v2-gpqa-80", "lead", 4): (27.0, 94.6),
    ("boinf-nemotron-9b-v2-gpqa-80", "asc-beta", 0.95): (39.8, 95.7),
    ("boinf-nemotron-9b-v2-gpqa-80", "fixed", 9): (22.5, 89.0),
}
"""Measured earlier by another program, with other orders."""


@pytest.mark.parametrize("name", sorted({key[0] for key in SEEN}))
def test_real_answers_give_the_figures_seen(name, data_dir):
    rules: dict[Rule, list[float]] = {}
    for table, rule, threshold in SEEN:
        if table == name:
            rules.setdefault(RULES[rule], []).append(threshold)
    table = arena(read_samples(data_dir / "samples" / f"{name}.csv"), rules, orders=60, seed=3)
    for (where, rule, threshold), (share, agreement) in SEEN.items():
        if where == name:
            row = row_of(table, rule, threshold)
            assert 100 * row["share"] == pytest.approx(share, abs=1.2)
            told = 100 * row["agreement"]  # agreement with the mode, lower than with the vote of 80
            assert agreement - 4 <= told <= agreement + 0.8


def test_a_part_of_the_table_without_a_rule_to_show_is_refused_by_the_page():
    of_rules, usual = TABLE[TABLE["rule"] != CLAIRVOYANT], one_by_one(TABLE)
    assert len(stopping_choices(usual)) == 1
    for part in (of_rules[of_rules["batch"] == "4"], TABLE[TABLE["rule"] == CLAIRVOYANT]):
        with pytest.raises(BadInput, match="order random and batch 1"):
            stopping_choices(part)


LEAD = RULES["lead"]


@pytest.mark.parametrize(
    "rules", ["lead", ["lead"], [], {}, *({LEAD: given} for given in ([], [float("nan")], ["4"], [0.5]))]
)
def test_what_is_no_rule_or_no_threshold_is_refused(rules):
    with pytest.raises(BadInput, match="rules: "):
        arena(answers(2), rules, n_max=4)


def test_a_table_that_was_not_checked_is_refused():
    with pytest.raises(BadInput, match="as_samples"):
        arena(answers(2).drop(columns="decoding"))
