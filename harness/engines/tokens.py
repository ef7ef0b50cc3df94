"""Turns prompts into token ids. SGLang and the local engine get ids, so that both read exactly the same.

    "Anna has 12 apples. ..." -> <|user|>Anna has 12 apples. ...<|assistant|> -> [2, 71, 140, 95, ...]

A chat template writes its own begin-of-text token; a server that is sent text may add a second one.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any

from harness.questions.hub import hub_trouble
from results import BadInput


class PromptTokens:
    """A model's tokenizer, and its chat template if `chat`."""

    def __init__(self, model: str, revision: str | None, chat: bool) -> None:
        """Load the tokenizer of `model` (hub name or folder). Raises BadInput if there is none.

        Where the hub does not answer, the model has to be in its cache.
        """
        trouble = "" if Path(model).is_dir() else hub_trouble(model, revision)
        self.local_only = bool(trouble)
        from transformers import PreTrainedTokenizerFast  # AutoTokenizer imports PyTorch, 280 MB of it

        try:
            self.tokenizer: Any = PreTrainedTokenizerFast.from_pretrained(
                model, revision=revision, local_files_only=self.local_only
            )
        except (OSError, ValueError) as error:
            reason = f"no such folder, nor can the Hugging Face hub give it ({trouble})"
            if not trouble:
                here = any(Path(model).glob("tokenizer*"))
                reason = f"no tokenizer could be loaded: {error if here else 'none is in this folder'}"
            raise BadInput(f"model {model}: {reason}") from None
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
