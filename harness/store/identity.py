"""Records what a run's answers depend on, so that it is resumed only if nothing of this has changed.

    {"experiment": {"dataset": "tiny", "model": "tiny", ...}, "prompt_sha256": "9f2c...", ...}
    commits: {"model": "0e9e39f2...", "dataset": "740312ad..."}

A hub model without a revision is whatever the hub has today: its commit is read from the hub's cache.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import prompts
from harness.engines.token_ids import content_digest
from harness.experiment import Experiment, model_location
from harness.questions.load import Question, dataset_commit

PLAN_FIELDS = {
    *("file", "limit", "order", "samples", "budgets", "greedy"),
    *("url", "concurrency", "device", "dp", "server_flags", "patience"),
}
"""Fields that say how many answers are drawn, or where: a resumed run may change them."""
READING = {"readers", "match", "grader"}
"""Fields that say how answers are read: a resumed run may change them, and then reads all answers again."""
IDENTITY = {
    "prompt_sha256": "prompt text",
    "questions_sha256": "set of questions",
    "model_sha256": "training of the model",
}
"""Digests of contents that may change under the same name, and what messages call them."""


def identity(experiment: Experiment, questions: Sequence[Question]) -> dict[str, Any]:
    """What the answers of a run depend on: the experiment, and the digests of IDENTITY.

    `questions` are all of the data set, so that a resumed run may have another limit.
    """
    texts = [[q.question_id, q.problem, q.gold] for q in questions]
    return {
        "experiment": experiment.model_dump(mode="json"),
        "prompt_sha256": prompts.digest(experiment.prompt),
        "questions_sha256": hashlib.sha256(json.dumps(texts).encode()).hexdigest(),
        "model_sha256": model_digest(Path(model_location(experiment.model))),
    }


def commits(experiment: Experiment) -> dict[str, str | None]:
    """The hub commits of model and data set; None where not from the hub, or not known."""
    return {
        "model": _cached_commit(model_location(experiment.model), experiment.revision),
        "dataset": None if experiment.file else dataset_commit(experiment.dataset),
    }


def differences(then: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What in `now` differs from `then`, in words; a missing entry of `then` counts as null."""
    return [
        f"{name} ({json.dumps(then.get(name)):.40} then, {json.dumps(value):.40} now)"
        for name, value in now.items()
        if then.get(name) != value
    ]


TELLING = (
    *("name", "version", "dtype", "quantization", "kv_cache_dtype", "load_format"),
    *("revision", "model_path", "model", "answered_by"),
)
"""Properties reported by an engine that may change its answers."""


def engine_changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The changed properties of an engine: name → [then, now], for those of TELLING that both report."""
    then, today = ({**engine, **(engine.get("server") or {})} for engine in (before, now))
    return {
        name: [then[name], today[name]]
        for name in TELLING
        if name in then and name in today and then[name] != today[name]
    }


def prompts_differ(before: Iterable[Mapping[str, Any]], now: Mapping[str, Any]) -> str | None:
    """Why prompts would be sent differently than in earlier sessions; None if they would not.

    Engines report in `prompts` the digest of one prompt as it is sent, and the date in it, if any.
    """
    sent = now.get("prompts")
    if not sent:
        return None  # a server with OpenAI's interface builds prompts itself
    for engine in before:
        then = engine.get("prompts")
        if then is None and engine and sent["date"]:
            return f"its prompts held the date of their day, and now hold {sent['date']}"
        if then and then["sha256"] != sent["sha256"]:
            return "the model's chat template or tokenizer now makes other prompts"
    return None


def _cached_commit(model: str, revision: str | None) -> str | None:
    from huggingface_hub import try_to_load_from_cache

    try:
        path = try_to_load_from_cache(model, "config.json", revision=revision)
    except ValueError:  # a folder, or a name that no model on the hub can have
        return None
    return Path(path).parent.name if isinstance(path, str) else None


def model_digest(folder: Path) -> str | None:
    """The digest of the names and contents of the folder's files; None if there is no such folder."""
    if not folder.is_dir():
        return None
    return content_digest(path for path in folder.iterdir() if path.is_file())
