"""Columns of text for a terminal."""

from results.aligned import aligned


def test_text_begins_and_numbers_end_at_the_same_place():
    assert aligned([["a", "b"], ["x", "10"], ["long", "1"]]) == ["a      b", "x     10", "long   1"]
    assert aligned([["a", "b"], ["x", "10"]], left=(0, 1)) == ["a  b", "x  10"]


def test_names_cannot_command_the_terminal():
    assert aligned([["\x1b[2J", "x"], ["a\nb", "y"]]) == ["\\x1b[2J  x", "a\\nb     y"]
