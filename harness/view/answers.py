"""A run's answers to be read: an overview, or those to one question with their text, verdict and tokens.

    question tiny-0003, gold 18
      Anna has 12 apples. ...

    setting 40: 64 answers, 31 right, 2 unreadable, 0 cut-off; votes ✓ 18 ×31, ✗ 12 ×20, ✗ 7 ×11
      ✓ 18   sample 0, 37 tokens
          12 + 6 = 18. The answer is ##18##.

Whatever a model, a server or a table says is untrusted, and is shown with control characters escaped.
"""

from collections import Counter
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from harness.questions.load import load_questions
from harness.run.record import RECORD, experiment_in
from harness.run.samples_file import COLUMNS, read_rows
from harness.run.tally import by_size, tally_of
from results import BadInput, read_samples
from results.aligned import aligned
from results.figures.words import curves_name
from results.visible import visible

RIGHT, WRONG, UNREADABLE, CUT_OFF = "✓", "✗", "∅", "… cut off"
HARDEST = 5
VOTES_SHOWN = 6
HEAD, TAIL = 300, 100
"""Characters shown of a long text: its beginning, and its end, where the answer is."""


def read_answers(path: Path) -> pd.DataFrame:
    """The rows of a run's samples.jsonl, also while it is being written, or of any other samples table.

    Columns that another tool's table lacks are null; right, wrong, unreadable and cut-off are added, as bool.
    Raises BadInput naming file and row.
    """
    if path.suffix == ".jsonl" and (path.parent / RECORD).exists():
        table = pd.DataFrame(read_rows(path), columns=[*COLUMNS], dtype=object)
    else:
        table = read_samples(path).reindex(columns=[*COLUMNS]).astype(object)
    table = table.where(table.notna(), None)
    table["right"], table["unreadable"] = table["correct"].astype(bool), table["answer"].isna()
    table["wrong"] = ~(table["right"] | table["unreadable"])
    table["cut-off"] = table["finish_reason"] == "length"
    return table


def overview(table: pd.DataFrame, file: Path, setting: str | None) -> Iterator[str]:
    """The counts of each model and data set, the warnings, and the questions that are worth a look."""
    if setting is not None:
        table = table[table["setting"] == setting]
    if table.empty:
        raise _nothing(file, setting=setting)
    for _, rows in table.groupby(["model", "dataset"], sort=False):
        tally = tally_of(file.parent)
        tally.add_table(rows)
        name = curves_name("llm", rows["dataset"].iloc[0], rows["model"].iloc[0])
        yield visible(f"{name}: {tally.answers:,} answers")
        yield visible(tally.table(), keep="\n")
        yield from (f"warning: {warning}" for warning in tally.warnings(_given(file)))
    yield ""
    questions = table.groupby("question_id", sort=False)[["right", "unreadable"]].agg(["size", "mean"])
    right, unreadable = questions["right", "mean"], questions["unreadable", "mean"]
    hardest = right.nsmallest(HARDEST).index
    worst = unreadable[unreadable > 0].nlargest(HARDEST).index
    lines = [("hardest and least readable questions", "answers", "right", "unreadable")]
    for question in dict.fromkeys([*hardest, *worst]):
        size = str(questions.loc[question, ("right", "size")])
        lines.append((str(question), size, f"{right[question]:.1%}", f"{unreadable[question]:.1%}"))
    yield from aligned(lines, left=(0,))


