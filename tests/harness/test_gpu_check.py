"""The check of a GPU host: its model has Llama-3.1-8B's shape and ends no answer early."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import harness.gpu_check
from harness.engines.tokens import PromptTokens
from harness.experiment import Experiment
from harness.gpu_check import CHUNK, measure, prompt_tokens, write_model
from harness.run.sizing import LLAMA
from tests.harness.commands import command


def test_the_model_has_the_size_of_llama(transformers: Any, tmp_path: Path) -> None:
    import torch

    write_model("llama-3.1-8b", tmp_path / "model")
    config = transformers.AutoConfig.from_pretrained(tmp_path / "model")
    with torch.device("meta"):
        model = transformers.AutoModelForCausalLM.from_config(config)
    assert sum(weight.numel() for weight in model.parameters()) == 8_030_261_248  # as its model card has it
    assert config.dtype == torch.bfloat16
    assert config.rope_parameters["rope_type"] == "llama3"
    assert config.rope_parameters["rope_theta"] == 500_000


@pytest.mark.parametrize("shape", LLAMA["shapes"])
def test_nothing_ends_an_answer_early(transformers: Any, tmp_path: Path, shape: str) -> None:
    write_model(shape, tmp_path / "model")
    config = transformers.AutoConfig.from_pretrained(tmp_path / "model")
    prompts = PromptTokens(str(tmp_path / "model"), revision=None, chat=True)
    assert (config.bos_token_id, config.eos_token_id, prompts.special.get("eos_token")) == (None, None, None)
    assert not (tmp_path / "model" / "generation_config.json").exists()
    assert max(prompts.encode("Anna has 12 apples.")) < config.vocab_size
    assert prompts.config["model_max_length"] == config.max_position_embeddings


def test_prompt_tokens_are_summed_over_the_copies_of_a_model() -> None:
    text = """# TYPE sglang:cached_tokens_total counter
sglang:cached_tokens_total{dp_rank="0",model_name="a b} c"} 100.0
sglang:cached_tokens_total{dp_rank="1",model_name="a b} c"} 1e3
sglang:prompt_tokens_total 4312.5
process_cpu_seconds_total 7.0
"""
    assert prompt_tokens(text) == [4312.5, 1100.0]


def test_the_requests_come_in_rounds_and_only_their_tokens_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, metrics = list[Experiment](), [[1000.0, 700.0], [3000.0, 2200.0]]

    @asynccontextmanager
    async def server(*_: Any) -> AsyncIterator[Any]:
        yield "the engine"

    async def sampled(experiment: Experiment, *_: Any) -> Any:
        asked.append(experiment)
        pace, tally = SimpleNamespace(rates=lambda: (1.0, 512.0)), SimpleNamespace(tokens=32768)
        return SimpleNamespace(missing=0, pace=pace, tally=tally)

    async def read(server: Any) -> list[float]:
        assert server == "the engine"
        return metrics.pop(0)

    wall, processor = [10.0, 30.0], [1.0, 6.0]
    clocks = SimpleNamespace(perf_counter=lambda: wall.pop(0), process_time=lambda: processor.pop(0))
    for name, played in (
        ("own_server", server),
        ("sample", sampled),
        ("prompt_counts", read),
        ("time", clocks),
    ):
        monkeypatch.setattr(harness.gpu_check, name, played)
    size: dict[str, Any] = {"prompts": 32, "answers": 48, "tokens": 128, "dp": 2, "device": "cuda"}
    found = asyncio.run(measure("small", tmp_path, **size, say=print))
    (plan,) = asked
    assert (plan.limit, plan.samples, plan.dp, plan.device) == (32, 48, 2, "cuda")
    assert [plan.max_new_tokens(budget) for budget in plan.budgets] == [128]
    assert 4 * plan.concurrency * plan.chunk == 32 * 48
    assert plan.chunk == CHUNK
    rate, cache, client = found.splitlines()
    assert rate.split()[:2] == ["tokens/s", "512"]
    assert "32768 tokens in 20.0 s" in rate
    assert cache.split()[2:] == ["75.0%", "of", "2000", "prompt", "tokens"]
    assert client.split()[:2] == ["client", "25.0%"]


@pytest.mark.parametrize(("device", "ways"), [("cuda", ["with CUDA graphs:", "without:"]), ("cpu", [])])
def test_a_gpu_is_measured_with_and_without_cuda_graphs(
    device: str, ways: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    async def measured(*_: Any, flags: tuple[str, ...], **size: Any) -> str:
        asked.append((flags, size["answers"], size["dp"]))
        return "tokens/s 1223"

    monkeypatch.setattr(harness.gpu_check, "measure", measured)
    monkeypatch.setattr("harness.server.gpus.usable_gpus", lambda _: None)
    arguments = ["--device", device, "--dp", "2", "--answers", "8", "--", "--quantization", "fp8"]
    done = command("gpu-check", *arguments)
    assert done.exit_code == 0, done.output
    given = ("--quantization", "fp8")
    flags = [given, (*given, "--disable-cuda-graph")] if ways else [given]
    assert asked == [(each, 16, 2) for each in flags]
    assert [line for line in done.output.splitlines() if line.endswith(":")] == ways
