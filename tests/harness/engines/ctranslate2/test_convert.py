"""Models converted for CTranslate2: once, beside their weights, and only if the same model comes out."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from harness.engines.ctranslate2 import convert as module
from harness.engines.ctranslate2.convert import INSIDE, convert, converted
from harness.experiment import TINY_MODEL
from results import BadInput

torch = pytest.importorskip("torch")


def unconverted(folder: Path) -> Path:
    shutil.copytree(TINY_MODEL, folder, ignore=shutil.ignore_patterns(INSIDE))
    return folder


def random_model(transformers: Any, folder: Path, name: str, **shape: Any) -> Path:
    """A small model of another architecture, with the tiny model's tokenizer."""
    torch.manual_seed(0)
    config = getattr(transformers, name)(vocab_size=320, eos_token_id=4, bos_token_id=None, **shape)
    config.initializer_range = 0.5
    transformers.AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    for file in TINY_MODEL.glob("tokenizer*"):
        shutil.copy(file, folder)
    return folder


SHAPE = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
SHAPE |= {"num_key_value_heads": 2, "head_dim": 8}


def test_the_shipped_conversion_is_what_converting_gives(tmp_path: Path) -> None:
    folder = convert(unconverted(tmp_path / "model"))
    shipped = TINY_MODEL / INSIDE
    assert {file.name for file in folder.iterdir()} == {file.name for file in shipped.iterdir()}
    for file in shipped.iterdir():
        assert (folder / file.name).read_bytes() == file.read_bytes(), file.name


@pytest.mark.integration
def test_a_model_is_converted_again_only_when_its_weights_are_others(tmp_path: Path) -> None:
    folder, said = tmp_path / "model", list[str]()
    shutil.copytree(TINY_MODEL, folder)
    assert converted(str(folder), None, said.append) == folder / INSIDE
    assert said == []
    weights = folder / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[3_000_000] ^= 1
    weights.write_bytes(content)
    assert converted(str(folder), None, said.append) == folder / INSIDE
    assert len(said) == 2
    assert (folder / INSIDE / "model.bin").read_bytes() != (TINY_MODEL / INSIDE / "model.bin").read_bytes()
    weights.unlink()  # as in a copy of the tokenizer and the converted model alone
    assert converted(str(folder), None, said.append) == folder / INSIDE
    assert [file.name for file in folder.iterdir() if file.is_dir()] == [INSIDE]


def test_a_folder_that_is_converted_is_taken_as_it_is(tmp_path: Path) -> None:
    for file in (TINY_MODEL / INSIDE).iterdir():
        shutil.copy(file, tmp_path)
    assert converted(str(tmp_path), None, print) == tmp_path


@pytest.mark.parametrize("missing", ["torch", "transformers"])
def test_what_converting_needs_is_said_before_it_is_begun(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, said = unconverted(tmp_path / "model"), list[str]()
    monkeypatch.setattr(module, "find_spec", lambda name: None if name == missing else name)
    with pytest.raises(BadInput, match=f"{missing}.*pip install"):
        converted(str(folder), None, said.append)
    assert said == []
    monkeypatch.setattr(module, "find_spec", lambda name: name)
    monkeypatch.setattr(module.os, "access", lambda *_: False)
    with pytest.raises(BadInput, match="cannot be written to"):
        converted(str(folder), None, said.append)
    assert not (folder / INSIDE).exists()


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("LlamaConfig", SHAPE),
        ("Qwen2Config", {key: SHAPE[key] for key in SHAPE if key != "head_dim"}),
        ("GPT2Config", {"n_positions": 64, "n_embd": 32, "n_layer": 2, "n_head": 4}),
    ],
)
def test_models_of_other_kinds_come_out_the_same(
    transformers: Any, name: str, shape: dict[str, Any], tmp_path: Path
) -> None:
    folder = convert(random_model(transformers, tmp_path / "model", name, **shape))
    assert json.loads((folder / "config.json").read_text())["bos_token"]


def test_a_model_that_is_not_converted_rightly_is_refused(transformers: Any, tmp_path: Path) -> None:
    """One of an unknown architecture, and one with a setting that the converter does not read."""
    unknown = random_model(transformers, tmp_path / "granite", "GraniteConfig", **SHAPE)
    capped = random_model(
        transformers, tmp_path / "gemma", "Gemma2Config", attn_logit_softcapping=0.1, **SHAPE
    )
    for folder in (unknown, capped):
        with pytest.raises(BadInput, match="CTranslate2 cannot run it"):
            convert(folder)
        assert not [file for file in folder.iterdir() if file.is_dir()]
