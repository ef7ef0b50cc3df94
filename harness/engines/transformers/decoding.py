"""Draws many answers at once from a transformers model: one pass over each prompt, then token after token.

    decode(model, [Request(prompt=(2, 71, 140), n=64, seed=7)], limit=64, next_tokens=..., ends=rule.ends)
    -> [[[12, 9, 4], [12, 8, 9, 4], ...]]      # per request, per answer: its tokens

The answers to a prompt share one pass over it. Finished answers leave the batch, so that a few long ones do
not carry the others along.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from harness.engines.transformers.cache import roomy_cache
from harness.engines.transformers.next_token import NextTokens

KEEP_SHARE = 7 / 8  # removing rows copies the others, so rows are not removed one by one


@dataclass(frozen=True)
class Request:
    """`n` answers to one prompt, drawn with random numbers of their own."""

    prompt: tuple[int, ...]
    n: int
    seed: int


@torch.inference_mode()  # type: ignore[untyped-decorator]
def decode(
    model: Any,
    requests: Sequence[Request],
    limit: int,
    next_tokens: NextTokens,
    ends: Callable[[Sequence[int]], bool],
) -> list[list[list[int]]]:
    """The tokens of every answer to every request, at most `limit` (at least 1) each.

    At every step, answer i of a request gets the i-th uniform number that the request's generator draws.
    `ends` says whether the newest token of an answer is its last.
    """
    prompts = list(dict.fromkeys(request.prompt for request in requests))
    place = {prompt: index for index, prompt in enumerate(prompts)}
    device = model.device
    ids, mask = _left_padded(prompts, device)
    cache = roomy_cache(model.config)
    output = model(
        input_ids=ids,
        attention_mask=mask,
        position_ids=(mask.cumsum(-1) - 1).clamp(min=0),
        past_key_values=cache,
        logits_to_keep=1,
    )

    # From one row a prompt to one row an answer.
    rows = torch.tensor([place[r.prompt] for r in requests for _ in range(r.n)], device=device)
    cache.batch_select_indices(rows)
    mask, logits, positions = mask[rows], output.logits[rows, -1], mask.sum(-1)[rows]
    generators = [torch.Generator().manual_seed(request.seed) for request in requests]
    answers: list[list[int]] = [[] for _ in rows]
    in_batch = list(range(len(answers)))  # the answer in each row
    finished = [False] * len(answers)

    for step in range(limit):
        # For finished answers as well, so that an answer depends on its own request alone.
        uniform = torch.cat([torch.rand(r.n, generator=g) for r, g in zip(requests, generators, strict=True)])
        tokens = next_tokens(logits, uniform[in_batch].to(device))
        for answer, token in zip(in_batch, tokens.tolist(), strict=True):
            if not finished[answer]:
                answers[answer].append(token)
                finished[answer] = ends(answers[answer])
        left = [row for row, answer in enumerate(in_batch) if not finished[answer]]
        if not left or step + 1 == limit:
            break
        if len(left) <= KEEP_SHARE * len(in_batch):
            in_batch = [in_batch[row] for row in left]
            index = torch.tensor(left, device=device)
            cache.batch_select_indices(index)
            mask, tokens, positions = mask[index], tokens[index], positions[index]
        mask = torch.cat([mask, mask.new_ones(len(in_batch), 1)], dim=1)
        output = model(
            input_ids=tokens[:, None],
            attention_mask=mask,
            position_ids=positions[:, None],
            past_key_values=cache,
        )
        logits, positions = output.logits[:, -1], positions + 1

    by_answer = iter(answers)
    return [[next(by_answer) for _ in range(request.n)] for request in requests]


def _left_padded(prompts: Sequence[Sequence[int]], device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids and mask (prompts, longest), padded on the left: every prompt ends in the last column."""
    longest = max(map(len, prompts))
    ids = torch.zeros(len(prompts), longest, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, prompt in enumerate(prompts):
        ids[row, longest - len(prompt) :] = torch.tensor(prompt)
        mask[row, longest - len(prompt) :] = 1
    return ids.to(device), mask.to(device)
