r"""Reads the answer in a model's text, and decides whether it is right.

    "21 - 15 = 6. The answer is ##6##. [END]"              6, by hashes
    "so $\boxed{9}$ ... The answer is ##9.6##."            9.6: wrong, and it votes
    "The answer is **12 dozen**."                          12 dozen
    "Put it like ##your answer##."                         no answer

Readers know where in a text to look for an answer (`harness/grading/places.py`). They are tried in
order, and the first that finds an answer decides, even if it makes no sense. Two exceptions: a line
`Answer: 18` at the end of the text outranks a box above it, and a valid label of a choice outranks
anything else. If a reader finds several answers, either the first counts, as a model may go on to
write and answer a second question, or the last, as it may correct itself. Text after `[END]` and
thinking (`harness/grading/thoughts.py`) are ignored.

What a reader finds is parsed by one of three graders: `integer` (the paper's), `choice` (a label)
and `math` (an expression). Equal answers get the same text, which is their vote. An answer is null
only if the text gives none.
"""

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from harness.grading import choice, expression, integer
from harness.grading.integer import CHARACTERS, normalise_integer
from harness.grading.marks import between_marks, without_introduction
from harness.grading.places import READERS, Place, Reader, final_statement, find, is_mark, stated
from harness.grading.thoughts import without_other_fields, without_thoughts
from results import BadInput

if TYPE_CHECKING:
    import pandas as pd

Match = Literal["first", "last"]
GraderName = Literal["integer", "choice", "math"]
GRADERS: tuple[GraderName, ...] = get_args(GraderName)
DEFAULT_READERS: tuple[Reader, ...] = ("hashes", "boxed", "answer-is")
"""Readers for a prompt that asks for `##18##`; the paper uses `hashes` alone."""

NAMED = f"{', '.join(READERS)}, tag=NAME"
"""The names of readers that options and experiments take."""

_END = re.compile(
    r"\[END\]|<\|(?:eot_id|eom_id|im_end|endoftext|end_of_text|eos|EOT)\|>"
    r"|</s>|<eos>|<end_of_turn>|<｜end▁of▁sentence｜>"
)
"""End of an answer: the prompt's `[END]` or a model's own end token. What follows is another turn."""


class Answer(NamedTuple):
    """The canonical text of an answer, and the reader that found it; both None if there is no answer."""

    value: str | None
    reader: Reader | None


@dataclass(frozen=True)
class Grader:
    """Reads answers by the first of `readers` that finds one; `match` says which of several counts."""

    readers: tuple[Reader, ...] = DEFAULT_READERS
    match: Match = "first"
    grader: GraderName = "integer"
    """What an answer is: an integer, the label of a choice, or an expression (by math-verify)."""

    def __str__(self) -> str:
        """The grader as command-line options."""
        kind = "" if self.grader == "integer" else f" --grader {self.grader}"
        return f"--reader {','.join(self.readers)} --match {self.match}{kind}"

    def check_installed(self) -> None:
        """Raise ModuleNotFoundError if this grader needs a package that is not installed."""
        KINDS[self.grader].require()

    def read(self, text: str, cut_off: bool = False, labels: Sequence[str] = ()) -> Answer:
        """The answer in `text`.

        `cut_off`: the text ended at the token limit, so a number at its end may lack digits and is
        dropped, and the reader of the last number finds no answer. `labels`: the labels of the
        question's choices.
        """
        text = text.replace("\r\n", "\n")
        if not text.isascii():
            text = text.translate(CHARACTERS)
        text = _END.split(without_other_fields(without_thoughts(text)), maxsplit=1)[0]
        if cut_off:
            text = text.rstrip("0123456789.,")
        kind, other = KINDS[self.grader], Answer(None, None)
        for reader, texts, states in self._looks(text, labels):
            answers = (self._answer_at(Place(reader, place, cut_off, states, labels)) for place in texts)
            readable = [answer for answer in answers if answer is not None]
            value = self._chosen(readable if self.match == "first" else readable[::-1], labels)
            if value and kind.settles(value, labels):
                return Answer(value, reader)
            if value and other.value is None:
                other = Answer(value, reader)
        return other

    def _answer_at(self, place: Place) -> str | None:
        """The text of the answer at a place; None if there is none."""
        if is_mark(place.reader):
            return between_marks(place.text)
        return KINDS[self.grader].answer_in(place)

    def _chosen(self, texts: Sequence[str], labels: Sequence[str]) -> str | None:
        """The value of the first text that settles the question, or else of the first text."""
        if not texts:
            return None
        kind = KINDS[self.grader]
        values = (kind.value(text, labels) for text in texts)
        settled = next((value for value in values if kind.settles(value, labels)), None)
        return settled or kind.value(texts[0], labels)

    def _looks(self, text: str, labels: Sequence[str]) -> Iterator[tuple[Reader, Iterable[str], bool]]:
        """(reader, texts that it finds, whether these are stated to be the answer), highest rank first."""
        states = "answer-is" in self.readers
        for reader in self.readers:
            if reader == "boxed" and states and (final := final_statement(text)) is not None:
                yield "answer-is", (final,), True
            if reader == "answer-is":
                yield reader, stated(text), True
            yield reader, find(reader, text), False
        if states:
            yield "answer-is", KINDS[self.grader].elsewhere(text, labels), True

    def verdict(
        self, text: str, gold: str, finish_reason: str | None, labels: Sequence[str] = ()
    ) -> dict[str, Any]:
        """The cells `answer`, `correct` and `reader` of the samples table.

        A correct answer is stored as the text of `gold`, which must be as `required_gold` returns it.
        """
        answer, reader = self.read(text, finish_reason == "length", labels)
        if answer is not None and KINDS[self.grader].equal(gold, answer):
            answer = gold
        return {"answer": answer, "correct": answer == gold, "reader": reader}


