"""Engines that draw answers from a language model, behind one protocol."""

from harness.engines.base import Completion, Engine, EngineError, Sampling
from harness.engines.factory import engine_for

__all__ = ["Completion", "Engine", "EngineError", "Sampling", "engine_for"]
