"""Converts a model for CTranslate2, once, when it is first used.

    harness/tiny/model/                  config.json, tokenizer.json, model.safetensors, ...
    harness/tiny/model/ctranslate2/      config.json, vocabulary.json, model.bin: what CTranslate2 loads

The weights keep their precision. Converting needs PyTorch and transformers; sampling answers does not.
"""

import json
import os
import shutil
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from harness.engines.token_ids import content_digest, model_folder, read_object
from results import BadInput
from results.commandline import how_to_install

WEIGHTS = "model.bin"
INSIDE = "ctranslate2"
"""The folder with the converted model, inside the model's own."""
SOURCE = "converted_from"
"""The key in the converted model's config.json for the fingerprint of the original weights."""
TRIAL = range(1, 9)
"""Token ids after which the converted model's logits are compared with the original's."""
SAME = {True: 1e-3, False: 0.1}
"""The largest relative distance between them, for weights in single (True) and in half precision."""


def converted(model: str, revision: str | None, say: Callable[[str], None]) -> Path:
    """The folder that CTranslate2 loads for `model`, a hub name or a folder; converts the model if needed.

    A folder that holds a model.bin is used as it is. Raises BadInput: no such model, a missing package, a
    folder that cannot be written to, or a model that CTranslate2 does not run correctly.
    """
    folder = model_folder(model, revision)
    if (folder / WEIGHTS).is_file():
        return folder
    if (folder / INSIDE / WEIGHTS).is_file():
        source = read_object(folder / INSIDE / "config.json").get(SOURCE)
        if fingerprint(folder) in (None, source):
            return folder / INSIDE
        say(f"the weights in {folder} are not those that were converted")
    for package in ("torch", "transformers"):
        if find_spec(package) is None:
            how = how_to_install(package)
            raise BadInput(f"model {model}: has to be converted once, which needs {package}: {how}")
    if not os.access(folder, os.W_OK):
        raise BadInput(f"model {model}: has to be converted once, and {folder} cannot be written to")
    say(f"converting {model} for CTranslate2, once, into {folder / INSIDE}")
    source = model if Path(model).is_dir() else _with_weights(model, revision)
    # In a process of its own, so that PyTorch and its copy of the weights do not stay in memory.
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        return process.submit(convert, Path(source)).result()


def convert(folder: Path) -> Path:
    """Convert the model in `folder`; returns the folder inside it that CTranslate2 loads.

    Raises BadInput for a model that CTranslate2 does not know, or that it converts wrongly.
    """
    from ctranslate2.converters import TransformersConverter

    from harness.server.cpu.torchvision_names import declare_torchvision_operations

    declare_torchvision_operations()  # before transformers loads a model
    unfinished = Path(mkdtemp(prefix=f"{INSIDE}-", dir=folder))
    try:
        expected, single = _own_logits(folder)
        TransformersConverter(str(folder)).convert(str(unfinished), force=True)
        _complete(unfinished / "config.json", fingerprint(folder))
        _compare(unfinished, expected, SAME[single])
        unfinished.chmod(0o755)  # temporary folders are private
        shutil.rmtree(folder / INSIDE, ignore_errors=True)
        unfinished.rename(folder / INSIDE)
    except (ValueError, NotImplementedError, KeyError, AttributeError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise BadInput(f"model {folder}: CTranslate2 cannot run it ({reason}): use engine 'sglang'") from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder / INSIDE


def _own_logits(folder: Path) -> tuple[Any, bool]:
    """The model's logits after TRIAL, and whether its weights are in single precision."""
    import torch
    import transformers

    transformers.utils.logging.disable_progress_bar()
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    with torch.inference_mode():
        logits = model(input_ids=torch.tensor([list(TRIAL)]), use_cache=False).logits[0, -1]
    return logits.float().numpy(), model.dtype == torch.float32


def _compare(folder: Path, expected: Any, most: float) -> None:
    """Raise ValueError if the converted model's logits differ from those `expected`.

    A converter that knows a model's type may still ignore some of its configuration.
    """
    import ctranslate2
    import numpy as np

    names = json.loads((folder / "vocabulary.json").read_text(encoding="utf-8"))
    model = ctranslate2.Generator(str(folder), compute_type="float32")
    logits = np.array(model.forward_batch([[names[token] for token in TRIAL]]))[0, -1]
    distance = float(np.linalg.norm(logits - expected) / np.linalg.norm(expected))
    if not distance < most:
        raise ValueError(f"its logits differ by {distance:.0%}")


def fingerprint(folder: Path) -> str | None:
    """A digest of the names and contents of the weights in `folder`; None if there are none."""
    files = [*folder.glob("*.safetensors"), *folder.glob("pytorch_model*.bin")]
    return content_digest(files) if files else None


def _complete(file: Path, source: str | None) -> None:
    """Add the source, and token names that CTranslate2 requires but does not use here."""
    config = read_object(file)
    names = {name: config.get(name) or config.get("eos_token") or "" for name in ("bos_token", "unk_token")}
    whole = config | names | {SOURCE: source}
    file.write_text(json.dumps(whole, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def _with_weights(model: str, revision: str | None) -> str:
    """Download the whole model; return its folder in the hub's cache."""
    from huggingface_hub import snapshot_download

    return str(snapshot_download(model, revision=revision, ignore_patterns=["original/*", "*.gguf", "*.pth"]))
