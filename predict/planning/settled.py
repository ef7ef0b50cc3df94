"""What a vote costs where it ends as soon as it is settled, beside the vote of all N answers.

    qwen-gsm8k, setting 500, N = 64   fixed:64   lead:4
    tokens of a question                16,777    7,166
    accuracy                              .765     .762

All answers are drawn anew from what the sampled ones say of each question (`answers.rest`): its chances of
the right answer, of each wrong one and of one that cannot be read, several draws of each. Both ways of voting
are replayed on the same draws (`results.stopping`), each question at its own mean tokens.
"""

import numpy as np
import pandas as pd

from predict.answers.mixture import drawn_atoms
from predict.answers.population import fit_population
from predict.answers.rest import Worlds, worlds
from predict.evidence.points import Floats
from results.stopping import prices_of_laws
from results.votes.exact import AnswerPools

RULE = "lead:4"
"""What docs/stopping.md recommends: stop when the first answer is four votes ahead of the second."""

OTHERS = ("lead:2", "lead:3", "lead:6")
"""Told beside it, and votes of fewer answers, to a quarter of N."""

LAWS, REPLAYS, ANSWERS = 2000, 8, 2**19
"""Draws of a question's chances in all, replays of each, and answers in all at most."""

DIFFERENT = 64
"""Kinds that stand for wrong answers which are all different."""


def settled(pool: AnswerPools, N: int, seed: int = 0) -> pd.DataFrame:
    """What votes of at most N answers to the questions of `pool` cost and bring, all and with rules.

    A row a rule ("fixed:N" first, then by their cost): cost in tokens and answers, both of a question, and
    accuracy.
    """
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
    fewer = [f"fixed:{n}" for n in (N // 2, N // 4)]
    told = prices_of_laws(laws, lengths, [f"fixed:{N}", RULE, *OTHERS, *fewer], N, replays, seed)
    told["rule"] = told["rule"] + ":" + told["threshold"].map("{:g}".format)
    cheaper = told.iloc[1:].sort_values("cost", ascending=False, kind="stable")
    columns = ["rule", "cost", "answers", "accuracy"]
    return pd.concat([told.iloc[:1], cheaper])[columns].reset_index(drop=True)


def _laws(world: Worlds) -> Floats:
    """Chances (D, K) of the right answer and of each wrong one."""
    *kinds, different = world.chances().T
    return np.column_stack([*kinds, *[different / DIFFERENT] * DIFFERENT])
