r"""Where an answer stands in a text: each reader knows one way of giving it.

    hashes       The answer is ##18##.   #### 18          the text between the marks
    boxed        so \boxed{18}                            the body of the box
    answer-is    The answer is 18.                        what follows these words in their sentence
    last-number  in all 18 eggs                           the last number

No pattern can backtrack (quantifiers are possessive): every text is searched in linear time.
"""

import re
from collections.abc import Callable, Iterator
from typing import Literal, get_args

Reader = Literal["hashes", "boxed", "answer-is", "last-number"]
READERS: tuple[Reader, ...] = get_args(Reader)
MARKS: frozenset[Reader] = frozenset({"hashes", "boxed"})
"""Readers of marks that are there for the answer alone; the others find it among other words."""

_HASHES = re.compile(
    r"(?<!\#)(?:"
    # "#### 18" and "#### B", but no "#### 1. Add" and no "#### A sum"
    r"\#{4}(?!\#)(?=[^\w\n\#]*+(?:\d|[A-Z]\W*+$))(?![ \t]*+\d++[.:)][ \t]++\S)([^\#\n…]*+)"
    r"|\#{2,3}+(?!\#)([^\#\n]*+)\#{2,}+"  # "##18##"
    r")",
    re.MULTILINE,
)
_BRACE = re.compile(r"(\\(?:boxed|fbox)\s*+)?+\{|\}")
_PHRASE = re.compile(
    r"\bthe\s++(?:(?:final|correct)\s++(?:answer|option|choice)|answer)\s++is\b:?+", re.IGNORECASE
)
_FORMULA = re.compile(r"\s*+(?:\$\$([^$]++)\$\$|\$([^$\n]++)\$|\\\((.*?)\\\)|\\\[(.*?)\\\])")
_SENTENCE = re.compile(r"(?:[^.!?;…—\n]|\.(?=\d))*")
_NUMBER_ALONE = re.compile(r"(?:(?<![\w)])[-+])?[0-9](?:(?:[.,:/^*+-]|\{,\}|,\\!)*[0-9])*")

_WRAPPERS = re.compile(r"\\(?:boxed|fbox|text[a-z]*+|mathbf|mathrm|mbox)\b")
_WORD = re.compile(r"[^\W\d_]++")
_INTRODUCTION = re.compile(
    r"\s*+(?:(?:the|your|my)\s++)?+(?:(?:final|correct)\s++)?+answer\b(?:\s++is\b)?+\s*+[:=]?+\s*+",
    re.IGNORECASE,
)
_PLACEHOLDER_WORDS = """
the your my a an final correct answer number integer result value here goes is in this format insert put
letter option choice label expression latex
"""
_HEADING_WORDS = """
step steps case part problem question solution example explanation reasoning approach verification check note
conclusion summary given thinking analysis response
"""
_PLACEHOLDER = frozenset(_PLACEHOLDER_WORDS.split())
_HEADINGS = frozenset(_HEADING_WORDS.split())


def find(reader: Reader, text: str) -> Iterator[str]:
    """The texts that stand where `reader` looks for an answer, in their order."""
    return _FINDERS[reader](text)


def says_something(marked: str) -> bool:
    """Whether a text between marks is an answer: not the format quoted, `##your answer##`, and no heading."""
    words = _WORD.findall(_WRAPPERS.sub(" ", marked).casefold())
    if words and words[0] in _HEADINGS:
        return False
    if any(map(str.isdigit, marked)) or [len(word) for word in words] == [1]:
        return True
    return not _PLACEHOLDER.issuperset(words)


def without_introduction(marked: str) -> str:
    """`Final answer: 18` between marks says 18."""
    return _INTRODUCTION.sub("", marked, count=1) if "nswer" in marked else marked


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


def formula(said: str) -> str | None:
    """The formula that a text begins with, between $ or other marks of LaTeX."""
    found = _FORMULA.match(said)
    return found and next(part for part in found.groups() if part is not None)


def sentence(said: str) -> str:
    """The text up to the end of its sentence."""
    found = _SENTENCE.match(said)
    assert found is not None  # it may be empty
    return found[0]


def _between_hashes(text: str) -> Iterator[str]:
    """`The answer is ##18##.`, or GSM8K's own form, `#### 18`."""
    first = text.find("##")
    marked = () if first < 0 else _HASHES.finditer(text, first)
    return (found[1] or found[2] or "" for found in marked)


def _said(text: str) -> Iterator[str]:
    """`The answer is 18.`, the words of the few-shot prompt: what follows them."""
    return iter(_PHRASE.split(text)[1:])


def _last_number(text: str) -> Iterator[str]:
    """The last number, with the signs that make one of several: `1/2` is one, and no integer."""
    return iter(_NUMBER_ALONE.findall(text)[-1:])


_FINDERS: dict[Reader, Callable[[str], Iterator[str]]] = {
    "hashes": _between_hashes,
    "boxed": boxed,
    "answer-is": _said,
    "last-number": _last_number,
}
