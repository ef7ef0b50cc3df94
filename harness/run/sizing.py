"""A run on GPUs, by arithmetic: memory, an upper bound on tokens/s, time and cost.

GPUs: 1     answers at once  tokens/s at most  to expect  time at least  to expect  cost at least  to expect
H100 80GB             1,024            27,711     11,084            1 h  2 h 30 min         2.51       6.27

A decoding step reads the weights once, and the key-value cache of every answer in flight. The data sheets'
memory bandwidth and FLOP/s bound the rate. A real server reaches about the fraction REACHED of that bound;
`tts gpu-check` measures it.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.experiment import ANSWERS_IN_FLIGHT, Experiment, model_location
from harness.server.launch import gpus_per_copy
from results.terminal import aligned

GPUS = {
    "A100 80GB": (80e9, 2.04e12, 312e12),
    "H100 80GB": (80e9, 3.35e12, 990e12),
    "H200 141GB": (141e9, 4.8e12, 990e12),
}
"""Bytes of memory, its bandwidth in bytes/s, bfloat16 FLOP/s; from NVIDIA's data sheets, SXM."""
USABLE = 0.85
"""The share of memory for weights and key-value cache, about what SGLang leaves for them."""
REACHED = 0.4
"""The share of the bound to expect. Published rates reach 0.21 to 0.43 of it: TensorRT-LLM v0.15 on an H100
has 16,117 tokens/s for 128 tokens in and out, 9,894 for 128 and 2,048, 7,953 for 500 and 2,000.
`tts gpu-check` measured 0.36 on an H200 (docs/gpu-host.md)."""
BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
_SHAPE = ("hidden_size", "intermediate_size", "vocab_size", "num_hidden_layers", "num_attention_heads")

LLAMA = json.loads((Path(__file__).parents[1] / "llama-shapes.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Load:
    """What to generate: tokens in total, mean tokens of a prompt and an answer, and answers per prompt."""

    tokens: float
    prompt: float
    answer: float
    answers_per_prompt: float


@dataclass(frozen=True)
class Size:
    """A dense decoder: its number of parameters, bytes of its weights, and bytes of cache per token."""

    parameters: int
    weights: int
    cache: int


def size_of(config: dict[str, Any], dtype: str) -> Size | None:
    """The size of the model with this config.json; None for anything but a dense decoder like Llama's."""
    if any("expert" in name for name in config) or not set(_SHAPE) <= config.keys():
        return None
    width, inner, words, layers, heads = (config[name] for name in _SHAPE)
    head = config.get("head_dim") or width // heads
    groups = config.get("num_key_value_heads") or heads
    layer = width * head * (2 * heads + 2 * groups) + 3 * width * inner + 2 * width
    embeddings = words * width * (1 if config.get("tie_word_embeddings") else 2)
    parameters = layers * layer + embeddings + width
    stored = config.get("dtype") or config.get("torch_dtype") or "bfloat16"
    each = BYTES.get(stored if dtype == "auto" else dtype, 2)
    return Size(parameters, parameters * each, 2 * layers * groups * head * each)


def tokens_per_second(size: Size, gpu: str, load: Load, each: int = 1) -> tuple[int, float] | None:
    """Answers that a copy on `each` GPUs decodes at once, and its maximum tokens/s; None if none fits.

    Answers to one prompt share its cache in memory, but each reads it in every step.
    """
    memory, bandwidth, operations = (each * amount for amount in GPUS[gpu])
    room = USABLE * memory - size.weights
    answers = int(room / (size.cache * (load.answer + load.prompt / load.answers_per_prompt)))
    if answers < 1:
        return None
    answers = min(answers, ANSWERS_IN_FLIGHT)
    read = size.weights + answers * size.cache * (load.prompt + load.answer / 2)
    return answers, min(answers * bandwidth / read, operations / (2 * size.parameters))


def gpu_lines(experiment: Experiment, load: Load, price_per_hour: float | None) -> list[str]:
    """Lines on the model's size, and on what `dp` copies could do at best on each kind of GPU."""
    size = _size_here(experiment)
    if size is None:
        return ["GPUs: unknown, as there is no config.json of this model on this machine"]
    lines = [
        f"model: {size.parameters / 1e9:.2f} billion parameters, {size.weights / 1e9:.1f} GB to download and "
        f"to hold on each GPU, {size.cache / 1e3:.0f} kB of cache for each token"
    ]
    copies = experiment.dp
    each = gpus_per_copy(experiment.server_flags)
    names = ("answers at once", "tokens/s at most", "time at least", "cost at least")
    rows = [
        (f"GPUs: {copies * each}", names[0], *(cell for name in names[1:] for cell in (name, "to expect")))
    ]
    for gpu in GPUS:
        pace = tokens_per_second(size, gpu, load, each)
        if pace is None:
            rows.append((gpu, "0", *["-"] * 6))
            continue
        answers, bound = pace[0] * copies, pace[1] * copies
        rates = (bound, REACHED * bound)
        hours = [load.tokens / rate / 3600 for rate in rates]
        costs = [f"{h * price_per_hour * copies * each:,.2f}" if price_per_hour else "-" for h in hours]
        times = [duration(3600 * h) for h in hours]
        rows.append((gpu, f"{answers:,}", *(f"{rate:,.0f}" for rate in rates), *times, *costs))
    measure = f"bounds by arithmetic, and {REACHED:.0%} of them: run `tts gpu-check` to measure"
    return [*lines, *aligned(rows), measure]


def _size_here(experiment: Experiment) -> Size | None:
    """The size from the model's config.json on this machine; Llama 3.1 8B needs no file."""
    from huggingface_hub import try_to_load_from_cache

    model = model_location(experiment.model)
    file: Any = Path(model) / "config.json"
    try:
        if not Path(model).is_dir():
            file = try_to_load_from_cache(model, "config.json", revision=experiment.revision)
        config = json.loads(Path(str(file)).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        if not model.startswith("meta-llama/Llama-3.1-8B"):
            return None
        config = LLAMA["family"] | LLAMA["shapes"]["llama-3.1-8b"]
    return size_of(config, experiment.dtype) if isinstance(config, dict) else None


def duration(seconds: float) -> str:
    """8 s, 12 min, 3 h 20 min, 2 d 5 h."""
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return f"{hours // 24} d {hours % 24} h"
