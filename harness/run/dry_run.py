"""What a run would request and how long that takes, without starting it: `tts sample --dry-run`.

setting  decoding  prompts  answers  prompt tokens  tokens per answer  at most
10       sample        300   19,200         21,600                8.9       84
... answers: 115,200 of 115,200, one request each
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import results
from harness.engines.forcing import MOST_FORCED
from harness.experiment import Experiment, tokens_in
from harness.questions.load import Question
from harness.run.blocks import Blocks
from harness.run.queries import asked_questions, prompt_for, remaining
from harness.run.sizing import Load, duration, gpu_lines
from harness.server.launch import gpus_per_copy
from harness.store.resume import check_same_run, read_done
from harness.tally.counts import Tally
from results.tables.files import read_record
from results.terminal import aligned

BYTES_PER_TOKEN = 4
"""About the average of Llama's tokenizer on English text."""
BYTES_PER_ROW = 400
"""About the size of a row of samples.jsonl without its text."""


@dataclass
class Demand:
    """What is still to be requested in one setting and decoding; `prompt_tokens` counts each prompt once."""

    setting: str
    decoding: str
    limit: int
    """The token limit of an answer."""
    tokens_per_answer: float
    """The mean of answers in the folder, else estimated from the budget (`usage`), else the limit."""
    prompts: int = 0
    answers: int = 0
    prompt_tokens: int = 0


def estimate(
    experiment: Experiment,
    questions: Sequence[Question],
    folder: Path,
    rate: float | None = None,
    price_per_hour: float | None = None,
    fresh: bool = False,
) -> list[str]:
    """Lines of a table of what is missing in `folder` by setting, of totals, and of time and cost on GPUs.

    `rate`: completion tokens per second; by default the rate of the folder's last session with
    one. `price_per_hour`: of one GPU, in any currency. For the other arguments, and for errors,
    see `demands`.
    """
    tally = Tally(experiment)
    demanded = demands(experiment, questions, folder, fresh, tally)
    planned = len(asked_questions(experiment, questions)) * experiment.answers_per_question
    if not demanded:
        settled = " that the votes need" if experiment.stop_rule else ""
        return [f"nothing left to sample: all {planned:,} planned answers{settled} are stored"]
    header = ("setting", "decoding", "prompts", "answers", "prompt tokens", "tokens per answer", "at most")
    table: list[tuple[str, ...]] = [header]
    for d in demanded:
        counts = (f"{count:,}" for count in (d.prompts, d.answers, d.prompt_tokens))
        table.append((d.setting, d.decoding, *counts, f"{d.tokens_per_answer:.1f}", str(d.limit)))
    prompts, answers = sum(d.prompts for d in demanded), sum(d.answers for d in demanded)
    prompt_tokens = sum(d.prompt_tokens for d in demanded)
    expected = sum(d.answers * d.tokens_per_answer for d in demanded)
    most = sum(d.answers * d.limit for d in demanded)
    disk = answers * BYTES_PER_ROW + expected * BYTES_PER_TOKEN
    lines = [*aligned(table, left=(0, 1))]
    if experiment.stop_rule:
        lines.append(f"at most: {experiment.stop_rule} may end votes earlier")
    ended = ", and one more if it is cut off" if experiment.budget_by == "force" else ""
    lines += [
        f"answers: {answers:,} of {planned:,}, one request each{ended}",
        f"prompt tokens: {prompt_tokens:,} (at {BYTES_PER_TOKEN} bytes per token), each prompt once",
        f"completion tokens: {expected:,.0f} expected, {most:,} at most",
    ]
    if experiment.budgets:
        _, where = usage(experiment.dataset, tally, experiment.budget_by == "thinking")
        lines.append(f"tokens per answer: {where}")
    sessions = [] if fresh else (read_record(folder) or {}).get("sessions", [])
    rate = rate or _rate(sessions)
    lines.append(f"time: {_time(experiment, expected, most, rate, price_per_hour, bool(tally.answers))}")
    lines.append(f"disk: about {disk / 1e6:,.1f} MB of answers")
    if experiment.engine != "ctranslate2":
        load = Load(expected, prompt_tokens / prompts, expected / answers, answers / prompts)
        lines += gpu_lines(experiment, load, price_per_hour)
    return lines


def _time(
    experiment: Experiment, expected: float, most: int, rate: float | None, price: float | None, begun: bool
) -> str:
    """How long the tokens take and what they cost, or how to find out."""
    each = gpus_per_copy(experiment.server_flags)
    hour = (price or 0) * experiment.dp * each
    if not rate:
        first = "" if begun else ", or sample a little into this folder first"
        cost = f"; {hour:,.2f} per hour" if price else ""
        return f"unknown: give --rate TOKENS_PER_SECOND{first}{cost}"
    time = f"{duration(expected / rate)} at {rate:,.0f} completion tokens/s, {duration(most / rate)} at most"
    if not price:
        return time
    which = "copy of the model" if each == 1 else "GPU"
    return f"{time}; {expected / rate / 3600 * hour:,.2f} at {price:g} an hour for each {which}"


