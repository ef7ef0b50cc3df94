r"""Read the integer that a model gave as its answer, or nothing.

    "21 - 15 = 6. The answer is ##6##. [END]"       hashes     6
    "... so she makes $\boxed{1{,}234}$ dollars."    boxed      1234
    "... The answer is **26**."                     answer-is  26
    "... The answer is ##18.5##."                   (none)

A reader looks for one way of giving an answer: its marks around text with a digit. (`##your answer##`, the
format quoted, has none, and the search goes on.) What stands there is the answer, and unless it is an integer
that reader reads nothing. Of several answers the first counts, as a model may go on to write and answer a
second question, or the last, as it may correct itself. Readers are tried in order until one reads an integer.
Text after `[END]` does not count.

Answers are compared as text and never computed with, so that 5,000 digits are read as they are. No pattern
can backtrack (quantifiers are possessive): every text is read in linear time.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from results import BadInput

Reader = Literal["hashes", "boxed", "answer-is", "last-number"]
Match = Literal["first", "last"]
READERS: tuple[Reader, ...] = get_args(Reader)
DEFAULT_READERS: tuple[Reader, ...] = ("hashes", "boxed", "answer-is")
"""What reads answers to a prompt that asks for `##18##`; the paper's grader is `hashes` alone."""

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
_BRACE = re.compile(r"(\\(?:boxed|fbox)\s*+)?+\{|\}")
_PHRASE = re.compile(r"\bthe\s++(?:(?:final|correct)\s++)?+answer\s++is\b:?+", re.IGNORECASE)
_NUMBER_ALONE = re.compile(r"(?:(?<![\w)])[-+])?+[0-9](?:(?:[.,:/^*+-]|\{,\}|,\\!)*+[0-9])*+")
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


class Answer(NamedTuple):
    """The integer that was read, as `normalise_integer` writes it, and the reader that read it."""

    value: str | None
    reader: Reader | None


@dataclass(frozen=True)
class Grader:
    """Reads answers by the first of `readers` that reads one; `match` says which of several counts."""

    readers: tuple[Reader, ...] = DEFAULT_READERS
    match: Match = "first"

    def __str__(self) -> str:
        """The grader as options of the command line."""
        return f"--reader {','.join(self.readers)} --match {self.match}"

    def read(self, text: str, cut_off: bool = False) -> Answer:
        """The answer in `text`.

        `cut_off` says that it ended at the token limit: a number at its end may lack digits and is left out,
        and its last number is no answer.
        """
        text = text.translate(_CHARACTERS).partition(_END)[0]
        if cut_off:
            text = text.rstrip("0123456789.,")
        for reader in self.readers:
            if cut_off and reader == "last-number":
                continue
            answers = [found for found in _FINDERS[reader](text) if any(map(str.isdigit, found))]
            if answers and (value := normalise_integer(answers[0 if self.match == "first" else -1])):
                return Answer(value, reader)
        return Answer(None, None)

    def verdict(self, text: str, gold: str, finish_reason: str | None) -> dict[str, Any]:
        """The cells `answer`, `correct` and `reader` of the samples table."""
        answer, reader = self.read(text, cut_off=finish_reason == "length")
        return {"answer": answer, "correct": answer == gold, "reader": reader}


def _between_hashes(text: str) -> Iterator[str]:
    """`The answer is ##18##.`, or GSM8K's own form, `#### 18`."""
    return (found[1] or found[2] or "" for found in _HASHES.finditer(text))


def boxed(text: str) -> Iterator[str]:
    r"""The bodies of `\boxed{…}`, braces balanced; of one in another only the outer."""
    start = depth = 0
    for brace in _BRACE.finditer(text):
        if depth:
            depth += -1 if brace[0] == "}" else 1
            if not depth:
                yield text[start : brace.start()]
        elif brace[1]:
            start, depth = brace.end(), 1


def _said(text: str) -> Iterator[str]:
    """`The answer is 18.`, the words of the few-shot prompt: what follows them in their sentence."""
    return (found[0] for said in _PHRASE.split(text)[1:] if (found := _SENTENCE.match(said)))


def _last_number(text: str) -> Iterator[str]:
    """The last number, with the signs that make one of several: `1/2` is one, and no integer."""
    return iter(_NUMBER_ALONE.findall(text)[-1:])


_FINDERS: dict[Reader, Callable[[str], Iterator[str]]] = {
    "hashes": _between_hashes,
    "boxed": boxed,
    "answer-is": _said,
    "last-number": _last_number,
}


def read_gold(text: str) -> str | None:
    """The right answer as data sets write it: an integer alone, or the last `#### 18` of a solution."""
    if "####" not in text:
        return normalise_integer(text)
    return Grader(("hashes",)).read(text[text.rindex("####") :]).value


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
