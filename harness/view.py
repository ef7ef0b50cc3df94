"""Prints a run's answers for people to read: an overview, or the answers to one question.

    question tiny-0003, gold 18
      Anna has 12 apples. ...

    setting 40: 64 answers, 31 right, 2 unreadable, 0 cut-off; votes ✓ 18 ×31, ✗ 12 ×20, ✗ 7 ×11
      ✓ 18   sample 0, 37 tokens
          12 + 6 = 18. The answer is ##18##.

All text that is shown is untrusted: control characters in it are escaped.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from harness.store.record import experiment_in, problems_in, tally_of
from harness.store.row import ASKED_FOR, COLUMNS, PROBLEM, Row, problem_beside, rows_of
from harness.store.samples_file import row_blocks
from harness.tally.answer_groups import groups_of
from harness.tally.counts import Tallies, by_size
from results import BadInput, read_samples
from results.tables.files import RECORD
from results.tables.key import on_dataset
from results.tables.schemas import SAMPLE_KEY
from results.tables.shards import missing
from results.terminal import aligned, plural, visible

RIGHT, WRONG, UNREADABLE, CUT_OFF = "✓", "✗", "∅", "… cut off"
BLANK = dict.fromkeys([*COLUMNS, *ASKED_FOR, *PROBLEM])
HARDEST = 5
VOTES_SHOWN = 6
HEAD, TAIL = 300, 100
"""Characters shown of a long text: its beginning, and its end, where the answer is."""


def read_blocks(paths: Sequence[Path], question: str | None, setting: str | None) -> Iterator[Sequence[Row]]:
    """The rows of a run's samples.jsonl, even while it is being written, or of any other samples table.

    They come in blocks, one file after the other; only those of `question` and `setting`, if
    these are given. Raises BadInput: an invalid row, with its file; no such answers; an answer
    that appears twice.
    """
    given = {"question_id": question, "setting": setting}
    wanted = {column: value for column, value in given.items() if value is not None}
    seen: dict[tuple[Any, ...], set[int]] = {}
    for path in paths:
        for rows in _blocks(path, wanted):
            for row in rows:
                *place, sample = (row[name] for name in SAMPLE_KEY)
                indices = seen.setdefault(tuple(place), set())
                if sample in indices:
                    what = ", ".join(f"{name}={row[name]}" for name in SAMPLE_KEY)
                    raise BadInput(
                        visible(f"{path}: a second row for {what}, expected one in all that is given")
                    )
                indices.add(sample)
            yield rows
    if not seen:
        what = " and ".join(f"{column} {value!r}" for column, value in wanted.items())
        where = ", ".join(map(str, paths))
        raise BadInput(visible(f"{where}: no answers{what and f' with {what}'}"))


def _blocks(path: Path, wanted: dict[str, str]) -> Iterator[Sequence[Row]]:
    """The wanted rows of one file, in blocks."""
    if path.suffix == ".jsonl" and (path.parent / RECORD).exists():
        yield from row_blocks(path, **wanted)
        return
    table = read_samples(path)
    for column, value in wanted.items():
        table = table[table[column] == value]
    yield rows_of(table, [*BLANK])


def marked(row: Row) -> Row:
    """A row with None for columns that its table lacks, and with marks: right, wrong, and so on."""
    right, unreadable = bool(row["correct"]), row["answer"] is None
    marks = {"right": right, "unreadable": unreadable, "wrong": not (right or unreadable)}
    return {**BLANK, **row, **marks, "cut-off": row.get("finish_reason") == "length"}


def overview(blocks: Iterable[Sequence[Row]], files: Sequence[Path]) -> Iterator[str]:
    """The counts of each model and data set, the warnings, and the hardest questions.

    The answers are read in blocks: a run of 700,000 answers need not fit into memory.
    """
    tallies = Tallies(lambda *name: tally_of(*_folders_of(name, files)))
    questions: dict[tuple[str, str], list[int]] = {}  # by data set and question
    shards: dict[tuple[str, str, str], None] = {}
    for group in chain.from_iterable(map(groups_of, blocks)):
        name = str(group.dataset), str(group.model)
        tallies.add([group])
        if group.shard:
            shards[*name, group.shard] = None
        counts = questions.setdefault((name[0], group.question), [0, 0, 0])
        added = sum(map(bool, group.cells["correct"])), group.cells["answer"].count(None)
        for i, more in enumerate((group.answers, *added)):
            counts[i] += more
    for whose, tally in tallies.named:
        yield f"{whose}: {plural(f'{tally.answers:,}', 'answer')}"
        yield visible(tally.table(), keep="\n")
        # Commands name a table by its folder if that stands for this file.
        called = (file.parent if file.stem == "samples" else file for file in files)
        yield from (f"warning: {warning}" for warning in tally.warnings(*called))
    yield from (visible(f"warning: {line}") for line in missing(shards))
    yield ""
    shares = [(right / of, unreadable / of, of, key) for key, (of, right, unreadable) in questions.items()]
    lines = [("hardest questions", "answers", "right", "unreadable")]
    several = len({dataset for dataset, _ in questions}) > 1
    for right, unreadable, of, key in sorted(shares, key=lambda share: (*share[:2], share[3]))[:HARDEST]:
        dataset, question = key
        place = question + (on_dataset(dataset) if several else "")
        lines.append((place, f"{of}", f"{right:.1%}", f"{unreadable:.1%}"))
    yield from aligned(lines)


def _folders_of(name: tuple[str, str], files: Sequence[Path]) -> list[Path]:
    """The folders of runs of this data set and model (shards of one run); the first folder if none is."""
    folders = [file.parent for file in files]
    runs = [(folder, experiment_in(folder)) for folder in folders]
    return [folder for folder, run in runs if run and (run.name, run.model) == name] or folders[:1]


def answers(
    rows: Iterable[Row], folder: Path, question: str | None, only: Sequence[str], limit: int, full: bool
) -> Iterator[str]:
    """The first `limit` answers of each setting, and the votes on `question` if it is given.

    `only`: marks (see `marked`) that an answer must have. `full`: do not shorten texts. `folder`: the run's.
    Data sets come one after the other: questions of two data sets differ even if they share an id.
    """
    table = pd.DataFrame(thinned(rows, only, limit), dtype=object)
    kinds = ["right", "unreadable", "wrong", "cut-off"]
    table[kinds] = table[kinds].astype(bool)
    of_datasets = list(table.groupby("dataset", dropna=False, sort=False))
    several, run = len(of_datasets) > 1, experiment_in(folder)
    for dataset, own in of_datasets:
        on = on_dataset(str(dataset)) if several else ""
        is_of_run = not several or (run is not None and run.name == dataset)
        if question is not None:
            gold = own["gold"].iloc[-1]
            yield visible(f"question {question}{on}" + (f", gold {gold}" if gold is not None else ""))
            problems = problems_at_hand(folder) if is_of_run else {}
            problem = problem_beside(own.iloc[-1].to_dict()) or problems.get(question, "(text not available)")
            yield from _indented(problem, 2)
        yield from _of_settings(own, question, only, limit, full, on)


def _of_settings(
    table: pd.DataFrame, question: str | None, only: Sequence[str], limit: int, full: bool, on: str
) -> Iterator[str]:
    """The answers of one data set, as in `answers`; `on` names it if there are several."""
    models = table["model"].nunique()
    ordered = table.assign(order=table["setting"].map(by_size))
    ordered = ordered.sort_values(["model", "order", "decoding"], kind="stable")
    for (model, name, decoding), group in ordered.groupby(["model", "setting", "decoding"], sort=False):
        which = f"setting {name}" + (", greedy" if decoding == "greedy" else "")
        which += f", {model}" if models > 1 else ""
        which += on
        counts = (f"{group[kind].sum()} {kind}" for kind in ("right", "unreadable", "cut-off"))
        shown, counted = group, f"{plural(len(group), 'answer')}, {', '.join(counts)}"
        if only:
            shown = group[group[[*only]].all(axis=1)]
            counted = f"{len(shown)} of {len(group)} answers are {' and '.join(only)}"
        yield ""
        yield visible(f"{which}: {counted}{_votes(group) if question else ''}")
        for row in shown.head(limit).to_dict("records"):
            place = "" if question else f"{row['question_id']}, "
            place += f"sample {row['sample']}"
            place += "" if row["tokens"] is None else f", {plural(row['tokens'], 'token')}"
            place += "" if row["logprob"] is None else f", log-probability {row['logprob']:.2f}"
            place += f" {CUT_OFF}" if row["cut-off"] else ""
            yield visible(f"  {_verdict(row['answer'], row['right'])}   {place}")
            if row["reasoning"] is not None:
                thought = row["reasoning_tokens"]
                count = "" if thought is None else f", {plural(thought, 'token')}"
                yield f"      [thinking{count}]"
                yield from _indented(_shown(row["reasoning"], full), 8)
                yield "      [answer]"
            text = "(no text in the table)" if row["text"] is None else row["text"]
            yield from _indented(_shown(text, full), 6)
        if len(shown) > limit:
            yield f"  {len(shown) - limit} more: raise --limit to see them"


def _shown(text: str, full: bool) -> str:
    """A text without empty lines around it, cut down to its beginning and end unless `full`."""
    text = text.strip("\n")
    if full or len(text) <= HEAD + TAIL:
        return text
    return f"{text[:HEAD].rstrip()} … {text[-TAIL:].lstrip()}"


def problems_at_hand(folder: Path) -> dict[str, str]:
    """The texts of a run's questions by id; empty if they cannot be read."""
    with suppress(BadInput):
        return problems_in(folder)
    return {}


def thinned(rows: Iterable[Row], only: Sequence[str], limit: int) -> Iterator[Row]:
    """The rows without the texts that will not be shown."""
    shown = Counter[tuple[str, str, str, str]]()
    for row in map(marked, rows):
        if all(row[mark] for mark in only):
            group = row["dataset"], row["model"], row["setting"], row["decoding"]
            shown[group] += 1
            if shown[group] <= limit:
                yield row
                continue
        yield {**row, "text": None, "reasoning": None}


def _votes(group: pd.DataFrame) -> str:
    read = group[~group["unreadable"]]
    votes = Counter(zip(read["answer"], read["right"], strict=True))
    shown = [f"{_verdict(*vote)} ×{count}" for vote, count in votes.most_common(VOTES_SHOWN)]
    others = len(votes) - len(shown)
    return f"; votes {', '.join(shown)}{f' and {others} others' if others else ''}" if shown else ""


def _verdict(answer: str | None, right: bool) -> str:
    return UNREADABLE if answer is None else f"{RIGHT if right else WRONG} {answer!s:.40}"


def _indented(text: str, by: int) -> Iterator[str]:
    for line in visible(text, keep="\n").split("\n"):
        yield f"{'':{by}}{line}".rstrip()
