"""A run in public formats: records of Every Eval Ever, and a data set for the Hugging Face hub.

    OUT/README.md, OUT/samples.parquet                            the data set and its card
    OUT/data/tiny/unknown/tiny/UUID.json, UUID_samples.jsonl      its scores, and a record of each answer

The records follow the schemas of every-eval-ever 0.3.0: `every_eval_ever.toml` has the fields that are the
same in all, and `formats.toml` the places of an answer's columns, which the import uses as well.
"""

import hashlib
import json
import re
import shutil
import time
import tomllib
from collections.abc import Mapping
from copy import deepcopy
from importlib.metadata import version
from pathlib import Path
from string import Template
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pyarrow as pa

from harness.imports.conditions import as_typed
from harness.imports.formats import FORMATS, JsonObject
from harness.store.record import experiment_in
from harness.store.row import problem_beside
from harness.view import problems_at_hand
from results import BadInput, read_samples, write_samples
from results.summary.panels import of_new_questions
from results.tables.contract import sample_files
from results.tables.files import check_place
from results.tables.schemas import SAMPLES
from results.terminal import visible
from results.votes.curves import curves_and_votes

Cells = Mapping[Any, Any]
"""A row of a table."""

_HERE = Path(__file__).parent
_SAME = tomllib.loads((_HERE / "every_eval_ever.toml").read_text(encoding="utf-8"))
_PLACES = {name: places[0] for name, places in FORMATS["every-eval-ever"].items() if isinstance(places, list)}
_METRICS = {"majority": "majority_at_k", "best_of_n": "pass_at_k", "greedy": "greedy_accuracy"}


def publish(path: Path, out: Path, organization: str) -> int:
    """Write the samples table or run folder `path` into the new folder `out`; return the number of answers.

    `organization` is who sampled them. Raises BadInput.
    """
    check_place(out, folder=True)
    if out.exists() and any(out.iterdir()):
        raise BadInput(f"{out}: this folder is not empty: give another --out")
    (file,) = sample_files(path)
    table = read_samples(file)
    for name in ("dataset", "model"):
        if (table[name] == SAMPLES.defaults[name]).any():
            raise BadInput(f"{file}: no {name} is named: import the answers with --{name} NAME")
    try:
        _write(table, file, out, organization)
    except BaseException:
        shutil.rmtree(out, ignore_errors=True)  # so that the same command can be run again
        raise
    return len(table)


def _write(table: pd.DataFrame, file: Path, out: Path, organization: str) -> None:
    """Write the files of `publish`."""
    curves = curves_and_votes(table, permutations=0, most=True)[0]
    write_samples(table.apply(_storable), out / "samples.parquet")
    (out / "README.md").write_text(_card(table, curves), encoding="utf-8")
    problems, experiment = problems_at_hand(file.parent), experiment_in(file.parent)
    for (dataset, model), rows in table.groupby(["dataset", "model"]):
        is_of_run = experiment is not None and (experiment.name, experiment.model) == (dataset, model)
        drawn = {}
        if experiment and is_of_run:
            drawn = experiment.model_dump(include={"temperature", "top_p"})
        developer, _, short = str(model).rpartition("/")
        folder = out / "data" / _safe(dataset) / _safe(developer or "unknown") / _safe(short)
        folder.mkdir(parents=True, exist_ok=True)
        now = str(time.time())
        identity = {"schema_version": "0.3.0", "evaluation_id": f"{dataset}/{model}/{now}"}
        records = [
            identity | _instance(row, problems if is_of_run else {})
            for row in rows.astype(object).to_dict("records")
        ]
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        digest = hashlib.sha256(text.encode()).digest()
        name = str(UUID(bytes=digest[:16], version=4))
        samples = folder / f"{name}_samples.jsonl"
        samples.write_text(text, encoding="utf-8")
        record = identity | deepcopy(_SAME["aggregate"]) | {"retrieved_timestamp": now}
        record["source_metadata"]["source_organization_name"] = organization
        record["eval_library"]["version"] = version("test-time-scaling")
        record["model_info"] |= {"name": model, "id": model}
        scores = curves[(curves["dataset"] == dataset) & (curves["model"] == model)]
        record["evaluation_results"] = [_result(row, drawn) for row in scores.to_dict("records")]
        record["detailed_evaluation_results"] = {
            "format": "jsonl",
            "file_path": samples.relative_to(out).as_posix(),
            "hash_algorithm": "sha256",
            "checksum": digest.hex(),
            "total_rows": len(records),
        }
        content = json.dumps(record, indent=1, ensure_ascii=False)
        (folder / f"{name}.json").write_text(content, encoding="utf-8")


