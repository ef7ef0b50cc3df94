"""Training of the tiny model: a plain language-model loss on the solutions, all budgets mixed.

One example is `<|user|>` problem and budget `<|assistant|>` solution `<|end|>`; the loss counts what follows
`<|assistant|>`. The number of steps is fixed, not the time, so that a slower machine trains the same model.

Losses of the shipped model's training: step 0: 4.7, step 100: 1.1, step 300: 0.37, step 999: 0.06.
"""

import json
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from tqdm import tqdm

import prompts
from harness.tiny.problems import problems
from harness.tiny.solutions import BUDGETS, solution
from harness.tiny.tokenizer import END, MAX_LENGTH, PROMPT, build_tokenizer

if TYPE_CHECKING:
    from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

IGNORED = -100
# Widths are rounded up, so that the compiled kernels of few shapes serve all batches.
WIDTH_BLOCK = 16
# Most examples ask for a budget that is measured; the rest teach what lies between and beyond.
LISTED_SHARE = 0.6
OTHER_BUDGETS = (8, 300)


@dataclass(frozen=True)
class Training:
    """How long and how fast to train. `warmup` and `decay` are shares of the steps."""

    steps: int = 1000
    tokens_per_batch: int = 4096
    examples_per_pool: int = 2048
    learning_rate: float = 3e-3
    warmup: float = 0.02
    decay: float = 0.7
    seed: int = 0


def build_model(vocabulary: int, pad: int, end: int) -> "LlamaForCausalLM":
    """A Llama of 0.9 million parameters with random weights."""
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=128,
        intermediate_size=384,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=MAX_LENGTH,
        tie_word_embeddings=True,
        pad_token_id=pad,
        bos_token_id=None,
        eos_token_id=end,
        dtype="float32",
    )
    return LlamaForCausalLM(config)


def examples(tokenizer: "PreTrainedTokenizerFast", seed: int) -> Iterator[tuple[list[int], list[int]]]:
    """Endless (prompt ids, solution ids) of the training split, each with a budget of its own."""
    rng = random.Random(f"budgets-{seed}")

    def count_tokens(text: str) -> int:
        return len(tokenizer(text).input_ids)

    for problem in problems("train", seed):
        budget = rng.choice(BUDGETS) if rng.random() < LISTED_SHARE else rng.randint(*OTHER_BUDGETS)
        content = prompts.fill(PROMPT, problem=problem.question, token_limit=budget)
        prompt = tokenizer.apply_chat_template(
            [{"role": "user", "content": content}], add_generation_prompt=True, return_dict=False
        )
        yield prompt, tokenizer(solution(problem, budget, count_tokens) + END).input_ids


def batches(
    tokenizer: "PreTrainedTokenizerFast", training: Training
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Endless (input ids, labels), both (examples, width), right-padded; examples of like length together."""
    stream = examples(tokenizer, training.seed)
    rng = random.Random(f"batches-{training.seed}")
    while True:
        pool = sorted(islice(stream, training.examples_per_pool), key=lambda pair: sum(map(len, pair)))
        groups: list[list[tuple[list[int], list[int]]]] = [[]]
        for example in pool:
            if (len(groups[-1]) + 1) * sum(map(len, example)) > training.tokens_per_batch:
                groups.append([])
            groups[-1].append(example)
        rng.shuffle(groups)
        for group in groups:
            longest = max(len(prompt) + len(answer) for prompt, answer in group)
            width = math.ceil(longest / WIDTH_BLOCK) * WIDTH_BLOCK
            inputs = torch.full((len(group), width), tokenizer.pad_token_id)
            labels = torch.full((len(group), width), IGNORED)
            for row, (prompt, answer) in enumerate(group):
                end = len(prompt) + len(answer)
                inputs[row, :end] = torch.tensor(prompt + answer)
                labels[row, len(prompt) : end] = torch.tensor(answer)
            yield inputs, labels


def loss_of(model: "LlamaForCausalLM", inputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Mean cross-entropy over the labelled tokens, each predicted from those before it."""
    targets = labels[:, 1:]
    counted = targets != IGNORED
    # Padding is on the right and the attention causal: no mask is needed.
    hidden = model.model(input_ids=inputs, use_cache=False).last_hidden_state[:, :-1]
    logits = model.lm_head(hidden[counted])
    return torch.nn.functional.cross_entropy(logits.float(), targets[counted])


def train(training: Training) -> tuple["LlamaForCausalLM", "PreTrainedTokenizerFast", list[float]]:
    """The trained model, its tokenizer, and the loss of every step."""
    tokenizer = build_tokenizer()
    torch.manual_seed(training.seed)
    model = build_model(len(tokenizer), tokenizer.pad_token_id, tokenizer.eos_token_id)
    matrices = [p for name, p in model.named_parameters() if p.ndim == 2 and "embed" not in name]
    others = [p for name, p in model.named_parameters() if p.ndim != 2 or "embed" in name]
    optimizers = [
        torch.optim.Muon(
            matrices, lr=training.learning_rate, weight_decay=0.0, adjust_lr_fn="match_rms_adamw"
        ),
        torch.optim.AdamW(others, lr=training.learning_rate, weight_decay=0.0),
    ]
    schedules = [torch.optim.lr_scheduler.LambdaLR(o, lambda step: _rate(step, training)) for o in optimizers]
    losses: list[float] = []
    stream = batches(tokenizer, training)
    progress = tqdm(range(training.steps), desc="training", unit="step")
    for _ in progress:
        inputs, labels = next(stream)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = loss_of(model, inputs, labels)
        loss.backward()
        for optimizer, schedule in zip(optimizers, schedules, strict=True):
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
        losses.append(loss.item())
        progress.set_postfix(loss=f"{sum(losses[-50:]) / len(losses[-50:]):.3f}")
    return model.eval(), tokenizer, losses


def _rate(step: int, training: Training) -> float:
    """The learning rate's factor: a short linear rise, a plateau, a linear fall over the last `decay`."""
    done = (step + 1) / training.steps
    return max(0.0, min(1.0, done / training.warmup, (1 + 1 / training.steps - done) / training.decay))


def save(model: "LlamaForCausalLM", tokenizer: "PreTrainedTokenizerFast", folder: Path) -> None:
    """Writes a folder that transformers and SGLang load unchanged."""
    from transformers import GenerationConfig

    model.generation_config = GenerationConfig(
        do_sample=True,
        temperature=1.0,
        top_k=0,
        top_p=1.0,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    # transformers 5 writes a class name that version 4 does not know.
    config = folder / "tokenizer_config.json"
    settings = json.loads(config.read_text(encoding="utf-8")) | {"tokenizer_class": "PreTrainedTokenizerFast"}
    config.write_text(json.dumps(settings, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
