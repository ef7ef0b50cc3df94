"""The rules of the literature checked by hand, and the blocks in which they ask for answers."""

from math import log

import pytest

from results.stopping import seen_of
from studies.stopping.rules import LITERATURE, counts_score
from tests.results.stopping.by_hand import check_blocks, check_ends, check_replay, ended

MOST = 40
OTHERS = [name for name in LITERATURE if name not in ("fixed", "certain", "lead", "asc-beta")]


@pytest.mark.parametrize(
    ("text", "goes_on", "ends"),
    [
        ("first-to:3", "aab", "aabba"),
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
def test_a_rule_ends_where_its_formula_says(text: str, goes_on: str, ends: str) -> None:
    name, _, threshold = text.partition(":")
    assert not ended(LITERATURE[name], float(threshold), goes_on)
    assert ended(LITERATURE[name], float(threshold), ends)


def test_the_bayes_factor_of_one_answer_and_an_unknown_one() -> None:
    chance = 1 - 2.0**-6  # P(Beta(6, 1) > ½): five votes to none
    rule = LITERATURE["boinf"]
    seen = seen_of("aaaaa", MOST)
    assert rule.stops(seen, chance / (1 - chance) - 1e-4)[0]
    assert not rule.stops(seen, chance / (1 - chance) + 1e-4)[0]


def test_an_entropy_that_is_just_the_threshold_ends_the_vote() -> None:
    exact = -(3 / 4 * log(3 / 4) + 1 / 4 * log(1 / 4)) / log(2)
    rule, seen = LITERATURE["asc-entropy"], seen_of("aaab", MOST)
    assert rule.stops(seen, exact)[0]
    assert not rule.stops(seen, exact - 1e-4)[0]


def test_the_score_of_counts_is_its_formula() -> None:
    seen = seen_of([*"aaaab", None, "c"], MOST)
    w = 0.257, 0.166, 0.149, 0.168
    lead, pair = log(3), log(5 / 2 + 1)
    expected = lead - w[0] * pair - w[1] * log(34 / 40) + w[2] * log(1 + 7 - 5) - w[3] * log(7)
    assert counts_score(seen, w)[0] == pytest.approx(expected)


@pytest.mark.parametrize("name", OTHERS)
def test_no_rule_ends_a_tie_and_all_end_what_is_certain(name: str) -> None:
    check_ends(LITERATURE[name])


@pytest.mark.parametrize("name", OTHERS)
def test_a_block_is_the_fewest_answers_that_can_end_a_vote_and_no_more_than_is_left(name: str) -> None:
    check_blocks(LITERATURE[name], 3 if name == "esc" else LITERATURE[name].usual)


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("most", [5, 14])
def test_every_rule_ends_where_plain_python_ends_it(name: str, most: int) -> None:
    check_replay(LITERATURE[name], most)
