r"""Reads what a model gave as its answer, and whether it is right.

    "21 - 15 = 6. The answer is ##6##. [END]"              6, by hashes
    "so $\boxed{9}$ ... The answer is ##9.6##."            9.6: wrong, and it votes
    "The answer is **12 dozen**."                          12 dozen
    "Put it like ##your answer##."                         nothing was said

Readers know where an answer may stand (`harness/grading/places.py`). They are tried in order,
and the first that finds an answer decides, whatever that is worth; but a line `Answer: 18` that
ends the text outranks a box above it, and a label of a choice whatever is none. Of several
answers the first counts, as a model may go on to write and answer a second question, or the
last, as it may correct itself. Text after `[END]` does not count, and no thinking
(`harness/grading/thoughts.py`).

What stands there is read by one of three graders: `integer` (the paper's), `choice` (a label)
and `math` (an expression). Equal answers get the same text: that is their vote. Null is only
where nothing was said.
"""

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from harness.grading import choice, expression, integer
from harness.grading.integer import CHARACTERS, normalise_integer
from harness.grading.places import (
    READERS,
    Place,
    Reader,
    final_statement,
    find,
    stated,
    without_introduction,
)
from harness.grading.thoughts import without_thoughts
from results import BadInput
from results.canonical import canonical

if TYPE_CHECKING:
    import pandas as pd

Match = Literal["first", "last"]
GraderName = Literal["integer", "choice", "math"]
GRADERS: tuple[GraderName, ...] = get_args(GraderName)
DEFAULT_READERS: tuple[Reader, ...] = ("hashes", "boxed", "answer-is")
"""What reads answers to a prompt that asks for `##18##`; the paper's grader is `hashes` alone."""

NAMED = f"{', '.join(READERS)}, tag=NAME"
"""The readers by name, as options and experiments take them."""

_END = re.compile(
    r"\[END\]|<\|(?:eot_id|eom_id|im_end|endoftext|end_of_text|eos|EOT)\|>|</s>|<eos>|<end_of_turn>|<｜end▁of▁sentence｜>"
)
"""Where an answer ends, as the prompt asks for it or as models do: what follows is another turn."""


class Answer(NamedTuple):
    """The canonical text of the answer that was read, and the reader that found it."""

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
        """The grader as options of the command line."""
        kind = "" if self.grader == "integer" else f" --grader {self.grader}"
        return f"--reader {','.join(self.readers)} --match {self.match}{kind}"

    def check_installed(self) -> None:
        """Raise ModuleNotFoundError where the package is not installed that compares expressions."""
        KINDS[self.grader].require()

    def read(self, text: str, cut_off: bool = False, labels: Sequence[str] = ()) -> Answer:
        """The answer in `text`.

        `cut_off` says that it ended at the token limit: a number at its end may lack digits and
        is left out, and its last number is no answer. `labels` are those of the question's
        choices.
        """
        text = text.replace("\r\n", "\n")
        if not text.isascii():
            text = text.translate(CHARACTERS)
        text = _END.split(without_thoughts(text), maxsplit=1)[0]
        if cut_off:
            text = text.rstrip("0123456789.,")
        kind, other = KINDS[self.grader], Answer(None, None)
        for reader, texts, states in self._looks(text, labels):
            answers = (kind.answer_in(Place(reader, place, cut_off, states, labels)) for place in texts)
            readable = [answer for answer in answers if answer is not None]
            value = self._chosen(readable if self.match == "first" else readable[::-1], labels)
            if value and kind.settles(value, labels):
                return Answer(value, reader)
            if value and other.value is None:
                other = Answer(value, reader)
        return other

    def _chosen(self, texts: Sequence[str], labels: Sequence[str]) -> str | None:
        """What the first says that settles the question, or else what the first says."""
        if not texts:
            return None
        kind = KINDS[self.grader]
        values = (kind.value(text, labels) for text in texts)
        settled = next((value for value in values if kind.settles(value, labels)), None)
        return settled or kind.value(texts[0], labels)

    def _looks(self, text: str, labels: Sequence[str]) -> Iterator[tuple[Reader, Iterable[str], bool]]:
        """Where each reader looks, what outranks others first; and whether an answer is stated there."""
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

        A right answer has the text of the gold, which is as `required_gold` gives it.
        """
        answer, reader = self.read(text, finish_reason == "length", labels)
        if answer is not None and KINDS[self.grader].equal(gold, answer):
            answer = gold
        return {"answer": answer, "correct": answer == gold, "reader": reader}


AUTO = "auto"
"""In the place of readers: those that read most."""
_SAMPLE = 500
"""Texts that are looked at for that."""
_CODE = re.compile(r"\s*+(?:```|[})\]]++|(?:def|return|print|assert|yield|raise|elif|import)\b.*)|.*;")
"""A line of a program, or the end of one."""


def ends_in_code(text: str) -> bool:
    """Whether a text's last line is one of a program: then its last number answers nothing."""
    return _CODE.fullmatch(text.rstrip().rpartition("\n")[2]) is not None


def readers_that_read(samples: "pd.DataFrame", grader: Grader) -> tuple[tuple[Reader, ...], str]:
    """The readers that find something in some of the samples' texts, and how much each finds, in words.

    The last number of a text is taken for its answer only where the other readers find less
    than half, and never in texts that end in code.
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
    if "####" not in text:
        bare = without_introduction(text)
        return normalise_integer(bare) or normalise_integer(canonical(bare))
    gold = Grader(("hashes",)).read(text[text.rindex("####") :]).value
    return gold and normalise_integer(gold)


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
    """A grader: what an answer is, and when it is right. `labels` are those of a question's choices."""

    answer_in: Callable[[Place], str | None]
    """The text that stands for the answer at a place; None where nothing is said."""
    value: Callable[[str, Sequence[str]], str]
    """Its canonical text, which is its vote."""
    gold: Callable[[str, Sequence[str]], str | None]
    """The right answer in canonical form; None where the text gives none."""
    expected: str
    """What the text of a gold should be."""
    equal: Callable[[str, str], bool] = operator.eq
    """Whether a gold and an answer are the same."""
    settles: Callable[[str, Sequence[str]], bool] = lambda _value, _labels: True
    """Whether this value outranks any other place of the text."""
    elsewhere: Callable[[str, Sequence[str]], Iterable[str]] = lambda _text, _labels: ()
    """Where else an answer may stand, once no reader has found one that settles."""
    require: Callable[[], None] = lambda: None
    """Raises ModuleNotFoundError where a package is not installed."""


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
"""The graders by name. A grader is a file in harness/grading, and a line here: docs/recipes/grader.md."""
