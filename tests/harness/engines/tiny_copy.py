"""The tiny model's folder with other files.

changed(folder, {"config.json": {"eos_token_id": 3}, "chat_template.jinja": "{{ messages[0].content }}"})
"""

import json
import shutil
from pathlib import Path
from typing import Any

from harness.experiment import TINY_MODEL

BEGIN = 2


def changed(folder: Path, files: dict[str, Any], without: tuple[str, ...] = ("*.safetensors",)) -> str:
    """A copy of the model, but for files that are left out. A text is a file's, a dict changes its keys."""
    shutil.copytree(TINY_MODEL, folder, ignore=shutil.ignore_patterns(*without), dirs_exist_ok=True)
    for name, change in files.items():
        file = folder / name
        if isinstance(change, dict):
            change = json.dumps(json.loads(file.read_text()) | change)
        file.write_text(change)
    return str(folder)


def with_begin_token(folder: Path) -> Path:
    """The tiny model's tokenizer in `folder`, which now puts a token before every text."""
    from tokenizers import Tokenizer, processors

    changed(folder, {})
    tokenizer = Tokenizer.from_file(str(TINY_MODEL / "tokenizer.json"))
    name = tokenizer.id_to_token(BEGIN)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{name} $A", special_tokens=[(name, BEGIN)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder
