"""SGLang's own parser knows the flags that the project passes and those that its pages recommend."""

import json
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec

import pytest

from harness.server.cpu.platform import PLATFORM
from harness.server.launch import CPU_FLAGS, GPU_FLAGS
from tests.conftest import ROOT

pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(find_spec("sglang") is None, reason="SGLang is not installed"),
]

# In a process of its own: importing SGLang changes the state of the process.
PARSE = """
import argparse, json, sys
import harness.server.cpu.start
from sglang.srt.server_args import ServerArgs
parser = argparse.ArgumentParser(allow_abbrev=False)
ServerArgs.add_cli_args(parser)
for flags in json.loads(sys.argv[1]):
    parser.parse_args(["--model-path", "x", *flags])
"""
GIVEN = re.compile(r"""(?:FLAGS=|server_flags=)"([^"]+)"|(?:serve|gpu-check) [^`\n]*?-- ([^`\n]+)""")
"""Flags for SGLang on the pages: given to `make`, in an experiment, or after `--` in a command."""


def on_the_pages() -> list[list[str]]:
    pages = [ROOT / "Makefile", *(ROOT / "docs").rglob("*.md"), *(ROOT / "harness" / "cli").glob("*.py")]
    found = (match for page in pages for match in GIVEN.findall(page.read_text(encoding="utf-8")))
    words = [(quoted or after).rstrip('",)').replace("$SLURM_PROCID", "1") for quoted, after in found]
    given = [shlex.split(one) for one in words]
    return [flags for flags in given if flags and flags[0].startswith("--")]


def test_every_flag_is_one_of_sglangs() -> None:
    given = on_the_pages()
    assert ["--reasoning-parser", "qwen3", "--enable-strict-thinking"] in given
    assert ["--quantization", "fp8"] in given
    own = ["--sampling-defaults", "openai", "--random-seed", "7", "--dp-size", "2", "--disable-cuda-graph"]
    done = subprocess.run(
        [sys.executable, "-c", PARSE, json.dumps([*given, GPU_FLAGS, CPU_FLAGS, own])],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "SGLANG_PLATFORM": PLATFORM, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
