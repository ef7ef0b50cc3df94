"""Chat templates against transformers' own rendering, in all that templates of known models make use of."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from harness.engines.token_ids import PromptTokens
from harness.experiment import TINY_MODEL

PROMPT = "Anna's <b>12</b> apples & 5 more.\nUse around 40 tokens."
TEMPLATES = {
    "roles": """{%- for message in messages %}
        {{- '<|' + message['role'] + '|>' + message.content | trim }}
    {%- endfor %}
    {%- if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}""",
    "blocks": """{% for m in messages %}
    {% if m.role == 'user' %}
Q: {{ m.content }}
    {% endif %}
{% endfor %}
""",
    "special": "{{ bos_token }}{{ messages[0].content }}{{ eos_token }}{{ pad_token }}{{ none_such }}",
    "json": "{{ messages | tojson }}{{ messages | tojson(indent=2) }}{{ 'é' | tojson(ensure_ascii=True) }}",
    "loop": """{% for m in [1, 2, 3] %}
    {%- if m == 2 %}{% continue %}{% endif %}{{ m }}{% if m == 3 %}{% break %}{% endif %}
{% endfor %}{{ messages[-1].content }}""",
    "generation": "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}{% endfor %}!",
    "namespace": """{% set ns = namespace(seen=false) %}
{% for m in messages %}{% set ns.seen = true %}{% endfor %}{{ ns.seen }}{{ messages[0].content[::-1] }}""",
    "tools": "{% if tools is none and not documents %}{{ messages[0].content.split(' ')[1:] }}{% endif %}",
    "macro": "{%- macro turn(m) -%}{{ m.content | upper }}{%- endmacro -%}{{ turn(messages[0]) }}",
}


def with_template(folder: Path, template: Any, inside: bool, **tokens: Any) -> str:
    """The tiny model's tokenizer with another template, in tokenizer_config.json or in a file of its own."""
    shutil.copytree(
        TINY_MODEL, folder, ignore=shutil.ignore_patterns("*.jinja", "ctranslate2", "*.safetensors")
    )
    if not inside:
        (folder / "chat_template.jinja").write_text(template)
    file = folder / "tokenizer_config.json"
    given = json.loads(file.read_text()) | tokens | ({"chat_template": template} if inside else {})
    file.write_text(json.dumps(given))
    return str(folder)


def theirs(transformers: Any, folder: str) -> list[int]:
    turns = [{"role": "user", "content": PROMPT}]
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    return list(tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_dict=False))


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_is_rendered_as_transformers_renders_it(
    transformers: Any, name: str, inside: bool, tmp_path: Path
) -> None:
    begin = {"content": "<|user|>", "lstrip": False, "__type": "AddedToken"}
    folder = with_template(tmp_path / "model", TEMPLATES[name], inside, bos_token=begin)
    assert list(PromptTokens(folder, None, chat=True).encode(PROMPT)) == theirs(transformers, folder)


def test_of_several_templates_the_default_is_taken(transformers: Any, tmp_path: Path) -> None:
    named = [{"name": "rag", "template": "no"}, {"name": "default", "template": TEMPLATES["roles"]}]
    folder = with_template(tmp_path / "model", named, inside=True)
    assert list(PromptTokens(folder, None, chat=True).encode(PROMPT)) == theirs(transformers, folder)
