"""Exports of a run: a data set for the Hugging Face hub, and records of Every Eval Ever."""
