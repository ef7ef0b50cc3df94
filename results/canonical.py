r"""The only rule for when two answers are the same: equal canonical text.

    13    13.0    $13    +13    1.3e1    ** 13 **    \text{13.}    １３     ->  13
    1,234    1{,}234                                                  ->  1234
    0.50    .5                                                        ->  0.5
    50.0 %    50\%                                                    ->  50%
    12 dozen    1,23    (1, 2)    1/2    13 USD                       ->  unchanged, spaces collapsed

A number is an optional sign and currency sign, digits 0 to 9 with or without commas between
thousands, an optional fraction and exponent, and an optional percent sign, which is kept: 50%
is not 50. Numbers are rewritten as text and never computed with, so that every digit of a long
one counts. Words and units are left alone, since they may change the meaning of a number. The
rule is idempotent.
"""

from __future__ import annotations

import math
import re
import unicodedata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

LONGEST = 10_000
"""The most digits of a number that is written out; others become 1.5e20000, lest they fill memory."""

_ROUNDS = 8
"""Markup nested deeper than this is not removed: the text stays as written."""

_KEPT_FORMS = ("<super>", "<sub>", "<fraction>", "<circle>")
"""Compatibility forms that carry meaning: 10² is not 102, and 3½ is not 31/2."""

INVISIBLE = "\u200b\u2060\ufeff\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Characters of zero width, including those that set the direction of text."""
_MINUS = str.maketrans("\u2212", "-", INVISIBLE)
"""The minus sign becomes a hyphen; invisible characters are removed."""

THOUSANDS_SPACE = re.compile(
    r"(?<=[0-9])"
    r"(?:[\u00a0\u2007\u2009\u202f]|\{,\}|(?<!\\)\\,)"  # no-break and thin spaces, and LaTeX's
    r"(?=[0-9]{3}(?![0-9]))"
)
_LATEX_THIN = re.compile(r"(?<!\\)\\!")
_LATEX_SPACE = re.compile(r"(?<!\\)\\[,;: ]")
_LATEX_ESCAPED = re.compile(r"(?<!\\)\\([$%])")
_LATEX_TEXT = re.compile(r"\\(?:text|textbf|textit|mathrm|mathbf|mbox)\s*+\{([^{}]*+)\}")
_LATEX_BOX = re.compile(r"\\(?:boxed|fbox)\s*+\{")

_PAIRS = (("\\(", "\\)"), ("\\[", "\\]"), ("“", "”"))
_MARKS = '*`$"'

_CURRENCY = "$€£¥₩₦₪₫₱₹₺₽₿"  # no ¢: a cent is a hundredth
_NUMBER = re.compile(
    rf"[*_`]*+([-+–]?)\s?([{_CURRENCY}]?)\s?([-+–]?)\s?"
    r"([1-9][0-9]{0,2}+(?:,[0-9]{3})++|[0-9]*+)(?:\.([0-9]*+))?(?:[eE]([-+]?[0-9]{1,18}+))?"
    rf"\s?([{_CURRENCY}%]?)(?:(?<!\.)\.)?[*_`]*+"
)


def canonical(text: str) -> str:
    r"""`text` in the form that is compared with other answers and the gold, by the rule above.

    >>> [canonical(text) for text in ("$1,234.50", "**18**", r"\(\text{x = 3.0}\)", "12  dozen")]
    ['1234.5', '18', 'x = 3.0', '12 dozen']
    """
    written = plain = _plain(text)
    for _ in range(_ROUNDS):
        bare = _plain(_without_markup(plain))
        if bare == plain:
            return _shortest_decimal(bare) or bare
        plain = bare
    return written


def canonical_texts(values: pd.Series[Any]) -> pd.Series[Any]:
    """`canonical` of each text of a column, computed once per distinct text; nulls stay null."""
    import pandas as pd

    codes, different = pd.factorize(values)
    known = [canonical(str(text)) for text in different]
    text = pd.StringDtype(na_value=math.nan)
    texts = pd.array([*known, None], dtype=text)  # code −1, null, takes the last
    return pd.Series(texts[codes], index=values.index, name=values.name)


def _plain(text: str) -> str:
    """The text with characters normalised and spaces collapsed."""
    text = THOUSANDS_SPACE.sub(",", text)
    if not text.isascii():
        text = "".join(map(_plain_character, text.translate(_MINUS)))
        text = unicodedata.normalize("NFC", text)
    return " ".join(text.split())


def _plain_character(character: str) -> str:
    if unicodedata.decomposition(character).startswith(_KEPT_FORMS):
        return character
    return unicodedata.normalize("NFKC", character)


def _without_markup(text: str) -> str:
    """The text without one layer of surrounding Markdown, LaTeX or quotation marks, if any."""
    if "\\" in text:
        text = _LATEX_TEXT.sub(r"\1", _LATEX_SPACE.sub(" ", _LATEX_THIN.sub("", text)))
        box = _LATEX_BOX.match(text)
        if box and _closing_brace(text, box.end()) == len(text) - 1:
            return text[box.end() : -1]
    for start, end in _PAIRS:
        if text.startswith(start) and text.endswith(end):
            inside = text[len(start) : -len(end)]
            text = text if start in inside or end in inside else inside
    for mark in _MARKS:
        text = _between_marks(text, mark)
    return _LATEX_ESCAPED.sub(r"\1", text)


def _between_marks(text: str, mark: str) -> str:
    """The text between equal runs of `mark`, if they enclose it with none inside; else the text."""
    before = len(text) - len(text.lstrip(mark))
    after = len(text) - len(text.rstrip(mark))
    around = min(before, after)
    inside = text[around : len(text) - around]
    alone = mark not in inside.replace(f"\\{mark}", "")
    return inside if around and inside and alone else text


def _closing_brace(text: str, start: int) -> int:
    """The index at which the brace opened before `start` is closed; −1 if it is not."""
    depth = 1
    for brace in re.finditer(r"[{}]", text[start:]):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return start + brace.start()
    return -1


def _shortest_decimal(text: str) -> str | None:
    """The number `text` in as few characters as show all its digits; None if it is not a number."""
    number = _NUMBER.fullmatch(text)
    if number is None:
        return None
    sign, currency, later_sign, whole, fraction, exponent, unit = (part or "" for part in number.groups())
    if not (whole or fraction) or (sign and later_sign) or (currency and unit):
        return None
    whole = whole.replace(",", "")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    percent = "%" if unit == "%" else ""
    if not digits:
        return f"0{percent}"
    minus = "-" if (sign or later_sign) in ("-", "–") else ""
    return f"{minus}{_written(digits, point)}{percent}"


def _written(digits: str, point: int) -> str:
    """0.DIGITS times ten to the power of `point`, as text; DIGITS neither begins nor ends with 0."""
    if max(point, len(digits), len(digits) - point) > LONGEST:
        mantissa = f"{digits[0]}.{digits[1:]}" if digits[1:] else digits
        return f"{mantissa}e{point - 1}"
    if point <= 0:
        return f"0.{'0' * -point}{digits}"
    whole, fraction = digits[:point].ljust(point, "0"), digits[point:]
    return f"{whole}.{fraction}" if fraction else whole
