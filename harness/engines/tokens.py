"""Turns prompts into token ids. SGLang and the local engine get ids, so that both read exactly the same.

    "Anna has 12 apples. ..." -> <|user|>Anna has 12 apples. ...<|assistant|> -> [2, 71, 140, 95, ...]

A chat template writes its own begin-of-text token; a server that is sent text may add a second one.
"""

from functools import lru_cache
from typing import Any

from harness.server.cpu.torchvision_names import declare_torchvision_operations
from results import BadInput


class PromptTokens:
    """A model's tokenizer, and its chat template if `chat`."""

    def __init__(self, model: str, revision: str | None, chat: bool) -> None:
        """Load the tokenizer of `model` (hub name or folder). Raises BadInput if there is none."""
        declare_torchvision_operations()
        from transformers import AutoTokenizer

        try:
            self.tokenizer: Any = AutoTokenizer.from_pretrained(model, revision=revision)
        except (OSError, ValueError) as error:
            raise BadInput(f"model {model}: no tokenizer could be loaded: {error}") from None
        if chat and not self.tokenizer.chat_template:
            raise BadInput(f"model {model}: has no chat template, expected chat = false for a base model")
        self._chat = chat
        # Chunks of one prompt follow one another.
        self.encode = lru_cache(maxsize=256)(self._encode)

    def go_on(self, prompt: str, said: str) -> tuple[int, ...]:
        """The ids of `prompt` and of `said`, the beginning of an answer or nothing."""
        return self.encode(prompt) + tuple(self.tokenizer(said, add_special_tokens=False)["input_ids"])

    def _encode(self, prompt: str) -> tuple[int, ...]:
        """The ids of `prompt`, as one user turn that the model is about to answer if `chat`."""
        if not self._chat:
            return tuple(self.tokenizer(prompt)["input_ids"])
        turns = [{"role": "user", "content": prompt}]
        return tuple(self.tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_dict=False))
