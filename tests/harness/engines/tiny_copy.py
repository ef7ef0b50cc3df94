"""Copies of the tiny model's folder with changed files.

changed(folder, {"config.json": {"eos_token_id": 3}, "chat_template.jinja": "{{ messages[0].content }}"})
"""

import json
import shutil
from pathlib import Path
from typing import Any

from harness.experiment import TINY_MODEL

BEGIN = 2


def changed(folder: Path, files: dict[str, Any], without: tuple[str, ...] = ("*.safetensors",)) -> str:
    """Copy the model without some files; in `files`, a text replaces a file, a dict changes its keys."""
    shutil.copytree(TINY_MODEL, folder, ignore=shutil.ignore_patterns(*without), dirs_exist_ok=True)
    for name, change in files.items():
        file = folder / name
        if isinstance(change, dict):
            change = json.dumps(json.loads(file.read_text()) | change)
        file.write_text(change)
    return str(folder)


def with_begin_token(folder: Path) -> Path:
    """Copy the tiny model to `folder` with a tokenizer that puts a BOS token before every text."""
    from tokenizers import Tokenizer, processors

    changed(folder, {})
    tokenizer = Tokenizer.from_file(str(TINY_MODEL / "tokenizer.json"))
    name = tokenizer.id_to_token(BEGIN)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{name} $A", special_tokens=[(name, BEGIN)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder
