"""Engines that sample answers from a language model, behind one protocol."""
