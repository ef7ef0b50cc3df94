"""What all imports share: grading texts, counting tokens, and notes for the user."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from harness.engines.token_ids import PromptTokens
from harness.experiment import model_location
from harness.grader import AUTO, Grader, readers_that_read, required_gold
from harness.grading import choice, expression
from harness.grading.thoughts import OPEN, closes, only_thinks, opens
from harness.imports.conditions import as_typed
from harness.questions.load import as_objects
from results import BadInput

_LONG = 60  # characters; a longer answer that equals the whole text was not extracted from it
_AT_A_LIMIT = ("max_tokens", "max_output_tokens", "max_new_tokens", "model_length", "max_length")
"""Names of the finish reason `length` in Anthropic, Gemini, inspect_ai and Transformers."""
_MOST = 0.5
_FEW = 0.05
_EXPRESSION = re.compile(
    r"\\[a-zA-Z]|\d\s*/\s*\d|\bsqrt\b|\^|\d%|[¼½¾⅓⅔√π∞²³]"
    r"|[(\[{]\s*[-+.\d]++\s*[,;]|\d,\s+[-+.]?\d"  # "(1, 2)", "[0; 1)" and "1, 2"
    r"|(?<![^\W_])\d*+[a-z]\s?[-+*=<>≤≥]\s?[-.\d]{0,9}[a-z\d](?![^\W_])"  # "2x+1"
    r"|\d\s?[-+*]\s?\d*+[a-z](?![^\W_])"  # "1+2x"
)


def graded(table: pd.DataFrame, grader: Grader, where: Path) -> pd.DataFrame:
    """`table` with the answers that `grader` reads in its texts, and its golds in the grader's form.

    A text that is all thinking, opened by its prompt, gets the opening mark, so later readers see it.
    """
    grader.check_installed()
    if "labels" in table:
        table = table.assign(labels=table["labels"].map(as_objects))  # a list in a CSV is text
    written = table["text"].map(as_typed)
    opened = _opened(table, written)
    texts = written.mask(opened, OPEN + written)
    if grader.readers == (AUTO,):
        grader = replace(grader, readers=readers_that_read(table.assign(text=texts), grader)[0])
    cells = []
    needed = ["question_id", "gold", "finish_reason", "labels"]
    columns = table.reindex(columns=needed).astype(object)
    rows = enumerate(zip(columns.itertuples(index=False), texts, strict=True), start=1)
    for number, ((question, gold, reason, labels), text) in rows:
        place, names = f"{where}: row {number}, question {question}", choice.labels_in(labels)
        right = required_gold(as_typed(gold), place, grader.grader, names)
        told = {"labels": " ".join(names)} if names else {}
        cells.append({"gold": right, **told, **grader.verdict(text, right, reason, names)})
    marked = table["text"].mask(opened, texts)
    return table.assign(text=marked, **pd.DataFrame(cells, index=table.index))


def _opened(table: pd.DataFrame, texts: pd.Series[Any]) -> pd.Series[bool]:
    """Which texts are all thinking: opened by the prompt, and never closed in the text.

    Without prompts, the thinking counts as opened if most texts of that model and setting close
    thinking that they never opened.
    """
    silent = ~texts.map(lambda text: closes(text) or OPEN in text)
    if "prompt" in table:
        return silent & table["prompt"].map(as_typed).map(opens)
    closed_only = texts.map(lambda text: closes(text) and OPEN not in text and "<|channel|>" not in text)
    whose = [table[name].map(as_typed) for name in ("model", "setting") if name in table]
    share = closed_only.groupby(whose).transform("mean") if whose else closed_only.mean()
    return silent & (share > _MOST)


def with_endings(table: pd.DataFrame) -> pd.DataFrame:
    """`table` with the finish reason `length` in place of other names for a token limit."""
    if "finish_reason" not in table:
        return table
    words = table["finish_reason"].map(as_typed).str.casefold().str.rpartition(".")[2]
    return table.assign(finish_reason=table["finish_reason"].mask(words.isin(_AT_A_LIMIT), "length"))


def thinking_notes(table: pd.DataFrame) -> list[str]:
    """A note on how many of the `graded` texts end within their thinking, if any do."""
    count = int(table["text"].map(as_typed).map(only_thinks).sum())
    return [f"{count} of {len(table)} texts end within their thinking: nothing was answered"] if count else []


def unread_note(table: pd.DataFrame) -> list[str]:
    """A note on what readers would find in the texts without a read answer, if these are many."""
    if "text" not in table:
        return []
    unread = table["answer"].isna() | ("gold" not in table)
    golds = table.get("gold", pd.Series(dtype=object)).dropna()
    labels = len(golds) > 0 and golds.isin(choice.LETTERS).all()
    grader = Grader((AUTO,), grader="choice" if labels else "integer")
    texts = table["text"][unread].map(as_typed)
    if unread.mean() <= _FEW or not (texts != "").any():
        return []
    readers, by_reader = readers_that_read(table[unread], grader)
    reads = f"{by_reader}: --grade {','.join(readers)}, or auto, reads them"
    return [f"{len(texts)} of {len(table)} answers were not read; {reads}"] if ": " in by_reader else []


def as_expressions(table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """`table` with equal expressions in one spelling, if answers are compared with golds; and notes.

    Only for questions with an expression, so that no row depends on other questions in its file.
    """
    if not {"answer", "gold"} <= {*table} or "correct" in table:
        return table, []
    texts = [table[name].map(as_typed) for name in ("answer", "gold")]
    has_one = texts[0].str.contains(_EXPRESSION) | texts[1].str.contains(_EXPRESSION)
    questions = table["question_id"].map(as_typed) if "question_id" in table else table.index
    of_questions = has_one.groupby(questions).transform("any")
    if not of_questions.any():
        return table, []
    try:
        expression.require()
    except ModuleNotFoundError:
        return table, ["some answers are expressions, compared as text here: pip install '.[math]' first"]
    same = {}
    texts = [cells[of_questions] for cells in texts]
    for answer, gold in {*zip(*texts, strict=True)}:
        value = expression.read_value(answer) if answer else None
        right = expression.as_written(gold)
        same[answer, gold] = right if value and right and expression.equal(right, value) else value
    answers, golds = (table[name].astype(object).copy() for name in ("answer", "gold"))
    answers[of_questions] = [same[pair] for pair in zip(*texts, strict=True)]
    golds[of_questions] = [expression.as_written(gold) or None for gold in texts[1]]
    note = "answers and golds are compared as expressions: .5, 1/2 and \\frac{1}{2} are one answer"
    return table.assign(answer=answers, gold=golds), [note]


def whole_text_notes(table: pd.DataFrame) -> tuple[str, ...]:
    """A warning if answers are whole texts, as left by scorers that look for the gold in the text."""
    if not {"answer", "text"} <= {*table}:
        return ()
    answers, texts = (table[name].fillna("").astype(str) for name in ("answer", "text"))
    whole = int(((answers.str.len() > _LONG) & (answers.str.lower() == texts.str.strip().str.lower())).sum())
    note = f"{whole} answers are whole texts: no two will be equal, so a vote needs --grade"
    return (f"{note} or a scorer that reads the answer",) if whole else ()


def vote_of(answer: Any, gold: Any, correct: Any) -> Any:
    """The answer as read; one scored right without being read votes for the right answer."""
    if answer not in ("", None):
        return answer
    return gold if correct else None


def chosen(
    file: Path, kind: str, names: Sequence[str], wanted: str | None, hint: str = "or use --grade"
) -> str:
    """Which of the `names` of a log's filters or scorers (`kind`) to use. Raises BadInput if undecided."""
    if wanted is not None and wanted not in names:
        raise BadInput(f"{file}: no {kind} {wanted!r}, only {', '.join(names) or '(none)'}")
    if wanted is None and len(names) > 1:
        raise BadInput(f"{file}: several {kind}s ({', '.join(names)}): choose one with --{kind}, {hint}")
    return wanted or names[0]


def setting_value(file: Path, settings: Mapping[str, Any], name: str | None) -> str:
    """The column `setting`: the value of the setting `name`, or `default` without a name. Raises BadInput."""
    if name is None:
        return "default"
    if settings.get(name) is None:
        raise BadInput(f"{file}: no setting {name!r}, found {', '.join(settings) or 'none'}")
    return str(settings[name])


def with_tokens(table: pd.DataFrame, model: str) -> pd.DataFrame:
    """`table` with the number of tokens of each `text`; `model`: a hub name, a folder, or `tiny`.

    The stop string and the end token, which the model also generated, are not in the text
    and not counted. Raises BadInput if there is no such tokenizer.
    """
    tokenizer = PromptTokens(model_location(model), None, chat=False).tokenizer
    texts = table["text"].fillna("").tolist()
    encoded = tokenizer.encode_batch(texts, add_special_tokens=False)
    return table.assign(tokens=[len(one.ids) for one in encoded])
