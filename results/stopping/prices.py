"""What rules cost and bring, for a plan: on questions whose chances are estimated.

prices_of_laws(laws, tokens, ["fixed:8", "lead:4"], n_max=40)
rule   threshold  cost   answers  accuracy  stderr
fixed  8          21600  8.0      0.702     0.050
lead   4          18300  7.1      0.711     0.049
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from results.stopping.replay import Outcome, Replay
from results.stopping.rules import Rule, named
from results.stopping.seen import Floats, Ints
from results.votes.errors import standard_error
from results.votes.exact import AnswerPools


def prices_of_laws(
    laws: ArrayLike, tokens: ArrayLike, rules: Sequence[str], n_max: int, draws: int = 100, seed: int = 0
) -> pd.DataFrame:
    """Cost (tokens of a question), answers and accuracy by rule, for Q questions of known chances.

    rules: as in "lead:4"; BadInput is raised for an unknown one. stderr: of the accuracy, over the questions.
    laws: (Q, K) the chance of the right answer and of each wrong one; what a row lacks to 1 is the chance
    that an answer cannot be read. tokens: (Q,) mean tokens of an answer. Each question is asked afresh
    `draws` times.
    """
    chances = np.asarray(laws, np.float64)
    chances = np.column_stack([chances, np.clip(1 - chances.sum(axis=1), 0, 1)])
    generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, len(chances)])))
    bounds = np.cumsum(chances, axis=1)[:, None, :-1]
    drawn = generator.random((len(chances), draws * n_max))[:, :, None]
    votes = (drawn >= bounds).sum(axis=2)
    votes[votes == chances.shape[1] - 1] = -1
    votes = _numbered(votes.reshape(-1, n_max))
    starts = np.arange(len(chances) * draws + 1) * n_max
    lengths = np.repeat(np.asarray(tokens, np.float64), draws * n_max)
    names = [""] * (len(starts) - 1)
    pools = AnswerPools(names, starts, votes.reshape(-1), lengths)
    as_drawn = np.tile(np.arange(n_max, dtype=np.int32), len(names))[None]
    replay = Replay(pools, as_drawn, n_max)
    return pd.DataFrame([_row(*named(text), replay, draws) for text in rules])


def _numbered(votes: Ints) -> Ints:
    """The votes of pools (P, n_max) with the wrong answers of each numbered 1, 2, … without gaps."""
    wrong = votes > 0
    pool = np.nonzero(wrong)[0]
    width = int(votes.max(initial=0)) + 1
    kinds, which = np.unique(pool * width + votes[wrong], return_inverse=True)
    found = votes.copy()
    found[wrong] = which - np.searchsorted(kinds, pool * width) + 1
    return found


def _row(rule: Rule, threshold: float, replay: Replay, draws: int = 1) -> dict[str, object]:
    """One rule; each `draws` pools in a row are those of one question."""

    def by_question(values: Floats) -> Floats:
        return np.asarray(values.reshape(-1, draws).mean(axis=1))

    outcome: Outcome = replay.outcome(replay.stop(rule, threshold))
    accuracy = by_question(outcome.accuracy)
    return {
        "rule": rule.name,
        "threshold": threshold,
        "cost": float(outcome.tokens.mean()),
        "answers": float(outcome.answers.mean()),
        "accuracy": float(accuracy.mean()),
        "stderr": float(standard_error(accuracy[:, None])[0]),
    }
