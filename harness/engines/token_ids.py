"""Turns prompts into token ids. SGLang and the engine in this process get ids, so that both read the same.

    "Anna has 12 apples. ..." -> <|user|>Anna has 12 apples. ...<|assistant|> -> [2, 71, 140, 95, ...]

A chat template writes its own begin-of-text token; a server that is sent text may add a second one.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from harness.engines.base import Completion
from harness.engines.chat_template import TODAY, chat_template, render, special_tokens
from harness.errors import reason
from harness.grading.thoughts import opens
from harness.questions.hub_rows import hub_trouble
from results import BadInput
from results.tables.files import read_json

SAMPLE = "Anna has 12 apples.\n\nHow many are half of them?"
"""A prompt whose ids identify a way of turning prompts into ids."""
MOST_CHARACTERS, LONGEST_WORD = 12, 24
"""The most characters per token, on average and for a lone token; English text has 4 to 5 on average."""
REPEATED = re.compile(r"([\W_]{1,4}?|\w)\1+")
"""Rules and indents: one token may hold a hundred such characters."""
FILES = ("*.json", "*.jinja")
"""The tokenizer, template and configuration among a model's files on the hub."""


class PromptTokens:
    """A model's tokenizer, and its chat template if `chat`."""

    def __init__(
        self,
        model: str,
        revision: str | None,
        chat: bool,
        template_arguments: Mapping[str, Any] | None = None,
    ) -> None:
        """Load the tokenizer of `model` (hub name or folder). Raises BadInput if there is none.

        `template_arguments` are passed to the chat template, which may ignore them. If the hub does not
        answer, the model has to be in its cache.
        """
        from tokenizers import Tokenizer

        self.folder = model_folder(model, revision)
        file = self.folder / "tokenizer.json"
        if not file.is_file():
            raise BadInput(f"model {model}: no tokenizer could be loaded: no tokenizer.json in {self.folder}")
        try:
            self.tokenizer = Tokenizer.from_file(str(file))
        except Exception as error:  # the library raises no narrower one
            raise BadInput(f"model {model}: no tokenizer could be loaded: {error}") from None
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self.config = read_object(self.folder / "tokenizer_config.json")
        self.special = special_tokens(self.config)
        self._template = chat_template(self.folder, self.config) if chat else None
        if chat and not self._template:
            raise BadInput(f"model {model}: has no chat template: give --set chat=false, as for a base model")
        self._template_arguments = template_arguments
        self._rendered = lru_cache(maxsize=256)(self._render)
        try:
            self._encode("")
        except ValueError as error:
            raise BadInput(f"model {model}: {error}") from None
        # The answers to one prompt are requested one after the other.
        self.encode = lru_cache(maxsize=256)(self._encode)

    def go_on(self, prompt: str, said: str) -> tuple[int, ...]:
        """The ids of `prompt` and then `said`, the beginning of an answer or empty."""
        return self.encode(prompt) + self.plain(said)

    def turns(self, prompt: str, answer: str) -> tuple[int, ...]:
        """The ids of `prompt` and the model's whole `answer`, in the chat template.

        Raises BadInput if there is no template, or if it cannot render them.
        """
        if self._template is None:
            raise BadInput(f"model {self.folder}: has no chat template, which a reward model needs")
        try:
            given = (self.special, self._template_arguments)
            return self.plain(render(self._template, prompt, *given, answer=answer))
        except ValueError as error:
            raise BadInput(f"model {self.folder}: {error}") from None

    def opens_thinking(self, prompt: str) -> bool:
        """Whether `prompt`, as the model reads it, ends with the mark that opens its thinking."""
        return opens(self._rendered(prompt))

    def ends(self, text: str) -> list[int]:
        """Where each token of `text` ends, in characters."""
        return [end for _, end in self.tokenizer.encode(text, add_special_tokens=False).offsets]

    def count(self, text: str) -> int:
        """How many tokens `text` has."""
        return len(self.plain(text))

    def plain(self, text: str) -> tuple[int, ...]:
        """The ids of `text` alone, without a begin-of-text token."""
        return tuple(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def rendering(self) -> dict[str, str | None]:
        """For run.json: the digest of SAMPLE's ids, and the date if the template prints one."""
        digest = hashlib.sha256(repr(self._encode(SAMPLE)).encode()).hexdigest()
        date = None
        if self._template is not None:
            days = (TODAY, TODAY + timedelta(days=400))
            given = (self._template, SAMPLE, self.special, self._template_arguments)
            texts = {render(*given, day) for day in days}
            date = TODAY.date().isoformat() if len(texts) > 1 else None
        return {"sha256": digest, "date": date}

    def _encode(self, prompt: str) -> tuple[int, ...]:
        """The ids of `prompt`; if `chat`, as one user turn that the model is about to answer."""
        if self._template is None:
            return tuple(self.tokenizer.encode(prompt).ids)
        return self.plain(self._rendered(prompt))

    def _render(self, prompt: str) -> str:
        if self._template is None:
            return prompt
        return render(self._template, prompt, self.special, self._template_arguments)


def counted(answer: Completion, prompts: PromptTokens | None) -> Completion:
    """`answer` with its thinking tokens counted, by `prompts` if the server reports none.

    A server that hides the thinking may still report its tokens. Impossible `tokens` become None.
    """
    thought = answer.reasoning_tokens or None
    if thought is None and answer.reasoning is not None and prompts is not None:
        thought = prompts.count(answer.reasoning)
    return replace(answer, tokens=answer.tokens if _can_be(answer) else None, reasoning_tokens=thought)


def _can_be(answer: Completion) -> bool:
    """Whether `answer` can have the number of tokens that the server counts.

    Some servers leave out the thinking, or count a stream's pieces.
    """
    if not answer.tokens or (answer.reasoning_tokens or 0) > answer.tokens:
        return False
    written = (answer.reasoning or "") + answer.text
    most = MOST_CHARACTERS * answer.tokens
    if len(written) <= most:
        return True
    once = REPEATED.sub(r"\1", written)
    return len(once) <= most or (len(once) <= LONGEST_WORD and len(once.split()) == 1)


def model_folder(model: str, revision: str | None) -> Path:
    """The folder with the tokenizer and configuration of `model`; for a hub model, in the hub's cache.

    Raises BadInput if there is no such model.
    """
    if Path(model).is_dir():
        return Path(model)
    import httpx
    from huggingface_hub import snapshot_download

    trouble = hub_trouble(model, revision)
    try:
        folder = snapshot_download(
            model, revision=revision, allow_patterns=list(FILES), local_files_only=bool(trouble)
        )
    except (httpx.HTTPError, OSError, ValueError) as error:
        raise BadInput(
            f"model {model}: no such folder, and the Hugging Face hub does not give it "
            f"({trouble or reason(error)}); "
            "where a server has it under this name, give --set engine=openai and, to force answers or to "
            "limit thinking, the folder of its tokenizer: --set tokenizer=FOLDER"
        ) from None
    return Path(folder)


def content_digest(files: Iterable[Path]) -> str:
    """A digest of the names and contents of `files`, each read in a thread of its own."""
    ordered = sorted(files)
    with ThreadPoolExecutor() as threads:
        digests = list(threads.map(_digest_of, ordered))
    named = [[file.name, digest] for file, digest in zip(ordered, digests, strict=True)]
    return hashlib.sha256(json.dumps(named).encode()).hexdigest()


def _digest_of(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def read_object(file: Path) -> dict[str, Any]:
    """The object in a JSON file; empty if there is no such file. Raises BadInput for other content."""
    if not file.is_file():
        return {}
    content = read_json(file)
    if not isinstance(content, dict):
        raise BadInput(f"{file}: not a JSON object")
    return content
