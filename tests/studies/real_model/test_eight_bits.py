"""The script that makes an 8-bit model: its output represents the weights that it read."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner


def test_weights_come_back_within_half_a_step(torch: Any, tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    from safetensors.torch import load_file, save_file

    from studies.real_model.eight_bits import main

    draw = torch.Generator().manual_seed(0)
    weight = torch.randn(5, 64, generator=draw) * torch.tensor([[1e-3], [1.0], [50.0], [0.0], [2.0]])
    given = {"model.q_proj.weight": weight.bfloat16(), "model.norm.weight": torch.ones(64)}
    (tmp_path / "model").mkdir()
    save_file(given, tmp_path / "model" / "model.safetensors")
    (tmp_path / "model" / "config.json").write_text(json.dumps({"hidden_size": 64}))
    done = CliRunner().invoke(main, [str(tmp_path / "model"), str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    made = load_file(tmp_path / "out" / "model.safetensors")
    scale = made["model.q_proj.weight_scale"]
    back = made["model.q_proj.weight"].float() * scale
    assert ((back - given["model.q_proj.weight"].float()).abs() <= scale / 2 * 1.001).all()
    assert torch.equal(made["model.norm.weight"], given["model.norm.weight"])
    config = json.loads((tmp_path / "out" / "config.json").read_text())
    assert (
        config["hidden_size"],
        config["quantization_config"]["config_groups"]["group_0"]["weights"]["num_bits"],
    ) == (64, 8)
