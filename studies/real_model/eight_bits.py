"""A model folder with 8-bit weights and activations (W8A8), for processors that are slow at bfloat16.

    python -m studies.real_model.eight_bits MODEL OUT        (folders; needs PyTorch)

Each projection's weights become integers from −127 to 127 with a scale per output channel; its inputs are
quantized at run time with a scale per token. Embeddings, norms and the output layer stay unchanged.
The folder is in the format of compressed-tensors ("int-quantized"), which vLLM and SGLang read.
"""

import json
import shutil
from pathlib import Path

import click
import torch
from safetensors.torch import load_file, save_file

FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
OTHERS = ("tokenizer.json", "tokenizer_config.json", "generation_config.json", "chat_template.jinja")


def eight_bits(weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """A matrix (outputs, inputs) as 8-bit numbers and the scale of each output, (outputs, 1)."""
    full = weight.float()
    scale = full.abs().amax(dim=1, keepdim=True).clamp(min=1e-12) / 127
    return (full / scale).round().clamp(-127, 127).to(torch.int8), scale


def quantization() -> dict[str, object]:
    """The quantization entry of config.json."""
    numbers = {"num_bits": 8, "type": "int", "symmetric": True}
    group = {
        "targets": ["Linear"],
        "weights": {**numbers, "strategy": "channel", "dynamic": False},
        "input_activations": {**numbers, "strategy": "token", "dynamic": True},
    }
    return {
        "quant_method": "compressed-tensors",
        "format": "int-quantized",
        "quantization_status": "compressed",
        "ignore": ["lm_head"],
        "config_groups": {"group_0": group},
    }


@click.command()
@click.argument("model", type=FOLDER)
@click.argument("out", type=click.Path(path_type=Path, file_okay=False))
def main(model: Path, out: Path) -> None:
    """Write the folder OUT: MODEL in 8 bits."""
    out.mkdir(parents=True, exist_ok=True)
    tensors = {}
    for file in sorted(model.glob("*.safetensors")):
        for name, tensor in load_file(file).items():
            tensors[name] = tensor
            if name.endswith("_proj.weight"):
                tensors[name], tensors[f"{name}_scale"] = eight_bits(tensor)
    save_file(tensors, out / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    text = json.dumps(config | {"quantization_config": quantization()}, indent=1)
    (out / "config.json").write_text(text, encoding="utf-8")
    for name in OTHERS:
        if (model / name).exists():
            shutil.copy(model / name, out)
    click.echo(f"{len(tensors)} tensors -> {out}")


if __name__ == "__main__":
    main()
