"""Accuracy in the binary case: exactly, from the chain, or as a samples table of sampled paths.

    exact_accuracy(tasks, setting, steps, votes, methods)[0]["majority"][task, step, vote]  ->  0.97
    samples:  question_id 0-17  setting 8  sample 3  answer 7  gold 7  correct True  tokens 8

The samples table is the one that a language model's run writes, and `results` turns it into curves.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from results.votes.multinomial import best_of_n_accuracy, vote_accuracy
from synthetic.binary.chain import law_of_paths
from synthetic.binary.greedy import greedy_correct, greedy_supports
from synthetic.binary.sampler import SampledSupports, Supports
from synthetic.model.reasoning_loop import reasoning_path
from synthetic.model.sampling_algorithms import sample_support
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import Array, Tasks


def exact_accuracy(
    tasks: Tasks,
    setting: BinarySetting,
    steps: tuple[int, ...],
    votes: tuple[int, ...],
    methods: Sequence[str],
) -> tuple[dict[str, Array], Array]:
    """Accuracy of each task, (tasks, steps, votes) by method (greedy: one "vote"). Raises BadInput.

    The second value is the share of steps, (tasks,), with too few positive entries (`PathLaw.fallback`).
    """
    found: dict[str, Array] = {}
    fallback = np.zeros(len(tasks))
    if {"majority", "best_of_n"} & set(methods):
        law = law_of_paths(tasks, setting, steps)
        fallback = law.fallback
        if "majority" in methods:
            found["majority"] = vote_accuracy(law.probabilities, law.gold[:, None], votes)
        if "best_of_n" in methods:
            found["best_of_n"] = best_of_n_accuracy(law.correct, votes)
    if "greedy" in methods:
        found["greedy"] = greedy_correct(tasks, setting, steps)[:, :, None]
    return found, fallback


def transformer_supports(
    tasks: Tasks, setting: BinarySetting, paths: int, steps: tuple[int, ...]
) -> SampledSupports:
    """The paths that `sample_supports` draws, by the literal loop of Definition 1 with Algorithm 2; slow."""
    out = np.empty((len(tasks), len(steps), paths, setting.k), dtype=np.int64)
    short = np.zeros(len(tasks))
    for task in range(len(tasks)):
        uniforms = tasks.path_generator(task).random((max(steps), paths, setting.k))
        for path in range(paths):
            numbers = iter(uniforms[:, path])

            def sampling(scores: Array, task: int = task, numbers: Iterator[Array] = numbers) -> Array:
                short[task] += (scores > 0).sum() < setting.k
                return sample_support(scores, next(numbers))

            loop = reasoning_path(tasks.x[task], tasks.y[task], setting.step, sampling)
            for t, w in enumerate(islice(loop, max(steps)), start=1):
                if t in steps:
                    out[task, steps.index(t), path] = np.flatnonzero(w)
    return SampledSupports(out, short / (paths * max(steps)))


def samples_table(
    tasks: Tasks, setting: BinarySetting, steps: tuple[int, ...], sampled: Supports
) -> pd.DataFrame:
    """The samples table of `sampled` answers (tasks, steps, paths, k) and the greedy answer at every t."""
    greedy = greedy_supports(tasks, setting, steps)[:, :, None]
    tables = [_rows(tasks, steps, sampled, "sample"), _rows(tasks, steps, greedy, "greedy")]
    return pd.concat(tables, ignore_index=True)


def support_text(indices: Sequence[int] | NDArray[np.integer]) -> str:
    """A support as the answer written in tables: its coordinates in rising order, "3" or "3+7"."""
    return "+".join(str(int(index)) for index in sorted(indices))


def _rows(tasks: Tasks, steps: tuple[int, ...], supports: Supports, decoding: str) -> pd.DataFrame:
    count, settings, paths, k = supports.shape
    gold = [support_text(np.flatnonzero(w)) for w in tasks.w_star]
    t = np.tile(np.repeat(steps, paths), count)
    text, inverse = np.unique(supports.reshape(-1, k), axis=0, return_inverse=True)
    answers = np.array([support_text(row) for row in text], dtype=object)[inverse.ravel()]
    golds = np.repeat(np.array(gold, dtype=object), settings * paths)
    return pd.DataFrame(
        {
            "source": "synthetic",
            "setting": t.astype(str),
            "decoding": decoding,
            "question_id": np.repeat(np.array(tasks.ids, dtype=object), settings * paths),
            "sample": np.tile(np.arange(paths), count * settings),
            "answer": answers,
            "gold": golds,
            "correct": answers == golds,
            "tokens": t,
        }
    )
