"""Prompt templates, and the few lines that fill them.

    >>> fill("tiny-budget", problem="Anna has 12 apples. ...", token_limit=40)
    'Anna has 12 apples. ...\\nUse around 40 tokens.'

A template is a text file in this folder with `{problem}` and, if it asks for a budget, `{token_limit}`; that
of a judge has the `{answer}` to be judged too. A template of your own is such a file anywhere, by its path.

`gsm8k-cot` has the eight examples of Wei et al. (2022), *Chain-of-Thought Prompting Elicits Reasoning in
Large Language Models*, arXiv:2201.11903, table 20, in the form that lm-eval's task `gsm8k_cot` sends.
"""

import hashlib
import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
_PLACEHOLDER = re.compile(r"\{(problem|token_limit|answer)\}")


def names() -> list[str]:
    """Every template's name, sorted."""
    return sorted(file.stem for file in FOLDER.glob("*.txt"))


@cache
def template(name: str) -> str:
    """The text of the template of that name or path, without the newline that ends its file.

    Raises FileNotFoundError for an unknown name, ValueError for a text that is no template.
    """
    file = FOLDER / f"{name}.txt" if name in names() else Path(name)
    if file.suffix != ".txt" or not file.is_file():
        known = ", ".join(names())
        raise FileNotFoundError(f"no prompt {name!r}, only {known}, or the path of a .txt file")
    try:
        text = file.read_text(encoding="utf-8").removesuffix("\n")
    except UnicodeDecodeError:
        raise ValueError("a text in UTF-8") from None
    if "{problem}" not in text:
        raise ValueError("a text with {problem}, where the question stands")
    return text


def digest(name: str) -> str:
    """The SHA-256 of the template's text, in hexadecimal, by which run.json identifies the prompt."""
    return hashlib.sha256(template(name).encode()).hexdigest()


def fill(name: str, *, problem: str, token_limit: int | None = None, answer: str | None = None) -> str:
    """The prompt for one problem. A placeholder in the text of problem or answer is left as it is.

    Raises ValueError if the template asks for a token limit or an answer and there is none.
    """
    if token_limit is None and "{token_limit}" in template(name):
        raise ValueError(f"prompt {name!r} needs a token budget")
    if answer is None and "{answer}" in template(name):
        raise ValueError(f"prompt {name!r} needs an answer to judge: it is for `tts judge`")
    values = {"problem": problem, "token_limit": str(token_limit), "answer": str(answer)}
    return _PLACEHOLDER.sub(lambda match: values[match[1]], template(name))


__all__ = ["digest", "fill", "names", "template"]
