"""Runs `tts judge` once: asks the judge for the missing verdicts, until done or stopped, and stores them.

done = judge_folder(folder, "judge", experiment, reward=False, questions=None, say=print)
-> Judged(counts={"answers": 1200, ...}, column="score_judge", failures=[], stopped=False)
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import prompts
from harness.engines.factory import engine_for
from harness.engines.rewards import rewards_for
from harness.experiment import Experiment, experiment_of
from harness.judge.distinct import Answers, Asked
from harness.judge.progress import summary
from harness.judge.scores import Scores, judge_identity
from harness.judge.verdicts import Judge, Verdict, asked_yes_or_no, rewarded
from harness.run.blocks import PlannedRequests
from harness.run.session import Session, until_stopped
from harness.store.record import experiment_in
from harness.store.resume import locked
from harness.store.samples_file import SamplesFile
from results import BadInput
from results.tables.files import RECORD

OF_THE_MODEL = (
    *("model", "revision", "chat", "engine", "url", "request_fields"),
    *("device", "dtype", "dp", "server_flags", "patience"),
)
"""Fields of a run's experiment on its model and where it runs, with which it can judge itself."""

PROMPT = "judge-yes-no"
"""The judge's default prompt, a template in prompts/."""
MANY = 0.1
"""A larger share of judged answers without a score gives a warning."""


class Judged(NamedTuple):
    """The outcome of judging; `failures` has the reason for each request without a verdict."""

    counts: dict[str, Any]
    column: str
    failures: list[str]
    stopped: bool

    def warnings(self) -> list[str]:
        """Reasons to distrust the scores, one line each."""
        counts, lines = self.counts, list[str]()
        if counts["null"] > MANY * counts["judged"]:
            lines.append(
                f"{counts['null']:,} of {counts['judged']:,} answers have no score: the judge's first token "
                "was neither yes nor no: try another --model or --prompt (and --name)"
            )
        if counts["levels"] == 1 < counts["asked"]:
            lines.append("all scores are equal: they choose nothing")
        return lines


def judge_of(folder: Path, overrides: Mapping[str, str]) -> Experiment:
    """The judge as an experiment: by default the model that gave the answers, where it ran.

    `overrides` have keys of OF_THE_MODEL, `prompt` or `concurrency`. Raises BadInput: another key, no
    model, what an experiment refuses, a prompt without {answer}, an engine without candidates.
    """
    keys = (*OF_THE_MODEL, "prompt", "concurrency")
    if others := [key for key in overrides if key not in keys]:
        raise BadInput(f"--set {others[0]:.40}: expected one of {', '.join(keys)}")
    fields: dict[str, Any] = {"dataset": "judged", "prompt": PROMPT, "samples": 1, "tokens_extra": 1}
    fields["chat"] = True
    source = experiment_in(folder)
    if source and overrides.get("model", source.model) == source.model:
        fields |= source.model_dump(include=set(OF_THE_MODEL))
        if source.engine == "ctranslate2":
            fields |= {"engine": "sglang", "dtype": "auto" if source.dtype == "int8" else source.dtype}
        if overrides.get("engine", fields["engine"]) != source.engine:  # a different kind of server
            fields["url"] = None
        if "url" in overrides:  # it runs already and needs no flags
            fields["server_flags"] = ()
    if "model" not in (*fields, *overrides):
        raise BadInput(f"{folder}: not a run of this harness, so its model is not known: give --model")
    judge = experiment_of(fields, folder / RECORD, overrides)
    if "{answer}" not in prompts.template(judge.prompt):
        raise BadInput(f"--prompt {judge.prompt:.40}: no prompt for a judge, as {PROMPT} is: no {{answer}}")
    if judge.engine == "ctranslate2":
        raise BadInput("engine 'ctranslate2' shows no likeliest tokens: give --engine sglang or openai")
    return judge


def judge_folder(
    folder: Path,
    name: str,
    experiment: Experiment,
    reward: bool,
    questions: str | None,
    say: Callable[[str], None],
) -> Judged:
    """Ask for the missing verdicts, and write all verdicts into the folder's samples.

    `reward`: the judge is a reward model. Raises BadInput: a folder in use, no texts, another
    judge's scores under this name, no server.
    """
    with locked(folder):
        answers = Answers(folder, questions)
        scores = Scores(folder, name, judge_identity(experiment, reward))
        missing = [asked for key, asked in answers.asked.items() if key not in scores.verdicts]
        failures, stopped = list[str](), False
        if missing:
            work = _ask(experiment, reward, missing, scores, len(answers.asked) - len(missing), folder, say)
            ended = until_stopped(work)
            failures, stopped = ended or [], ended is None
        counts = summary(answers, scores)
        if scores.verdicts:
            scores.write_columns(answers)
            scores.write_record(counts)
        return Judged(counts, scores.column, failures, stopped)


async def _ask(
    experiment: Experiment,
    reward: bool,
    missing: Sequence[Asked],
    scores: Scores,
    before: int,
    folder: Path,
    say: Callable[[str], None],
) -> list[str]:
    """Store a verdict on each of `missing`; return the reason for each failure.

    `before` answers have verdicts already. Ends early if the server is gone, or too many fail in a row.
    Raises BadInput: a full disk, a judge that gives no verdicts.
    """
    judge: Judge
    async with AsyncExitStack() as stack:
        if reward:
            judge = partial(rewarded, await stack.enter_async_context(rewards_for(experiment, say)))
        else:
            opened = engine_for(experiment, folder / "server.log", say)
            engine = await stack.enter_async_context(opened)
            judge = partial(asked_yes_or_no, engine, experiment.prompt)
        file = stack.enter_context(scores.open())
        in_flight = min(experiment.concurrency, len(missing))
        requests = PlannedRequests(lambda: iter(missing))
        session = _Judging(judge, requests, scores, file, in_flight, before + len(missing))
        await session.draw()
    return session.failures


class _Judging(Session):
    """The session in which one command adds verdicts."""

    refusals_end_it = True

    def __init__(
        self,
        judge: Judge,
        requests: PlannedRequests,
        scores: Scores,
        file: SamplesFile,
        in_flight: int,
        planned: int,
    ) -> None:
        super().__init__(requests, in_flight, planned)
        self._judge, self._scores, self._file = judge, scores, file

    async def answer(self, query: Asked) -> tuple[Verdict, int]:
        """Request a verdict and store it; returns it and its tokens."""
        verdict = await self._judge(query)
        self._scores.keep(self._file, query, verdict)
        return verdict, verdict.prompt_tokens + verdict.tokens
