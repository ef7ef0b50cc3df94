"""run.json: what a run's answers depend on, and when and by what they were sampled.

    {"experiment": {"dataset": "tiny", "model": "tiny", "temperature": 1.0, ...}, "prompt_sha256": "9f2c...",
     "questions_sha256": "41aa...", "model_sha256": "c07e...", "planned": 38400,
     "sessions": [{"started": "2026-03-01T10:00:00+00:00", "ended": "...", "seconds": 273.1,
       "answers": 38400, "tokens": 1274880, "tokens_per_second": 4691.3,
       "git_commit": "3ed5...", "engine": {"name": "sglang", "version": "0.5.23", "server": {...}}}],
     "readings": [{"at": "...", "before": {"readers": ["hashes"], ...}, "now": {...}, "experiment": {...}}],
     "summary": {"settings": [{"setting": "40", "tokens_mean": 39.8, "unreadable": 0.012, ...}], ...}}

It is written before the first answer and at the end, as a whole each time. `ended` is null if a session was
killed: the next one counts its answers. `tokens_per_second` is the rate in the steady middle of a session.
"""

import json
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from harness.experiment import Experiment
from harness.grader import Grader
from harness.questions.load import Question, load_questions
from harness.store.identity import commits, engine_changes, identity, prompts_differ
from harness.tally.counts import Tally
from harness.tally.rate import Pace
from results import BadInput
from results.tables.files import RECORD, read_record, replacing


class Record:
    """run.json of one run, as the sampler writes it."""

    def __init__(
        self,
        folder: Path,
        experiment: Experiment,
        questions: Sequence[Question],
        before: dict[str, Any] | None = None,
        stored: tuple[int, int] = (0, 0),
    ) -> None:
        """`before` is the record of the run to resume, None for a new run.

        `stored`: the numbers of answers and tokens in the folder; a killed session did not count its own.
        """
        self._folder = folder
        self._before = before or {"sessions": [], "summary": None}
        *others, last = self._before["sessions"] or [None]
        if last and last["ended"] is None:
            for name, total in zip(("answers", "tokens"), stored, strict=True):
                last[name] = max(0, total - sum(session[name] for session in others))
        self._experiment = experiment
        self._identity = identity(experiment, questions)

    def begin(self, engine: dict[str, Any], planned: int) -> dict[str, list[Any]]:
        """Write that a session has started; the summary of the earlier sessions is kept.

        Returns, and records, the engine's properties that have changed since the last session. Raises
        BadInput if the model is at another commit than then, or would be sent other prompts.
        """
        last: dict[str, Any] = next(reversed(self._before["sessions"]), {})
        changed = engine_changes(last.get("engine") or {}, engine)
        engines = [session.get("engine") or {} for session in self._before["sessions"]]
        if why := prompts_differ(engines, engine):
            raise BadInput(f"{self._folder}: {why}: give another --out, or begin again with --restart")
        now, then = commits(self._experiment), last.get("commits") or {}
        if now["model"] and then.get("model") and now["model"] != then["model"]:
            raise BadInput(
                f"{self._folder}: its model is now at commit {now['model']}, and was at {then['model']}: "
                "give another --out (--set revision=COMMIT keeps a run at one)"
            )
        self._began = time.monotonic()
        self._session: dict[str, Any] = {
            "started": _now(),
            "ended": None,
            "git_commit": _git_commit(),
            "commits": now,
            "engine": engine,
            "engine_changed": changed,
        }
        self._content: dict[str, Any] = {
            **self._identity,
            "planned": planned,
            "sessions": [*self._before["sessions"], self._session],
            "readings": self._before.get("readings", []),
            "summary": self._before.get("summary"),
        }
        write_json(self._folder / RECORD, self._content)
        return changed

    def end(self, pace: Pace, summary: dict[str, Any], events: Sequence[str] = ()) -> None:
        """Write that the session has ended, what it has added, and the new summary.

        `events`: what happened to the server, such as a restart.
        """
        seconds, rates = round(time.monotonic() - self._began, 1), pace.rates()
        self._session |= {"ended": _now(), "seconds": seconds, "answers": pace.answers, "tokens": pace.tokens}
        if events:
            self._session["events"] = list(events)
        self._session["tokens_per_second"] = round(rates[1], 1) if rates else None
        write_json(self._folder / RECORD, self._content | {"summary": summary})

    def keep(self, summary: dict[str, Any], planned: int) -> None:
        """Write plan and summary of a finished run if they differ from those on record."""
        now = {"planned": planned, "summary": summary}
        if "experiment" in self._before and not now.items() <= self._before.items():
            write_json(self._folder / RECORD, self._before | self._identity | now)


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON file as a whole, or leave the existing one unchanged."""
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def experiment_in(folder: Path) -> Experiment | None:
    """The experiment on record in a folder; None for answers of another tool or of another version."""
    record = read_record(folder)
    with suppress(ValidationError):
        return Experiment.model_validate(record["experiment"], extra="ignore") if record else None
    return None


def problems_in(folder: Path) -> dict[str, str]:
    """The questions' texts by id for the run in `folder`; empty if it is not a run of this harness.

    Raises BadInput if the data set cannot be loaded.
    """
    experiment = experiment_in(folder)
    if experiment is None:
        return {}
    loaded = load_questions(experiment.dataset, experiment.file, experiment.grader)
    return {question.question_id: question.problem for question in loaded}


def grader_in(record: dict[str, Any]) -> Grader:
    """The grader that has read the answers of the run on record."""
    fields = record["experiment"]
    return Grader(tuple(fields["readers"]), fields["match"], fields.get("grader", "integer"))


def asked_of(record: dict[str, Any]) -> Grader:
    """The grader that the run's experiment asked for, even if `tts regrade` has used another since."""
    own = next(reversed(record.get("readings") or [{}])).get("experiment")
    return grader_in({"experiment": own}) if own else grader_in(record)


def note_reading(
    folder: Path, grader: Grader, kept: str, changed: int, summary: dict[str, Any], asked: bool
) -> None:
    """Write into run.json, if there is one, that the answers have been read again.

    `kept` names the file with the old verdicts, `changed` counts answers that differ; `asked`: the run's
    experiment asks for `grader`.
    """
    record = read_record(folder)
    if record is None:
        return
    fields, now = record["experiment"], asdict(grader)
    before = {name: fields.get(name) for name in now}
    own = next(reversed(record.get("readings") or [{}])).get("experiment") or before
    note = {"at": _now(), "before": before, "now": now, "changed": changed, "verdicts_before": kept}
    note["experiment"] = now if asked else own
    readings = [*record.get("readings", ()), note]
    later = {"experiment": fields | now, "readings": readings, "summary": summary}
    write_json(folder / RECORD, record | later)


def _git_commit() -> str | None:
    """The commit of the project's working tree, or None if there is none."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    with suppress(OSError, subprocess.SubprocessError):
        return subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    return None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def tally_of(*folders: Path, grader: Grader | None = None) -> Tally:
    """An empty tally for the answers in a folder, with the experiment and plan in its run.json, if any.

    Several folders hold shards of one run. `grader` replaces the grader on record.
    """
    planned_by = [(read_record(folder) or {}).get("planned") for folder in folders]
    planned = [count for count in planned_by if isinstance(count, int)]
    known = sum(planned) if len(planned) == len(planned_by) else None
    return Tally(experiment_in(folders[0]), known, grader)
