"""Training of the tiny model: a plain language-modelling loss, with all budgets mixed.

One example is `<|user|>` problem and budget `<|assistant|>` solution `<|end|>`; only what follows
`<|assistant|>` is in the loss. Steps are fixed, not time, so that a slower machine trains the same model.
Tokenizer and configuration are those of the folder `model`.

Losses of the shipped model's training: step 0: 4.7, step 100: 1.1, step 300: 0.37, step 999: 0.06.
"""

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch
from tqdm import tqdm
from transformers import AutoConfig, AutoModelForCausalLM

import prompts
from harness.engines.token_ids import PromptTokens
from harness.experiment import TINY_MODEL
from harness.server.cpu.torchvision_names import declare_torchvision_operations
from studies.tiny.problems import problems
from studies.tiny.solutions import BUDGETS, solution

declare_torchvision_operations()  # before the first model of transformers

IGNORED = -100
# Widths are rounded up, so that compiled kernels for a few shapes serve all batches.
WIDTH_BLOCK = 16
# Most examples have a budget that is evaluated; the rest cover values between and beyond.
LISTED_SHARE = 0.6
OTHER_BUDGETS = (8, 300)


@dataclass(frozen=True)
class Training:
    """The hyperparameters of training. `warmup` and `decay` are shares of the steps."""

    steps: int = 1000
    tokens_per_batch: int = 4096
    examples_per_pool: int = 2048
    learning_rate: float = 3e-3
    warmup: float = 0.02
    decay: float = 0.7
    seed: int = 0


def examples(tokens: PromptTokens, seed: int) -> Iterator[tuple[list[int], list[int]]]:
    """An endless stream of (prompt ids, solution ids) from the training split, each with its own budget."""
    rng = random.Random(f"budgets-{seed}")

    def count_tokens(text: str) -> int:
        return len(tokens.plain(text))

    for problem in problems("train", seed):
        budget = rng.choice(BUDGETS) if rng.random() < LISTED_SHARE else rng.randint(*OTHER_BUDGETS)
        prompt = tokens.encode(prompts.fill("tiny-budget", problem=problem.question, token_limit=budget))
        text = solution(problem, budget, count_tokens) + tokens.special["eos_token"]
        yield list(prompt), list(tokens.plain(text))


def batches(tokens: PromptTokens, training: Training) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """An endless stream of (input ids, labels), both (examples, width), right-padded, of similar length."""
    stream = examples(tokens, training.seed)
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
            inputs = torch.full(
                (len(group), width), tokens.tokenizer.token_to_id(tokens.special["pad_token"])
            )
            labels = torch.full((len(group), width), IGNORED)
            for row, (prompt, answer) in enumerate(group):
                end = len(prompt) + len(answer)
                inputs[row, :end] = torch.tensor(prompt + answer)
                labels[row, len(prompt) : end] = torch.tensor(answer)
            yield inputs, labels


def loss_of(model: Any, inputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Mean cross-entropy over the labelled tokens, each predicted from those before it."""
    targets = labels[:, 1:]
    counted = targets != IGNORED
    # Padding is on the right and the attention causal: no mask is needed.
    hidden = model.model(input_ids=inputs, use_cache=False).last_hidden_state[:, :-1]
    logits = model.lm_head(hidden[counted])
    return torch.nn.functional.cross_entropy(logits.float(), targets[counted])


def train(training: Training) -> tuple[Any, list[float]]:
    """Train the model; return it and the loss of every step."""
    tokens = PromptTokens(str(TINY_MODEL), None, chat=True)
    torch.manual_seed(training.seed)
    model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(TINY_MODEL))
    matrices = [p for name, p in model.named_parameters() if p.ndim == 2 and "embed" not in name]
    others = [p for name, p in model.named_parameters() if p.ndim != 2 or "embed" in name]
    rate = training.learning_rate
    optimizers = [
        torch.optim.Muon(matrices, lr=rate, weight_decay=0.0, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(others, lr=rate, weight_decay=0.0),
    ]
    schedules = [torch.optim.lr_scheduler.LambdaLR(o, lambda step: _rate(step, training)) for o in optimizers]
    losses: list[float] = []
    stream = batches(tokens, training)
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
    return model.eval(), losses


def _rate(step: int, training: Training) -> float:
    """The learning rate's factor: a short linear rise, a plateau, a linear fall over the last `decay`."""
    done = (step + 1) / training.steps
    return max(0.0, min(1.0, done / training.warmup, (1 + 1 / training.steps - done) / training.decay))
