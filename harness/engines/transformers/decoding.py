"""Draws many answers at once from a transformers model: one pass over each prompt, then token after token.

    decoder = Decoder(model)
    decoder.add(Request(prompt=(2, 71, 140), n=64, seed=7, limit=164, next_tokens=..., ends=rule.ends))
    for request, answers in decoder.step(): ...      # once it is finished: [[12, 9, 4], [12, 8, 9, 4], ...]

Requests join at any step, and finished answers leave, so that a few long ones do not hold up the rest.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from harness.engines.transformers.attention import NAME, Answers, Layer, PromptPass, Step
from harness.engines.transformers.next_token import NextTokens

KEEP_SHARE = 7 / 8
"""Removing rows copies the others, so they are not removed one by one."""
SAME = {True: 1e-3, False: 0.1}
"""How far logits may be from those of the model's own attention, in single and in half precision."""


@dataclass(frozen=True, eq=False)
class Request:
    """`n` answers of at most `limit` tokens to one prompt, drawn with random numbers of their own."""

    prompt: tuple[int, ...]
    n: int
    seed: int
    limit: int
    next_tokens: NextTokens
    ends: Callable[[Sequence[int]], bool]
    """Whether the newest token of an answer is its last."""


class _Drawing:
    """A request under way."""

    def __init__(self, request: Request, layers: list[Layer], logits: torch.Tensor) -> None:
        """`logits` (1, vocabulary) follow the prompt."""
        self.request, self.layers, self.logits = request, layers, logits
        self.answers: list[list[int]] = [[] for _ in range(request.n)]
        self.in_batch = list(range(request.n))
        """The index of the answer in each row."""
        self.open = set(self.in_batch)
        self.cache = Answers(layers, request.n)
        self._generator = torch.Generator().manual_seed(request.seed)
        self.take(logits.expand(request.n, -1))

    @property
    def place(self) -> int:
        """The position of the newest tokens."""
        return len(self.request.prompt) + self.cache.length

    def take(self, logits: torch.Tensor) -> None:
        """Draw the next token of each row; answer i gets the request's i-th uniform number of this step."""
        uniform = torch.rand(self.request.n, generator=self._generator)[self.in_batch].to(logits.device)
        drawn = self.request.next_tokens(logits, uniform).tolist()
        for answer, token in zip(self.in_batch, drawn, strict=True):
            if answer in self.open:
                tokens = self.answers[answer]
                tokens.append(token)
                if len(tokens) == self.request.limit or self.request.ends(tokens):
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

    @property
    def rows(self) -> int:
        """How many answers are under way."""
        return sum(len(drawing.in_batch) for drawing in self._drawings)

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def add(self, request: Request) -> None:
        """Begin with `request`: one pass over its prompt, unless another request has made that."""
        same = [drawing for drawing in self._drawings if drawing.request.prompt == request.prompt]
        if same:
            layers, logits = same[0].layers, same[0].logits
        else:
            cache = PromptPass()
            logits = self._logits(request.prompt, range(len(request.prompt)), cache, one_row=True)
            layers = cache.layers
        self._drawings.append(_Drawing(request, layers, logits))

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def step(self) -> list[tuple[Request, list[list[int]]]]:
        """Draw one token of every answer under way; returns the finished requests with their answers."""
        going = [drawing for drawing in self._drawings if drawing.open]
        if going:
            newest = [drawing.answers[answer][-1] for drawing in going for answer in drawing.in_batch]
            places = [drawing.place for drawing in going for _ in drawing.in_batch]
            logits = self._logits(newest, places, Step([drawing.cache for drawing in going]))
            for drawing, part in zip(going, logits.split([d.cache.rows for d in going]), strict=True):
                drawing.take(part)
        finished = [(drawing.request, drawing.answers) for drawing in self._drawings if not drawing.open]
        self._drawings = [drawing for drawing in self._drawings if drawing.open]
        return finished

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def difference(self) -> str | None:
        """What is wrong if this model's logits differ from its own attention's, else None.

        Models with attention of another kind (learned sinks, biases, soft caps) would be drawn from wrongly.
        """
        tokens, cache = range(1, 9), PromptPass()
        ids = torch.tensor([list(tokens)], device=self._model.device)
        try:
            self._logits(tokens[:5], range(5), cache, one_row=True)
            answers = Answers(cache.layers, 1)
            for place in range(5, 8):
                ours = self._logits(tokens[place : place + 1], [place], Step([answers]))
            self._model.set_attn_implementation("eager")
            theirs = self._model(input_ids=ids, use_cache=False, logits_to_keep=1).logits[:, -1]
            self._model.set_attn_implementation(NAME)
        except (TypeError, ValueError, AttributeError, IndexError, RuntimeError) as error:
            return f"attention of a kind that this engine does not know ({error})"
        ours, theirs = ours.float(), theirs.float()
        distance = (ours - theirs).norm() / theirs.norm()
        if not distance < SAME[self._model.dtype == torch.float32]:
            return f"attention of a kind that this engine does not know (logits differ by {distance:.0%})"
        return None

    def clear(self) -> None:
        """Forget all requests."""
        self._drawings = []

    def _logits(
        self, tokens: Sequence[int], places: Sequence[int], cache: Any, one_row: bool = False
    ) -> torch.Tensor:
        """Logits (rows, vocabulary) after `tokens` at the positions `places`: a row, or a row each."""
        shape = (1, -1) if one_row else (-1, 1)
        ids, positions = (
            torch.tensor(values, device=self._model.device).view(shape) for values in (tokens, list(places))
        )
        output = self._model(
            input_ids=ids, position_ids=positions, past_key_values=cache, use_cache=True, logits_to_keep=1
        )
        logits: torch.Tensor = output.logits[:, -1]
        return logits
