"""Summaries of the tables as records, without words or pictures."""
