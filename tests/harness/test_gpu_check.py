"""The check of a GPU host: its model has Llama-3.1-8B's shape, its figures are what they say."""

from pathlib import Path

import pytest
import torch
from click.testing import CliRunner

from harness.cli import cli
from harness.engines.tokens import PromptTokens
from harness.gpu_check import SHAPES, Measurement, read_metrics, write_model
from harness.server.cpu.torchvision_names import declare_torchvision_operations

declare_torchvision_operations()
from transformers import AutoConfig, AutoModelForCausalLM  # noqa: E402


def test_the_model_has_the_size_of_llama(tmp_path: Path) -> None:
    write_model("llama-3.1-8b", tmp_path / "model")
    config = AutoConfig.from_pretrained(tmp_path / "model")
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    assert sum(weight.numel() for weight in model.parameters()) == 8_030_261_248  # as its model card has it
    assert config.dtype == torch.bfloat16
    assert config.rope_parameters["rope_type"] == "llama3"
    assert config.rope_parameters["rope_theta"] == 500_000


@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_ends_an_answer_early(tmp_path: Path, shape: str) -> None:
    write_model(shape, tmp_path / "model")
    config = AutoConfig.from_pretrained(tmp_path / "model")
    prompts = PromptTokens(str(tmp_path / "model"), revision=None, chat=True)
    assert (config.bos_token_id, config.eos_token_id, prompts.tokenizer.eos_token_id) == (None, None, None)
    assert not (tmp_path / "model" / "generation_config.json").exists()
    assert max(prompts.encode("Anna has 12 apples.")) < config.vocab_size


def test_metrics_are_summed_over_the_copies_of_a_model() -> None:
    text = """# HELP sglang:cached_tokens_total Tokens out of the cache
# TYPE sglang:cached_tokens_total counter
sglang:cached_tokens_total{dp_rank="0",model_name="a b} c"} 100.0
sglang:cached_tokens_total{dp_rank="1",model_name="a b} c"} 1e3
sglang:gen_throughput 4312.5
process_cpu_seconds_total 7.0
"""
    assert read_metrics(text) == {"cached_tokens_total": 1100.0, "gen_throughput": 4312.5}


def test_figures_are_said_in_four_lines() -> None:
    found = Measurement(
        tokens=12_000,
        seconds=8.0,
        server_rates=(1600.0, 1400.0, 1700.0),
        prompt_tokens=1000.0,
        cached_tokens=935.0,
        client_seconds=0.4,
    )
    assert found.lines().splitlines() == [
        "tokens/s          1500   12000 tokens in 8.0 s",
        "the server's      1600   its own count while busy, median of 3 readings",
        "prefix cache     93.5%   of 1000 prompt tokens",
        "client            5.0%   of the time: 0.40 s of one core",
    ]


def test_without_a_gpu_it_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    result = CliRunner().invoke(cli, ["gpu-check"])
    assert result.exit_code == 2
    assert "no CUDA GPU on this machine, expected a GPU host" in result.output
    assert len(result.output.splitlines()) == 1
