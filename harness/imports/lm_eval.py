"""Imports samples of lm-eval (`lm_eval run --log_samples`), with one answer per repeat.

    samples_gsm8k_2026-01-31T10-00-00.000000.jsonl       one row per document and filter
    {"doc_id": 0, "target": "... #### 18", "resps": [["... #### 18", "... #### 17"]],
     "filter": "strict-match", "filtered_resps": ["18"],
     "metrics": ["exact_match"], "exact_match": 1.0, "arguments": {...}}

lm-eval's own filters end by taking one answer (`take_first`) or a majority vote, so its log has no verdict on
the other repeats. They are read by our grader, or by lm-eval's filters without the steps that choose among
repeats. `exact_match` removes parts of the texts before it compares them: what is left are the answers.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from harness.engines.token_ids import read_object
from harness.grader import Grader
from harness.imports.foreign_columns import Imported
from harness.imports.formats import JsonObject
from harness.imports.nested import at
from harness.imports.reading import chosen, graded, setting_value, vote_of
from results import BadInput, as_samples
from results.tables.files import json_rows

_NAME = re.compile(r"samples_(?P<task>.+)_(?P<stamp>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.jsonl")
_NO_FILTER = "none"
_NEEDED = ("doc_id", "target", "resps", "filtered_resps", "filter")


def import_lm_eval(
    path: Path, filter_name: str | None = None, grader: Grader | None = None, setting: str | None = None
) -> Imported:
    """The answers in lm-eval's samples file, or in the newest one of the folder `path`.

    `filter_name` is the filter that reads the answers, required if the task has several.
    `grader` reads the answers instead. `setting` names a generation setting, such as
    max_gen_toks, whose value becomes the column `setting`. Raises BadInput.
    """
    file = _newest(path) if path.is_dir() else path
    rows, names = _rows(file, filter_name, texts_alone=grader is not None)
    texts = [_responses(row, file) for row in rows]
    parts = _NAME.fullmatch(file.name)
    task = parts["task"] if parts else file.stem
    results = read_object(file.with_name(f"results_{parts['stamp']}.json")) if parts else {}
    cells: list[JsonObject] = []
    for row, answers in zip(rows, texts, strict=True):
        # {"until": [...], "temperature": 1.0, ...}; in logs of 2024, within a list
        arguments = at(row, "arguments.gen_args_0.arg_1") or at(row, "arguments.0.1")
        settings = arguments if isinstance(arguments, dict) else {}
        greedy = settings.get("temperature") == 0 or settings.get("do_sample") is False
        shared = {
            "dataset": task,
            "model": str(results.get("model_name") or file.resolve().parent.name),
            "setting": setting_value(file, settings, setting),
            "decoding": "greedy" if greedy and len(answers) == 1 else "sample",
            "question_id": str(row["doc_id"]),
            "gold": _targets(row)[0],
        }
        cells += [shared | {"sample": i, "text": text} for i, text in enumerate(answers)]
    table, notes = pd.DataFrame(cells), [f"read {file}"]
    if grader:
        table = graded(table, grader, file)
        if len(names) > 1 and not filter_name:
            notes.append(f"the filters {', '.join(names)} have the same texts, which are read once")
    else:
        verdicts, differ = as_logged(file, rows, texts, results.get("configs", {}).get(task))
        table = table.assign(**pd.DataFrame(verdicts, dtype=object))
        if differ:
            notes.append(f"the log's own metric differs on {differ} of {len(rows)} first answers")
    return Imported(as_samples(table, file), 0, tuple(notes))


def _newest(folder: Path) -> Path:
    """The samples file of the last run in `folder`. Raises BadInput for none, or several tasks or models."""
    files = {file: parts for file in folder.rglob("samples_*.jsonl") if (parts := _NAME.fullmatch(file.name))}
    if not files:
        raise BadInput(f"{folder}: no samples_TASK_TIME.jsonl in this folder: give lm-eval's --output_path")
    kinds = sorted({f"{file.parent.name}/samples_{parts['task']}" for file, parts in files.items()})
    if len(kinds) > 1:
        raise BadInput(f"{folder}: samples of several runs ({', '.join(kinds)}): name one file")
    return max(files, key=lambda file: files[file]["stamp"])


def _rows(file: Path, filter_name: str | None, *, texts_alone: bool) -> tuple[list[JsonObject], list[str]]:
    """The rows of one filter, and all names; with `texts_alone`, of any filter if their texts agree."""
    if not file.exists():
        raise BadInput(f"{file}: no such file")
    rows = list(json_rows(file))
    if not rows:
        raise BadInput(f"{file}: no rows: not the samples of lm-eval's --log_samples")
    for number, row in enumerate(rows, start=1):
        row.setdefault("filter", _NO_FILTER)  # logs of 2024, before there were filters
        absent = next((name for name in _NEEDED if name not in row), None)
        if absent:
            raise BadInput(f"{file}: row {number}: no {absent!r}: not the samples of lm-eval's --log_samples")
    names = list(dict.fromkeys(str(row["filter"]) for row in rows))
    texts: dict[str, list[Any]] = {}
    for row in rows:
        texts.setdefault(str(row["filter"]), []).append((row["doc_id"], row["resps"]))
    same = texts_alone and all(found == texts[names[0]] for found in texts.values())
    wanted = filter_name or (names[0] if same else None)
    name = chosen(file, "filter", names, wanted, "their texts differ" if texts_alone else "or use --grade")
    return [row for row in rows if row["filter"] == name], names


def _targets(row: JsonObject) -> list[str]:
    """The right answers to a document, of which exact_match takes any; the first is the gold."""
    listed = row["target"] if isinstance(row["target"], list) else ()
    return [str(target) for target in listed] or [str(row["target"])]


def _responses(row: JsonObject, file: Path) -> list[str]:
    """The texts of all repeats. Raises BadInput if the task generates no text."""
    match row["resps"]:
        case [[_, *_] as texts] if all(isinstance(text, str) for text in texts):
            return list(texts)
    raise BadInput(
        f"{file}: doc_id {row['doc_id']}: resps {str(row['resps'])[:60]}, expected generated text "
        "(a task with output_type: generate_until), one list of it a document"
    )


_SELECTIONS = {"take_first", "take_first_k", "majority_vote"}
_NO_MATCH = "[invalid]"
"""What lm-eval's filters return if they find nothing."""
_OR_GRADE = "or use --grade for our own grader"


