"""Answers that were sampled elsewhere, as a samples table: plain tables and the logs of other tools."""
