r"""Removes thinking from a model's text: a number in a thought is no answer.

<think>21 - 15 is 6.</think>It is ##6##.                        It is ##6##.
21 - 15 is 6.</think>It is ##6##.                               It is ##6##.     the prompt opened it
<reasoning>21 - 15                                              nothing: it thought to the end
<|channel|>analysis<|message|>6?<|end|><|start|>assistant<|channel|>final<|message|>It is ##6##.
analysis6?assistantfinalIt is ##6##.                            It is ##6##.     gpt-oss, without marks
{"reasoning": "Answer: 5? No.", "answer": 6}                    {"answer": "6"}
"""

import json
import re

OPEN, CLOSE = "<think>", "</think>"
"""The marks of Qwen3, DeepSeek-R1, GLM-4.5, Kimi K2 and most others."""

FIELD = r"(?:(?:final|correct)[_ -]?+)?+answer(?:[_ ](?:choice|letter|option))?+"
"""The name of the field that holds the answer, in an object of JSON or Python."""

CHANNEL = re.compile(r"<\|channel\|>|assistantfinal|\A\s*analysis(?=[^\W_]|[\"'(*$])")
"""What identifies text in channels (gpt-oss), with its marks or without them."""
FINAL = re.compile(r"<\|channel\|>\s*final\b[^\n]*?<\|message\|>|assistantfinal")
"""The header of the channel with the answer."""
END_OF_CHANNEL = re.compile(r"<\|(?:return|end|call|start)\|>")

_NAMES = (
    r"\|?(?:[a-z]{1,12}[_:])?(?:ant)?"
    r"(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|scratchpad|analysis|monologue)\|?"
)
_OPEN_MARK = (
    rf"(?:<(?:{_NAMES})>|\[THINK\]|◁think▷|<\|begin_of_thought\|>|<\|START_THINKING\|>|<\|inner_prefix\|>"
    r"|<unused94>|\AHere is my thought process:)"
)
_OPENS = re.compile(rf"(?:(?<=[\s>])|\A){_OPEN_MARK}(?!\s*tags?\b)", re.IGNORECASE)
_OPENS_AT_THE_END = re.compile(rf"{_OPEN_MARK}\s*\Z", re.IGNORECASE)
_CLOSES = re.compile(
    rf"</(?:{_NAMES})>|<\|/(?:think|thinking)\|>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<\|END_THINKING\|>"
    r"|<\|inner_suffix\|>|<unused95>|^Here is my response:",
    re.IGNORECASE | re.MULTILINE,
)
_MARKS = ("<", "Here is my", "[THINK]", "[/THINK]", "think▷", "assistantfinal", "analysis")


def without_thoughts(text: str) -> str:
    """The text after the last closed thought, up to any thought that is opened and never closed."""
    if not any(mark in text for mark in _MARKS):
        return text
    if CHANNEL.search(text):
        final = FINAL.search(text)
        return END_OF_CHANNEL.split(text[final.end() :])[0] if final else ""
    end = 0
    for close in _CLOSES.finditer(text):
        end = close.end()
    opened = _OPENS.search(text, end)
    return text[end : opened.start()] if opened else text[end:]


def without_other_fields(text: str) -> str:
    """The text with only the answer left of a JSON object that has a field for it: others are thoughts."""
    start, end = text.find("{"), text.rfind("}") + 1
    if "nswer" not in text[start:end]:
        return text
    try:
        fields = json.loads(text[start:end], strict=False, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return text
    answers = {name: fields[name] for name in fields if re.fullmatch(FIELD, name, re.IGNORECASE)}
    return text[:start] + json.dumps(answers, ensure_ascii=False) + text[end:] if answers else text


def only_thinks(text: str) -> bool:
    """Whether the text is thinking only, with nothing after it."""
    return bool(text.strip()) and not without_thoughts(text).strip()


def closes(text: str) -> bool:
    """Whether a thought ends in the text."""
    return _CLOSES.search(text) is not None or FINAL.search(text) is not None


def opens(prompt: str) -> bool:
    """Whether `prompt`, as the model reads it, already opens the thinking (DeepSeek-R1, QwQ)."""
    return _OPENS_AT_THE_END.search(prompt.rstrip()[-40:]) is not None
