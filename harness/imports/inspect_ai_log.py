"""Imports logs of inspect_ai (`.eval`, `.json`), with one answer per epoch of a sample.

    EvalSample(id="q7", epoch=2, target="18", output=ModelOutput(completion="... ##18##", stop_reason="stop"),
               scores={"match": Score(value="C", answer="18")}, model_usage={"openai/gpt-5": ModelUsage(...)})

Samples that say nothing about the model are left out: those ended by an error, a time limit or a
person, those invalidated later, and those without a score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from harness.errors import reason
from harness.grader import Grader
from harness.imports.conditions import Pairs, as_option, matching, required
from harness.imports.foreign_columns import Imported
from harness.imports.reading import chosen, graded, setting_value, vote_of, whole_text_notes
from results import BadInput, as_samples
from results.canonical import canonical
from results.tables.columns import score_cells

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample
    from inspect_ai.scorer import Score

_OUTSIDE = {"time", "working", "operator"}
"""Limits on time, or a person's stop; the others limit what the model itself used."""
_CUT_OFF = {"max_tokens", "model_length"}
_VERDICTS = {"C": True, "I": False, "N": False, "1": True, "0": False, "True": True, "False": False}
"""inspect_ai's marks: correct, incorrect, no answer; "P" (partial) is neither right nor wrong."""
_MARKS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""The number that inspect_ai gives each mark."""


def import_inspect_ai(
    path: Path,
    scorer: str | None = None,
    grader: Grader | None = None,
    setting: str | None = None,
    judges: Mapping[str, str] | None = None,
    correct_if: Pairs = (),
) -> Imported:
    """The answers in one log, or in the one log that the folder `path` holds.

    `scorer` gives the verdicts and answers, and is required if the log has several. `grader` reads the
    completions instead. `setting` names an argument of the task or of the generation, such as
    reasoning_effort, that becomes the column `setting`. `judges` maps a column, `score` or `score_NAME`, to
    the scorer that gives its values. `correct_if` lists (scorer, value) pairs, the value perhaps >=0.75: an
    answer that matches one of them is right. Raises BadInput.
    """
    judges = judges or {}
    log, file = _read(path)
    samples = log.samples or []
    causes = [_absent(sample) for sample in samples]
    absent = Counter(cause for cause in causes if cause)
    finished = [sample for sample, cause in zip(samples, causes, strict=True) if not cause]
    if not finished and not (scorer or grader):
        raise BadInput(
            f"{file}: no scores in this log: all {len(samples)} samples had an error or were stopped"
        )
    name = _verdicts_by(file, finished, scorer, grader, judges, correct_if)
    shared = {
        "dataset": log.eval.task,
        "model": log.eval.model,
        "setting": setting_value(file, _settings(log), setting),
        "decoding": "greedy" if _settings(log).get("temperature") == 0 else "sample",
    }
    if log.results and (stopped := log.results.early_stopping):
        shared["stop_rule"] = stopped.manager or "early stopping"
    rows = []
    for sample in finished:
        verdict = _verdict_on(sample, name, file, tuple(correct_if))
        if verdict is None:
            absent["no score"] += 1
        else:
            rows.append(shared | _fields(sample, log) | verdict | _judged(sample, judges, file))
    if not rows:
        raise BadInput(f"{file}: each of the {len(samples)} samples has an error or no score")
    notes = [f"read {file}"]
    if log.status != "success":
        notes.append(f"the evaluation's status is {log.status!r}: some samples may be missing")
    if absent:
        notes.append(f"left out: {', '.join(f'{count} for {cause}' for cause, count in absent.items())}")
    table = graded(pd.DataFrame(rows), grader, file) if grader else pd.DataFrame(rows)
    notes += whole_text_notes(table)
    return Imported(as_samples(table, file), sum(absent.values()), tuple(notes))


def _verdicts_by(
    file: Path,
    finished: Sequence[EvalSample],
    scorer: str | None,
    grader: Grader | None,
    judges: Mapping[str, str],
    correct_if: Pairs,
) -> str | None:
    """The scorer whose verdict counts; None if a grader reads the completions. Raises BadInput."""
    scorers = list(dict.fromkeys(name for sample in finished for name in sample.scores or ()))
    if not (scorers or scorer or grader):
        raise BadInput(f"{file}: no scores in this log: use --grade")
    asked = dict.fromkeys(name for name, _ in correct_if)
    for judge in (*judges.values(), *asked):
        chosen(file, "scorer", scorers, judge)
    if grader:
        return None
    for name, value in correct_if:
        scores = (sample.scores.get(name) for sample in finished if sample.scores)
        cells = pd.Series([str(score.value) for score in scores if score], dtype=object)
        required(file, as_option("--correct-if", name, value), cells, cells.map(partial(_is, asked=value)))
    others = [] if scorer else [*asked]
    others = others or [name for name in scorers if scorer or name not in judges.values()]
    return chosen(file, "scorer", others or scorers, scorer)


def _verdict_on(
    sample: EvalSample, scorer: str | None, file: Path, correct_if: tuple[tuple[str, str], ...]
) -> dict[str, Any] | None:
    """Gold, answer and correct by the scorer, or only gold without a scorer; None if it gave no verdict."""
    target = sample.target if isinstance(sample.target, str) else next(iter(sample.target), "")
    if scorer is None:
        return {"gold": target}
    score = (sample.scores or {}).get(scorer)
    # A missing verdict is not a wrong answer; `Score.unscored()` is NaN.
    if score is None or str(score.value).casefold() in ("", "nan", "none"):
        return None
    if correct_if:
        given = [(sample.scores or {}).get(name) for name, _ in correct_if]
        pairs = zip(correct_if, given, strict=True)
        correct = any(_is(str(of.value), asked) for (_, asked), of in pairs if of is not None)
    else:
        correct = _verdict(score.value, _place(file, sample, scorer))
    gold = normal(target)
    return {"gold": gold, "answer": vote_of(normal(score.answer), gold, correct), "correct": correct}


def _judged(sample: EvalSample, judges: Mapping[str, str], file: Path) -> dict[str, float | None]:
    """The cells of the score columns of a sample."""
    scores = sample.scores or {}
    return {
        column: _number(scores.get(judge), _place(file, sample, judge)) for column, judge in judges.items()
    }


def _place(file: Path, sample: EvalSample, scorer: str) -> str:
    return f"{file}: sample {sample.id}, epoch {sample.epoch}, scorer {scorer}"


def _read(path: Path) -> tuple[EvalLog, Path]:
    try:
        from inspect_ai.log import read_eval_log
    except ImportError:
        raise BadInput(
            f"{path}: logs of inspect_ai are read by its own package: pip install inspect-ai"
        ) from None
    logs = sorted(path.glob("*.eval")) if path.is_dir() else [path]
    if len(logs) != 1:
        name = f"one of them, such as {logs[0].name}" if logs else "a log (.eval, .json)"
        raise BadInput(f"{path}: {len(logs)} .eval files in this folder: name {name}")
    (file,) = logs
    try:
        log = read_eval_log(str(file), exclude_fields={"events", "messages", "store"})
    except Exception as error:  # what a broken archive raises is not declared: zip, zlib, JSON, pydantic, …
        raise BadInput(
            f"{file}: not a readable log (.eval, .json) of inspect_ai ({reason(error):.100})"
        ) from None
    if not log.samples:
        raise BadInput(f"{file}: no samples in this log (its status is {log.status!r})")
    return log, file


def _absent(sample: EvalSample) -> str | None:
    """Why the sample is not an answer by the model, or None."""
    if sample.error is not None:
        return "an error"
    if sample.limit is not None and sample.limit.type in _OUTSIDE:
        return f"the {sample.limit.type} limit"
    if sample.invalidation is not None:
        return "being invalidated"
    return None


def _verdict(value: Any, where: str) -> bool:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    if text not in _VERDICTS:
        raise BadInput(
            f"{where}: the score is {text[:60]!r}, neither right nor wrong (C, I, N, 1 or 0): "
            "use --correct-if 'SCORER>=NUMBER' or --grade"
        )
    return _VERDICTS[text]


@lru_cache(maxsize=1 << 12)
def _is(value: str, asked: str) -> bool:
    """Whether a score meets a --correct-if; for a threshold, a mark counts as its number."""
    cell = _MARKS.get(value, value) if asked.startswith(("<", ">")) else value
    return bool(matching(pd.DataFrame({"score": [cell]}), [("score", asked)])[0])


def _number(score: Score | None, where: str) -> float | None:
    """A judge's value as a number, with inspect_ai's numbers for marks; None if it gave none."""
    value = None if score is None else score.value
    cells, bad = score_cells(
        pd.Series([_MARKS.get(value, value) if isinstance(value, str) else value], dtype=object)
    )
    if bad.any():
        raise BadInput(f"{where}: found {str(value)[:60]!r}, expected a number, or C or I")
    return None if pd.isna(cells[0]) else float(cells[0])


def normal(text: str | None) -> str | None:
    """The text in canonical form, so that 1,234 and 1234 are one vote; None if nothing is left of it."""
    return canonical(text) or None if text else None


def _fields(sample: EvalSample, log: EvalLog) -> dict[str, Any]:
    usage = sample.model_usage.get(log.eval.model) or sample.output.usage
    stopped_by = sample.output.stop_reason if sample.output.choices else None
    return {
        "question_id": str(sample.id),
        "sample": sample.epoch - 1,
        "tokens": usage.output_tokens if usage else None,
        "prompt_tokens": usage
        and usage.input_tokens + (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0),
        "cached_tokens": usage.input_tokens_cache_read if usage else None,
        "finish_reason": "length" if sample.limit is not None or stopped_by in _CUT_OFF else stopped_by,
        "text": sample.output.completion,
    }


def _settings(log: EvalLog) -> dict[str, Any]:
    """All settings of the generation and the task; the more specific ones come last and win."""
    model, plan = (c.model_dump(exclude_none=True) for c in (log.eval.model_generate_config, log.plan.config))
    return {**model, **plan, **log.eval.task_args}
