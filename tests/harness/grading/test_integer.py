"""harness.grading.integer: cases beside those of tests/harness/test_grader.py."""

from harness.grading.integer import read_value


def test_spaces_after_a_backslash_do_not_change_what_is_read() -> None:
    r"""In LaTeX `\ ` is a space, but here the space is none of the answer."""
    assert read_value("\t 0\\ \n") == read_value("0\\")
