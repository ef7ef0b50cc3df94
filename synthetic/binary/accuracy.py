"""Accuracy in the binary case: exactly from the chain, or as a samples table of sampled paths.

    exact_accuracy(tasks, setting, steps, votes, methods)[0]["majority"][task, step, vote]  ->  0.97
    samples:  question_id n4-d48-k1-0-17  setting 8  sample 3  answer 7  gold 7  correct True  tokens 8

The samples table is that of a language model's run, and `results` turns it into curves.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from results.votes.multinomial import best_of_n_accuracy
from synthetic.binary.chain import law_of_paths
from synthetic.binary.paths import Supports, greedy_correct, greedy_supports
from synthetic.model.reasoning_loop import literal_paths, sample_support
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import Array, Tasks


def exact_accuracy(
    tasks: Tasks,
    setting: BinarySetting,
    steps: tuple[int, ...],
    votes: Sequence[int],
    methods: Sequence[str],
) -> tuple[dict[str, Array], Array]:
    """Accuracy of each task, (tasks, steps, votes), for majority, best_of_n and greedy (one "vote").

    The second value is the share of steps, (tasks,), with too few positive entries (`PathLaw.fallback`).
    Raises BadInput.
    """
    law, accuracies = law_of_paths(tasks, setting, steps), {}
    if "majority" in methods:
        accuracies["majority"] = law.vote(votes)
    if "best_of_n" in methods:
        accuracies["best_of_n"] = best_of_n_accuracy(law.correct, votes)
    if "greedy" in methods:
        accuracies["greedy"] = greedy_correct(tasks, setting, steps)[:, :, None]
    return accuracies, law.fallback


def transformer_supports(
    tasks: Tasks, setting: BinarySetting, paths: int, steps: tuple[int, ...]
) -> Supports:
    """The paths of `sample_supports`, by the literal loop of Definition 1 with Algorithm 2; slow."""

    def draw(rng: np.random.Generator) -> Array:
        return rng.random((max(steps), paths, setting.k))

    def sampling(w: Array, uniforms: Array) -> Array:
        return sample_support(setting.weights(w), uniforms)

    w = literal_paths(tasks, setting.step, steps, draw, sampling)
    return np.nonzero(w)[3].reshape(*w.shape[:3], setting.k)


def question_names(tasks: Tasks, setting: BinarySetting) -> list[str]:
    """Each task's name, with its sizes, as right answers differ between n, d and k."""
    sizes = f"n{setting.n}-d{setting.d}-k{setting.k}"
    return [f"{sizes}-{repeat}-{index}" for repeat, index in tasks.keys]


def samples_table(
    tasks: Tasks, setting: BinarySetting, steps: tuple[int, ...], sampled: Supports
) -> pd.DataFrame:
    """The samples table of `sampled` answers (tasks, steps, paths, k) and the greedy answer at every t.

    A support is written as its coordinates in ascending order, "3" or "3+7".
    """
    gold = np.array(["+".join(map(str, np.flatnonzero(w))) for w in tasks.w_star], dtype=object)
    ids = np.array(question_names(tasks, setting), dtype=object)
    greedy = greedy_supports(tasks, setting, steps)[:, :, None]
    tables = []
    for decoding, supports in (("sample", sampled), ("greedy", greedy)):
        count, settings, paths, k = supports.shape
        t = np.tile(np.repeat(steps, paths), count)
        text, inverse = np.unique(supports.reshape(-1, k), axis=0, return_inverse=True)
        answers = np.array(["+".join(map(str, row)) for row in text], dtype=object)[inverse.ravel()]
        golds = np.repeat(gold, settings * paths)
        columns = {
            "source": "synthetic",
            "setting": t.astype(str),
            "decoding": decoding,
            "question_id": np.repeat(ids, settings * paths),
            "sample": np.tile(np.arange(paths), count * settings),
            "answer": answers,
            "gold": golds,
            "correct": answers == golds,
            "tokens": t,
        }
        tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)
