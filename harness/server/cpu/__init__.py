"""SGLang on a machine without a GPU: a platform plugin, and the program that starts the server with it."""

from harness.server.cpu.platform import PLATFORM

__all__ = ["PLATFORM"]
