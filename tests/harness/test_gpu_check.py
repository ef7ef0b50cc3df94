"""The check of a GPU host: its model has Llama-3.1-8B's shape and ends no answer early."""

from pathlib import Path

import pytest
import torch
from click.testing import CliRunner

from harness.cli import cli
from harness.engines.tokens import PromptTokens
from harness.gpu_check import SHAPES, write_model
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


def test_without_a_gpu_it_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    result = CliRunner().invoke(cli, ["gpu-check"])
    assert (result.exit_code, len(result.output.splitlines())) == (2, 1)
    assert "can use no GPU" in result.output
