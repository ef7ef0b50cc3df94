"""Stopping rules for inspect_ai: no further epochs for a question whose vote is settled.

    from harness.inspect_ai.stop import StopWhenSettled

    Task(dataset=…, scorer=…, epochs=Epochs(40, "tts/vote"), early_stopping=StopWhenSettled("lead:4"))

The vote is over the answers that the scorer has read (`Score.answer`). inspect_ai starts the first epoch of
every sample before the second of any; those in progress when a vote is settled are finished and count.
"""

from collections import defaultdict

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSpec
from inspect_ai.scorer import SampleScore
from inspect_ai.util import EarlyStop, EarlyStopping
from pydantic import JsonValue

from harness.imports.inspect_ai_log import normal
from results.stopping import named, seen_of, settled


class StopWhenSettled(EarlyStopping):
    """Ends the epochs of a sample by a rule of `results.stopping`, such as lead:4.

    scorer: the scorer whose answers vote, by default the first. Raises BadInput for an unknown rule.
    """

    def __init__(self, rule: str = "lead:4", scorer: str | None = None) -> None:
        self._rule, self._threshold = named(rule)
        self._scorer = scorer

    @property
    def name(self) -> str:
        """The name in logs: "tts/stop lead:4"."""
        return f"tts/stop {self._rule.name}:{self._threshold:g}"

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:  # noqa: ARG002
        """Begin a task with at most `epochs` answers to each sample."""
        self._most = epochs
        self._answers: dict[str | int, list[str | None]] = defaultdict(list)
        self._settled: set[str | int] = set()
        self._stopped = 0
        return self.name

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:  # noqa: A002
        """None if this epoch is needed, else why it is not."""
        if id not in self._settled:
            return None
        self._stopped += 1
        votes = len(self._answers[id])
        return EarlyStop(id=id, epoch=epoch, reason=f"settled after {votes} of {self._most} answers")

    async def complete_sample(self, id: str | int, epoch: int, scores: dict[str, SampleScore]) -> None:  # noqa: A002, ARG002
        """Count the answer of an epoch."""
        score = scores.get(self._scorer) if self._scorer else next(iter(scores.values()), None)
        self._answers[id].append(normal(score.score.answer) if score else None)
        state = seen_of(self._answers[id], self._most)
        if settled(self._rule, self._threshold, state)[0]:
            self._settled.add(id)

    async def complete_task(self) -> dict[str, JsonValue]:
        """The number of settled votes, and of answers saved."""
        return {"settled": len(self._settled), "answers_saved": self._stopped}
