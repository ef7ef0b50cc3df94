"""A model's chat template, rendered as transformers renders it, without importing transformers.

    {"role": "user", "content": "Anna has 12 apples. ..."} -> "<|user|>Anna has 12 apples. ...<|assistant|>"

https://huggingface.co/docs/transformers/chat_templating_writing lists what a template may use.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn

from jinja2 import TemplateError, nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

TODAY = datetime(2024, 7, 26)
"""The date given to templates, so that a run resumed tomorrow sends the same prompts; Llama 3.1's own."""
SPECIAL = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
"""Tokens of tokenizer_config.json that a template may use."""


def chat_template(folder: Path, config: Mapping[str, Any]) -> str | None:
    """The template of the model in `folder` with this tokenizer_config.json; None if it has none."""
    file = folder / "chat_template.jinja"
    if file.is_file():
        return file.read_text(encoding="utf-8")
    given = config.get("chat_template")
    if isinstance(given, list):  # several, by name
        given = {one["name"]: one["template"] for one in given}.get("default")
    return given


def special_tokens(config: Mapping[str, Any]) -> dict[str, str]:
    """The special tokens that tokenizer_config.json names, by the names of SPECIAL."""
    given = {name: config[name] for name in SPECIAL if config.get(name)}
    return {name: token["content"] if isinstance(token, dict) else token for name, token in given.items()}


def render(
    template: str,
    prompt: str,
    tokens: Mapping[str, str],
    arguments: Mapping[str, Any] | None = None,
    today: datetime = TODAY,
    answer: str | None = None,
) -> str:
    """`prompt` as one user turn that the model is about to answer; templates that print a date print `today`.

    With an `answer`, both turns, complete, as a reward model reads them.
    `arguments` are specific to this template, such as Qwen3's `enable_thinking`. Raises ValueError if the
    template cannot be rendered.
    """
    turns = [{"role": "user", "content": prompt}]
    if answer is not None:
        turns.append({"role": "assistant", "content": answer})
    try:
        compiled = _environment(today).from_string(template)
        usual: dict[str, Any] = {
            "messages": turns,
            "tools": None,
            "documents": None,
            "add_generation_prompt": answer is None,
        }
        usual["date_string"] = today.strftime("%d %b %Y")
        return compiled.render({**usual, **tokens, **(arguments or {})})
    except TemplateError as error:
        raise ValueError(f"chat template: {error}") from None


def _environment(today: datetime) -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, "jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = _tojson
    environment.globals |= {"raise_exception": _refuse, "strftime_now": today.strftime}
    return environment


class _Generation(Extension):
    """{% generation %}…{% endgeneration %} marks the model's turn for training; here it is plain text."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _tojson(value: Any, ensure_ascii: bool = False, **layout: Any) -> str:
    """Jinja's own filter would also escape HTML characters."""
    return json.dumps(value, ensure_ascii=ensure_ascii, **layout)


def _refuse(message: str) -> NoReturn:
    raise TemplateError(message)
