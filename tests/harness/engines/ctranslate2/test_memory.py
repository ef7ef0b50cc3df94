"""What a token takes in memory, and how many tokens that leaves room for."""

import os
import subprocess
import sys

import pytest

from harness.engines.ctranslate2.batches import UNKNOWN, bytes_per_token, most_tokens
from harness.engines.tokens import read_json
from harness.experiment import TINY_MODEL
from tests.conftest import ROOT

QWEN = {"num_hidden_layers": 28, "num_attention_heads": 12, "hidden_size": 1536, "num_key_value_heads": 2}


def test_a_token_has_a_key_and_a_value_for_each_head_of_each_layer() -> None:
    assert bytes_per_token(read_json(TINY_MODEL / "config.json")) == 4 * 4 * 32 * 2 * 4
    assert bytes_per_token(QWEN) == 28 * 12 * 128 * 2 * 4
    assert bytes_per_token({"n_layer": 2}) is None


def test_batches_share_half_of_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"SC_PHYS_PAGES": 6_000_000, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(os, "sysconf", known.__getitem__)
    assert most_tokens(QWEN, 1) == 6_000_000 * 4096 // (4 * 344_064)
    assert most_tokens(QWEN, 2) == most_tokens(QWEN, 1) // 2
    assert most_tokens({}, 1) == UNKNOWN


def test_freed_memory_is_kept_by_a_process_that_asks_for_it() -> None:
    """In a process of its own: the setting stays for good."""
    script = """
import resource
from harness.engines.ctranslate2.batches import keep_freed_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        bytearray(50_000_000)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

first = faults()
keep_freed_memory()
faults()
print(first, faults())
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    before, after = map(int, done.stdout.split())
    assert after < before / 10 or sys.platform != "linux"
