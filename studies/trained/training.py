"""Training of the linear-attention layer or the softmax transformer on one lesson (`lessons.py`).

    matrices, losses = teach(LESSONS["fig2h", "trained-linear-attention paths"], seed=0)

PyTorch on the CPU, one thread, everything drawn from one seed.
"""

import math
from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor
from torch.nn.functional import softplus

from studies.trained.layer import examples_gram, gradient_layer, next_coefficients
from studies.trained.lessons import Lesson
from studies.trained.softmax import softmax_reader, softmax_weights
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import Array

SHARP, BLUNT = 3e-4, 0.1
"""ClipNorm cuts at 0, which blocks the gradient: training softens the cut, from BLUNT down to SHARP."""
FAR = 10.0
"""Squared errors far above this times d count by their logarithm, so one diverging loop does not dominate."""
FLOOR = 5e-4
"""Added to every weight in the likelihood, so that one token of probability 0 does not outweigh a batch."""
Reader = Callable[[Tensor, int], Tensor]
"""(thoughts (b, t, d+1), asked) to the last w̃ (b, asked, d)."""


def linear_weights(d: int, generator: torch.Generator) -> dict[str, Tensor]:
    """A linear-attention layer's random weights, by the names of `Layer`."""
    scale = 0.1 / math.sqrt(d)
    value = scale * torch.randn(d, 2 * d + 2, generator=generator)
    return {"value": value, "key_query": scale * torch.randn(2 * d + 2, d + 1, generator=generator)}


def linear_reader(weights: dict[str, Tensor], x: Tensor, y: Tensor) -> Reader:
    """The layer on examples x (b, n, d), y (b, n)."""
    gram = examples_gram(torch.cat([x, y[:, :, None]], dim=2))

    def guesses(thoughts: Tensor, asked: int) -> Tensor:
        t = thoughts.shape[1]
        mask = torch.ones(asked, t).tril(t - asked)
        found: Tensor = next_coefficients(
            weights["value"], weights["key_query"], gram, thoughts, mask, x.shape[1]
        )
        return found

    return guesses


def teach(lesson: Lesson, seed: int) -> tuple[dict[str, Array], list[float]]:
    """A new model's trained matrices by name, and the loss of every iteration.

    PyTorch keeps to one thread in this process from then on, so that a seed repeats its numbers.
    """
    torch.set_num_threads(1)
    new, read = (softmax_weights, softmax_reader) if lesson.softmax else (linear_weights, linear_reader)
    weights = new(lesson.setting.d, torch.Generator().manual_seed(seed))
    trained = [one.requires_grad_() for one in weights.values()]
    generator = torch.Generator().manual_seed(seed + 1)
    optimizer = torch.optim.Adam(trained, lr=lesson.learning_rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, lesson.learning_rate, total_steps=lesson.iterations, pct_start=0.2
    )
    losses = []
    for iteration in range(lesson.iterations):
        loss = _loss(partial(read, weights), lesson, iteration / lesson.iterations, generator)
        optimizer.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(trained, 1.0)
        if torch.isfinite(norm):  # skip a batch on which the loop diverged
            optimizer.step()
        schedule.step()
        losses.append(float(loss.detach()))
    return {name: one.detach().double().numpy() for name, one in weights.items()}, losses


