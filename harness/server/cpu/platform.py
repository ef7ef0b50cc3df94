"""SGLang's platform plugin for plain CPUs, which runs from the wheels on PyPI.

    SGLANG_PLATFORM=torch-cpu python -m harness.server.cpu.start --model-path DIR --device cpu

SGLang's own CPU path needs kernels that have to be compiled; this one runs every operation in PyTorch. It
is an out-of-tree platform (entry point group `sglang.srt.platforms`). It is off unless `SGLANG_PLATFORM`
names it, so installing this project changes no other SGLang server on the machine.
"""

import os

PLATFORM = "torch-cpu"
"""The entry point's name in pyproject.toml."""


def activate() -> str | None:
    """The dotted path of the platform class if SGLANG_PLATFORM names it. SGLang calls this at start-up."""
    if os.environ.get("SGLANG_PLATFORM") != PLATFORM:
        return None
    return "harness.server.cpu.device.TorchCpuPlatform"
