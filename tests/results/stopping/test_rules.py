"""Rules by hand, the blocks in which they are asked for, and their names."""

import itertools
from math import log

import numpy as np
import pytest

from results import BadInput
from results.stopping import RULES, ahead, named, seen_of, settled
from results.stopping.rules import counts_score

MOST = 40


def ends(text: str, answers: str, most: int = MOST) -> bool:
    """Whether a rule ends a vote whose answers so far are these letters; a dot could not be read."""
    rule, threshold = named(text)
    return bool(settled(rule, threshold, seen_of([None if a == "." else a for a in answers], most))[0])


@pytest.mark.parametrize(
    ("text", "goes_on", "ended"),
    [
        ("lead:3", "aab", "aaab.a"),
        ("fixed:3", "aa", "aab"),
        ("certain", "aa", "a" * 21),
        ("first-to:3", "aab", "aabba"),
        ("asc-beta:.95", "aaa", "aaaa"),  # 1 − 2^−4 = .9375, 1 − 2^−5 = .969
        ("asc-dirichlet:.95", "aaaab", "aaaa"),
        ("asc-majority:.8", "aaab", "aaaab"),
        ("asc-entropy:.75", "aaab", "aaaab"),  # entropies .811 and .722 of log₂ 2
        ("esc:3", "abaaa", "abaaaa"),
        ("esc:3", "ab.aa.", "ab.aaa"),
        ("doubling:.75", "aaa", "aaab"),
        ("ppr:.05", "aaaaaaa", "aaaaaaaa"),  # 8 / 2^7 = .0625, 9 / 2^8 = .035
        ("sprt:.05", "aaaaaaa", "aaaaaaaa"),  # ln 19 / ln 1.5 = 7.26
        ("mmc:.05", "aaaaaa", "aaaaaaa"),  # (2^7 − 1) / 7 = 18.1, (2^8 − 1) / 8 = 31.9
        # Against one other vote 2 (2^(a+1) − 1)/(a + 1) − (2^(a+2) − 1)/(a + 2): 18.5 for a = 9, 30.9 for 10.
        ("mmc:.05", "a" * 9 + "bc", "a" * 10 + "bc"),
        ("mmc:.05", "a" * 10 + "bcd", "a" * 10 + "b"),  # against two others 9.4
    ],
)
def test_a_rule_ends_where_its_formula_says(text, goes_on, ended):
    assert not ends(text, goes_on)
    assert ends(text, ended)


def test_the_bayes_factor_of_one_answer_and_an_unknown_one():
    chance = 1 - 2.0**-6  # of Beta(6, 1) above ½: five votes to none
    rule = RULES["boinf"]
    seen = seen_of("aaaaa", MOST)
    assert rule.stops(seen, chance / (1 - chance) - 1e-4)[0]
    assert not rule.stops(seen, chance / (1 - chance) + 1e-4)[0]


def test_an_entropy_that_is_just_the_threshold_ends_the_vote():
    exact = -(3 / 4 * log(3 / 4) + 1 / 4 * log(1 / 4)) / log(2)
    rule, seen = RULES["asc-entropy"], seen_of("aaab", MOST)
    assert rule.stops(seen, exact)[0]
    assert not rule.stops(seen, exact - 1e-4)[0]


def test_the_score_of_counts_is_its_formula():
    seen = seen_of([*"aaaab", None, "c"], MOST)
    w = 0.257, 0.166, 0.149, 0.168
    lead, pair = log(3), log(5 / 2 + 1)
    expected = lead - w[0] * pair - w[1] * log(34 / 40) + w[2] * log(1 + 7 - 5) - w[3] * log(7)
    assert counts_score(seen, w)[0] == pytest.approx(expected)


@pytest.mark.parametrize("name", [name for name, rule in RULES.items() if not rule.plain])
def test_no_rule_ends_a_tie_and_all_end_what_is_certain(name):
    rule = RULES[name]
    eager = min(rule.thresholds) if rule.delta is None else rule.thresholds[0]
    for tie in ("", "ab", "aabb", "...", "ab" * 8):
        assert not ends(f"{name}:{eager:g}", tie)
    assert ends(f"{name}:{rule.usual:g}", "ababaaa", most=9)
    assert not settled(RULES["certain"], 0, seen_of("ababaa", 9))[0]


@pytest.mark.parametrize("name", RULES)
def test_a_block_is_the_fewest_answers_that_can_end_a_vote(name):
    """Every future of every short past: none ends it before the block's last answer, and one ends it there.

    A rule that is checked at fixed places may be asked for less than that.
    """
    rule, most = RULES[name], 9
    threshold = {"lead": 3, "fixed": 4, "esc": 3}.get(name, rule.usual)
    for length in range(4):
        for past in itertools.product("ab.", repeat=length):
            shown = [None if answer == "." else answer for answer in past]
            seen = seen_of(shown, most)
            if settled(rule, threshold, seen)[0]:
                continue
            block = int(ahead(rule, threshold, seen)[0])
            sooner = range(1, block) if block < 5 else (1, block - 1)
            for more in sooner:
                for future in itertools.product(["a", "b", "c", None], repeat=min(more, 4)):
                    after = [*shown, *future, *["a"] * (more - len(future))]
                    assert not settled(rule, threshold, seen_of(after, most))[0], (past, future)


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_the_block_of_a_lead_is_what_it_lacks(k):
    for past in ("", "a", "ab", "aab", "ab.a", "aaaabbb"):
        seen = seen_of([None if answer == "." else answer for answer in past], MOST)
        lead = int(seen.a[0] - seen.b[0])
        if lead < k:
            assert ahead(RULES["lead"], k, seen)[0] == k - lead


def test_a_block_is_never_more_than_is_left():
    for rule in RULES.values():
        assert ahead(rule, rule.usual, seen_of("abababab", 9))[0] == 1
        assert 1 <= ahead(rule, rule.usual, seen_of("", 3))[0] <= 3


def test_rules_go_by_their_names():
    assert named("lead:4") == (RULES["lead"], 4.0)
    assert named("esc") == (RULES["esc"], RULES["esc"].usual)
    for text in ("leed:4", "lead:many", "lead:nan", "lead:inf", ""):
        with pytest.raises(BadInput, match="stop rule"):
            named(text)


def test_what_is_seen_of_answers():
    seen = seen_of(["x", None, "y", "y", "x", "x"], 10)
    assert seen.counts.tolist() == [[3, 2]]
    assert (seen.asked[0], seen.streak[0], seen.votes[0], seen.classes[0], seen.left[0]) == (6, 2, 5, 2, 4)
    assert seen_of([None, "y", None], 10).streak[0] == 0
    assert np.array_equal(seen_of([], 10).counts, [[0, 0]])
