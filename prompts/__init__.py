"""Prompt templates, and the few lines that fill them.

    >>> fill("tiny-budget", problem="Anna has 12 apples. ...", token_limit=40)
    'Anna has 12 apples. ...\\nUse around 40 tokens.'

A template is a text file in this folder with `{problem}` and, if it asks for a budget, `{token_limit}`. To
add one, add a file. Only `gsm8k-cot`, the 8-shot chain-of-thought prompt of Wei et al. (2022), is put
together from the installed lm-eval package, whose data its examples are.
"""

import hashlib
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

FOLDER = Path(__file__).parent
_PLACEHOLDER = re.compile(r"\{(problem|token_limit)\}")


def names() -> list[str]:
    """Every template's name, sorted."""
    return sorted(["gsm8k-cot", *(file.stem for file in FOLDER.glob("*.txt"))])


@cache
def template(name: str) -> str:
    """The template's text, without the newline that ends its file.

    Raises FileNotFoundError for an unknown name, ModuleNotFoundError for a package that is not installed.
    """
    if name not in names():
        raise FileNotFoundError(f"no prompt named {name!r}, only {', '.join(names())}")
    if name == "gsm8k-cot":
        return _gsm8k_cot()
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8").removesuffix("\n")


def _gsm8k_cot() -> str:
    """The examples of lm-eval's task of that name, joined as lm-eval joins them."""
    import yaml

    spec = find_spec("lm_eval")  # looked up, not imported: the import takes seconds and needs torch
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("prompt gsm8k-cot needs the package lm-eval: pip install lm-eval==0.4.13")
    file = Path(spec.origin).parent / "tasks" / "gsm8k" / "gsm8k-cot.yaml"
    shots = yaml.safe_load(file.read_text(encoding="utf-8"))["fewshot_config"]["samples"]
    parts = [f"Q: {shot['question']}\nA: {shot['target']}" for shot in shots]
    return "\n\n".join([*parts, "Q: {problem}\nA:"])


def digest(name: str) -> str:
    """The SHA-256 of the template's text, in hexadecimal, by which run.json identifies the prompt."""
    return hashlib.sha256(template(name).encode()).hexdigest()


def fill(name: str, *, problem: str, token_limit: int | None) -> str:
    """The prompt for one problem. A placeholder in the text of the problem is left as it is.

    Raises ValueError if the template asks for a token limit and there is none.
    """
    if token_limit is None and "{token_limit}" in template(name):
        raise ValueError(f"prompt {name!r} needs a token budget")
    values = {"problem": problem, "token_limit": str(token_limit)}
    return _PLACEHOLDER.sub(lambda match: values[match[1]], template(name))


__all__ = ["digest", "fill", "names", "template"]
