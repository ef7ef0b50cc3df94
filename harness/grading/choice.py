r"""What an answer says to a question with choices: the label of one of them.

    (B)    B.    **B**    \text{B}    B) Paris    b    option B      B
    B and C    Paris    none                                         as written, between marks

The labels are those of the question, A to Z where they are not known. A single label between marks that the
question does not have is a wrong answer and votes as it is.
"""

import re
import string
from collections.abc import Sequence
from functools import lru_cache

from harness.grading.places import MARKS, Reader, says_something, sentence, without_introduction
from results.canonical import canonical

LETTERS = tuple(string.ascii_uppercase)

_MARKUP = dict.fromkeys(map(ord, "*_`$\"“”'‘’{}#"), " ")
_LATEX = re.compile(r"\\(?:boxed|fbox|text[a-z]*+|mathbf|mathrm|mbox)\b|\\[()\[\]$%,!; ]")


def answer_in(reader: Reader, place: str, labels: Sequence[str] = (), cut_off: bool = False) -> str | None:
    """The text that stands for the answer in a `place` that `reader` has found; None where nothing is said.

    Among other words only a label, or several of them, is an answer. `cut_off` says that the text ended there
    at the token limit, perhaps within a word.
    """
    if reader in MARKS:
        return without_introduction(place) if says_something(place) else None
    if reader == "last-number":
        return None
    said = sentence(place)
    if cut_off and said == place:
        return None
    alone = _patterns(tuple(labels))[1]
    return said if _label(said, labels) or len(alone.findall(said)) > 1 else None


def read_value(text: str, labels: Sequence[str] = ()) -> str:
    """The label that `text` gives, or canonical text."""
    text = text.strip()  # a backslash at the end is no LaTeX space
    written = canonical(text)
    return _label(text, labels) or _label(written, labels) or written


def _label(text: str, labels: Sequence[str]) -> str | None:
    names = tuple(labels) or LETTERS
    text = " ".join(_LATEX.sub(" ", text).translate(_MARKUP).split())
    found = _patterns(tuple(labels))[0].fullmatch(text)
    if found is None:
        return None
    written = next(group for group in found.groups() if group is not None)
    exact = (name for name in names if name == written)
    return next(exact, None) or next((name for name in names if name.casefold() == written.casefold()), None)


@lru_cache(maxsize=1024)
def _patterns(labels: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A text that is a label with what may stand around it, and labels among words, all in capitals."""
    label = "|".join(sorted(map(re.escape, labels or LETTERS), key=len, reverse=True))
    text = re.compile(
        r"(?:(?i:option|choice|answer)\s++)?+(?:"
        rf"[(\[]\s?((?i:{label}))\s?[)\]].*+"  # "(B)", "(b) Paris"
        rf"|((?i:{label}))\s?(?:\)\s?.*+|[.:]?+|[.:,]\s.*+)"  # "b", "B) Paris", "B. Paris"
        rf"|({label})\s(?:because|since|as|is|[-–—])\s.*+"  # "B because it is larger"
        r")"
    )
    # Capital A and I are words as well.
    among = "|".join(re.escape(name) for name in labels or LETTERS if name not in ("A", "I"))
    return text, re.compile(rf"(?<!\w)(?:{among or label})(?!\w)")
