"""The check of a GPU host: its model has Llama-3.1-8B's shape and ends no answer early."""

from pathlib import Path

import pytest
import torch

from harness.engines.tokens import PromptTokens
from harness.gpu_check import prompt_tokens, write_model
from harness.run.sizing import LLAMA
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


@pytest.mark.parametrize("shape", LLAMA["shapes"])
def test_nothing_ends_an_answer_early(tmp_path: Path, shape: str) -> None:
    write_model(shape, tmp_path / "model")
    config = AutoConfig.from_pretrained(tmp_path / "model")
    prompts = PromptTokens(str(tmp_path / "model"), revision=None, chat=True)
    assert (config.bos_token_id, config.eos_token_id, prompts.tokenizer.eos_token_id) == (None, None, None)
    assert not (tmp_path / "model" / "generation_config.json").exists()
    assert max(prompts.encode("Anna has 12 apples.")) < config.vocab_size


def test_prompt_tokens_are_summed_over_the_copies_of_a_model() -> None:
    text = """# TYPE sglang:cached_tokens_total counter
sglang:cached_tokens_total{dp_rank="0",model_name="a b} c"} 100.0
sglang:cached_tokens_total{dp_rank="1",model_name="a b} c"} 1e3
sglang:prompt_tokens_total 4312.5
process_cpu_seconds_total 7.0
"""
    assert prompt_tokens(text) == [4312.5, 1100.0]
