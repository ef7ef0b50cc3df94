"""Stores scores: each verdict as it arrives, and at the end a column of the run's samples.

    DIR/scores/judge.jsonl  {"key": "5f1c…", "question_id": "tiny-0000", "score": 0.93,
                             "prompt_tokens": 212, "tokens": 1}
    DIR/scores/judge.json   {"judge": {"model": "org/model", "prompt_sha256": "9f2c…", …}, "summary": {…}}
    DIR/samples.jsonl       {"question_id": "tiny-0000", …, "score_judge": 0.93, "tokens_judge": 213}

A verdict belongs to the texts of a question and an answer, not to a row: equal answers share it, a resumed
run keeps it, and a run that begins again with other answers has none. Both columns are written from the
verdicts, in one step, whenever judging ends. Of equal answers by a model at a setting, only the first is
charged the tokens; greedy answers are charged separately.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

import prompts
from harness.experiment import Experiment, model_location
from harness.judge.distinct import Answers, Asked
from harness.judge.verdicts import Verdict
from harness.store.identity import differences, model_digest
from harness.store.record import write_json
from harness.store.row import Row
from harness.store.samples_file import SAMPLES, SamplesFile, line_of, mend, numbered_lines
from results import BadInput
from results.tables.files import replacing
from results.tables.money import tokens_column

FOLDER = "scores"
_VERDICT = TypeAdapter(Verdict, config=ConfigDict(allow_inf_nan=False))
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class Scores:
    """The verdicts of one judge on the answers in one folder; the caller holds the folder's lock."""

    def __init__(self, folder: Path, name: str, judge: dict[str, Any]) -> None:
        """`judge` is what its verdicts depend on, from `judge_identity`.

        Raises BadInput: a name that no column can have, verdicts of another judge, a column of other origin.
        """
        if not NAME.fullmatch(name):
            raise BadInput(f"--name {name!r:.40}: expected letters, digits, - and _ only")
        self.column = f"score_{name}"
        self._folder, self._judge = folder, judge
        self._lines = folder / FOLDER / f"{name}.jsonl"
        self._record = folder / FOLDER / f"{name}.json"
        self.verdicts = self._read()
        """The stored verdicts, by `Asked.key`."""
        if self.verdicts:
            self._check_same_judge()
        elif _has_column(folder / SAMPLES, self.column):
            raise BadInput(f"{folder}: its answers have a {self.column} of other origin: give another --name")
        self._begun = bool(self.verdicts)

    def _read(self) -> dict[str, Verdict]:
        verdicts: dict[str, Verdict] = {}
        if not self._lines.exists():
            return verdicts
        mend(self._lines)
        for number, _, row in numbered_lines(self._lines):
            cells = row or {}
            try:
                verdict = _VERDICT.validate_python([cells[name] for name in Verdict._fields], strict=True)
                verdicts[cells["key"]] = verdict
            except (LookupError, TypeError, ValidationError):
                told = "not a verdict of `tts judge`: delete this line"
                raise BadInput(f"{self._lines}: row {number}: {told}") from None
        return verdicts

    def _check_same_judge(self) -> None:
        before: Any = None
        with suppress(OSError, ValueError):
            before = json.loads(self._record.read_text(encoding="utf-8"))
        try:
            changed = differences(before["judge"], self._judge)
        except (KeyError, TypeError, AttributeError):
            raise BadInput(f"{self._record}: not a record of `tts judge`: give another --name") from None
        if changed:
            raise BadInput(
                f"{self._record}: {self.column} comes from a judge with another {', '.join(changed)}: "
                "use the same, or give another --name"
            )

    def open(self) -> SamplesFile:
        """The file for further verdicts."""
        return SamplesFile(self._folder, f"{FOLDER}/{self._lines.name}")

    def keep(self, file: SamplesFile, asked: Asked, verdict: Verdict) -> None:
        """Store one verdict. Raises BadInput if it cannot be written."""
        if not self._begun:
            self.write_record(None)
            self._begun = True
        file.append({"key": asked.key, "question_id": asked.question_id, **verdict._asdict()})
        self.verdicts[asked.key] = verdict

    def write_record(self, summary: dict[str, Any] | None) -> None:
        """Write what the judge is, and the summary so far."""
        write_json(self._record, {"judge": self._judge, "summary": summary})

    def write_columns(self, answers: Answers) -> None:
        """Write the verdicts into the samples file, as a whole, or not at all if nothing is new."""
        if all(row.items() >= columns.items() for row, columns in self._columns(answers)):
            return
        with replacing(self._folder / SAMPLES) as again, again.open("wb") as rows:
            rows.writelines(line_of(row | columns) for row, columns in self._columns(answers))

    def _columns(self, answers: Answers) -> Iterator[tuple[Row, Row]]:
        """The rows of the samples, each with the cells of its score and the tokens spent on it."""
        paid = set[tuple[Any, ...]]()
        for row, key, verdict in self.judged(answers):
            score, tokens = None, 0 if key is None else None
            if verdict:
                place = (key, *map(row.get, ("dataset", "model", "setting", "decoding")))
                score = verdict.score
                tokens = 0 if place in paid else verdict.prompt_tokens + verdict.tokens
                paid.add(place)
            yield row, {self.column: score, tokens_column(self.column): tokens}

    def judged(self, answers: Answers) -> Iterator[tuple[Row, str | None, Verdict | None]]:
        """The rows of the samples, already checked by `answers`, each with its key and its verdict."""
        for _, _, row in numbered_lines(self._folder / SAMPLES):
            assert row is not None
            key = answers.key(row)
            yield row, key, self.verdicts.get(key or "")


def judge_identity(experiment: Experiment, reward: bool) -> dict[str, Any]:
    """What verdicts depend on; a reward model has no prompt."""
    prompt = None if reward else experiment.prompt
    names = ("engine", "model", "revision", "chat", "dtype", "request_fields")
    fields = experiment.model_dump(mode="json", include=set(names))
    return {
        "kind": "reward" if reward else "yes-no",
        **{name: fields[name] for name in names},
        "model_sha256": model_digest(Path(model_location(experiment.model))),
        "prompt": prompt,
        "prompt_sha256": prompt and prompts.digest(prompt),
    }


def _has_column(samples: Path, column: str) -> bool:
    rows = (row for _, _, row in numbered_lines(samples))
    return any(row is not None and row.get(column) is not None for row in rows)
