"""Runs a module with `--api-key` from the environment: everybody on a machine can read command lines.

SGLANG_API_KEY=… python -m harness.server.keyed sglang.launch_server --model-path DIR
"""

import os
import runpy
import sys

from harness.server.address import KEY

if __name__ == "__main__":
    module = sys.argv[1]
    sys.argv[:] = [module, *sys.argv[2:], "--api-key", os.environ[KEY]]
    # SGLang's own processes import the main module again: it has to be the server's.
    runpy.run_module(module, run_name="__main__", alter_sys=True)
