"""Sampling a language model: questions, prompts, engines, grader, and the table of answers."""
