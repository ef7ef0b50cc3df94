"""Groups of answers to one question in one setting, as columns, and the counts of a whole setting.

AnswerGroup("gsm8k", "llama", "100", "sample", "q-7", {"sample": [0, 1], "answer": ["18", None], ...})
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, NamedTuple

from harness.tally.repeats import Texts

_CHARACTERS_A_TOKEN = 4
"""A rough estimate for tables without token counts."""
COUNTED = (
    *("sample", "answer", "gold", "correct", "reader", "tokens", "finish_reason"),
    *("text", "reasoning", "reasoning_tokens", "labels"),
)
"""The columns of a samples table that are read here."""
WHOSE = ("dataset", "model", "shard", "setting", "decoding", "question_id")
"""The columns that identify a group."""
_ORIGIN, _KEY = WHOSE[:3], itemgetter(*WHOSE[3:])


class AnswerGroup(NamedTuple):
    """Answers in table order; `cells` has a list for each column of COUNTED, which may be all None."""

    dataset: str | None
    model: str | None
    setting: str
    decoding: str
    question: str
    cells: Mapping[str, Sequence[Any]]
    shard: str | None = None

    @property
    def answers(self) -> int:
        """The number of answers."""
        return len(self.cells["answer"])

    @property
    def written(self) -> list[str | None]:
        """All that the model wrote, its thinking first; None for answers without a text."""
        texts, thoughts = list(self.cells["text"]), self.cells["reasoning"]
        for place, (text, reasoning) in enumerate(zip(texts, thoughts, strict=True)):
            if reasoning is not None:
                texts[place] = reasoning + (text or "")
        return texts


def groups_of(rows: Iterable[Mapping[str, Any]]) -> list[AnswerGroup]:
    """Rows of a samples table grouped by question and setting, in order of first appearance."""
    together: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        origin = tuple(map(row.get, _ORIGIN))
        together.setdefault((origin, *_KEY(row)), []).append(row)
    groups = []
    for ((dataset, model, shard), setting, decoding, question), alike in together.items():
        cells = {column: _column(column, alike) for column in COUNTED}
        groups.append(AnswerGroup(dataset, model, setting, decoding, question, cells, shard))
    return groups


def _column(name: str, rows: Sequence[Mapping[str, Any]]) -> list[Any]:
    """The cells of a column, None for rows without it."""
    try:
        return list(map(itemgetter(name), rows))
    except KeyError:
        return [row.get(name) for row in rows]


@dataclass
class Counts:
    """Counts of the answers of one setting and decoding; a finished question has at least `each`."""

    each: int = 1
    stopped: bool = False
    """Whether a stop rule decides the number of answers: questions with few are then the easy ones."""
    limit: int | None = None
    """max_new_tokens, if it is known."""
    answers: int = 0
    with_tokens: int = 0
    tokens: int = 0
    """The total over all answers; other tools' tables may not have them."""
    endings: int = 0
    """Answers whose finish_reason is known."""
    cut_off: int = 0
    cut_short: int = 0
    """Answers that a server cut off before their limit; next, the most tokens of one."""
    most_short: int = 0
    unreadable: int = 0
    thoughts: int = 0
    """Answers with thinking; next, its tokens in total and at most, and the answers without such a count."""
    thought: int = 0
    most_thought: int = 0
    uncounted: int = 0
    readers: Counter[str] = field(default_factory=Counter)
    texts: dict[str, Texts] = field(default_factory=dict)
    questions: dict[str, tuple[int, int]] = field(default_factory=dict)
    """The number of answers to each question, and how many of them are correct."""
    finished: int = 0
    finished_answers: int = 0
    finished_correct: int = 0

    def add(self, group: AnswerGroup) -> None:
        """Count answers to one question; tokens, finish_reason, reader and text may be null."""
        cells, new = group.cells, group.answers
        counted = known(cells["tokens"])
        self.answers += new
        self.with_tokens += len(counted)
        self.tokens += sum(counted)
        thinking = zip(cells["reasoning"], cells["reasoning_tokens"], strict=True)
        if thoughts := [tokens for text, tokens in thinking if text or tokens is not None]:
            self.thoughts += len(thoughts)
            self.uncounted += thoughts.count(None)
            self.thought += sum(known(thoughts))
            self.most_thought = max(self.most_thought, *known(thoughts), 0)
        self.endings += new - cells["finish_reason"].count(None)
        self.unreadable += cells["answer"].count(None)
        if "length" in cells["finish_reason"]:
            self._add_cut_off(cells)
        self.readers.update(filter(None, cells["reader"]))
        self._add_texts(group)
        self._add_question(group.question, new, sum(map(bool, cells["correct"])))

    def _add_cut_off(self, cells: Mapping[str, Sequence[Any]]) -> None:
        endings = zip(cells["finish_reason"], cells["tokens"], strict=True)
        cut = [tokens for ending, tokens in endings if ending == "length"]
        self.cut_off += len(cut)
        short = [tokens for tokens in known(cut) if self.limit is not None and tokens < self.limit]
        self.cut_short += len(short)
        self.most_short = max(self.most_short, *short, 0)

    def _add_texts(self, group: AnswerGroup) -> None:
        written, samples, counted = group.written, group.cells["sample"], group.cells["tokens"]
        if None in written:
            there = [place for place, text in enumerate(written) if text is not None]
            written, samples, counted = ([column[i] for i in there] for column in (written, samples, counted))
        if not written:
            return
        length = sum(known(counted))
        for text, tokens in zip(written, counted, strict=True) if None in counted else ():
            length += len(text or "") // _CHARACTERS_A_TOKEN if tokens is None else 0
        self.texts.setdefault(group.question, Texts()).extend(samples, written, length)

    def _add_question(self, question: str, new: int, right: int) -> None:
        before, right_before = self.questions.get(question, (0, 0))
        answers, right_now = before + new, right_before + right
        self.questions[question] = answers, right_now
        if answers < self.each:
            return
        if before < self.each:
            self.finished += 1
            self.finished_answers += answers
            self.finished_correct += right_now
        else:  # the run once asked for more samples
            self.finished_answers += new
            self.finished_correct += right

    def shares(self) -> dict[str, float | None]:
        """Shares of the answers; None if the table lacks the column, or if there are no answers."""
        texts = self.texts.values()
        return {
            "cut_off": part(self.cut_off, self.endings),
            "unreadable": part(self.unreadable, self.answers),
            "distinct": part(sum(len(set(t.hashes)) for t in texts), sum(len(t.hashes) for t in texts)),
            "correct": None if self.stopped else part(self.finished_correct, self.finished_answers),
        }

    @property
    def mean_tokens(self) -> float | None:
        """Mean tokens of an answer; None if some counts are unknown, as these may well be the large ones."""
        return part(self.tokens, self.answers) if self.with_tokens == self.answers else None

    @property
    def thinking(self) -> dict[str, float | None]:
        """The mean and the maximum of an answer's thinking tokens; None if some counts are unknown."""
        counted = 0 if self.uncounted else self.thoughts
        most = self.most_thought if counted else None
        return {"thinking_mean": part(self.thought, counted), "thinking_most": most}


def known(counts: Sequence[int | None]) -> list[int]:
    """The counts that are not None."""
    return [count for count in counts if count is not None]


def part(count: int, of: int) -> float | None:
    """A share; None if `of` is 0."""
    return count / of if of else None
