r"""Grades answers to multiple-choice questions: an answer is the label of one of the choices.

    (B)    B.    **B**    \text{B}    B) Paris    b    option B      B
    B and C    (A) or (B)    B is wrong    Paris                     as written: two labels are no label

The labels are those of the question, or A to Z if the question gives none. A label between marks that is not
one of the question's labels is a wrong answer and votes as written.
"""

import re
import string
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from harness.grading.dress import without_style
from harness.grading.marks import without_introduction
from harness.grading.places import Place, sentence
from results.canonical import canonical

LETTERS = tuple(string.ascii_uppercase)

_REASON = "because|since|as|is|rather|not|instead|over"
_SAYS_MORE = re.compile(r";\W*+(?:(?i:option|choice|answer)\s++)?+\w++[^\w;]++[a-z]")
"""A statement about a second label: `A; B is larger` answers A, but `A; C` answers both."""
_JOIN = "and|or|und|oder|et|ou|y|o"
_ELSEWHERE = "opción|letra|a\\sletra|lettre|réponse|opzione|lettera|antwort|(?:a\\s)?alternativa"
_WRONG = re.compile(
    r"\W*+(?:(?:is|are|was|seems|looks|would\sbe|must\sbe)\s++(?:\w{1,20}ly\s++)?"
    r"(?:not|wrong|incorrect|false|excluded|out)"
    r"|(?:is|was|can|could|does)n['’]t|cannot|can\snot)\b"
)

_DENIES = re.compile(
    r"\b(?:not|neither|nor|never|except|unlike|than|wrong|incorrect|false)\b|n['’]t\b", re.IGNORECASE
)
_MARKED = re.compile(r"(?<!\w)(\*{1,3}|_{1,3}|[`$\"])\s?([A-Z0-9])\s?\1(?!\w)")
"""A label in bold, code or quotation marks, which set it off as parentheses do."""
_APART = re.compile(r"\s(?=[,.:;])")
_MARKUP = dict.fromkeys(map(ord, "*_`$\"“”'‘’{}#"), " ")
_LATEX = re.compile(r"\\(?:boxed|fbox|text[a-z]*+|mathbf|mathrm|mbox|left|right|q?quad)\b|\\[()\[\]$%#,!;: ]")


def labels_in(cell: Any) -> tuple[str, ...]:
    """The labels in a cell with a list of them or a string such as `A B C` or `A, B, C`."""
    listed = cell.replace(",", " ").split() if isinstance(cell, str) else cell
    return tuple(map(str, listed)) if isinstance(listed, Iterable) else ()


def answer_in(place: Place) -> str | None:
    """The text of the answer at a place outside marks, if it gives one or more labels; None if not."""
    if place.reader == "last-number":
        return None
    text, line = sentence(place.text), place.text.partition("\n")[0]
    parts = {_label(part, place.labels) for part in line.split(";")}
    if len(parts) > 1 and None not in parts and not _SAYS_MORE.search(line):
        text = line
    if place.cut_off and text == place.text:
        return None
    if _named(text, place.labels):
        return text
    patterns = _patterns(tuple(place.labels))
    first = patterns.text.fullmatch(_plain(text, place.labels))
    several = first is not None and patterns.another.match(first["rest"]) is not None
    return text if several or len(patterns.among.findall(text)) > 1 else None


def read_value(text: str, labels: Sequence[str] = ()) -> str:
    """The label that `text` gives, or else the canonical text."""
    text = text.strip()  # so that a backslash at the end is not read as a LaTeX space
    written = canonical(text)
    return _named(text, labels) or _named(written, labels) or written


def is_label(value: str, labels: Sequence[str] = ()) -> bool:
    """Whether the value is one of the labels."""
    return value in (labels or LETTERS)


def gold(text: str, labels: Sequence[str] = ()) -> str | None:
    """The label of the right choice; None if `text` gives none."""
    value = read_value(without_introduction(text), labels)
    return value if is_label(value, labels) else None


def chosen(text: str, labels: Sequence[str] = ()) -> Iterator[str]:
    """Labels that a text chooses in other wording: `option C is correct`, `I would pick B`.

    Also a label without any wording: the whole text is `B` or `B) Paris`, or the last line is `B`.
    """
    for match in _patterns(tuple(labels)).settled.finditer(text):
        yield next(group for group in match.groups() if group is not None)
    before, _, line = text.strip().rpartition("\n")
    label, plain = _label(line, labels), _plain(line, labels).strip("().: ")
    if label is not None and (not before or plain.casefold() == label.casefold()):
        yield label


def _plain(text: str, labels: Sequence[str]) -> str:
    """The text without Markdown, LaTeX and other markup."""
    if "".join(labels).isascii():
        text = unicodedata.normalize("NFKC", text)  # `Ｂ`
    plain = _MARKED.sub(r"(\2) ", _LATEX.sub(" ", without_style(text)))
    return _APART.sub("", " ".join(plain.translate(_MARKUP).split()))


