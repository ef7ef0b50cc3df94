"""`gpu-check` on a CPU with a small shape: a real server with two copies of a randomly initialised model."""

import importlib.util
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.server


def test_the_whole_road_on_a_cpu() -> None:
    if importlib.util.find_spec("sglang") is None:
        pytest.skip("SGLang is not installed")
    command = [sys.executable, "-m", "harness", "gpu-check", "--device", "cpu", "--shape", "small"]
    command += ["--prompts", "4", "--answers", "8", "--dp", "2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    title, tokens, running, cache, client = done.stdout.splitlines()
    assert title == "4 prompts x 16 answers of a real run's lengths, small with random weights"
    (drawn,) = re.findall(r"^tokens/s +[1-9]\d* .* (\d+) tokens in ", tokens)
    assert 64 * 150 < int(drawn) < 64 * 320  # 232 on average, give or take four standard errors
    assert float(running.split()[1].rstrip("%")) > 80
    # At least 42 of 64 requests hit a cache: the first 10 slots may all start before any prompt is cached,
    # and so may, at each of the two copies, the first two answers to each of the three other prompts.
    assert float(cache.split()[2].rstrip("%")) > 60
    assert 0 < float(client.split()[1].rstrip("%")) < 100
