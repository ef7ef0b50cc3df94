"""A language model small enough to live in the repository, and the word problems it is trained on."""

from harness.tiny.problems import Problem, distinct_problems, problems
from harness.tiny.solutions import BUDGETS, solution, solutions

__all__ = ["BUDGETS", "Problem", "distinct_problems", "problems", "solution", "solutions"]
