"""Attention of many answers to one prompt, whose keys and values are kept once for all of them.

A model calls `cache.update(keys, values, layer)` and hands what comes back to its attention function. The
caches here give back a function of the query instead of the keys, and the attention function calls it:

    PromptPass    one pass over a prompt; keeps each layer's keys and values, (heads, tokens, head size)
    Step          one more token of every answer under way, whatever their prompts

Query heads that share a key head (grouped-query attention) are multiplied with it together.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface

NAME = "shared-prompt"
"""The attention implementation's name in transformers."""
FIRST_ROOM = 32
"""Tokens that an answer has room for at first; the room doubles when it is full."""

Layer = tuple[Tensor, Tensor]
"""Keys and values."""
Look = Callable[[Tensor, float | None, int | None], Tensor]
"""From a query (rows, heads, tokens, head size), its scale and a window to what it sees, of that shape."""


def attend(
    _module: Any,
    query: Tensor,
    look: Look,
    _values: Tensor,
    _mask: Any,
    scaling: float | None = None,
    sliding_window: int | None = None,
    **_: Any,
) -> tuple[Tensor, None]:
    """transformers' attention function for the caches below."""
    return look(query, scaling, sliding_window).transpose(1, 2), None


AttentionInterface.register(NAME, attend)


class PromptPass:
    """The cache of one pass over a prompt, or over what goes on from one: `before` has the layers of that."""

    def __init__(self, before: Sequence[Layer] = ()) -> None:
        self._before = before
        self.layers: list[Layer] = []
        """Those of `before` included."""

    def get_seq_length(self, *_: Any) -> int:
        """What models ask of a cache; where positions are given, it makes no difference."""
        return 0

    def update(self, keys: Tensor, values: Tensor, layer: int, *_: Any, **__: Any) -> tuple[Look, None]:
        """Keep a layer's keys and values (1, heads, tokens, head size)."""
        keys, values = keys[0], values[0]
        if self._before:
            keys, values = (
                torch.cat(both, 1) for both in zip(self._before[layer], (keys, values), strict=True)
            )
        self.layers.append((keys, values))

        def look(query: Tensor, scaling: float | None, window: int | None) -> Tensor:
            place = torch.arange(keys.shape[1], device=query.device)
            distance = place[-query.shape[2] :, None] - place
            seen = (distance >= 0) & (distance < (window or len(place)))
            return scaled_dot_product_attention(
                query, keys[None], values[None], attn_mask=seen, scale=scaling, enable_gqa=True
            )

        return look, None


class Answers:
    """The keys and values of `rows` answers to one prompt, `length` tokens each, beside the prompt's own."""

    def __init__(self, prompt: Sequence[Layer], rows: int) -> None:
        self.rows, self.length = rows, 0
        self._prompt = prompt
        self._own = [
            tuple(part.new_empty(rows, part.shape[0], FIRST_ROOM, part.shape[2]) for part in layer)
            for layer in prompt
        ]
        """By layer: buffers (rows, heads, room, head size), used up to `length`."""

    @property
    def end(self) -> int:
        """The position of the first token that is not here yet."""
        return len(self._prompt[0][0][0]) + self.length

    def begin_token(self) -> None:
        """Count one more token, and make room for it."""
        if self.length == self._own[0][0].shape[2]:
            self._own = [
                tuple(torch.cat([part, torch.empty_like(part)], 2) for part in own) for own in self._own
            ]
        self.length += 1

    def keep(self, rows: Tensor) -> None:
        """Go on with these rows only."""
        self.rows = len(rows)
        self._own = [tuple(part[rows] for part in own) for own in self._own]

    def write(self, layer: int, *states: Tensor) -> None:
        """The newest token's keys and values (rows, heads, 1, head size)."""
        for part, new in zip(self._own[layer], states, strict=True):
            part[:, :, self.length - 1] = new[:, :, 0]

    def look(self, layer: int, query: Tensor, scaling: float | None, window: int | None) -> Tensor:
        """What a query (rows, heads, 1, head size) sees of the prompt and of its own answer."""
        rows, heads, _, size = query.shape
        keys, values = self._prompt[layer]
        shared, length = keys.shape[:2]
        first = 0 if window is None else max(0, self.end - window)
        keys, values = keys[:, first:], values[:, first:]
        own_keys, own_values = (part[:, :, max(0, first - length) : self.length] for part in self._own[layer])

        query = (query * (size**-0.5 if scaling is None else scaling)).view(rows, shared, -1, size)
        together = rows * (heads // shared)  # all answers meet the prompt in one product for each key head
        to_prompt = query.transpose(0, 1).reshape(shared, together, size) @ keys.mT
        to_prompt = to_prompt.view(shared, rows, heads // shared, keys.shape[1]).transpose(0, 1)
        weights = torch.cat([to_prompt, query @ own_keys.mT], -1).softmax(-1, torch.float32).to(query.dtype)
        of_prompt, of_own = weights.split([keys.shape[1], own_keys.shape[2]], -1)
        of_prompt = of_prompt.transpose(0, 1).reshape(shared, together, keys.shape[1])
        seen = (of_prompt @ values).view(shared, rows, heads // shared, size).transpose(0, 1)
        return (seen + of_own @ own_values).reshape(rows, heads, 1, size)


class Step:
    """The cache of one step: the rows of all `groups`, one after the other."""

    def __init__(self, groups: Sequence[Answers]) -> None:
        self._groups = groups
        self._rows = [group.rows for group in groups]
        for group in groups:
            group.begin_token()

    def get_seq_length(self, *_: Any) -> int:
        """As in PromptPass."""
        return 0

    def update(self, keys: Tensor, values: Tensor, layer: int, *_: Any, **__: Any) -> tuple[Look, None]:
        """Keep the newest tokens' keys and values (rows, heads, 1, head size)."""
        parts = zip(self._groups, keys.split(self._rows), values.split(self._rows), strict=True)
        for group, key, value in parts:
            group.write(layer, key, value)
        return partial(self._look, layer), None

    def _look(self, layer: int, query: Tensor, scaling: float | None, window: int | None) -> Tensor:
        parts = zip(self._groups, query.split(self._rows), strict=True)
        return torch.cat([group.look(layer, part, scaling, window) for group, part in parts])
