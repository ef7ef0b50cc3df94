"""SGLang on a machine without a GPU: a platform plugin, and the program that starts the server with it."""

from harness.sglang_cpu.platform import PLATFORM

__all__ = ["PLATFORM"]
