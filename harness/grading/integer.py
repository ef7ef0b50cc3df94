r"""Grades answers to questions whose right answer is an integer.

    $1,234.00    **1234**    1{,}234 eggs    1234\text{ cm}^2      1234
    12.50    $12.5    12.5 metres                                  12.5, a wrong answer
    12 dozen    12 over five    half of 12    1/2    x = 5         as written: none of them is 12, or 5

Units, including percent, do not change a number's value: GSM8K asks for percentages as plain numbers. Numbers
are compared as text and never computed with, so even 5,000 digits are read exactly.
"""

import re
from functools import lru_cache
from itertools import pairwise, takewhile

from harness.grading.dress import without_groups, without_lead, without_style
from harness.grading.places import Place, sentence, without_reason
from harness.grading.value_words import (
    ARTICLES,
    LINK_WORDS,
    NUMBER_WORDS,
    SCALE_WORDS,
    UNSPACED_VALUES,
    VALUE_WORDS,
)
from results.canonical import INVISIBLE, canonical

CHARACTERS = str.maketrans(
    "０１２３４５６７８９，．＋\u2212\u2013\ufe63\uff0d", "0123456789,.+----", INVISIBLE
)
"""Full-width forms, as in East Asian text; the minus sign, en dash, and small and full-width minus."""

# Replaced by a space rather than removed: "2*3" and "2{3}" must not turn into 23.
_MARKUP = dict.fromkeys(map(ord, '*_`$€£¥"“”{}#~'), " ")

_LATEX_COMMA = re.compile(r"\{,\}|,\\!\s*+|\\,(?=[0-9])")
_LATEX_DEGREE = re.compile(r"\^\s*+\{?+\\circ\b\}?+")
_LATEX_WRAPPER = re.compile(r"\\(?:boxed|text|textbf|mathbf|mathrm|mbox|q?quad)\b|\\[()\[\]$%,!; ]")

_NUMBER = re.compile(r"\s*+([-+]?+)\s*+(\.?+[0-9][0-9,.]*+)(.*+)", re.DOTALL)
_DECIMAL = re.compile(r"([0-9]{1,3}+(?:,[0-9]{3})++|[0-9]*+)(?:\.([0-9]*+))?+")

# After the number: nothing, percent, degree, words. "5x", "10k" are no integers; "5ml", "5 m", "5 m²" are 5,
# and so is "5元": in East Asian scripts one character can be a word.
_LETTER = r"(?:[^\W\d_]|(?!\w)[\u0900-\u0eff])"  # vowel signs of India and Thailand, too
_UNIT = re.compile(
    rf"(?![^\W\d_\u3040-\u9fff\uac00-\ud7a3](?!{_LETTER}))"
    rf"(?:[\s%°,!?()\]]|[.。](?=\s*+\Z)|{_LETTER}++(?:[-'’/]{_LETTER}++)*+\.?+)*+"
)
_SQUARED = re.compile(rf"(?<={_LETTER})(?:\s*+\^\s*+[23](?!\d)|[²³])")
_KILO = re.compile(r"千(?=[米克瓦卡帕赫])")
_WORD = re.compile(rf"{_LETTER}++")
_WORKING = re.compile(r"(?<=[\w*])\s\(\d[^()]*(?:[-+*/×÷=]|\bper\b)[^()]*\)")
"""The working in parentheses after a number: `18 (9 + 9)`."""
_SCALE_LETTER = re.compile(r"\b[MB]\b")
_LAST_WORD = re.compile(rf"({_LETTER}++)\Z")
_NUMBER_WORD = re.compile(rf"[\W_]*+({_LETTER}++)")


def answer_in(place: Place) -> str | None:
    """The text of the answer at a place outside marks; None if there is none."""
    if place.reader == "last-number":
        return None if place.cut_off else place.text
    text = sentence(place.text)
    if place.cut_off and text == place.text and _may_become_a_value_word(text):
        return None
    text = _WORKING.sub("", without_reason(text))
    return text if any(map(str.isdigit, text)) or _begins_with_a_number_word(text) else None


@lru_cache(maxsize=1 << 14)
def read_value(text: str) -> str:
    """The value of `text`: a number without its unit, or else the canonical text."""
    number = _decimal(text)
    if number is None:
        written = canonical(text)
        number = _decimal(written) or written
    return number


def normalise_integer(text: str) -> str | None:
    """The integer that `text` consists of, as `-?[0-9]+` without leading zeros; None otherwise.

    Allowed beside the digits: properly placed thousands separators, zeros after a decimal point, a sign,
    currency, Markdown and LaTeX markup, percent and degree, and words after the number ("6 apples", "6 cm^2")
    unless they change its value ("6 million", "6 and a half"). Full-width digits count, those of other
    scripts do not.
    """
    number = _decimal(text)
    return None if number is None or "." in number else number


def _decimal(text: str) -> str | None:
    """The number that `text` consists of, without its unit, in canonical form; None for anything else."""
    parts = _number(text)
    if parts is None:
        return None
    sign, whole, fraction = parts
    return canonical(f"{sign}{whole or '0'}.{fraction}")


def _number(text: str) -> tuple[str, str, str] | None:
    """Sign, integer digits and decimal digits of the number in `text`; None for anything else."""
    text = without_lead(without_style(text.strip().translate(CHARACTERS)))
    text = _LATEX_COMMA.sub(",", without_groups(text))
    text = _LATEX_WRAPPER.sub(" ", _LATEX_DEGREE.sub("°", text)).translate(_MARKUP)
    number = _NUMBER.fullmatch(text)
    if number is None:
        return None
    sign, digits, unit = number.groups()
    plain = digits.rstrip(",.")
    match = _DECIMAL.fullmatch(plain)
    rest = digits[len(plain) :] + unit
    if match is None or (rest and not _is_unit(rest)):
        return None
    return sign, match[1].replace(",", ""), match[2] or ""


def _is_unit(text: str) -> bool:
    text = _KILO.sub("", _SQUARED.sub("", text))  # "6 cm^2", "6 千米"
    if any(map(str.isnumeric, text)):  # "6 ½"
        return False
    return _UNIT.fullmatch(text) is not None and not _changes_the_value(text)


def _changes_the_value(unit: str) -> bool:
    words = _WORD.findall(unit.casefold())
    if not SCALE_WORDS.isdisjoint(words) or _SCALE_LETTER.search(unit):
        return True
    if not unit.isascii() and UNSPACED_VALUES.search(unit):
        return True
    before = list(takewhile(lambda word: word not in LINK_WORDS, words))
    if before[-1:] == ["and"] or not VALUE_WORDS.isdisjoint(before):
        return True
    return any(word == "and" and later in ARTICLES for word, later in pairwise(before))


def _may_become_a_value_word(text: str) -> bool:
    """Whether the last word may be a value word that was cut off: "18 mill"."""
    last = _LAST_WORD.search(text.casefold())
    return last is not None and any(word.startswith(last[1]) for word in (*VALUE_WORDS, "and"))


def _begins_with_a_number_word(text: str) -> bool:
    first = _NUMBER_WORD.match(text.casefold())
    return first is not None and first[1] in NUMBER_WORDS
