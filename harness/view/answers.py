"""A run's answers to be read: an overview, or those to one question with their text, verdict and tokens.

    question tiny-0003, gold 18
      Anna has 12 apples. ...

    setting 40: 64 answers, 31 right, 2 unreadable, 0 cut-off; votes ✓ 18 ×31, ✗ 12 ×20, ✗ 7 ×11
      ✓ 18   sample 0, 37 tokens
          12 + 6 = 18. The answer is ##18##.

Whatever a model, a server or a table says is untrusted, and is shown with control characters escaped.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pandas as pd

from harness.questions.load import load_questions
from harness.run.record import RECORD, experiment_in
from harness.run.samples_file import ASKED_FOR, COLUMNS, read_rows
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


def read_answers(path: Path, question: str | None, setting: str | None) -> pd.DataFrame:
    """The rows of a run's samples.jsonl, also while it is being written, or of any other samples table.

    Only those to one question and of one setting, where these are given. Columns that another tool's table
    lacks are null; right, wrong, unreadable and cut-off are added, as bool. Raises BadInput naming file and
    row, or if there are no such answers.
    """
    if path.suffix == ".jsonl" and (path.parent / RECORD).exists():
        table = pd.DataFrame(read_rows(path), columns=[*COLUMNS, *ASKED_FOR], dtype=object)
    else:
        table = read_samples(path).reindex(columns=[*COLUMNS, *ASKED_FOR]).astype(object)
    table = table.where(table.notna(), None)
    table["right"], table["unreadable"] = table["correct"].astype(bool), table["answer"].isna()
    table["wrong"] = ~(table["right"] | table["unreadable"])
    table["cut-off"] = table["finish_reason"] == "length"
    what = ""
    for column, value in (("question_id", question), ("setting", setting)):
        if value is not None:
            table = table[table[column] == value]
            what += f" {'and' if what else 'with'} {column} {value!r}"
    if table.empty:
        raise BadInput(visible(f"{path}: no answers{what}"))
    return table


def overview(table: pd.DataFrame, file: Path) -> Iterator[str]:
    """The counts of each model and data set, the warnings, and the hardest questions."""
    for _, rows in table.groupby(["model", "dataset"], sort=False):
        tally = tally_of(file.parent)
        tally.add_table(rows)
        name = curves_name("llm", rows["dataset"].iloc[0], rows["model"].iloc[0])
        yield visible(f"{name}: {tally.answers:,} answers")
        yield visible(tally.table(), keep="\n")
        # What commands call a table: its folder, where that means this file.
        called = file.parent if file.stem == "samples" else file
        yield from (f"warning: {warning}" for warning in tally.warnings(called))
    yield ""
    questions = table.groupby("question_id", sort=False).agg(
        answers=("right", "size"), right=("right", "mean"), unreadable=("unreadable", "mean")
    )
    lines = [("hardest questions", "answers", "right", "unreadable")]
    for row in questions.sort_values(["right", "unreadable"], kind="stable").head(HARDEST).itertuples():
        lines.append((str(row.Index), f"{row.answers}", f"{row.right:.1%}", f"{row.unreadable:.1%}"))
    yield from aligned(lines)


def answers(
    table: pd.DataFrame, folder: Path, question: str | None, only: str | None, limit: int, full: bool
) -> Iterator[str]:
    """The first `limit` answers of each setting, and their votes on the one `question` they are to.

    `only` names a column of `read_answers`; `full` shows texts as a whole. The run is in `folder`.
    """
    if question is not None:
        gold = table["gold"].iloc[-1]
        yield visible(f"question {question}" + (f", gold {gold}" if gold is not None else ""))
        yield from _indented(problems_in(folder).get(question, "(its text is not at hand)"), 2)
    models = table["model"].nunique()
    rows = table.assign(order=table["setting"].map(by_size))
    rows = rows.sort_values(["model", "order", "decoding"], kind="stable")
    for (model, name, decoding), group in rows.groupby(["model", "setting", "decoding"], sort=False):
        which = f"setting {name}" + (", greedy" if decoding == "greedy" else "")
        which += f", {model}" if models > 1 else ""
        counts = (f"{group[kind].sum()} {kind}" for kind in ("right", "unreadable", "cut-off"))
        shown, said = group, f"{len(group)} answers, {', '.join(counts)}"
        if only:
            shown = group[group[only]]
            said = f"{len(shown)} of {len(group)} answers are {only}"
        yield ""
        yield visible(f"{which}: {said}{_votes(group) if question else ''}")
        for row in shown.head(limit).to_dict("records"):
            place = "" if question else f"{row['question_id']}, "
            place += f"sample {row['sample']}"
            place += "" if row["tokens"] is None else f", {row['tokens']} tokens"
            place += "" if row["logprob"] is None else f", log-probability {row['logprob']:.2f}"
            place += f" {CUT_OFF}" if row["cut-off"] else ""
            yield visible(f"  {_verdict(row['answer'], row['right'])}   {place}")
            if row["reasoning"] is not None:
                count = "" if row["reasoning_tokens"] is None else f", {row['reasoning_tokens']} tokens"
                yield f"      [thinking{count}]"
                yield from _indented(_shown(row["reasoning"], full), 8)
                yield "      [answer]"
            text = "(no text in the table)" if row["text"] is None else row["text"]
            yield from _indented(_shown(text, full), 6)
        if len(shown) > limit:
            yield f"  {len(shown) - limit} more: show them with --limit"


def _shown(text: str, full: bool) -> str:
    """A text without empty lines around it; its beginning and its end, unless it is to be shown in `full`."""
    text = text.strip("\n")
    if full or len(text) <= HEAD + TAIL:
        return text
    return f"{text[:HEAD].rstrip()} … {text[-TAIL:].lstrip()}"


def problems_in(folder: Path) -> dict[str, str]:
    """The texts of a run's questions, where they can be had."""
    with suppress(BadInput):
        if experiment := experiment_in(folder):
            loaded = load_questions(experiment.dataset, experiment.file, experiment.grader)
            return {found.question_id: found.problem for found in loaded}
    return {}


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
