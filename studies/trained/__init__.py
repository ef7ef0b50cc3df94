"""Transformers that are trained instead of built by hand: the paper leaves this to future work."""