def _storable(cells: "pd.Series[Any]") -> "pd.Series[Any]":
    """A column of the table, as JSON texts if its types are too mixed for Parquet."""
    try:
        pa.array(cells, from_pandas=True)
    except pa.ArrowException:
        return cells.map(lambda cell: json.dumps(cell, default=np.ndarray.tolist), na_action="ignore")
    return cells


def _result(row: Cells, drawn: JsonObject) -> JsonObject:
    """The score record of a row of the curves."""
    sure: JsonObject = {"num_samples": row["questions"]}
    if row["stderr"] == row["stderr"]:
        sure["standard_error"] = {"value": row["stderr"], "method": "over questions"}
    return {
        "evaluation_result_id": _result_id(row, row["method"], row["N"]),
        "evaluation_name": row["dataset"],
        "source_data": {"dataset_name": row["dataset"], "source_type": "other"},
        "metric_config": _SAME["metric"]
        | {"metric_id": _METRICS[row["method"]], "metric_parameters": {"k": row["N"]}},
        "score_details": {"score": row["accuracy"], "uncertainty": sure},
        "generation_config": {
            "generation_args": {"temperature": 0} if row["method"] == "greedy" else drawn,
            "additional_details": {"setting": row["setting"]},
        },
    }


def _result_id(row: Cells, method: str, n: int) -> str:
    return f"{row['dataset']}/{row['setting']}/{_METRICS[method]}/{n}"


def _instance(row: Cells, problems: Mapping[str, str]) -> JsonObject:
    """An answer as a record; unknown values are left out."""
    row = {name: cell for name, cell in row.items() if as_typed(cell) != ""}
    record: JsonObject = deepcopy(_SAME["instance"])
    if "answer" in row:
        read = {"extraction_method": str(row.get("reader", "unknown"))}
        record["answer_attribution"] = [_SAME["attribution"] | read]
    used = {"tokens", "prompt_tokens"} <= row.keys()
    judged = {name: f"metadata.{name}" for name in map(str, row) if name.startswith("score_")}
    for name, place in (_PLACES | judged).items():
        if name in row and (used or not place.startswith("token_usage")):
            _put(record, place, str(row[name]) if place.startswith("metadata") else row[name])
    if used:
        record["token_usage"]["total_tokens"] = row["prompt_tokens"] + row["tokens"]
    else:  # token_usage needs both
        counts = {"tokens", "prompt_tokens"} & row.keys()
        record["metadata"] |= {name: str(row[name]) for name in sorted(counts)}
    greedy = row["decoding"] == "greedy"
    record["evaluation_result_id"] = _result_id(row, "greedy" if greedy else "majority", 1)
    record["evaluation"]["score"] = float(row["correct"])
    record["input"]["raw"] = problem_beside(row) or problems.get(row["question_id"], "")
    return record


def _put(record: JsonObject, place: str, cell: Any) -> None:
    """Write `cell` at a place of `formats.toml`; lists exist already, and it is appended to them."""
    into: Any = record
    *above, last = place.split(".")
    for step in above:
        into = into[int(step)] if isinstance(into, list) else into.setdefault(step, {})
    into.append(cell) if isinstance(into, list) else into.update({last: cell})


def _safe(name: Any) -> str:
    """A name, which is untrusted, as one part of a path."""
    return re.sub(r"[^\w.-]+|^\.+|\.+$", "_", str(name)) or "_"


def _card(table: pd.DataFrame, curves: pd.DataFrame) -> str:
    """The data set's card; `curves` must have both methods at each N."""
    lines = []
    sampled = curves[curves["method"] != "greedy"].sort_values("method", ascending=False, kind="stable")
    for group, at in sampled.groupby(["dataset", "model", "setting", "N", "questions"], sort=False):
        value, clusters = at["accuracy"], at.get("clusters", np.nan)
        ends = of_new_questions(value, at["stderr"], at["questions"], clusters)
        errors = [f" ± {half:.1%}" if half == half else "" for half in ends.high - value]
        both = zip(value, errors, strict=True)
        cells = [f"{accuracy:.1%}{error}" for accuracy, error in both]
        lines.append(f"| {' | '.join([*map(_cell, group), *cells])} |")
    models, datasets = (", ".join(map(_cell, table[name].unique())) for name in ("model", "dataset"))
    return Template((_HERE / "card.md").read_text(encoding="utf-8")).substitute(
        name=json.dumps(f"{models}: {datasets}"),
        models=models,
        datasets=datasets,
        answers=f"{len(table):,}",
        questions=f"{table.groupby('dataset')['question_id'].nunique().sum():,}",
        rows="\n".join(lines),
    )


def _cell(text: Any) -> str:
    """Untrusted text, escaped for a line of Markdown."""
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", visible(" ".join(str(text).split())))
