"""The samples of lm-eval (`lm_eval run --log_samples`), each repeat an answer of its own.

    samples_gsm8k_2026-01-31T10-00-00.000000.jsonl       one row per document and filter
    {"doc_id": 0, "target": "... #### 18", "resps": [["... #### 18", "... #### 17"]],
     "filter": "strict-match", "filtered_resps": ["18"],
     "metrics": ["exact_match"], "exact_match": 1.0, "arguments": {...}}

lm-eval's own filters end by taking one answer (`take_first`) or the vote of all, so its log has no verdict on
the other repeats: `lm_eval_filters` reads them as lm-eval would, or our grader does.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd

from harness.engines.tokens import read_json
from harness.grader import Grader
from harness.imports.columns import Imported
from harness.imports.formats import JsonObject
from harness.imports.lm_eval_filters import as_logged
from harness.imports.logs import chosen, setting_value
from harness.imports.nested import at
from harness.imports.reading import graded
from results import BadInput, as_samples
from results.tables.files import json_rows

_NAME = re.compile(r"samples_(?P<task>.+)_(?P<stamp>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.jsonl")
_NO_FILTER = "none"
_NEEDED = ("doc_id", "target", "resps", "filtered_resps", "filter")


def import_lm_eval(
    path: Path, filter_name: str | None = None, grader: Grader | None = None, setting: str | None = None
) -> Imported:
    """The answers in lm-eval's samples file, or in the newest one of the folder `path`.

    `filter_name` is the filter whose reading counts, needed where the task has several. `grader` reads the
    answers in its place. `setting` names a generation setting whose value becomes the column of that name,
    such as max_gen_toks. Raises BadInput.
    """
    file = _newest(path) if path.is_dir() else path
    rows, names = _rows(file, filter_name, texts_alone=grader is not None)
    texts = [_responses(row, file) for row in rows]
    parts = _NAME.fullmatch(file.name)
    task = parts["task"] if parts else file.stem
    results = read_json(file.with_name(f"results_{parts['stamp']}.json")) if parts else {}
    cells: list[JsonObject] = []
    for row, said in zip(rows, texts, strict=True):
        # {"until": [...], "temperature": 1.0, ...}, in 2024 in a list
        found = at(row, "arguments.gen_args_0.arg_1") or at(row, "arguments.0.1")
        settings = found if isinstance(found, dict) else {}
        greedy = settings.get("temperature") == 0 or settings.get("do_sample") is False
        shared = {
            "dataset": task,
            "model": str(results.get("model_name") or file.resolve().parent.name),
            "setting": setting_value(file, settings, setting),
            "decoding": "greedy" if greedy and len(said) == 1 else "sample",
            "question_id": str(row["doc_id"]),
            "gold": str(row["target"]),
        }
        cells += [shared | {"sample": i, "text": text} for i, text in enumerate(said)]
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
    """The samples file of the last run in `folder`. Raises BadInput: none, or several tasks or models."""
    found = {file: parts for file in folder.rglob("samples_*.jsonl") if (parts := _NAME.fullmatch(file.name))}
    if not found:
        raise BadInput(f"{folder}: no samples_TASK_TIME.jsonl in this folder: give lm-eval's --output_path")
    kinds = sorted({f"{file.parent.name}/samples_{parts['task']}" for file, parts in found.items()})
    if len(kinds) > 1:
        raise BadInput(f"{folder}: samples of several runs ({', '.join(kinds)}): name one file")
    return max(found, key=lambda file: found[file]["stamp"])


def _rows(file: Path, filter_name: str | None, *, texts_alone: bool) -> tuple[list[JsonObject], list[str]]:
    """The rows of one filter, and the names of all; where only texts are wanted, of any that has the same."""
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
    asked = filter_name or (names[0] if same else None)
    name = chosen(file, "filter", names, asked, "their texts differ" if texts_alone else "or use --grade")
    return [row for row in rows if row["filter"] == name], names


def _responses(row: JsonObject, file: Path) -> list[str]:
    """The texts of all repeats. Raises BadInput for a task that generates none."""
    match row["resps"]:
        case [[_, *_] as texts] if all(isinstance(text, str) for text in texts):
            return list(texts)
    raise BadInput(
        f"{file}: doc_id {row['doc_id']}: resps {str(row['resps'])[:60]}, expected generated text "
        "(a task with output_type: generate_until), one list of it a document"
    )
