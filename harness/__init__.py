"""Sampling a language model: questions, prompts, engines, grader, and the table of answers."""

import results  # noqa: F401  # first: it sees to Ctrl-C during the other imports
from harness.experiment import Experiment, read_experiment
from harness.grader import READERS, Grader, normalise_integer
from harness.questions.load import Question, load_questions

__all__ = [
    "READERS",
    "Experiment",
    "Grader",
    "Question",
    "load_questions",
    "normalise_integer",
    "read_experiment",
]
