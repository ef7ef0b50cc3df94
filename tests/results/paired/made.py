"""Simulated runs with a known truth: fresh answers from given laws, and exact accuracies of many runs."""

import numpy as np

from results.votes.exact import AnswerPools, Floats, Ints, accuracy_by_question


def pools(laws: Floats, answers: int, rng: np.random.Generator) -> AnswerPools:
    """Fresh answers drawn from the laws of the questions (Q, answers); column 0 is the right answer."""
    votes = [rng.choice(len(law), answers, p=law) for law in laws]
    starts = np.arange(len(laws) + 1) * answers
    names = [f"q{i}" for i in range(len(laws))]
    return AnswerPools(names, starts, np.concatenate(votes), np.full(starts[-1], np.nan))


def varied_laws(questions: int, rng: np.random.Generator) -> Floats:
    """Laws of all kinds of questions: easy, hard, and with a wrong answer likelier than the right one."""
    right = rng.beta(0.8, 0.6, questions)
    return np.column_stack([right, (1 - right)[:, None] * rng.dirichlet([1.0, 0.5, 0.2], questions)])


def better(laws: Floats, by: float) -> Floats:
    """The laws of a model with a probability of the right answer higher by `by`, averaged over questions."""
    room = 1 - laws[:, 0]
    right = laws[:, 0] + room * by / room.mean()
    wrong = laws[:, 1:] / np.maximum(laws[:, 1:].sum(axis=1, keepdims=True), 1e-300)
    return np.column_stack([right, (1 - right)[:, None] * wrong])


def accuracies(laws: Floats, answers: int, ns: Ints, runs: int, rng: np.random.Generator) -> Floats:
    """The exact accuracy of each question in many runs, by vote and best-of-N: (runs, Q, 2 len(ns))."""
    counts = np.array([rng.multinomial(answers, law, size=runs) for law in laws])
    digits = (answers + 1) ** np.arange(laws.shape[1])
    kinds, where = np.unique(counts @ digits, return_inverse=True)
    votes = [np.repeat(np.arange(laws.shape[1]), kind // digits % (answers + 1)) for kind in kinds]
    starts = np.arange(len(kinds) + 1) * answers
    every = AnswerPools([""] * len(kinds), starts, np.concatenate(votes), np.zeros(starts[-1]))
    by_kind = [accuracy_by_question(every.counts(), method, ns) for method in ("majority", "best_of_n")]
    return np.concatenate(by_kind, axis=1)[where.reshape(len(laws), runs)].transpose(1, 0, 2)
