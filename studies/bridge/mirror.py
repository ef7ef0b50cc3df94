"""Two simulated worlds as accurate as the model at every length: the paper's twin, and one without theory.

    twin_worlds(accuracy, tasks, seed)     tasks of in-context regression, between t and t + 1 steps
    null_world(answers, prior, seed)       each question keeps its rank: any rising law of p would do

Both give as many answers to as many questions as the model did, each answer cut off at every length. All
statistics are then computed exactly as for the model, so that noise and bias are the same.
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import beta as beta_law

from studies.bridge.answers import NULL, Answers, Floats
from studies.bridge.posterior import Prior
from studies.match.exam import candidates
from synthetic.binary.chain import law_of_paths
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import draw_tasks, task_keys

STEPS = tuple(range(1, 65))
CLOSE = 0.02
"""A family of tasks matches if some mixture of t and t + 1 steps is within this of the model's accuracy."""
KINDS = 40
"""The number of wrong answers to each question in the world without theory."""


@dataclass(frozen=True)
class World:
    """`laws` (questions, lengths, 1 + kinds): the probabilities of the right and of each wrong answer."""

    laws: Floats

    @property
    def gap(self) -> Floats:
        """Δ, (questions, lengths)."""
        return np.asarray(self.laws[:, :, 0] - self.laws[:, :, 1:].max(axis=2))

    def answers(self, like: Answers, seed: int) -> Answers:
        """Draw as many answers as `like` has. One uniform number decides an answer at all lengths."""
        rng = np.random.default_rng(seed)
        edges = np.cumsum(self.laws, axis=2)
        uniform = rng.random((len(self.laws), like.shape[1]))
        codes = (uniform[:, :, None, None] >= edges[:, None]).sum(axis=3)
        codes[codes == edges.shape[2]] = NULL
        names = tuple(f"task-{i:04d}" for i in range(len(self.laws)))
        return Answers(names, like.lengths, like.tokens, codes)


def null_world(answers: Answers, prior: Prior, seed: int) -> World:
    """A question's p is the same quantile of a beta law at every length; wrong answers keep their order."""
    rng = np.random.default_rng(seed)
    questions, _, lengths = answers.shape
    rank = rng.permutation((np.arange(questions) + 0.5) / questions)
    uniform = rng.random((questions, KINDS))
    laws = np.zeros((questions, lengths, 1 + KINDS))
    for at, (right, wrong, null) in enumerate(prior.outcomes):
        laws[:, at, 0] = beta_law.ppf(rank, right, wrong + null)
        broken = 1 - uniform ** (1 / prior.theta[at])
        left = np.cumprod(1 - broken, axis=1) / (1 - broken)
        share = (1 - laws[:, at, 0]) * wrong / (wrong + null)
        laws[:, at, 1:] = broken * left * share[:, None]
    laws[:, :, 0] = np.maximum.accumulate(laws[:, :, 0], axis=1)
    return World(laws)


def matched_laws(setting: BinarySetting, accuracy: Floats, tasks: int, seed: int) -> Floats | None:
    """The laws (tasks, lengths, supports) of a family at the model's accuracies, right answer first.

    A length corresponds to t steps with some probability and t + 1 otherwise, such that the mean accuracy
    over tasks is the model's. None if no t comes close.
    """
    law = law_of_paths(draw_tasks(setting, task_keys(1, tasks), seed), setting, STEPS)
    mean = law.correct.mean(axis=0)
    rising = np.maximum.accumulate(mean)
    if np.abs(np.clip(accuracy, rising[0], rising[-1]) - accuracy).max() > CLOSE:
        return None
    after = np.clip(np.searchsorted(rising, accuracy), 1, len(STEPS) - 1)
    low, high = rising[after - 1], rising[after]
    part = np.clip((accuracy - low) / np.maximum(high - low, 1e-12), 0, 1)[None, :, None]
    laws = (1 - part) * law.probabilities[:, after - 1] + part * law.probabilities[:, after]
    order = np.argsort(np.arange(laws.shape[2]) != law.gold[:, None], axis=1, kind="stable")
    return np.take_along_axis(laws, order[:, None], axis=2)


def twin_worlds(accuracy: Floats, tasks: int, seed: int) -> dict[BinarySetting, World]:
    """Every family of `studies.match` that matches all accuracies to within CLOSE."""
    found = {}
    for setting in candidates():
        laws = matched_laws(setting, accuracy, tasks, seed)
        if laws is not None:
            found[setting] = World(laws)
    return found
