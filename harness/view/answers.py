"""A run's answers to be read: an overview, or those to one question with their text, verdict and tokens.

    question tiny-0003, gold 18
      Anna has 12 apples. ...

    setting 40: 64 answers, 31 right, 2 unreadable, 0 cut-off; votes ✓ 18 ×31, ✗ 12 ×20, ✗ 7 ×11
      ✓ 18   sample 0, 37 tokens
          12 + 6 = 18. The answer is ##18##.

Whatever a model, a server or a table says is untrusted, and is shown with control characters escaped.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
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

Seen = tuple[str | None, bool, bool]
"""What is counted of an answer: its text, whether it is right, and whether it was cut off."""

KINDS: dict[str | None, Callable[[Seen], bool]] = {
    None: lambda _: True,
    "right": lambda seen: seen[1],
    "wrong": lambda seen: seen[0] is not None and not seen[1],
    "unreadable": lambda seen: seen[0] is None,
    "cut-off": lambda seen: seen[2],
}
"""The answers that can be looked for."""


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
            kinds = {"right": bool(row["correct"]), "unreadable": row["answer"] is None}
            questions[row["question_id"]].update({"answers": 1, **kinds})
    if not tallies:
        raise _nothing(folder, setting=setting)
    for (model, dataset), tally in tallies.items():
        yield visible(f"{tally.answers:,} answers of {model} to questions of {dataset}")
        yield visible(tally.table(), keep="\n")
        yield from (f"warning: {warning}" for warning in tally.warnings(folder))
    yield ""
    right, unreadable = (
        {name: counts[kind] / counts["answers"] for name, counts in questions.items()}
        for kind in ("right", "unreadable")
    )
    hardest = sorted(right, key=right.__getitem__)[:HARDEST]
    worst = sorted(filter(unreadable.__getitem__, unreadable), key=unreadable.__getitem__, reverse=True)
    table = [("hardest and least readable questions", "answers", "right", "unreadable")]
    for name in dict.fromkeys([*hardest, *worst[:HARDEST]]):
        table.append((name, str(questions[name]["answers"]), f"{right[name]:.1%}", f"{unreadable[name]:.1%}"))
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
    groups: defaultdict[tuple[str, str, str], tuple[Counter[Seen], list[Row]]] = defaultdict(
        lambda: (Counter(), [])
    )
    asked: dict[str, None] = {}
    gold = None
    for row in rows:
        asked[row["question_id"]] = None
        if question in (None, row["question_id"]) and setting in (None, row["setting"]):
            counts, shown = groups[row["model"], row["setting"], row["decoding"]]
            seen = row["answer"], bool(row["correct"]), row["finish_reason"] == "length"
            counts[seen] += 1
            gold = row["gold"]
            if KINDS[only](seen) and len(shown) < limit:
                shown.append(row)
    if not groups:
        raise _nothing(folder, list(asked), question=question, setting=setting)
    if question is not None:
        yield visible(f"question {question}" + (f", gold {gold}" if gold is not None else ""))
        experiment = experiment_in(folder)
        absent = "(no record of the questions)"
        if experiment:
            absent = f"(not among the questions of {experiment.dataset} on this machine)"
        yield from _indented(problems_in(folder).get(question, absent), 2)
    models = len({model for model, _, _ in groups})
    for (model, name, decoding), (counts, shown) in sorted(groups.items(), key=_order):
        which = f"setting {name}" + (", greedy" if decoding == "greedy" else "")
        which += f", {model}" if models > 1 else ""
        number = {kind: sum(counts[seen] for seen in counts if fits(seen)) for kind, fits in KINDS.items()}
        said = ", ".join(f"{number[kind]} {kind}" for kind in ("right", "unreadable", "cut-off"))
        said = (
            f"{number[only]} of {number[None]} answers are {only}"
            if only
            else f"{number[None]} answers, {said}"
        )
        yield ""
        yield visible(f"{which}: {said}{_votes(counts) if question else ''}")
        for row in shown:
            yield visible(f"  {_verdict(row['answer'], row['correct'])}   {_place(row, question)}")
            yield from _indented(_excerpt(row["text"], full), 6)
        if number[only] > len(shown):
            yield f"  {number[only] - len(shown)} more: show them with --limit"


def problems_in(folder: Path) -> dict[str, str]:
    """The texts of a run's questions, where this machine has them."""
    experiment = experiment_in(folder)
    try:
        loaded = load_questions(experiment.dataset, experiment.file, local_only=True) if experiment else []
    except BadInput:
        loaded = []
    return {found.question_id: found.problem for found in loaded}


def _nothing(folder: Path, among: list[str] | None = None, **given: str | None) -> BadInput:
    what = ", ".join(f"{name} {value!r}" for name, value in given.items() if value is not None)
    known = f"; questions here are {', '.join(map(repr, among[:3]))}, …" if among else ""
    return BadInput(visible(f"{folder}: no answers{f' of {what}' if what else ''}{known}"))


def _votes(counts: Counter[Seen]) -> str:
    votes: Counter[tuple[str, bool]] = Counter()
    for (answer, right, _), count in counts.items():
        votes[answer or "", right] += count * (answer is not None)
    shown = [f"{_verdict(*vote)} ×{count}" for vote, count in (+votes).most_common(VOTES_SHOWN)]
    others = len(+votes) - len(shown)
    return f"; votes {', '.join(shown)}{f' and {others} others' if others else ''}" if shown else ""


def _verdict(answer: str | None, right: bool) -> str:
    return UNREADABLE if answer is None else f"{RIGHT if right else WRONG} {answer!s:.40}"


def _place(row: Row, question: str | None) -> str:
    parts = [] if question else [str(row["question_id"])]
    parts.append(f"sample {row['sample']}")
    if row["tokens"] is not None:
        parts.append(f"{row['tokens']} tokens")
    return ", ".join(parts) + (f" {CUT_OFF}" if row["finish_reason"] == "length" else "")


def _excerpt(text: str | None, full: bool) -> str:
    """The text, or its beginning and end where it is long."""
    text = "(no text in the table)" if text is None else text.strip("\n")
    if full:
        return text
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD].rstrip()} … {text[-TAIL:].lstrip()}"
    lines = text.split("\n")
    return "\n".join([*lines[: LINES - 2], "…", *lines[-2:]]) if len(lines) > LINES else text


def _indented(text: str, by: int) -> Iterator[str]:
    for line in visible(text, keep="\n").split("\n"):
        yield f"{'':{by}}{line}".rstrip()


def _order(item: tuple[tuple[str, str, str], object]) -> tuple[str, tuple[bool, int, str], str]:
    (model, setting, decoding), _ = item
    return model, by_size(setting), decoding
