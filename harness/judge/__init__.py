"""Scores for stored answers: a model that is asked whether each is right, or a reward model."""
