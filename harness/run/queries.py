"""Which answers an experiment requests, and which of them are still to be sampled.

    Query(question=Question("tiny-0000", ...), setting="40", budget=40, decoding="sample", sample=2)

Questions come one after the other, each with all its settings and samples. A question's prompts share a
prefix, which a server thus computes once, and a run that ends early has complete questions.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import prompts
from harness.engines.base import Sampling
from harness.experiment import Experiment
from harness.questions.load import Question
from harness.store.row import Key
from results import BadInput
from results.tables.shards import shard_in


@dataclass(frozen=True)
class Query:
    """One answer to request; `sample` is its index among those of its question, setting and decoding.

    `budget`: the token budget asked for, if any. `cut`: the length at which a stored answer is cut.
    """

    question: Question
    setting: str
    budget: int | None
    decoding: str
    sample: int
    cut: int | None = None

    def __str__(self) -> str:
        where = f"question {self.question.question_id}, setting {self.setting}"
        return f"{where}, {self.decoding} {self.sample}"

    def seed(self, experiment_seed: int) -> int:
        """A 48-bit seed that depends only on what is requested, not on what was sampled before."""
        parts = (experiment_seed, self.question.question_id, self.setting, self.decoding, self.sample)
        return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:6])


def asked_questions(experiment: Experiment, questions: Sequence[Question]) -> Sequence[Question]:
    """The `questions` within the experiment's limit that are in its shard.

    Raises BadInput if there are none, or the prompt cannot be filled in.
    """
    if experiment.order == "random":
        questions = sorted(questions, key=lambda question: _place(experiment.seed, question))
    asked = questions[: experiment.limit]
    if shard := shard_in(experiment.shard or "1/1"):
        asked = asked[shard.part - 1 :: shard.parts]
    if experiment.shard and not asked:
        raise BadInput(f"shard {experiment.shard}: has no question: give N of K/N at most their number")
    for query in remaining(experiment, asked[:1], {}):
        prompt_for(experiment, query)
    return asked


def _place(seed: int, question: Question) -> bytes:
    """A question's sort key in random order; it depends only on the seed and the question's id."""
    return hashlib.sha256(repr((seed, question.question_id)).encode()).digest()


def remaining(
    experiment: Experiment, questions: Sequence[Question], done: Mapping[Key, set[int]]
) -> Iterator[Query]:
    """The planned answers that are not in `done`."""
    for question in questions:
        for setting, budget in experiment.settings:
            for decoding, count in (("greedy", int(experiment.greedy)), ("sample", experiment.samples)):
                have = done.get((question.question_id, setting, decoding), set())
                for sample in range(count):
                    if sample not in have:
                        yield Query(question, setting, budget, decoding, sample)


def prompt_for(experiment: Experiment, query: Query) -> str:
    """The prompt of `query`. Raises BadInput if the template cannot be filled in."""
    try:
        return prompts.fill(experiment.prompt, problem=query.question.problem, token_limit=query.budget)
    except (ValueError, OSError) as error:
        raise BadInput(f"prompt {experiment.prompt}: {error}") from None


def sampling_for(experiment: Experiment, query: Query) -> Sampling:
    """The sampling parameters for `query`."""
    greedy = query.decoding == "greedy"
    return Sampling(
        experiment.max_new_tokens(query.budget),
        temperature=0.0 if greedy else experiment.temperature,
        top_p=1.0 if greedy else experiment.top_p,
        top_k=-1 if greedy else experiment.top_k,
        stop=experiment.stop,
        thinking=query.budget if experiment.budget_by == "thinking" else None,
        logprobs=experiment.logprobs,
    )