def draw_batch(lesson: Lesson, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """New random tasks: x (b, n, d), y (b, n), w* (b, d), distributed as in `synthetic.model.tasks`."""
    setting, batch = lesson.setting, lesson.batch
    x = torch.randn(batch, setting.n, setting.d, generator=generator)
    if isinstance(setting, BinarySetting):
        order = torch.rand(batch, setting.d, generator=generator).argsort(dim=1)
        w_star = torch.zeros(batch, setting.d).scatter(1, order[:, : setting.k], 1.0)
    else:
        w_star = setting.omega * torch.randn(batch, setting.d, generator=generator)
    noise = setting.sigma_eps * torch.randn(batch, setting.n, generator=generator)
    return x, (x @ w_star[:, :, None])[:, :, 0] + noise, w_star


def _loss(
    read: Callable[[Tensor, Tensor], Reader], lesson: Lesson, progress: float, generator: torch.Generator
) -> Tensor:
    """The loss of a new batch; `progress` is the share of the training that is done."""
    x, y, w_star = draw_batch(lesson, generator)
    d, setting = lesson.setting.d, lesson.setting
    if not isinstance(setting, BinarySetting):
        # The loop grows over the first half of the training: long loops of untrained weights diverge.
        length = min(lesson.steps, 1 + int(2 * progress * lesson.steps))
        error = ((noise_free_path(read(x, y), len(x), d, length)[:, -1] - w_star) ** 2).sum(dim=1)
        return (FAR * d * torch.log1p(error / (FAR * d))).mean()
    blunt = BLUNT * (SHARP / BLUNT) ** min(1.0, 1.4 * progress)
    with torch.no_grad():
        walker = read(x, y)
        if lesson.way == "paths":
            teacher = {name: torch.tensor(one).float() for name, one in vars(gradient_layer(d, 1.0)).items()}
            walker = linear_reader(teacher, x, y)
        thoughts, drawn = sampled_path(walker, len(x), setting, lesson.steps, generator)
    if lesson.way == "answers":
        drawn = right_answers(w_star, setting.k, lesson.steps, generator)
    return -log_likelihood(read(x, y)(thoughts, lesson.steps), drawn, blunt).mean()


def noise_free_path(guesses: Reader, batch: int, d: int, length: int) -> Tensor:
    """w_1 … w_t, (b, t, d), each read by the model to make the next."""
    flag = torch.ones(batch, 1, 1)
    thoughts = torch.cat([torch.zeros(batch, 1, d), flag], dim=2)
    for _ in range(length):
        thoughts = torch.cat([thoughts, torch.cat([guesses(thoughts, 1), flag], dim=2)], dim=1)
    return thoughts[:, 1:, :-1]


def sampled_path(
    guesses: Reader, batch: int, setting: BinarySetting, length: int, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """One path of Algorithm 2 on each task: the tokens read (b, t, d+1), the coordinates drawn (b, t, k)."""
    flag = torch.ones(batch, 1, 1)
    thoughts = torch.cat([torch.zeros(batch, 1, setting.d), flag], dim=2)
    drawn = []
    for _ in range(length):
        weights = guesses(thoughts, 1)[:, 0].clamp(min=0)
        support = torch.zeros_like(weights)
        order = []
        for _ in range(setting.k):
            weights = torch.where(weights.sum(dim=1, keepdim=True) > 0, weights, 1 - support)
            index = torch.multinomial(weights, 1, generator=generator)
            support, weights = support.scatter(1, index, 1.0), weights.scatter(1, index, 0.0)
            order.append(index)
        drawn.append(torch.cat(order, dim=1))
        thoughts = torch.cat([thoughts, torch.cat([support[:, None], flag], dim=2)], dim=1)
    return thoughts[:, :-1], torch.stack(drawn, dim=1)


def right_answers(w_star: Tensor, k: int, length: int, generator: torch.Generator) -> Tensor:
    """The coordinates of w* in a random order, (b, length, k)."""
    shuffled = torch.rand(len(w_star), length, w_star.shape[1], generator=generator)
    return (w_star[:, None] + shuffled).topk(k, dim=2).indices


def log_likelihood(scores: Tensor, drawn: Tensor, blunt: float) -> Tensor:
    """log P(Algorithm 2 draws these coordinates in this order), (b, t), with its cut at 0 softened."""
    weights = softplus(scores / blunt) * blunt + FLOOR
    total = torch.zeros(scores.shape[:2])
    for j in range(drawn.shape[2]):
        index = drawn[:, :, j : j + 1]
        total = total + torch.log(weights.gather(2, index) / weights.sum(dim=2, keepdim=True))[:, :, 0]
        weights = weights.scatter(2, index, 0.0)
    return total
