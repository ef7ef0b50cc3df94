"""What a run will ask for and how long that takes, without starting it: `harness sample --dry-run`.

setting  decoding  requests  answers  prompt tokens  tokens per answer  at most  expected
10       sample         300   19,200         21,600                8.9       84  from this folder
...
requests: 1,800, for 115,200 of 115,200 answers
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from harness.experiment import Experiment, model_location
from harness.questions.load import Question
from harness.run.plan import Chunk, asked_questions, planned_answers, prompt_for, remaining_chunks
from harness.run.record import measured_rate
from harness.run.resume import check_same_run
from harness.run.samples_file import SAMPLES, Key, key_of, read_rows
from harness.run.tally import Tally
from results import BadInput
from results.aligned import aligned

BYTES_PER_TOKEN = 4
"""Where there is no tokenizer; English text and Llama's tokenizer come to about that."""


@dataclass
class Demand:
    """What is still to be asked for in one setting and decoding; `prompt_tokens` is a sum over requests."""

    setting: str
    decoding: str
    limit: int
    """max_new_tokens"""
    tokens_per_answer: float
    taken_from: str
    requests: int = 0
    answers: int = 0
    prompt_tokens: int = 0


@dataclass(frozen=True)
class Estimate:
    """All that is still to be asked for."""

    demands: list[Demand]
    planned: int
    new_prompt_tokens: int
    """Prompt tokens that no earlier prompt begins with: what a server computes that keeps its prefixes."""
    tokenised: str
    """How prompts were counted."""
    rate: float | None
    """Completion tokens per second."""
    rate_from: str

    def lines(self) -> list[str]:
        """The estimate as a table by setting, and the sums below it."""
        requests = sum(demand.requests for demand in self.demands)
        answers = sum(demand.answers for demand in self.demands)
        if not answers:
            return [f"nothing to ask for: all {self.planned:,} planned answers are there"]
        expected = sum(demand.answers * demand.tokens_per_answer for demand in self.demands)
        most = sum(demand.answers * demand.limit for demand in self.demands)
        sent = sum(demand.prompt_tokens for demand in self.demands)
        if self.rate:
            time = (
                f"{duration(expected / self.rate)} at {self.rate:,.0f} completion tokens/s {self.rate_from}"
            )
            time += f", {duration(most / self.rate)} at most"
        else:
            time = "unknown: give --rate TOKENS_PER_SECOND, or sample a little into this folder first"
        return [
            *_table(self.demands),
            f"requests: {requests:,}, for {answers:,} of {self.planned:,} answers",
            f"prompt tokens: {sent:,} sent, {self.new_prompt_tokens:,} to compute where the server keeps "
            f"common beginnings ({self.tokenised})",
            f"completion tokens: {expected:,.0f} expected, {most:,} at most",
            f"time: {time}",
        ]


def estimate(
    experiment: Experiment, questions: Sequence[Question], folder: Path, rate: float | None, fresh: bool
) -> Estimate:
    """What is missing in `folder`; `questions` are all of the data set. Nothing is written.

    `rate`: completion tokens per second, else that of the folder's last session. `fresh`: as if the folder
    were empty. Raises BadInput: the folder holds another experiment, a prompt cannot be filled in.
    """
    asked = asked_questions(experiment, questions)
    tally = Tally(experiment)
    done: defaultdict[Key, set[int]] = defaultdict(set)
    if not fresh and check_same_run(folder, experiment, questions) and (folder / SAMPLES).exists():
        for row in read_rows(folder / SAMPLES):
            done[key_of(row)].add(row["sample"])
            tally.add(row)
    prompts = _Prompts(experiment)
    demands: dict[tuple[str, str], Demand] = {}
    for chunk in remaining_chunks(experiment, asked, done):
        key = chunk.setting, chunk.decoding
        if key not in demands:
            limit = experiment.max_new_tokens(chunk.budget)
            demands[key] = Demand(*key, limit, *_tokens_per_answer(tally, chunk, limit))
        demand = demands[key]
        demand.requests += 1
        demand.answers += len(chunk.samples)
        demand.prompt_tokens += prompts.count(chunk)
    measured = measured_rate(folder)
    settings = [name for name, _ in experiment.settings]
    return Estimate(
        sorted(demands.values(), key=lambda demand: (settings.index(demand.setting), demand.decoding)),
        planned_answers(experiment, asked),
        prompts.new,
        prompts.how,
        rate or (measured[0] if measured else None),
        "(given)" if rate or not measured else f"(measured here, session of {measured[1]})",
    )


def _tokens_per_answer(tally: Tally, chunk: Chunk, limit: int) -> tuple[float, str]:
    """Tokens to be expected of an answer, and what that is taken from."""
    for decoding in (chunk.decoding, "sample", "greedy"):
        counts = tally.settings.get((chunk.setting, decoding))
        if counts and counts.mean_tokens is not None:
            return counts.mean_tokens, "this folder"
    return (float(chunk.budget), "the budget") if chunk.budget else (float(limit), "the limit")


class _Prompts:
    """Counts the tokens of prompts, and those of them that a server with a prefix cache has to compute."""

    def __init__(self, experiment: Experiment) -> None:
        from harness.engines.tokens import PromptTokens

        self.new = 0
        self.how = "tokenised"
        self._experiment = experiment
        self._last: dict[str, tuple[Any, ...]] = {}
        self._encode: Callable[[str], tuple[Any, ...]]
        try:
            model = model_location(experiment.model)
            self._encode = PromptTokens(model, experiment.revision, experiment.chat, local_only=True).encode
        except BadInput:
            self._encode = _pieces
            self.how = f"a token for every {BYTES_PER_TOKEN} bytes: no tokenizer of {experiment.model} here"

    def count(self, chunk: Chunk) -> int:
        """The tokens of a chunk's prompt; chunks come in the order in which they are sampled."""
        prompt = self._encode(prompt_for(self._experiment, chunk))
        if prompt != self._last.get(chunk.setting):
            known = max((_common(prompt, last) for last in self._last.values()), default=0)
            self.new += len(prompt) - known
            # The newest prompt of each setting: the same question's other settings, and the last question's.
            self._last[chunk.setting] = prompt
        return len(prompt)


def _common(one: Sequence[Any], other: Sequence[Any]) -> int:
    """The length of the common beginning of two prompts."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _pieces(prompt: str) -> tuple[bytes, ...]:
    """The prompt in pieces of BYTES_PER_TOKEN bytes; a shorter rest counts as none."""
    content = prompt.encode()
    ends = range(BYTES_PER_TOKEN, len(content) + 1, BYTES_PER_TOKEN)
    return tuple(content[end - BYTES_PER_TOKEN : end] for end in ends)


def _table(demands: Iterable[Demand]) -> list[str]:
    header = ("setting", "decoding", "requests", "answers", "prompt tokens", "tokens per answer", "at most")
    rows = [
        (
            *(demand.setting, demand.decoding, f"{demand.requests:,}", f"{demand.answers:,}"),
            *(f"{demand.prompt_tokens:,}", f"{demand.tokens_per_answer:.1f}", str(demand.limit)),
            f"from {demand.taken_from}",
        )
        for demand in demands
    ]
    return aligned([(*header, "expected"), *rows], left=(0, 1, 7))


def duration(seconds: float) -> str:
    """8 s, 12 min, 3 h 20 min, 2 d 5 h."""
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return f"{hours // 24} d {hours % 24} h"
