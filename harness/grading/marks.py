r"""Marks that enclose an answer and nothing else, and what stands between them.

##18##   #### 18   \boxed{18}   <solution>18</solution>       18
\boxed{3} and \boxed{5}                                       3, 5
##Final answer: 18##                                          18
##your answer##                                               no answer
"""

import re
from collections.abc import Iterator

_HASHES = re.compile(
    r"(?<!\#)(?:"
    # "#### 18", "#### B" and "#### \frac12", but no "#### 1. Add" and no "#### A sum"
    r"\#{4}(?!\#)"
    r"(?=[^\w\n\#]*+(?:\d|[A-Z][^\w\n\#]*+$|(?<=\\)(?!text|math)[a-z])|[ \t]*+\$[^$\n=\#]++\$[^\w\n:\#]*+$)"
    r"(?![ \t]*+\d++[.:)][ \t]++\S)([^\#\n…]*+)"
    r"|\#{2,3}+(?!\#)([^\#\n]*+)\#{2,}+"  # "##18##"
    r")",
    re.MULTILINE,
)
_BOX = r"\\(?:boxed|fbox|framebox)"
_BRACE = re.compile(rf"({_BOX}\s*+)?+\{{|\}}|{_BOX}(?:[ \t]++|(?=\d))([^\s${{}}\\]++)")
_LISTED = re.compile(r"[,;&=]|\b(?:and|or|as)\b")
_BETWEEN_BOXES = re.compile(
    r"(?:[\s$,;&()\[\].]|\\[()\[\],;! ]|\\(?:text|mbox|mathrm|q?quad)\b|[{}]"
    r"|\b(?:and|or|also|as\s+well\s+as)\b|\b[a-zA-Z](?:_\{?\w\}?)?\s*=)*"
)
_NOTHING_BETWEEN = re.compile(r"(?:[\s$]|\\(?:[()\[\]\\ ,;:!]|q?quad\b)){0,10}")
_MOST_BETWEEN = 60
"""Most characters between two boxes of one list."""
_WRAPPERS = re.compile(
    r"\\(?:boxed|fbox|text[a-z]*+|mathbf|mathrm|mbox|q?quad|square|Box|[lc]?dots|(?:math)?strut|underline)\b"
    r"|\\(?:bigcirc|triangle|diamond|star)\b"  # symbols used as a blank
    r"|\\(?:[hv]?phantom|[hv]space|rule)\*?+\s*+(?:\{[^{}]*+\})++"  # a blank to fill in
)
_WORD = re.compile(r"[^\W\d_]++")
_INTRODUCTION = re.compile(
    r"\A([\W_]*+(?:(?:text|math|mbox)\w*+\{)?+)(?:(?:so|thus|hence|therefore)\b,?\s*+)?+"
    r"(?:(?:the|your|my)\s++)?+(?:(?:final|correct)\s++)?+answer\b(?:\s++is\b)?+\s*+[:=]?+\s*+",
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
_SIGN_ALONE = re.compile(r"(?!\W*<\W*>)\W*[<>=≤≥≠∞∅√]\W*|\s*\\\{\s*\\\}\s*")
"""Signs that are an answer without a letter or digit: infinity, the empty set, a relation sign asked for."""
_PLACEHOLDER = frozenset(_PLACEHOLDER_WORDS.split())
_HEADINGS = frozenset(_HEADING_WORDS.split())


def between_hashes(text: str) -> Iterator[str]:
    """The text inside `##18##`, or after `####` in GSM8K's own form, `#### 18`."""
    first = text.find("##")
    marked = () if first < 0 else _HASHES.finditer(text, first)
    return (match[1] or match[2] or "" for match in marked)


def in_tag(name: str, text: str) -> Iterator[str]:
    """The bodies of a tag such as `<solution>18</solution>`; the end tag may be missing."""
    parts = re.split(rf"<{re.escape(name)}(?:\s[^<>]{{0,80}}+)?>", text, flags=re.IGNORECASE)[1:]
    return (re.split(rf"</{re.escape(name)}>", part, maxsplit=1, flags=re.IGNORECASE)[0] for part in parts)


def boxed(text: str) -> Iterator[str]:
    r"""The bodies of `\boxed{…}`, with balanced braces; of nested boxes only the outer one.

    Boxes with nothing but commas and words such as `and` between them are one answer, a list;
    blank boxes are left out of it.
    """
    last_end = 0
    listed: list[str] = []
    for start, end, body in boxes(text):
        if listed and not _joined(text[last_end:start]):
            yield _list_of(listed)
            listed = []
        if body not in listed:
            listed.append(body)
        last_end = end
    if listed:
        yield _list_of(listed)


def last_box(text: str) -> str | None:
    """The body of the last box, where a solution gives its answer; None if there is no box."""
    return next((body for _, _, body in reversed([*boxes(text)])), None)


def _list_of(bodies: list[str]) -> str:
    return ", ".join([body for body in bodies if says_something(body)] or bodies)


def _joined(between: str) -> bool:
    if _NOTHING_BETWEEN.fullmatch(between):
        return True
    if len(between) > _MOST_BETWEEN or _LISTED.search(between) is None:
        return False
    return _BETWEEN_BOXES.fullmatch(between) is not None


def boxes(text: str) -> Iterator[tuple[int, int, str]]:
    """The start, end and body of each box."""
    start = inside = depth = 0
    for brace in _BRACE.finditer(text):
        if depth:
            depth += -1 if brace[0] == "}" else brace[0].endswith("{")
            if not depth:
                yield start, brace.end(), text[inside : brace.start()]
        elif brace[1]:
            start, inside, depth = brace.start(), brace.end(), 1
        elif brace[2]:
            yield brace.start(), brace.end(), brace[2].rstrip(".,;:!?")


def between_marks(marked: str) -> str | None:
    """The answer in a text between marks; None for a placeholder or a heading."""
    return without_introduction(marked) if says_something(marked) else None


def says_something(marked: str) -> bool:
    """Whether a text between marks is an answer, not a placeholder (`##your answer##`) or a heading."""
    plain = _WRAPPERS.sub(" ", marked)
    words = _WORD.findall(plain.casefold())
    if words and words[0] in _HEADINGS:
        return False
    if any(map(str.isdigit, plain)) or [len(word) for word in words] == [1]:
        return True
    return not _PLACEHOLDER.issuperset(words) or _SIGN_ALONE.fullmatch(marked) is not None


def without_introduction(marked: str) -> str:
    """Text between marks without an introduction: `Final answer: 18` gives 18."""
    return _INTRODUCTION.sub(r"\1", marked) if "nswer" in marked.casefold() else marked
