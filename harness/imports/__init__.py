"""Answers that were sampled elsewhere, as a samples table."""