def as_logged(
    file: Path, rows: list[JsonObject], texts: list[list[str]], task: JsonObject | None
) -> tuple[list[JsonObject], int]:
    """Gold, answer and correct of all `texts` by the filter of `rows`; how many of the log's verdicts differ.

    `texts` lists each document's repeats; `task` is lm-eval's config. If every document has
    one answer, the log's own metric decides; otherwise equality with the target, as in
    lm-eval's exact_match, whose verdict on each first answer is compared with the log's.
    Raises BadInput: no config, a filter that is not lm-eval's own, another metric, lm-eval
    not installed. No config is needed if the log has each answer's reading and verdict.
    """
    name = rows[0]["filter"]
    if task is None:
        read = [_as_read(file, row, len(repeats)) for row, repeats in zip(rows, texts, strict=True)]
        if all(read):
            return [cells for document in read for cells in document], 0
        raise BadInput(f"{file}: no results_TIME.json of the task beside it: put it there, {_OR_GRADE}")
    pipelines = task.get("filter_list") or [{"name": _NO_FILTER, "filter": [{"function": "take_first"}]}]
    steps: list[JsonObject] | None = next((p["filter"] for p in pipelines if p["name"] == name), None)
    if steps is None:
        raise BadInput(f"{file}: no filter {name!r} in results_TIME.json: choose another, {_OR_GRADE}")
    filtered = _apply(file, [step for step in steps if step["function"] not in _SELECTIONS], rows, texts)
    metrics = {str(metric.get("metric")): metric for metric in task.get("metric_list") or ()}
    clean = _cleaner(metrics.get("exact_match", {}))
    documents: list[tuple[str, list[str | None], JsonObject]] = []
    for row, repeats in zip(rows, filtered, strict=True):
        gold, *others = map(clean, _targets(row))
        said = (None if text == _NO_MATCH else clean(text) for text in repeats)
        documents.append((gold, [gold if answer in others else answer for answer in said], row))
    if all(len(repeats) == 1 for repeats in texts):
        cells = []
        for gold, (answer,), row in documents:
            right = _logged(file, row)
            cells.append({"gold": gold, "answer": vote_of(answer, gold, right), "correct": right})
        return cells, 0
    if "exact_match" not in metrics:
        used = ", ".join(metrics) or "its metric"
        raise BadInput(f"{file}: no verdict on each repeat by {used}: use exact_match, {_OR_GRADE}")
    differ = 0
    if [step["function"] for step in steps if step["function"] in _SELECTIONS] == ["take_first"]:
        differ = sum((repeats[0] == gold) != _logged(file, row) for gold, repeats, row in documents)
    pairs = ((gold, answer) for gold, repeats, _ in documents for answer in repeats)
    return [{"gold": gold, "answer": answer, "correct": answer == gold} for gold, answer in pairs], differ


