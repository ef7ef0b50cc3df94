"""run.json: what a run's answers depend on, and when and by what they were sampled.

    {"experiment": {"dataset": "tiny", "model": "tiny", "temperature": 1.0, ...}, "prompt_sha256": "9f2c...",
     "questions_sha256": "41aa...", "model_sha256": "c07e...", "max_new_tokens": {"40": 144, ...},
     "planned": 38400, "plan_fields": ["budgets", "chunk", ...],
     "sessions": [{"started": "2026-03-01T10:00:00+00:00", "ended": "...", "seconds": 273.1,
       "answers": 38400, "tokens": 1274880,
       "git_commit": "3ed5...", "engine": {"name": "sglang", "version": "0.5.23", "server": {...}}}],
     "summary": {"settings": [{"setting": "40", "tokens_mean": 39.8, "unreadable": 0.012, ...}], ...}}

It is written before the first answer and again at the end, always as a whole. A run is continued only where
everything its answers depend on is still the same: the experiment but for its plan fields, and the digests.
The summary is over all answers in the folder, of whatever session.
"""

import hashlib
import json
import subprocess
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import prompts
from harness.experiment import Experiment, model_location
from harness.questions.load import Question
from harness.run.store import SAMPLES
from results import BadInput
from results.tables.files import replacing

RECORD = "run.json"

PLAN_FIELDS = {
    *("file", "limit", "samples", "budgets", "greedy"),
    *("url", "api_key_env", "chunk", "concurrency", "device", "dp"),
}
"""Fields that say how many answers are drawn, or where: a run may be continued with others."""
CONTENTS = {
    "prompt_sha256": ("prompt", "prompt text"),
    "questions_sha256": ("dataset", "set of questions"),
    "model_sha256": ("model", "training of the model"),
}
"""What may differ under the same name: the field with the name, and what to call it."""


class Record:
    """run.json of one run."""

    def __init__(self, folder: Path, experiment: Experiment, questions: Sequence[Question]) -> None:
        """`questions` are all of the data set, so that a run may be continued with another limit."""
        self.path = folder / RECORD
        self._experiment = experiment.model_dump(mode="json")
        self._digests = {
            "prompt_sha256": prompts.digest(experiment.prompt),
            "questions_sha256": _digest([[q.question_id, q.problem, q.gold] for q in questions]),
            "model_sha256": _model_digest(Path(model_location(experiment.model))),
        }
        self._limits = {name: experiment.max_new_tokens(budget) for name, budget in experiment.settings}
        self._planned: int | None = None
        self._sessions: list[dict[str, Any]] = []
        self._found: dict[str, Any] = {}

    def set_aside(self) -> None:
        """Give the files of the run in the folder names with the time in them; they are kept."""
        stamp = time.strftime("%Y%m%dT%H%M%S")
        for path in (self.path.with_name(SAMPLES), self.path):
            aside = path.with_name(f"{path.name}.bak-{stamp}")
            while aside.exists():  # twice within a second
                aside = aside.with_name(aside.name + "x")
            if path.exists():
                path.rename(aside)

    def continue_from_disk(self) -> None:
        """Take over the record of a run in the folder, if any; raises BadInput naming what has changed."""
        if not self.path.exists():
            if self.path.with_name(SAMPLES).exists():
                raise BadInput(f"{self.path.parent}: {SAMPLES} without {RECORD}, expected another --out")
            return
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
            before, self._sessions = found["experiment"], found["sessions"]
            digests = {name: found[name] for name in self._digests}
            self._found = found
        except (ValueError, KeyError, TypeError):
            raise BadInput(f"{self.path}: not a record of this harness, expected another --out") from None
        changed = [
            f"{name} ({_short(before[name])} then, {_short(now)} now)"
            for name, now in self._experiment.items()
            if name not in PLAN_FIELDS and name in before and before[name] != now
        ]
        changed += [
            words
            for name, (field, words) in CONTENTS.items()
            if digests[name] != self._digests[name] and before.get(field) == self._experiment[field]
        ]
        if changed:
            raise BadInput(
                f"{self.path.parent}: sampled with another {', '.join(changed)}: "
                "expected the same, another --out, or --restart"
            )

    def begin(self, engine: dict[str, Any], planned: int) -> None:
        """Write that a session has started."""
        self._planned = planned
        self._began = time.monotonic()
        self._sessions.append(
            {
                "started": _now(),
                "ended": None,
                "seconds": None,
                "answers": 0,
                "tokens": 0,
                "git_commit": _git_commit(),
                "engine": engine,
            }
        )
        self._write(self._found.get("summary"))

    def end(self, answers: int, tokens: int, summary: dict[str, Any]) -> None:
        """Write that the session has ended, with the answers it added and their tokens, and the summary."""
        seconds = round(time.monotonic() - self._began, 1)
        self._sessions[-1] |= {"ended": _now(), "seconds": seconds, "answers": answers, "tokens": tokens}
        self._write(summary)

    def keep(self, summary: dict[str, Any]) -> None:
        """Write the summary of a run to which nothing was added, where a killed session left an older one."""
        if self._found and self._found.get("summary") != summary:
            self._replace({**self._found, "summary": summary})

    def _write(self, summary: dict[str, Any] | None) -> None:
        self._replace(
            {
                "experiment": self._experiment,
                **self._digests,
                "max_new_tokens": self._limits,
                "planned": self._planned,
                "plan_fields": sorted(PLAN_FIELDS | {"shard"}),
                "sessions": self._sessions,
                "summary": summary,
            }
        )

    def _replace(self, content: dict[str, Any]) -> None:
        with replacing(self.path) as temporary:
            temporary.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


def _model_digest(folder: Path) -> str | None:
    """Tells one local model from another trained in its place; None for a model of the hub (see `revision`).

    Hashes names, sizes and the first megabyte of each file: weights of many gigabytes are not read through.
    """
    if not folder.is_dir():
        return None
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.iterdir() if path.is_file()):
        digest.update(f"{file.name} {file.stat().st_size}\n".encode())
        with file.open("rb") as content:
            digest.update(content.read(1 << 20))
    return digest.hexdigest()


def _git_commit() -> str | None:
    """The commit of the project's working tree, or None where there is none."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."
