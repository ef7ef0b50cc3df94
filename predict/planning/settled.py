"""What a vote costs where it ends as soon as it is settled, beside the vote of all N answers.

    qwen-gsm8k, setting 500, N = 64   all 64   lead:4
    tokens of a question              16,777    7,166
    accuracy                            .765     .762

All answers are drawn anew from what the sampled ones say of each question (`answers.rest`): its chances of
the right answer, of each wrong one and of one that cannot be read, several draws of each. Both ways of voting
are replayed on the same draws (`results.stopping`), each question at its own mean tokens.
"""

from dataclasses import dataclass

import numpy as np

from predict.answers.mixture import drawn_atoms
from predict.answers.population import fit_population
from predict.answers.rest import Worlds, worlds
from predict.evidence.points import Floats
from results.stopping import prices_of_laws
from results.votes.exact import AnswerPools

RULE = "lead:4"
"""What docs/stopping.md says to take: stop when the first answer is four votes ahead of the second."""

LAWS, REPLAYS, ANSWERS = 2000, 8, 2**19
"""Draws of a question's chances in all, replays of each, and answers in all at most."""

DIFFERENT = 64
"""Kinds that stand for wrong answers which are all different."""


@dataclass(frozen=True)
class Settled:
    """Tokens and answers of a question, and accuracy: of the vote of all, and of the one that stops."""

    rule: str
    cost_of_all: float
    cost: float
    answers: float
    accuracy_of_all: float
    accuracy: float


def settled(pool: AnswerPools, N: int, rule: str = RULE, seed: int = 0) -> Settled:
    """What `rule` costs and brings in votes of at most N answers to the questions of `pool`."""
    counts, rng = pool.counts(), np.random.default_rng([seed, N])
    Q = len(counts.pools)
    replays = max(1, min(REPLAYS, ANSWERS // (Q * N)))
    draws = max(1, min(LAWS // Q, ANSWERS // (Q * N * replays)))
    atom = drawn_atoms(fit_population(counts).posterior(), draws, rng)
    tokens = np.bincount(pool.question, pool.tokens) / pool.sizes
    parts = [(world.rows, _laws(world)) for world in worlds(counts, atom, rng)]
    widest = max(law.shape[1] for _, law in parts)
    laws = np.concatenate([np.pad(law, ((0, 0), (0, widest - law.shape[1]))) for _, law in parts])
    lengths = np.repeat(np.concatenate([tokens[rows] for rows, _ in parts]), draws)
    told = prices_of_laws(laws, lengths, [f"fixed:{N}", rule], N, replays, seed)
    every, stopped = (told.iloc[i] for i in range(2))
    return Settled(
        rule, float(every["cost"]), float(stopped["cost"]), float(stopped["answers"]),
        float(every["accuracy"]), float(stopped["accuracy"]),
    )  # fmt: skip


def _laws(world: Worlds) -> Floats:
    """Chances (D, K) of the right answer and of each wrong one."""
    *kinds, different = world.chances().T
    return np.column_stack([*kinds, *[different / DIFFERENT] * DIFFERENT])