def _as_read(file: Path, row: JsonObject, count: int) -> list[JsonObject]:
    """Gold, answer and correct of a document's answers from the log; empty if it has not all of them.

    The log of s1 has what was read in each repeat; other logs have one reading, of one
    answer.
    """
    gold = _targets(row)[0]
    readings = row.get("extracted_answers") or row["filtered_resps"]
    verdicts = row.get("exact_matches") or [_logged(file, row)] * (count == 1)
    if not len(readings) == len(verdicts) == count:
        return []
    cells = []
    for reading, verdict in zip(readings, verdicts, strict=True):
        text = reading[0] if isinstance(reading, list) and reading else reading
        answer = None if text in (_NO_MATCH, None, []) else str(text)
        right = bool(verdict)
        cells.append({"gold": gold, "answer": vote_of(answer, gold, right), "correct": right})
    return cells


def _apply(
    file: Path, steps: list[JsonObject], rows: list[JsonObject], texts: list[list[str]]
) -> list[list[str]]:
    """`texts` after lm-eval's own filters."""
    if not steps:
        return texts
    try:
        import_module("lm_eval.filters")  # registers lm-eval's filters
        get_filter = import_module("lm_eval.api.registry").get_filter
    except ImportError:
        raise BadInput(f"{file}: its filters are lm-eval's own: pip install lm-eval, {_OR_GRADE}") from None
    filtered: Any = texts
    for step in steps:
        options = {name: value for name, value in step.items() if name != "function"}
        try:
            filtered = get_filter(step["function"])(**options).apply(
                filtered, [row.get("doc") for row in rows]
            )
        except Exception as error:  # a task's own code: the log has only its name or text
            reason = f"{type(error).__name__}: {error}"
            failed = f"{file}: filter step {step['function']!r} cannot be run again ({reason:.80})"
            raise BadInput(f"{failed}: choose a filter of lm-eval's own, {_OR_GRADE}") from None
        filtered = [list(repeats) for repeats in filtered]
    return [[str(text) for text in repeats] for repeats in filtered]


def _cleaner(options: JsonObject) -> Callable[[str], str]:
    """A function that removes from a text what exact_match removes with these options."""
    ignored = [re.compile(pattern) for pattern in options.get("regexes_to_ignore") or ()]
    dropped = string.punctuation * bool(options.get("ignore_punctuation"))
    dropped += string.digits * bool(options.get("ignore_numbers"))
    table = str.maketrans("", "", dropped)

    def clean(text: str) -> str:
        for pattern in ignored:
            text = pattern.sub("", text)
        return (text.lower() if options.get("ignore_case") else text).translate(table)

    return clean


def _logged(file: Path, row: JsonObject) -> bool:
    """The log's own verdict on a document: its exact_match, or its one metric."""
    names = row.get("metrics") or []
    name = "exact_match" if "exact_match" in names else next(iter(names), "exact_match")
    if (score := row.get(name)) not in (0, 1):
        where = f"{file}: doc_id {row['doc_id']}"
        raise BadInput(f"{where}: {name} is {score!r}, not 0 or 1: choose another filter, {_OR_GRADE}")
    return bool(score)
