"""Starts SGLang's server on a CPU. Takes SGLang's own flags.

SGLANG_PLATFORM=torch-cpu python -m harness.server.cpu.start --model-path DIR --device cpu
"""

import runpy

from harness.server.cpu.torchvision_names import declare_torchvision_operations

# At module level: SGLang's worker processes import this file again before they import SGLang.
declare_torchvision_operations()

if __name__ == "__main__":
    runpy.run_module("sglang.launch_server", run_name="__main__")
