"""Imports answers sampled by other tools as a samples table."""