def answers(
    table: pd.DataFrame,
    file: Path,
    question: str | None,
    setting: str | None,
    only: str | None,
    limit: int,
    full: bool,
) -> Iterator[str]:
    """The first `limit` answers of each setting to a question, or those of one kind to any; and their votes.

    `only` names a column of `read_answers`; `full` shows texts as a whole. Raises BadInput where there is no
    such question or setting.
    """
    wanted = pd.Series(True, index=table.index)
    for column, value in (("question_id", question), ("setting", setting)):
        wanted &= value is None or table[column] == value
    rows = table[wanted]
    if rows.empty:
        raise _nothing(file, list(table["question_id"].unique()), question=question, setting=setting)
    if question is not None:
        gold = rows["gold"].iloc[-1]
        yield visible(f"question {question}" + (f", gold {gold}" if gold is not None else ""))
        yield from _indented(problems_in(file.parent).get(question, "(its text is not on this machine)"), 2)
    models = rows["model"].nunique()
    order = rows["setting"].map(by_size)
    rows = rows.assign(order=order).sort_values(["model", "order", "decoding"], kind="stable")
    for (model, name, decoding), group in rows.groupby(["model", "setting", "decoding"], sort=False):
        which = f"setting {name}" + (", greedy" if decoding == "greedy" else "")
        which += f", {model}" if models > 1 else ""
        said = ", ".join(f"{group[kind].sum()} {kind}" for kind in ("right", "unreadable", "cut-off"))
        said = f"{len(group)} answers, {said}"
        chosen = group
        if only:
            chosen = group[group[only]]
            said = f"{len(chosen)} of {len(group)} answers are {only}"
        yield ""
        yield visible(f"{which}: {said}{_votes(group) if question else ''}")
        for row in chosen.head(limit).to_dict("records"):
            yield visible(f"  {_verdict(row['answer'], row['right'])}   {_place(row, question)}")
            yield from _indented(_excerpt(row["text"], full), 6)
        if len(chosen) > limit:
            yield f"  {len(chosen) - limit} more: show them with --limit"


def problems_in(folder: Path) -> dict[str, str]:
    """The texts of a run's questions, where this machine has them."""
    experiment = experiment_in(folder)
    try:
        loaded = load_questions(experiment.dataset, experiment.file, local_only=True) if experiment else []
    except BadInput:
        loaded = []
    return {found.question_id: found.problem for found in loaded}


def _given(file: Path) -> Path:
    """What commands call a samples table: its folder, where that means this file."""
    return file.parent if file.stem == "samples" else file


def _nothing(file: Path, among: list[str] | None = None, **given: str | None) -> BadInput:
    what = ", ".join(f"{name} {value!r}" for name, value in given.items() if value is not None)
    known = f"; questions here are {', '.join(map(repr, among[:3]))}, …" if among else ""
    return BadInput(visible(f"{_given(file)}: no answers{f' of {what}' if what else ''}{known}"))


def _votes(group: pd.DataFrame) -> str:
    read = group[~group["unreadable"]]
    votes = Counter(zip(read["answer"], read["right"], strict=True))
    shown = [f"{_verdict(*vote)} ×{count}" for vote, count in votes.most_common(VOTES_SHOWN)]
    others = len(votes) - len(shown)
    return f"; votes {', '.join(shown)}{f' and {others} others' if others else ''}" if shown else ""


def _verdict(answer: str | None, right: bool) -> str:
    return UNREADABLE if answer is None else f"{RIGHT if right else WRONG} {answer!s:.40}"


def _place(row: dict[Hashable, Any], question: str | None) -> str:
    parts = [] if question else [str(row["question_id"])]
    parts.append(f"sample {row['sample']}")
    if row["tokens"] is not None:
        parts.append(f"{row['tokens']} tokens")
    return ", ".join(parts) + (f" {CUT_OFF}" if row["cut-off"] else "")


def _excerpt(text: str | None, full: bool) -> str:
    """The text, or its beginning and end where it is long."""
    text = "(no text in the table)" if text is None else text.strip("\n")
    if full or len(text) <= HEAD + TAIL:
        return text
    return f"{text[:HEAD].rstrip()} … {text[-TAIL:].lstrip()}"


def _indented(text: str, by: int) -> Iterator[str]:
    for line in visible(text, keep="\n").split("\n"):
        yield f"{'':{by}}{line}".rstrip()
