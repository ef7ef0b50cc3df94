"""Untrusted text on a terminal."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from results.terminal import aligned, first_of, visible


def test_what_a_terminal_would_obey_or_hide_is_written_out():
    assert visible("\x1b]0;title\x07 \x9b2J") == "\\x1b]0;title\\x07 \\x9b2J"
    hidden = "a\u202eb\u200b\ufeff\u2028\u2029\ud83d\ue000"
    assert visible(hidden) == "a\\u202eb\\u200b\\ufeff\\u2028\\u2029\\ud83d\\ue000"
    assert visible("one\r\ntwo\n", keep="\n") == "one\\r\ntwo\n"
    assert visible("one\ntwo") == "one\\ntwo"
    assert visible("é 漢字 ½ \\frac{1}{2} 🙂") == "é 漢字 ½ \\frac{1}{2} 🙂"


@given(st.text())
def test_nothing_else_is_left_and_nothing_else_is_changed(text):
    shown = visible(text)
    assert all(unicodedata.category(char)[0] != "C" or unicodedata.category(char) == "Cn" for char in shown)
    if all(char.isprintable() for char in text):
        assert shown == text


def test_the_first_names_and_the_number_of_the_others():
    assert first_of(["a", "b"], 2) == "a, b"
    assert first_of(["a", "b", "c", "d"], 2) == "a, b and 2 more"
    assert first_of(["a"], 2) == "a"


def test_text_begins_and_numbers_end_at_the_same_place():
    assert aligned([["a", "b"], ["x", "10"], ["long", "1"]]) == ["a      b", "x     10", "long   1"]
    assert aligned([["a", "b"], ["x", "10"]], left=(0, 1)) == ["a  b", "x  10"]


def test_names_cannot_command_the_terminal():
    assert aligned([["\x1b[2J", "x"], ["a\nb", "y"]]) == ["\\x1b[2J  x", "a\\nb     y"]
