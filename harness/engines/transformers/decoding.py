"""Draws many answers at once from a transformers model: one pass over each prompt, then token after token.

    decoder = Decoder(model)
    decoder.add(Request(prompt=(2, 71, 140), said=(), n=64, seed=7, sampling=..., ends=...))
    for request, answers in decoder.step(): ...      # once it is finished: [[12, 9, 4], [12, 8, 9, 4], ...]

Requests join at any step, and finished answers leave, so that a few long ones do not hold up the rest.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from harness.engines.base import Sampling
from harness.engines.transformers.attention import NAME, Answers, Layer, PromptPass, Step
from harness.engines.transformers.next_token import next_tokens

PROMPTS = 8
"""Prompts whose keys and values are kept: requests with the same prompt follow one another."""
KEEP_SHARE = 7 / 8
"""Removing rows copies the others, so they are not removed one by one."""
SAME = {True: 1e-3, False: 0.1}
"""How far logits may be from those of the model's own attention, in single and in half precision."""


@dataclass(frozen=True, eq=False)
class Request:
    """`n` answers to one prompt, drawn with random numbers of their own."""

    prompt: tuple[int, ...]
    said: tuple[int, ...]
    """What the answers go on from; they do not hold it."""
    n: int
    seed: int
    sampling: Sampling
    ends: Callable[[Sequence[int]], bool]
    """Whether the newest token of an answer is its last."""


class _Drawing:
    """A request under way."""

    def __init__(self, request: Request, layers: list[Layer], logits: Tensor) -> None:
        """`layers` hold the prompt and what was said, and `logits` (1, vocabulary) follow it."""
        self.request = request
        self.answers: list[list[int]] = [[] for _ in range(request.n)]
        self.in_batch = list(range(request.n))
        """The index of the answer in each row."""
        self.open = set(self.in_batch)
        self.cache = Answers(layers, request.n)
        self._generator = torch.Generator().manual_seed(request.seed)
        self.take(logits.expand(request.n, -1))

    def take(self, logits: Tensor) -> None:
        """Draw the next token of each row; answer i gets the request's i-th uniform number of this step."""
        uniform = torch.rand(self.request.n, generator=self._generator)[self.in_batch].to(logits.device)
        drawn = next_tokens(logits, uniform, self.request.sampling).tolist()
        for answer, token in zip(self.in_batch, drawn, strict=True):
            if answer in self.open:
                tokens = self.answers[answer]
                tokens.append(token)
                if len(tokens) == self.request.sampling.max_new_tokens or self.request.ends(tokens):
                    self.open.remove(answer)
        if len(self.open) <= KEEP_SHARE * len(self.in_batch):
            left = [row for row, answer in enumerate(self.in_batch) if answer in self.open]
            self.in_batch = [self.in_batch[row] for row in left]
            self.cache.keep(torch.tensor(left, dtype=torch.long, device=logits.device))


class Decoder:
    """The requests that a model works on."""

    def __init__(self, model: Any) -> None:
        """Changes the model's attention to one that these requests can share."""
        self._model = model
        self._drawings: list[_Drawing] = []
        model.set_attn_implementation(NAME)
        self._prompt = lru_cache(PROMPTS)(self._pass)

    @property
    def rows(self) -> int:
        """How many answers are under way."""
        return sum(len(drawing.in_batch) for drawing in self._drawings)

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def add(self, request: Request) -> None:
        """Begin with `request`: a pass over its prompt, if that is not kept, and one over what was said."""
        layers, logits = self._prompt(request.prompt)
        if request.said:
            layers, logits = self._pass(request.said, layers)
        self._drawings.append(_Drawing(request, layers, logits))

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def step(self) -> list[tuple[Request, list[list[int]]]]:
        """Draw one token of every answer under way; returns the finished requests with their answers."""
        going = [drawing for drawing in self._drawings if drawing.open]
        if going:
            newest = [[drawing.answers[answer][-1]] for drawing in going for answer in drawing.in_batch]
            places = [[drawing.cache.end] for drawing in going for _ in drawing.in_batch]
            logits = self._logits(newest, places, Step([drawing.cache for drawing in going]))
            for drawing, part in zip(going, logits.split([d.cache.rows for d in going]), strict=True):
                drawing.take(part)
        finished = [(drawing.request, drawing.answers) for drawing in self._drawings if not drawing.open]
        self._drawings = [drawing for drawing in self._drawings if drawing.open]
        return finished

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def check(self) -> None:
        """Raises ValueError if this model's logits differ from those of its own attention.

        Models with attention of another kind (learned sinks, biases, soft caps) would be drawn from wrongly.
        """
        tokens, unknown = range(1, 9), "its attention is of a kind for engine 'sglang' or 'openai'"
        try:
            layers, _ = self._pass(tokens[3:5], self._pass(tokens[:3])[0])
            answers = Answers(layers, 1)
            for place in range(5, 8):
                ours = self._logits([[tokens[place]]], [[place]], Step([answers])).float()
            self._model.set_attn_implementation("eager")
            ids = torch.tensor([list(tokens)], device=self._model.device)
            theirs = self._model(input_ids=ids, use_cache=False, logits_to_keep=1).logits[:, -1].float()
            self._model.set_attn_implementation(NAME)
        except (TypeError, ValueError, AttributeError, IndexError, RuntimeError) as error:
            raise ValueError(f"{unknown} ({error})") from None
        distance = (ours - theirs).norm() / theirs.norm()
        if not distance < SAME[self._model.dtype == torch.float32]:
            raise ValueError(f"{unknown} (logits differ by {distance:.0%})")

    def clear(self) -> None:
        """Forget all requests."""
        self._drawings = []
        self._prompt.cache_clear()

    def _pass(self, tokens: Sequence[int], before: Sequence[Layer] = ()) -> tuple[list[Layer], Tensor]:
        """Keys and values of `tokens` and all `before` them, and the logits (1, vocabulary) that follow."""
        cache, first = PromptPass(before), before[0][0].shape[1] if before else 0
        logits = self._logits([tokens], [range(first, first + len(tokens))], cache)
        return cache.layers, logits

    def _logits(self, tokens: Sequence[Sequence[int]], places: Sequence[Sequence[int]], cache: Any) -> Tensor:
        """Logits (rows, vocabulary) after the rows of `tokens`, which are at the positions `places`."""
        ids, positions = (torch.tensor(rows, device=self._model.device) for rows in (tokens, places))
        output = self._model(
            input_ids=ids, position_ids=positions, past_key_values=cache, use_cache=True, logits_to_keep=1
        )
        logits: Tensor = output.logits[:, -1]
        return logits
