"""results.tables.doubts: rows that cannot all be true are refused or warned about."""

import warnings

import numpy as np
import pandas as pd
import pytest

from results import BadInput, as_samples, build_curves, read_samples, reading
from results.tables.contract import read_curves, write_curves
from results.tables.doubts import say_same_answers
from results.tables.files import write_raw

ROWS = pd.DataFrame(
    {
        "question_id": ["a", "a", "b"],
        "sample": [0, 1, 0],
        "dataset": "d",
        "answer": ["18", "7", None],
        "gold": ["18", "18", "5"],
        "correct": [True, False, False],
    }
)


def test_rows_that_agree_are_silent():
    graded = ROWS.drop(columns="gold").assign(correct=[False, True, False])
    golds = ["018", "018", "5"], [None, "18", "5"]
    for rows in (ROWS, ROWS.assign(logprob=0.005), graded, *(ROWS.assign(gold=gold) for gold in golds)):
        assert said_of(rows) == []


@pytest.mark.parametrize(
    ("correct", "said"),
    [
        ([False, False], "1 row, .* row 1, answer '18'"),
        ([True, True], "1 row, .* row 2, answer '7'"),
        ([False, True], "2 rows, .* row 1, answer '18'"),
    ],
)
def test_a_grade_that_the_texts_deny_is_said_and_believed(correct, said):
    samples = ROWS.assign(correct=[*correct, False])
    with pytest.warns(UserWarning, match=rf"^t\.csv: 'correct' contradicts .* in {said} and gold '18'"):
        assert as_samples(samples, "t.csv")["correct"].tolist() == samples["correct"].tolist()


def test_two_right_answers_to_one_question_are_refused_within_and_across_files(tmp_path):
    other = ROWS.assign(gold=["18", "19", "5"], correct=False)
    with pytest.raises(BadInput, match=r"t\.csv: row 2, column 'gold': found '19'"):
        as_samples(other, "t.csv")
    assert len(as_samples(other.assign(dataset=["d", "e", "d"], answer="7"))) == 3
    write_raw(ROWS, tmp_path / "1.csv")
    write_raw(ROWS.assign(gold=["9", "9", "5"], answer="7", correct=False, setting="s"), tmp_path / "2.csv")
    with pytest.raises(BadInput, match=r"^[^ ]*2\.csv: row 1, column 'gold': found '9'"):
        read_samples(tmp_path / "1.csv", tmp_path / "2.csv")


def table(answers, copies=1, each=1, tokens=None, **columns):
    """Samples of one setting: each question's answers, the whole list copied, or `each` answer in place."""
    rows = []
    for question, given in enumerate(answers):
        spent = [None] * len(given) if tokens is None else tokens[question]
        pairs = list(zip(given, spent, strict=True))
        repeated = [pair for pair in pairs for _ in range(each)] * copies
        rows += [(f"q{question}", i, answer, used) for i, (answer, used) in enumerate(repeated)]
    frame = pd.DataFrame(rows, columns=["question_id", "sample", "answer", "tokens"])
    return frame.assign(**{"gold": "1", **columns}).drop(columns=[] if tokens else "tokens")


def warned(read):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read()
    assert all("\n" not in str(one.message) for one in caught)
    return [str(one.message) for one in caught]


def said_of(*samples, name="t.csv"):
    """The warnings about samples, or about several tables joined."""
    return warned(lambda: as_samples(pd.concat(samples), name))


def drawn(seed, questions=40, answers=8, kinds=4):
    return np.random.default_rng(seed).integers(1, 1 + kinds, (questions, answers)).astype(str).tolist()


@pytest.mark.parametrize(("copies", "each"), [(4, 1), (2, 1), (1, 4), (1, 2)])
def test_copies_under_new_numbers_are_said_however_they_are_ordered(copies, each):
    given = [[None if one == "4" else one for one in answers] for answers in drawn(0)]  # unreadable
    (line,) = said_of(table(given, copies, each))
    assert line.startswith("t.csv: ")
    assert f"{copies * each} times" in line


def test_most_questions_suffice_and_few_do_not():
    mostly = [one * 4 for one in drawn(1)[:30]] + drawn(2, 10, 32)
    assert len(said_of(table(mostly))) == 1
    hardly = [one * 4 for one in drawn(1)[:18]] + drawn(2, 22, 32)
    assert said_of(table(hardly)) == []


@pytest.mark.parametrize("seeds", [range(20), pytest.param(range(20, 100), marks=pytest.mark.release)])
def test_answers_that_happen_to_be_alike_are_no_copies(seeds):
    """None of 300 honest tables is taken for copies: easy questions, small pools, few questions."""
    for seed in seeds:
        for shape in ((40, 4, 2), (3, 2, 2), (200, 2, 1)):
            frame = table(drawn(seed, *shape))
            assert not [line for line in said_of(frame) if "times" in line]


def test_answers_that_are_sorted_are_no_copies():
    for seed in range(20):
        given = [sorted(one) for one in drawn(seed, 60, 4, 2)]
        assert said_of(table(given)) == []


def test_tokens_tell_copies_of_easy_questions_from_answers_that_agree():
    same, spent = [["1"] * 8] * 20, np.random.default_rng(3).integers(50, 500, (20, 8)).tolist()
    assert said_of(table(same, tokens=spent)) == []
    assert len(said_of(table(same, copies=2, tokens=spent))) == 1