def _named(text: str, labels: Sequence[str]) -> str | None:
    """The one label that the text gives, at its beginning or after the choice's text: `Paris (B)`."""
    if label := _label(text, labels):
        return label
    patterns, plain = _patterns(tuple(labels)), _plain(text, labels)
    last = patterns.last.fullmatch(plain)
    if last is None or _DENIES.search(plain) or len(patterns.among.findall(plain)) > 1:
        return None
    return last[1] or last[2]


def _label(text: str, labels: Sequence[str]) -> str | None:
    """The one label that begins the text; None if it gives several or calls the label wrong."""
    names = tuple(labels) or LETTERS
    patterns = _patterns(tuple(labels))
    match = patterns.text.fullmatch(_plain(text, labels))
    if match is None or patterns.another.match(match["rest"]) or _WRONG.match(match["rest"]):
        return None
    written = match["within"] or match["marked"] or match["alone"]
    exact = (name for name in names if name == written)
    return next(exact, None) or next((name for name in names if name.casefold() == written.casefold()), None)


class _Patterns(NamedTuple):
    text: re.Pattern[str]
    """A label at the beginning, and the rest of the text."""
    last: re.Pattern[str]
    """A label after words: `Paris (B)`."""
    another: re.Pattern[str]
    """A continuation with a second label: `or (C)`."""
    among: re.Pattern[str]
    """Labels among words, in exactly the question's spelling."""
    settled: re.Pattern[str]
    """A label that is called right, or picked."""


@lru_cache(maxsize=1024)
def _patterns(labels: tuple[str, ...]) -> _Patterns:
    label = "|".join(sorted(map(re.escape, labels or LETTERS), key=len, reverse=True))
    text = re.compile(
        rf"(?:(?:the|la|die)\s)?(?:(?i:option|choice|answer|letter|{_ELSEWHERE})\s++|[选選][项項]\s?)?+(?:"
        rf"[(\[]\s?(?P<within>(?i:{label}))\s?[)\]]"  # "(B)", "(b) Paris"
        rf"|(?P<marked>(?i:{label}))(?=\s?[)\]]|[.:,]\s|、|[.:]?\Z|\s?(?:입니다|이다|です|だ|है))"  # "b"
        rf"|(?P<alone>{label})(?=\s(?:{_REASON})\b|\s?(?:[-–—/&;([→]|=>)|\s(?:{_JOIN})\s)"  # "B because"
        r")(?P<rest>.*+)"
    )
    dressed = rf"(?:[(\[]\s?(?i:{label})\s?[)\]]|{label})(?!\w)"
    another = re.compile(
        rf"\W*?(?:(?:[,;/&+、]|(?<!\w)(?:{_JOIN})\b)\W*+)++(?:(?i:option|choice|answer)\s)?{dressed}"
        rf"|[\s).:]*+{dressed}\W*+\Z"
    )
    last = re.compile(rf"[^()\[\]\n]{{0,200}}?(?:[(\[]\s?({label})\s?[)\]]|\boption\s({label}))\W*+")
    # A and I are also English words.
    names = "|".join(re.escape(name) for name in labels or LETTERS if name not in ("A", "I"))
    among = re.compile(rf"(?<!\w)(?:{names or label}|(?:{label})(?=\s?[,/]|\s(?:{_JOIN})\s))(?!\w)")
    given = rf"[*_`(\[\"“]{{0,4}}+({label})[)\]*_`\"”]{{0,4}}+(?!\w)"
    right = r"(?:the\s)?(?:most\s\w+|correct|right|best|true|accurate|appropriate|answer)\b"
    settled = re.compile(
        rf"(?:\b(?i:option|choice|answer)\s{given}|\(({label})\))\s(?:is|was|must\sbe|would\sbe|seems)\s{right}"
        rf"|(?<!\w){given}\sis\s(?:the\s)?(?:most\s\w+\s|correct\s|right\s|best\s)(?:answer|option|choice)\b"
        rf"|(?:\A|[.;:]\s|\b(?i:so|thus|hence|therefore|that)[,:]?\s){given}\sis\s(?:correct|right)\s*+(?:[.!]|\Z)"
        rf"|\b(?i:I|we)(?:['’](?:d|ll)|\s(?:would|will|shall|must))?"
        rf"\s(?i:pick|choose|select|go\swith|opt\sfor|vote\sfor|answer)"
        rf"\s(?:(?i:option|choice|answer)\s)?{given}(?=\s*+(?:[^\w\s]|\Z|because|since|as\b))"
        rf"|[选選][项項]\s?[*(\[]{{0,3}}({label})[*)\]]{{0,3}}\s?是?正[确確]"
    )
    return _Patterns(text, last, another, among, settled)
