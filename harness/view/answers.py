"""A run's answers to be read: an overview, or those to one question with their text, verdict and tokens.

    question tiny-0003, gold 18
      Anna has 12 apples. ...

    setting 40: 64 answers, 31 right, 2 unreadable, 0 cut off; votes ✓ 18 ×31, ✗ 12 ×20, ✗ 7 ×11
      ✓ 18   sample 0, 37 tokens
          12 + 6 = 18. The answer is ##18##.

Whatever a model, a server or a table says is untrusted, and is shown with control characters escaped.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from harness.questions.load import load_questions
from harness.run.record import RECORD, experiment_in
from harness.run.samples_file import COLUMNS, Row, read_rows
from harness.run.tally import Tally, by_size, tally_of
from results import BadInput, read_samples
from results.aligned import aligned
from results.visible import visible

RIGHT, WRONG, UNREADABLE, CUT_OFF = "✓", "✗", "∅", "… cut off"
HARDEST = 5
VOTES_SHOWN = 6
HEAD, TAIL = 300, 100
"""Characters shown of a long text: its beginning, and its end, where the answer is."""
LINES = 6

KINDS: dict[str, Callable[[Row], bool]] = {
    "wrong": lambda row: row["answer"] is not None and not row["correct"],
    "unreadable": lambda row: row["answer"] is None,
    "cut-off": lambda row: row["finish_reason"] == "length",
}
"""The answers that can be looked for."""


@dataclass
class _Found:
    """The answers of one setting: the votes of all, and the first of those looked for."""

    answers: Counter[str] = field(default_factory=Counter)
    votes: Counter[tuple[str, bool]] = field(default_factory=Counter)
    fitting: int = 0
    shown: list[Row] = field(default_factory=list)


def table_rows(path: Path) -> Iterator[Row]:
    """The rows of a run's samples.jsonl, also while it is being written, or of any other samples table.

    Columns that another tool's table lacks are null. Raises BadInput naming file and row.
    """
    if path.suffix == ".jsonl" and (path.parent / RECORD).exists():
        yield from read_rows(path)
        return
    table = read_samples(path)
    cells = table.astype(object).where(table.notna(), None)
    for row in cells.to_dict("records"):
        yield {**dict.fromkeys(COLUMNS), **{str(name): cell for name, cell in row.items()}}


def overview(rows: Iterator[Row], folder: Path, setting: str | None) -> Iterator[str]:
    """The table of each model and data set, the alarm, and the questions that are worth a look."""
    tallies: dict[tuple[str, str], Tally] = {}
    questions: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        if setting is None or row["setting"] == setting:
            names = row["model"], row["dataset"]
            if names not in tallies:
                tallies[names] = tally_of(folder)
            tallies[names].add(row)
            counts = questions[row["question_id"]]
            counts["answers"] += 1
            counts["right"] += bool(row["correct"])
            counts["unreadable"] += row["answer"] is None
    if not tallies:
        raise _nothing(folder, setting=setting)
    for (model, dataset), tally in tallies.items():
        yield visible(f"{tally.answers:,} answers of {model} to questions of {dataset}")
        yield visible(tally.table(), keep="\n")
        for warning in tally.warnings(folder):
            yield f"warning: {warning}"
    yield ""
    right, unreadable = (
        {name: counts[kind] / counts["answers"] for name, counts in questions.items()}
        for kind in ("right", "unreadable")
    )
    hardest = sorted(right, key=right.__getitem__)[:HARDEST]
    worst = sorted(filter(unreadable.__getitem__, unreadable), key=unreadable.__getitem__, reverse=True)
    table = [("hardest and least readable questions", "answers", "right", "unreadable")]
    for name in dict.fromkeys([*hardest, *worst[:HARDEST]]):
        answers = str(questions[name]["answers"])
        table.append((visible(name), answers, f"{right[name]:.1%}", f"{unreadable[name]:.1%}"))
    yield from aligned(table, left=(0,))


def answers(
    rows: Iterator[Row],
    folder: Path,
    question: str | None,
    setting: str | None,
    only: str | None,
    limit: int,
    full: bool,
) -> Iterator[str]:
    """The first `limit` answers of each setting to a question, or of one of KINDS to any; and their votes.

    `full` shows texts as a whole. Raises BadInput where there is no such question or setting.
    """
    fits = KINDS[only] if only else lambda _row: True
    found: defaultdict[tuple[str, ...], _Found] = defaultdict(_Found)
    asked: dict[str, None] = {}
    gold = None
    for row in rows:
        asked[row["question_id"]] = None
        if question not in (None, row["question_id"]) or setting not in (None, row["setting"]):
            continue
        one = found[row["setting"], row["decoding"], row["model"]]
        gold = row["gold"]
        one.answers["all"] += 1
        one.answers["right"] += bool(row["correct"])
        one.answers.update(kind for kind, is_one in KINDS.items() if is_one(row))
        if row["answer"] is not None:
            one.votes[str(row["answer"]), bool(row["correct"])] += 1
        if fits(row):
            one.fitting += 1
            one.shown += [row] if len(one.shown) < limit else []
    if not found:
        raise _nothing(folder, question=question, setting=setting, among=list(asked))
    if question is not None:
        yield visible(f"question {question}" + (f", gold {gold}" if gold is not None else ""))
        yield from _indented(_problem(folder, question), 2)
    models = len({model for _, _, model in found})
    for (name, decoding, model), one in sorted(found.items(), key=_order):
        which = f"setting {name}" + (", greedy" if decoding == "greedy" else "")
        which += f", {model}" if models > 1 else ""
        yield ""
        yield visible(f"{which}: {_counts(one, only)}{_votes(one) if question else ''}")
        for row in one.shown:
            yield visible(f"  {_verdict(row)}   {_place(row, question)}")
            yield from _indented(_excerpt(row["text"], full), 6)
        if one.fitting > len(one.shown):
            yield f"  {one.fitting - len(one.shown)} more: show them with --limit"


def _nothing(folder: Path, among: list[str] | None = None, **given: str | None) -> BadInput:
    what = ", ".join(f"{name} {value!r}" for name, value in given.items() if value is not None)
    known = f"; questions here are {', '.join(map(repr, among[:3]))}, …" if among else ""
    return BadInput(visible(f"{folder}: no answers{f' of {what}' if what else ''}{known}"))


def _counts(found: _Found, only: str | None) -> str:
    count = found.answers
    if only:
        return f"{found.fitting} of {count['all']} answers are {only}"
    kinds = f"{count['right']} right, {count['unreadable']} unreadable, {count['cut-off']} cut off"
    return f"{count['all']} answers, {kinds}"


def _votes(found: _Found) -> str:
    votes = [
        f"{RIGHT if right else WRONG} {answer:.40} ×{count}"
        for (answer, right), count in found.votes.most_common(VOTES_SHOWN)
    ]
    others = len(found.votes) - len(votes)
    return f"; votes {', '.join(votes)}{f' and {others} others' if others else ''}" if votes else ""


def _verdict(row: Row) -> str:
    if row["answer"] is None:
        return UNREADABLE
    return f"{RIGHT if row['correct'] else WRONG} {row['answer']!s:.40}"


def _place(row: Row, question: str | None) -> str:
    parts = [] if question else [str(row["question_id"])]
    parts.append(f"sample {row['sample']}")
    if row["tokens"] is not None:
        parts.append(f"{row['tokens']} tokens")
    return ", ".join(parts) + (f" {CUT_OFF}" if KINDS["cut-off"](row) else "")


def _excerpt(text: str | None, full: bool) -> str:
    """The text, or its beginning and end where it is long."""
    if text is None:
        return "(no text in the table)"
    text = text.strip("\n")
    if full:
        return text
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD].rstrip()} … {text[-TAIL:].lstrip()}"
    lines = text.split("\n")
    return "\n".join([*lines[: LINES - 2], "…", *lines[-2:]]) if len(lines) > LINES else text


def _indented(text: str, by: int) -> Iterator[str]:
    for line in visible(text, keep="\n").split("\n"):
        yield f"{'':{by}}{line}".rstrip()


def _problem(folder: Path, question: str) -> str:
    """The text of the problem, where this machine has the questions of the run."""
    experiment = experiment_in(folder)
    if experiment is None:
        return "(no record of the questions)"
    try:
        loaded = load_questions(experiment.dataset, experiment.file, local_only=True)
    except BadInput:
        return f"(the questions of {experiment.dataset} are not on this machine)"
    texts = {found.question_id: found.problem for found in loaded}
    return texts.get(question, f"(not one of the questions of {experiment.dataset})")


def _order(item: tuple[tuple[str, ...], _Found]) -> tuple[str, tuple[bool, int, str], str]:
    (setting, decoding, model), _ = item
    return model, by_size(setting), decoding
