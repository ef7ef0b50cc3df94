"""The tiny model's folder with other files.

changed(folder, {"config.json": {"eos_token_id": 3}, "chat_template.jinja": "{{ messages[0].content }}"})
"""

import json
import shutil
from pathlib import Path
from typing import Any

from harness.experiment import TINY_MODEL


def changed(folder: Path, files: dict[str, Any], without: tuple[str, ...] = ("*.safetensors",)) -> str:
    """A copy of the model, but for files that are left out. A text is a file's, a dict changes its keys."""
    shutil.copytree(TINY_MODEL, folder, ignore=shutil.ignore_patterns(*without), dirs_exist_ok=True)
    for name, change in files.items():
        file = folder / name
        if isinstance(change, dict):
            change = json.dumps(json.loads(file.read_text()) | change)
        file.write_text(change)
    return str(folder)
