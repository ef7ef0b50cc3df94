"""Models converted for CTranslate2: once, next to their weights, and only if the outputs stay the same."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from harness.engines.ctranslate2 import convert as module
from harness.engines.ctranslate2.convert import INSIDE, convert, converted
from harness.experiment import TINY_MODEL
from results import BadInput
from tests.harness.engines.tiny_copy import changed

pytestmark = pytest.mark.usefixtures("transformers")

SHIPPED = TINY_MODEL / INSIDE
SHAPE = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
SHAPE |= {"num_key_value_heads": 2}


def random_model(transformers: Any, folder: Path, name: str, **shape: Any) -> Path:
    """A small model of another architecture, with the tiny model's tokenizer."""
    transformers.set_seed(0)
    config = getattr(transformers, name)(vocab_size=320, eos_token_id=4, bos_token_id=None, **shape)
    config.initializer_range = 0.5
    transformers.AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    for file in TINY_MODEL.glob("tokenizer*"):
        shutil.copy(file, folder)
    return folder


def test_the_weights_are_those_of_the_revision_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str | None]] = []
    hub = pytest.importorskip("huggingface_hub")
    monkeypatch.setattr(
        hub, "snapshot_download", lambda name, revision=None, **_: asked.append((name, revision))
    )
    module._with_weights("org/model", "abc123")
    assert asked == [("org/model", "abc123")]


@pytest.mark.parametrize("apart", [False, pytest.param(True, marks=pytest.mark.release)])
def test_a_model_is_converted_again_only_when_its_weights_are_others(
    apart: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`apart`: convert in a separate process, as in real use, which loads PyTorch again."""
    if not apart:
        monkeypatch.setattr(module, "ProcessPoolExecutor", lambda n, _context: ThreadPoolExecutor(n))
    folder, said = Path(changed(tmp_path / "model", {}, without=())), list[str]()
    inside = folder / INSIDE
    assert converted(str(folder), None, said.append) == inside
    assert said == []
    weights = folder / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[3_000_000] ^= 1
    weights.write_bytes(content)
    assert converted(str(folder), None, said.append) == inside
    assert len(said) == 2
    assert (inside / "model.bin").read_bytes() != (SHIPPED / "model.bin").read_bytes()
    weights.unlink()  # as in a copy with only the tokenizer and the converted model
    assert converted(str(folder), None, said.append) == inside
    assert [file.name for file in folder.iterdir() if file.is_dir()] == [INSIDE]
    assert converted(str(inside), None, said.append) == inside
    assert len(said) == 2


def test_the_shipped_conversion_is_what_converting_gives(tmp_path: Path) -> None:
    folder = convert(Path(changed(tmp_path / "model", {}, without=(INSIDE,))))
    assert {file.name for file in folder.iterdir()} == {file.name for file in SHIPPED.iterdir()}
    for file in SHIPPED.iterdir():
        assert (folder / file.name).read_bytes() == file.read_bytes(), file.name


@pytest.mark.parametrize("missing", ["torch", "transformers"])
def test_what_converting_needs_is_said_before_it_is_begun(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(changed(tmp_path / "model", {}, without=(INSIDE,)))
    said = list[str]()
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
    [("Qwen2Config", SHAPE), ("GPT2Config", {"n_positions": 64, "n_embd": 32, "n_layer": 2, "n_head": 4})],
)
def test_models_of_other_kinds_come_out_the_same(
    transformers: Any, name: str, shape: dict[str, Any], tmp_path: Path
) -> None:
    folder = convert(random_model(transformers, tmp_path / "model", name, **shape))
    assert json.loads((folder / "config.json").read_text())["bos_token"]


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("GraniteConfig", {}),  # unknown to the converter
        ("Gemma2Config", {"attn_logit_softcapping": 0.1}),  # ignored by the converter
    ],
)
def test_a_model_that_is_not_converted_rightly_is_refused(
    transformers: Any, name: str, setting: dict[str, Any], tmp_path: Path
) -> None:
    folder = random_model(transformers, tmp_path / "model", name, **SHAPE, head_dim=8, **setting)
    with pytest.raises(BadInput, match="CTranslate2 cannot run it"):
        convert(folder)
    assert not [file for file in folder.iterdir() if file.is_dir()]


def test_a_model_whose_outputs_are_no_numbers_is_refused(
    transformers: Any, torch: Any, tmp_path: Path
) -> None:
    folder = random_model(transformers, tmp_path / "model", "LlamaConfig", **SHAPE)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    with torch.no_grad():
        model.lm_head.weight.fill_(float("nan"))
    model.save_pretrained(folder)
    with pytest.raises(BadInput, match="CTranslate2 cannot run it"):
        convert(folder)
