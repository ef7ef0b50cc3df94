"""Engines that draw answers from a language model, behind one protocol."""
