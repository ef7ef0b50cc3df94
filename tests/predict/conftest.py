"""Small samples and curves tables for the tests of `predict`."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from results import write_curves, write_samples


def simulated_samples(
    questions: int = 40,
    answers: int = 12,
    settings: tuple[str, ...] = ("40", "80", "160", "320"),
    seed: int = 0,
) -> pd.DataFrame:
    """Answers that improve with the setting; there are five wrong ones, the first being the likeliest."""
    rng = np.random.default_rng(seed)
    difficulty = rng.beta(2, 1.5, questions)
    rows = []
    for i, setting in enumerate(settings):
        p = difficulty ** (1.5 / (i + 1))
        for q in range(questions):
            right = rng.random(answers) < p[q]
            wrong = rng.choice(5, answers, p=[0.5, 0.2, 0.1, 0.1, 0.1])
            for k in range(answers):
                answer = "right" if right[k] else f"wrong {wrong[k]}"
                rows.append((f"q{q}", setting, k, answer, "right", int(setting) - 10 + k))
    columns = ["question_id", "setting", "sample", "answer", "gold", "tokens"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.assign(
        dataset="toy", model="sim", decoding="sample", correct=frame["answer"] == frame["gold"]
    )


def samples_of(rates: Mapping[str, NDArray[np.float64]], answers: int, seed: int) -> pd.DataFrame:
    """Independent answers; tokens are 100, and double from each setting to the next.

    rates: by setting, the probabilities of the right answer, of each wrong one, and last of an answer that
    is wrong in a new way each time: (questions, kinds).
    """
    rng = np.random.default_rng(seed)
    rows = []
    for i, (setting, chances) in enumerate(rates.items()):
        for q, chance in enumerate(chances):
            for k, kind in enumerate(rng.choice(len(chance), answers, p=chance)):
                text = str(kind) if kind < len(chance) - 1 else f"new {k}"
                rows.append((f"q{q}", setting, k, text, "0", text == "0", 100 * 2**i))
    columns = ["question_id", "setting", "sample", "answer", "gold", "correct", "tokens"]
    return pd.DataFrame(rows, columns=columns).assign(dataset="toy", model="sim", decoding="sample")


@pytest.fixture(autouse=True, scope="module")
def everywhere_here(fewer_completions: None) -> None:
    """Use fewer completions in every test of this folder."""


@pytest.fixture(scope="session")
def samples_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four settings, 40 questions, 12 answers."""
    path = tmp_path_factory.mktemp("samples") / "samples.csv"
    write_samples(simulated_samples(), path)
    return path


@pytest.fixture(scope="session")
def curves_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models on the paper's own surface, T = 0.8 … 4 (·1e5), N = 1 … 32, with standard errors."""
    rows = [
        {
            "dataset": "toy",
            "model": model,
            "method": "majority",
            "setting": f"{T:g}",
            "T": T * 1e5,
            "tokens_per_answer": T * 1e3,
            "N": N,
            "stderr": 0.005,
            "questions": 100,
            "accuracy": top - 0.4 * np.exp(-((0.8 - 0.5 * np.exp(-0.6 * T)) ** 2) * N / 2),
        }
        for model, top in (("small", 0.8), ("large", 0.9))
        for T in (0.8, 1.2, 1.7, 2.5, 3.2, 4.0)
        for N in (1, 2, 4, 8, 16, 32)
    ]
    path = tmp_path_factory.mktemp("curves") / "curves.csv"
    write_curves(pd.DataFrame(rows), path)
    return path
