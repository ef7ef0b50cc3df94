"""Rules checked by hand, the blocks in which they ask for answers, and their names."""

import numpy as np
import pytest

from results.stopping import RULES, named, seen_of
from tests.results.stopping.by_hand import check_blocks, check_ends, ended


@pytest.mark.parametrize(
    ("text", "goes_on", "ends"),
    [
        ("lead:3", "aab", "aaab.a"),
        ("fixed:3", "aa", "aab"),
        ("certain", "aa", "a" * 21),
        ("asc-beta:.95", "aaa", "aaaa"),  # 1 − 2^−4 = .9375, 1 − 2^−5 = .969
    ],
)
def test_a_rule_ends_where_its_formula_says(text, goes_on, ends):
    rule, threshold = named(text)
    assert not ended(rule, threshold, goes_on)
    assert ended(rule, threshold, ends)


@pytest.mark.parametrize("name", [name for name, rule in RULES.items() if not rule.plain])
def test_no_rule_ends_a_tie_and_all_end_what_is_certain(name):
    check_ends(RULES[name])


def test_certainty_is_not_there_before_the_last_answer_that_matters():
    assert not ended(RULES["certain"], 0, "ababaa", most=9)


@pytest.mark.parametrize("name", RULES)
def test_a_block_is_the_fewest_answers_that_can_end_a_vote(name):
    check_blocks(RULES[name], {"lead": 3, "fixed": 4}.get(name, RULES[name].usual))


def test_what_is_seen_of_answers():
    seen = seen_of(["x", None, "y", "y", "x", "x"], 10)
    assert seen.counts.tolist() == [[3, 2]]
    assert (seen.asked[0], seen.streak[0], seen.votes[0], seen.classes[0], seen.left[0]) == (6, 2, 5, 2, 4)
    assert seen_of([None, "y", None], 10).streak[0] == 0
    assert np.array_equal(seen_of([], 10).counts, [[0, 0]])
