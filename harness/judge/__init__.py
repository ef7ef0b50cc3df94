"""Scores stored answers by a model that is asked whether each is right, or by a reward model."""
