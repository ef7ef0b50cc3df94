"""Read the integer that a model gave as its answer, or nothing.

    "21 - 15 = 6. The answer is ##6##. [END]"   read_hashes -> "6"
    "... The answer is $1,234.00."              read_plain  -> "1234"
    "... The answer is ##18.5##."               read_hashes -> None

The first answer counts: a model may go on to write a second question and answer that too. Marks around text
without a digit (`##your answer##`, the format quoted) are no answer and the search goes on; marks around a
digit are one, and unless that is an integer nothing is read. Text after `[END]` does not count.

Answers are compared as text and never computed with, so that 5,000 digits are read as they are. No pattern
can backtrack (quantifiers are possessive): every text is read in linear time.
"""

import re
from collections.abc import Callable

from results import BadInput

# Full-width forms, as East Asian text has them; the minus sign, en dash, and small and full-width minus.
_CHARACTERS = str.maketrans("０１２３４５６７８９，．＋\u2212\u2013\ufe63\uff0d", "0123456789,.+----")

# Become a space and not nothing: "2*3" and "2{3}" must not turn into 23.
_MARKUP = dict.fromkeys(map(ord, '*_`$€£¥"“”{}#'), " ")

_LATEX_COMMA = re.compile(r"\{,\}|,\\!\s*+|\\,(?=[0-9])")
_LATEX_DEGREE = re.compile(r"\^\s*+\{?+\\circ\b\}?+")
_LATEX_WRAPPER = re.compile(r"\\(?:boxed|text|textbf|mathbf|mathrm|mbox)\b|\\[()\[\]$%,!; ]")

_NUMBER = re.compile(r"\s*+([-+]?+)\s*+([0-9][0-9,.]*+)(.*+)", re.DOTALL)
_INTEGER = re.compile(r"([0-9]{1,3}+(?:,[0-9]{3})++|[0-9]++)(?:\.0*+)?+")

# After the number: nothing, percent, degree, words. "5x", "10k" are no integers; "5ml", "5 m", "5 m²" are 5.
_LETTER = r"[^\W\d_]"
_UNIT = re.compile(
    rf"(?!{_LETTER}(?!{_LETTER}))(?:[\s%°,!?()]|\.(?=\s*+\Z)|{_LETTER}++(?:[-'’/]{_LETTER}++)*+\.?+)*+"
)
_SQUARED = re.compile(rf"(?<={_LETTER})(?:\s*+\^\s*+[23](?!\d)|[²³])")
_CHANGES_THE_VALUE = re.compile(
    r"\b(?:hundreds?|thousands?|millions?|billions?|trillions?|and|or|half|pi|[iknxyz])\b", re.IGNORECASE
)

_END = "[END]"
_HASHES = re.compile(
    r"(?<!\#)(?:"
    r"\#{4}(?!\#)(?=[^\w\n\#]*+\d)(?![ \t]*+\d++[.:)][ \t]++\S)([^\#\n…]*+)"  # "#### 18", no "#### 1. Add"
    r"|\#{2,3}+(?!\#)([^\#\n]*+)\#{2,}+"  # "##18##"
    r")"
)
_PHRASE = re.compile(r"\bthe\s++(?:(?:final|correct)\s++)?+answer\s++is\b:?+", re.IGNORECASE)
_SENTENCE = re.compile(r"(?:[^.!?;…—\n]|\.(?=\d))*+")


def normalise_integer(text: str) -> str | None:
    """The integer that `text` consists of, as `-?[0-9]+` without leading zeros; None for anything else.

    Allowed beside the digits: thousands separators in their places, zeros after a decimal point, a sign,
    currency, Markdown and LaTeX markup, percent and degree, and words after the number ("6 apples", "6 cm^2")
    unless they change its value ("6 million", "6 and a half"). Full-width digits are digits, other scripts'
    are not.
    """
    text = _LATEX_COMMA.sub(",", text.translate(_CHARACTERS))
    text = _LATEX_WRAPPER.sub(" ", _LATEX_DEGREE.sub("°", text)).translate(_MARKUP)
    number = _NUMBER.fullmatch(text)
    if number is None:
        return None
    sign, digits, unit = number.groups()
    plain = digits.rstrip(",.")
    whole = _INTEGER.fullmatch(plain)
    if whole is None or not _is_unit(digits[len(plain) :] + unit):
        return None
    value = whole[1].replace(",", "").lstrip("0") or "0"
    return f"-{value}" if sign == "-" and value != "0" else value


def read_hashes(text: str) -> str | None:
    """The answer in `The answer is ##18##.`, or in GSM8K's own form, `#### 18`; None if there is none."""
    for match in _HASHES.finditer(text.partition(_END)[0]):
        value = match[1] or match[2] or ""
        if _has_digit(value):
            return normalise_integer(value)
    return None


def read_plain(text: str) -> str | None:
    """The answer in `The answer is 18.`, the words of the few-shot prompt; None if there is none."""
    for said in _PHRASE.split(text.partition(_END)[0])[1:]:
        sentence = _SENTENCE.match(said)
        if sentence and _has_digit(sentence[0]):
            return normalise_integer(sentence[0])
    return None


def read_gold(text: str) -> str | None:
    """The right answer as data sets write it: an integer alone, or the last `#### 18` of a solution."""
    return read_hashes(text[text.rindex("####") :]) if "####" in text else normalise_integer(text)


def required_gold(text: str, where: str) -> str:
    """`read_gold`; raises BadInput naming `where` if there is no right answer."""
    gold = read_gold(text)
    if gold is None:
        raise BadInput(f"{where}: the right answer is {text[-60:]!r}, expected an integer or '… #### 18'")
    return gold


def _is_unit(text: str) -> bool:
    text = _SQUARED.sub("", text)  # "6 cm^2"
    odd = any(char.isnumeric() for char in text)  # "6 ½"
    return not odd and _UNIT.fullmatch(text) is not None and _CHANGES_THE_VALUE.search(text) is None


def _has_digit(text: str) -> bool:
    return any(char.isdigit() for char in text)


GRADERS: dict[str, Callable[[str], str | None]] = {"hashes": read_hashes, "plain": read_plain}
"""The reader for each `answer_format` of an experiment."""
