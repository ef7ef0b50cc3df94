"""Chat templates, checked against transformers, and Llama's against the public description of its format.

https://www.llama.com/docs/model-cards-and-prompt-formats/llama3_1/ has one begin-of-text token; a turn is
a role between two header tokens, an empty line, the content, the end-of-turn token. The ids are the model's.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

from harness.engines.chat_template import render
from harness.engines.ctranslate2.in_process import end_tokens_of
from harness.engines.token_ids import PromptTokens
from tests.harness.engines.tiny_copy import changed

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
NAMED = [{"name": "rag", "template": "no"}, {"name": "default", "template": TEMPLATES["roles"]}]


@pytest.mark.parametrize(
    ("file", "content"),
    [
        *(("chat_template.jinja", template) for template in TEMPLATES.values()),
        *(("tokenizer_config.json", {"chat_template": template}) for template in (TEMPLATES["roles"], NAMED)),
    ],
)
def test_a_template_is_rendered_as_transformers_renders_it(
    transformers: Any, file: str, content: Any, tmp_path: Path
) -> None:
    begin = {"bos_token": {"content": "<|user|>", "lstrip": False, "__type": "AddedToken"}}
    without = ("*.jinja", "ctranslate2", "*.safetensors")
    folder = changed(tmp_path / "model", {"tokenizer_config.json": begin}, without)
    changed(tmp_path / "model", {file: content}, ("*",))
    turns = [{"role": "user", "content": PROMPT}]
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    theirs = tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_dict=False)
    assert list(PromptTokens(folder, None, chat=True).encode(PROMPT)) == list(theirs)


BEGIN, END, START_HEADER, END_HEADER, END_MESSAGE, END_TURN = 128000, 128001, 128006, 128007, 128008, 128009
SPECIAL = {
    "<|begin_of_text|>": BEGIN,
    "<|end_of_text|>": END,
    "<|start_header_id|>": START_HEADER,
    "<|end_header_id|>": END_HEADER,
    "<|eom_id|>": END_MESSAGE,
    "<|eot_id|>": END_TURN,
}
# Written by hand. 3.1 has a fixed date; 3.2 asks for today's if it can.
DATES = {
    "3.1": "{%- if date_string is not defined %}{%- set date_string = '26 Jul 2024' %}{%- endif %}",
    "3.2": "{%- if date_string is not defined %}"
    "{%- set date_string = strftime_now('%d %b %Y') %}{%- endif %}",
}
TURNS = """{{- bos_token }}
{{- '<|start_header_id|>system<|end_header_id|>\n\n' }}
{{- 'Cutting Knowledge Date: December 2023\nToday Date: ' + date_string + '\n\n<|eot_id|>' }}
{%- for message in messages %}
    {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n' }}
    {{- message['content'] | trim + '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\n\n' }}
{%- endif %}"""


def llama(folder: Path, template: str) -> str:
    """A folder with a byte tokenizer that has Llama's special tokens and begins plain text with BEGIN."""
    folder.mkdir()
    letters = {letter: number for number, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    tokenizer = Tokenizer(models.BPE(vocab=letters | SPECIAL, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(list(SPECIAL))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<|begin_of_text|> $A", special_tokens=[("<|begin_of_text|>", BEGIN)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    words = {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>", "chat_template": template}
    ends = {"bos_token_id": BEGIN, "eos_token_id": [END, END_MESSAGE, END_TURN]}
    for name, content in (("tokenizer_config", words), ("generation_config", ends), ("config", {})):
        (folder / f"{name}.json").write_text(json.dumps(content))
    return str(folder)


def special_in(ids: tuple[int, ...]) -> list[int]:
    return [number for number in ids if number >= BEGIN]


@pytest.mark.parametrize("version", DATES)
def test_a_turn_of_llama_has_one_beginning_three_headers_and_no_end_of_its_own(
    tmp_path: Path, version: str
) -> None:
    prompts = PromptTokens(llama(tmp_path / "model", DATES[version] + TURNS), None, chat=True)
    ids = prompts.encode("Anna has 12 apples.")
    header = [START_HEADER, END_HEADER]
    assert special_in(ids) == [BEGIN, *header, END_TURN, *header, END_TURN, *header]
    assert special_in(prompts.go_on("Anna has 12 apples.", "So")) == special_in(ids)
    roles = []
    for at, number in enumerate(ids):
        if number == START_HEADER:
            roles.append(prompts.tokenizer.decode(ids[at + 1 : ids.index(END_HEADER, at)]))
    assert roles == ["system", "user", "assistant"]
    assert prompts.tokenizer.decode(ids[-2:]) == "\n\n"
    text = prompts.tokenizer.decode(ids, skip_special_tokens=False)
    assert "Today Date: 26 Jul 2024\n" in text  # whatever the day
    assert prompts.rendering()["date"] == "2024-07-26"
    assert end_tokens_of(prompts, tmp_path / "model") == {END, END_MESSAGE, END_TURN}


def test_plain_text_begins_once_and_what_goes_on_does_not_begin_again(tmp_path: Path) -> None:
    prompts = PromptTokens(llama(tmp_path / "model", TURNS), None, chat=False)
    ids = prompts.encode("Q: 1 + 1?\nA:")
    assert (ids[0], len(ids), special_in(ids)) == (BEGIN, 1 + len("Q: 1 + 1?\nA:"), [BEGIN])
    assert prompts.go_on("Q: 1 + 1?\nA:", " 2")[: len(ids)] == ids
    assert special_in(prompts.go_on("Q: 1 + 1?\nA:", " 2")) == [BEGIN]
    assert prompts.rendering()["date"] is None


def test_transformers_renders_the_same_for_llama(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    folder = llama(tmp_path / "model", DATES["3.2"] + TURNS)
    turns = [{"role": "user", "content": "Anna has 12 apples."}]
    tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
    given = {"add_generation_prompt": True, "date_string": "26 Jul 2024", "return_dict": False}
    theirs = tokenizer.apply_chat_template(turns, **given)
    assert list(PromptTokens(folder, None, chat=True).encode(turns[0]["content"])) == list(theirs)


def test_another_template_or_date_is_told_apart(tmp_path: Path) -> None:
    whole = DATES["3.1"] + TURNS
    ways = {"a": whole, "b": whole.replace(" | trim", " + ' '"), "c": "{{ 1 }}"}
    folders = [llama(tmp_path / way, text) for way, text in ways.items()]
    made = [PromptTokens(folder, None, chat=True).rendering() for folder in folders]
    assert len({one["sha256"] for one in made}) == 3
    assert [one["date"] for one in made] == ["2024-07-26", "2024-07-26", None]


def test_a_templates_arguments_outrank_the_usual_ones() -> None:
    given = {"date_string": "1 May 2020", "documents": ["a"], "bos_token": "<b>"}
    text = render("{{ bos_token }}{{ date_string }}{{ documents[0] }}", PROMPT, {"bos_token": "<a>"}, given)
    assert text == "<b>1 May 2020a"