def _rate(sessions: Sequence[dict[str, Any]]) -> float | None:
    """Tokens/s of the last session that had a steady phase, else of the last one with answers."""
    steady = [session["tokens_per_second"] for session in sessions if session.get("tokens_per_second")]
    whole = [s["tokens"] / s["seconds"] for s in sessions if s.get("tokens") and s.get("seconds")]
    return next(reversed(steady or whole), None)


def demands(
    experiment: Experiment,
    questions: Sequence[Question],
    folder: Path,
    fresh: bool = False,
    tally: Tally | None = None,
) -> list[Demand]:
    """What is missing in `folder`, by setting. Nothing is written.

    `questions`: all of the data set. `tally`: counts the stored answers. `fresh`: as if the
    folder were empty. Raises BadInput: the folder holds another experiment, a prompt cannot be
    filled in.
    """
    limited = asked_questions(experiment, questions)
    tally = tally or Tally(experiment)
    go_on = not fresh and check_same_run(folder, experiment, questions)
    done = read_done(folder, tally) if go_on else {}
    stopped = experiment.stop_rule and done
    settled = Blocks(experiment, limited, done, folder).settled if stopped else set()
    thinking = experiment.budget_by == "thinking"
    seen, _ = usage(experiment.dataset, tally, thinking)
    by_setting: dict[tuple[str, str], Demand] = {}
    last = None
    for query in remaining(experiment, limited, done):
        key = query.setting, query.decoding
        place = query.question.question_id, *key
        if place in settled:
            continue
        if key not in by_setting:
            limit = experiment.max_new_tokens(query.budget)
            limit += MOST_FORCED if experiment.budget_by == "force" else 0
            used = tally.settings[key].mean_tokens if key in tally.settings else None
            unknown = query.budget is None or (thinking and not seen)
            likely = limit if unknown else min(tokens_at(query.budget or 0, seen), limit)
            by_setting[key] = Demand(*key, limit, used or likely)
        by_setting[key].answers += 1
        if place != last:  # answers to one prompt are consecutive
            by_setting[key].prompts += 1
            by_setting[key].prompt_tokens += len(prompt_for(experiment, query).encode()) // BYTES_PER_TOKEN
        last = place
    settings = [name for name, _ in experiment.settings]
    return sorted(by_setting.values(), key=lambda d: (settings.index(d.setting), d.decoding))


CACHED = {"gsm8k": "qwen-gsm8k.csv", "math-level1-integer": "qwen-math.csv"}
"""Runs of a real model that ship with the project, by data set."""


def tokens_at(budget: int, used: Mapping[int, float]) -> float:
    """The mean tokens of an answer at `budget`, given those `used` at some; `budget` if there are none.

    Interpolated between two budgets; below the smallest the same as there; above the
    largest in proportion.
    """
    budgets = sorted(used)
    if not budgets:
        return float(budget)
    largest, most = budgets[-1], used[budgets[-1]]
    if budget > largest:
        return most * budget / largest if largest else most + budget
    return float(np.interp(budget, budgets, [used[known] for known in budgets]))


def usage(dataset: str, tally: Tally, thinking: bool = False) -> tuple[dict[int, float], str]:
    """The mean tokens of an answer by budget, and a phrase on where these numbers come from.

    From the answers in `tally`, else a run that ships with the project, else none. Those runs
    had budgets stated in the prompt, so they say nothing about budgets of `thinking`.
    """
    used = {
        budget: counts.mean_tokens
        for (setting, decoding), counts in tally.settings.items()
        if decoding == "sample" and (budget := tokens_in(setting)) is not None and counts.mean_tokens
    }
    if used:
        where = "as in this folder"
    elif thinking:
        return {}, "the limit, as nothing here shows how long this model thinks"
    elif dataset not in CACHED:
        return {}, "the budgets themselves, which models seldom keep to"
    else:
        file = Path(results.__file__).parent / "cached" / CACHED[dataset]
        curves = results.read_curves(file)
        exact = curves[(curves["N"] == 1) & (curves["permutation"] == "exact")]
        budgets = exact[exact["setting"].str.isdecimal()]
        used = dict(zip(budgets["setting"].astype(int), budgets["tokens_per_answer"], strict=True))
        where = f"as {budgets['model'].iloc[0]} used them in results/cached/{file.name}"
    shown = ", ".join(f"{tokens:.0f} for {budget}" for budget, tokens in sorted(used.items()))
    return used, f"{where}: {shown}"
