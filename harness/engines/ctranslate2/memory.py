"""How many tokens a batch may hold in memory, and memory that is kept for the next step.

    tiny: 4 layers of 4 heads of 32 -> 4,096 bytes a token
    Qwen2.5-Coder-1.5B: 28 layers of 12 heads of 128 -> 344,064 bytes a token, although it has 2 key heads

CTranslate2 keeps keys and values in single precision for every query head, the prompt's for every answer, and
copies them all in every step.
"""

import ctypes
import os
from collections.abc import Mapping
from typing import Any

UNKNOWN = 16_384
"""Tokens of a batch where nothing is known of the model or of the memory."""
SHARE = 0.5
"""Of the machine's memory, for the keys and values of all batches."""
COPIES = 2
"""The keys and values of a step, and of the one before."""
M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4


def most_tokens(config: Mapping[str, Any], batches: int) -> int:
    """The tokens of each of `batches` at a time, of a model with this config.json."""
    each = bytes_per_token(config)
    if each is None or "SC_PHYS_PAGES" not in os.sysconf_names:
        return UNKNOWN
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return int(SHARE * memory / (COPIES * batches * each))


def bytes_per_token(config: Mapping[str, Any]) -> int | None:
    """Of the keys and values of one token in one answer; None for a config.json of an unknown kind."""
    layers, heads = (config.get(name) for name in ("num_hidden_layers", "num_attention_heads"))
    if not layers or not heads or not config.get("hidden_size"):
        return None
    head = config.get("head_dim") or config["hidden_size"] // heads
    return int(2 * 4 * layers * heads * head)


def keep_freed_memory() -> None:
    """Let glibc keep what is freed, instead of asking the kernel for cleared pages again in every step.

    Of a model of 1.5 billion parameters this doubled the speed (studies/benchmarks/README.md).
    """
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        libc.mallopt(M_MMAP_MAX, 0)
        libc.mallopt(M_TRIM_THRESHOLD, 2**31 - 1)