AUTO = "auto"
"""Given in place of readers: use those of `readers_that_read`."""
_SAMPLE = 500
"""Number of texts that `readers_that_read` looks at."""
_CODE = re.compile(r"\s*+(?:```|[})\]]++|(?:def|return|print|assert|yield|raise|elif|import)\b.*)|.*;")
"""A line of a program, or the end of a code block."""


def ends_in_code(text: str) -> bool:
    """Whether a text's last line is code; its last number is then not an answer."""
    return _CODE.fullmatch(text.rstrip().rpartition("\n")[2]) is not None


def readers_that_read(samples: "pd.DataFrame", grader: Grader) -> tuple[tuple[Reader, ...], str]:
    """The readers that find answers in the samples' texts, and a sentence on how many each finds.

    The last number of a text counts as its answer only if the other readers together find less
    than half as many answers, and never in texts that end in code.
    """
    looked_at = samples.iloc[:: max(1, len(samples) // _SAMPLE)].head(_SAMPLE)
    cells = looked_at.reindex(columns=["text", "finish_reason", "labels"])
    texts = cells["text"].fillna("").map(str)
    cut_off = cells["finish_reason"].eq("length")
    labels = cells["labels"].map(choice.labels_in)
    some = [*zip(texts, cut_off, labels, strict=True)]
    prose = [told for told in some if not ends_in_code(told[0])]

    def count(*readers: Reader) -> int:
        reading = replace(grader, readers=readers)
        texts = prose if READERS[-1] in readers else some
        return sum(reading.read(*told).value is not None for told in texts)

    counts = {reader: count(reader) for reader in READERS}
    *others, last = READERS
    useful = tuple(reader for reader in others if counts[reader])
    together = count(*useful) if useful else 0
    if counts[last] > 2 * together:
        useful, together = (*useful, last), count(*useful, last)
    if not useful:
        return DEFAULT_READERS, f"no reader finds an answer in {len(some)} texts"
    reads = ", ".join(f"{reader} {number}" for reader, number in counts.items())
    return useful, f"of {len(some)} texts: {reads}; read by {','.join(useful)}: {together}"


def read_gold(text: str) -> str | None:
    """The right answer as data sets write it: an integer alone, or the last `#### 18` of a solution."""
    if "####" in text:
        gold = Grader(("hashes",)).read(text[text.rindex("####") :]).value
    else:
        gold = integer.read_value(without_introduction(text))
    return None if gold is None else normalise_integer(gold)


def required_gold(text: str, where: str, grader: GraderName = "integer", labels: Sequence[str] = ()) -> str:
    """The right answer in canonical form; raises BadInput naming `where` if there is none for that grader.

    An integer alone or after `####`; the label of a choice; the last box of a solution, or an
    expression.
    """
    kind = KINDS[grader]
    gold = kind.gold(text, labels)
    if gold is None:
        among = f": {', '.join(labels)}" if labels and grader == "choice" else ""
        raise BadInput(f"{where}: the right answer is {text[-60:]!r}, expected {kind.expected}{among}")
    return gold


class AnswerKind(NamedTuple):
    """A grader: what an answer is, and when it is right. `labels` are the labels of a question's choices."""

    answer_in: Callable[[Place], str | None]
    """The text of the answer found at a place outside marks; None if there is none."""
    value: Callable[[str, Sequence[str]], str]
    """The canonical text of an answer, which is its vote."""
    gold: Callable[[str, Sequence[str]], str | None]
    """The right answer in canonical form; None if the text gives none."""
    expected: str
    """What the text of a right answer should be, for error messages."""
    equal: Callable[[str, str], bool] = operator.eq
    """Whether a right answer (first) and a given answer are the same."""
    settles: Callable[[str, Sequence[str]], bool] = lambda _value, _labels: True
    """Whether this value outranks answers anywhere else in the text."""
    elsewhere: Callable[[str, Sequence[str]], Iterable[str]] = lambda _text, _labels: ()
    """Further texts that may hold an answer, tried when no reader has found one that settles."""
    require: Callable[[], None] = lambda: None
    """Raises ModuleNotFoundError if a package that the grader needs is not installed."""


KINDS: dict[GraderName, AnswerKind] = {
    "integer": AnswerKind(
        integer.answer_in,
        lambda text, _: integer.read_value(text),
        lambda text, _: read_gold(text),
        "an integer or '… #### 18' (other grader: choice or math)",
    ),
    "choice": AnswerKind(
        choice.answer_in,
        choice.read_value,
        choice.gold,
        "a label",
        settles=choice.is_label,
        elsewhere=choice.chosen,
    ),
    "math": AnswerKind(
        expression.answer_in,
        lambda text, _: expression.read_value(text),
        lambda text, _: expression.gold(text),
        "an expression",
        equal=expression.equal,
        require=expression.require,
    ),
}
"""The graders by name: each is a file in harness/grading and an entry here (docs/recipes/grader.md)."""