def test_answers_that_are_all_one_are_said_where_their_tokens_are_known():
    rng = np.random.default_rng(4)
    same = [[answer] * 8 for answer in rng.integers(1, 5, 12).astype(str)]
    spent = [[int(used)] * 8 for used in rng.integers(50, 500, 12)]
    (line,) = said_of(table(same, tokens=spent))
    assert "12 of 12" in line
    for others in ([[2] * 8] * 12, [[100] * 8] * 12):  # choices of a letter, or answers cut off at one length
        assert said_of(table(same, tokens=others)) == []


@pytest.mark.parametrize(
    ("clusters", "words"),
    [
        *((lambda q: q, "of its own"), (lambda _: "p", "one cluster"), (lambda q: q[-1], None)),
        (lambda q: q if q > "q0" else None, "1 of 40 questions have no cluster"),
    ],
)
def test_clusters_that_change_nothing_or_leave_nothing_are_said(clusters, words):
    given = table(drawn(8))
    lines = said_of(given.assign(cluster=given["question_id"].map(clusters)))
    assert [words in line for line in lines] == ([True] if words else [])


def test_an_option_of_clusters_without_effect_is_refused(tmp_path):
    given = as_samples(table(drawn(9)))
    write_raw(given.assign(own=given["question_id"]), tmp_path / "s.csv")
    write_curves(build_curves(given), tmp_path / "c.csv")
    with reading(cluster="own"), pytest.raises(BadInput, match="no effect"):
        read_samples(tmp_path / "s.csv")
    with reading(cluster="question_id"):  # of a single question
        assert set(as_samples(table([["1", "2"]]))["cluster"]) == {"q0"}
    with reading(cluster="own"), pytest.raises(BadInput, match="give --cluster with the samples"):
        read_curves(tmp_path / "c.csv")


def test_a_model_that_is_never_right_is_said():
    wrong = table([["2", "3"], ["4", "5"]])
    assert ["0 % right" in line for line in said_of(wrong)] == [True]
    one_right = pd.concat([wrong, table([["1"]], question_id="x")])
    assert said_of(one_right) == []
    other = pd.concat([one_right.assign(model="m"), wrong.assign(model="n")])
    assert ["of n;" in line for line in said_of(other)] == [True]
    assert "none could be read" in said_of(wrong.assign(answer=None))[0]
    half = wrong.assign(correct=False, gold=wrong["gold"].where(wrong["question_id"] == "q1"))
    assert "answer '4', gold '1'" in said_of(half)[0]  # the first with a gold
    bare = other.assign(correct=other["answer"] == "1", gold=other["gold"].where(other["model"] == "m"))
    assert ["check the column 'correct'" in line for line in said_of(bare)] == [True]


def test_a_word_that_no_answer_is_is_refused(tmp_path):
    for one in (["zzz"], "zzz", "12"):  # a string is one word, not its letters
        with (
            reading(unreadable=one),
            pytest.raises(BadInput, match=r"^t: --unreadable '(zzz|12)': no answer"),
        ):
            as_samples(table([["1", "2"]]), "t")
    with pytest.raises(BadInput, match="expected texts"), reading(unreadable=[7]):
        pass
    write_raw(table([["1", "-"]]), tmp_path / "a.csv")
    write_raw(table([["1", "2"]], setting="s"), tmp_path / "b.csv")
    with reading(unreadable=["-", "2.0"]):  # each occurs in one of the two
        assert (
            read_samples(tmp_path / "a.csv", tmp_path / "b.csv")["answer"].isna().tolist()
            == [False, True] * 2
        )


@pytest.mark.parametrize("pool", [13, 15, 16])
def test_answers_that_come_again_after_a_fixed_number_are_copies_though_the_last_block_is_cut_off(pool):
    again = [(one * 4)[:pool] for one in drawn(6, answers=6)]
    (line,) = said_of(table(again))
    assert "after every 6" in line
    assert said_of(table(drawn(6, answers=pool))) == []


def test_two_models_with_the_same_answers_are_said_once_in_any_order_of_rows():
    """Only one of two data sets has copies; a third model has its own answers."""
    one, two, three = (table(drawn(seed), model=f"m{seed}", dataset="a") for seed in (7, 8, 9))
    copied = one.assign(model="copy")
    apart = [frame.assign(dataset="b") for frame in (one, two.assign(model="copy"))]
    honest = pd.concat([one, two, three, *apart])
    assert said_of(honest) == []
    (line,) = said_of(honest, copied)
    assert "m7 and copy on a" in line
    assert "40 of 40" in line
    shuffled = pd.concat([honest, copied]).sample(frac=1, random_state=0)
    (again,) = said_of(shuffled)
    assert again.split(": ", 2)[2] == line.split(": ", 2)[2]
    apart = {name: as_samples(one.assign(setting=name)) for name in "ab"}  # two settings are not compared
    assert warned(lambda: say_same_answers(apart)) == []


def test_two_models_that_answer_once_are_copies_by_their_tokens_and_not_by_right_answers():
    spent = np.random.default_rng(3).integers(50, 500, (20, 1)).tolist()
    one = table([["1"]] * 20, tokens=spent, model="a")
    assert len(said_of(one, one.assign(model="b"))) == 1
    other = one.assign(model="b", tokens=one["tokens"] + 1)
    assert said_of(one, other) == []
