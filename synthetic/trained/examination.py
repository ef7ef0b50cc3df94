"""How well the trained models do, beside the paper's own: one curves table, and one of what they learned.

    dataset              model                            method    setting  N   risk / accuracy
    continuous d=5 n=20  trained-linear-attention loop    ensemble  8        1   0.015
    fig2h                trained-linear-attention paths   majority  8        64  0.981

Models are examined on tasks they were not trained on: the twin's own for that panel and seed. Risk is that
of the noise-free path, whose every ensemble is itself; rows where it diverges are left out.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from results import build_curves
from synthetic.binary.accuracy import exact_accuracy, samples_table
from synthetic.continuous.moments import spectrum
from synthetic.model.settings import BinarySetting, ContinuousSetting
from synthetic.model.tasks import Array, Tasks, draw_tasks, task_keys
from synthetic.panels.experiments import EXPERIMENTS
from synthetic.panels.running import curves_table
from synthetic.trained.layer import Layer, gradient_layer
from synthetic.trained.lessons import FEW_DIMENSIONS, LINEAR, PANEL, STEPS, Lesson, trained_length
from synthetic.trained.loop import Guess, examples_gram, layer_guess, mean_path_risk, sample_answers
from synthetic.trained.weights import Weights

VOTES = (1, 2, 4, 8, 16, 32, 64)
CONTINUOUS_TASKS = 1000
EXACT, SAMPLED = "linear-attention", "linear-attention sampled"
TUNED, BLIND = "linear-attention tuned step", f"{LINEAR} loop, thoughts unseen"
STEP_X, STEP_Y, SKEW = "step through x", "step through y", "V: x to w, skew share"
Key = tuple[str, str]


def examine(
    weights: Weights, lessons: dict[Key, Lesson], seed: int, tasks: int | None, paths: int
) -> pd.DataFrame:
    """The curves table of every trained model and of the paper's layer on the same tasks.

    `tasks` is how many tasks of each panel (default: the panel's own number); `paths` are sampled of each.
    """
    tables = []
    for dataset in dict.fromkeys(dataset for dataset, _ in weights):
        models = {model: weights[key] for key in weights if (model := key[1]) and key[0] == dataset}
        setting = lessons[dataset, next(iter(models))].setting
        per_repeat = EXPERIMENTS[dataset].tasks if dataset in EXPERIMENTS else CONTINUOUS_TASKS // 5
        keys = task_keys(5, per_repeat)[:tasks]
        drawn = draw_tasks(setting, keys, seed)
        if isinstance(setting, BinarySetting):
            tables.append(_binary(dataset, models, drawn, setting, paths))
        else:
            tables.append(_continuous(dataset, models, drawn, setting, trained_length(lessons)))
    return pd.concat(tables, ignore_index=True)


def _continuous(
    dataset: str, models: dict[str, dict[str, Array]], tasks: Tasks, setting: ContinuousSetting, length: int
) -> pd.DataFrame:
    gram = examples_gram(tasks)
    layers = {name: Layer(**one) for name, one in models.items() if "value" in one}
    guesses: dict[str, Guess] = {name: layer_guess(layer, gram, setting.n) for name, layer in layers.items()}
    for name in set(models) - set(layers):
        guesses[name] = _softmax(models[name], tasks.x, tasks.y)
    if dataset in (FEW_DIMENSIONS, PANEL):
        looped = layers[f"{LINEAR} loop"]
        guesses[BLIND] = layer_guess(looped.without_thoughts(), gram, setting.n)
        eta = float(np.mean(looped.step_sizes()))
        same = gradient_layer(setting.d, eta)
        guesses[f"{EXACT} eta={eta:.3f}"] = layer_guess(same, gram, setting.n)
        tuned = gradient_layer(setting.d, tuned_step(setting, length))
        guesses[TUNED] = layer_guess(tuned, gram, setting.n)
    shape = replace(EXPERIMENTS["fig2f"], steps=STEPS, votes=(1,))
    tables = []
    for name, guess in guesses.items():
        risk = mean_path_risk(guess, tasks.w_star, STEPS)
        bounded = np.isfinite(risk).all(axis=0)
        steps = tuple(np.array(STEPS)[bounded].tolist())
        named = {"dataset": dataset, "model": name}
        values = {"ensemble": risk[:, bounded, None]}
        tables.append(curves_table(values, replace(shape, steps=steps), named, "risk"))
    return pd.concat(tables, ignore_index=True)


def tuned_step(setting: ContinuousSetting, t: int, seed: int = 1) -> float:
    """The η of V_GD whose risk after t steps is least, on other tasks: a multiple of 0.02 up to 1."""
    count = 20_000 // setting.d  # many: the mean hangs on rare tasks, where descent diverges
    view = spectrum(draw_tasks(setting, task_keys(1, count), seed), setting)
    risks = {}
    for eta in 0.02 * np.arange(1, 51):
        w = np.zeros_like(view.target)
        for _ in range(t):
            w += eta / setting.n * (view.pull - view.eigenvalues * w)
        risks[float(eta)] = float(((w - view.target) ** 2).sum(axis=1).mean())
    return min(risks, key=lambda eta: risks[eta])


def _binary(
    dataset: str, models: dict[str, dict[str, Array]], tasks: Tasks, setting: BinarySetting, paths: int
) -> pd.DataFrame:
    votes = tuple(n for n in VOTES if n <= paths)
    methods = ("majority", "best_of_n")
    exact, _ = exact_accuracy(tasks, setting, STEPS, votes, methods)
    shape = replace(EXPERIMENTS[dataset], steps=STEPS, votes=votes)
    tables = [curves_table(exact, shape, {"dataset": dataset, "model": EXACT}, "accuracy")]
    built = gradient_layer(setting.d, setting.step * setting.n)
    for name, one in {SAMPLED: vars(built), **models}.items():
        answers = sample_answers(_guess_for(one, tasks, setting.n, paths), tasks, setting, paths, STEPS)
        samples = samples_table(tasks, setting, STEPS, answers).assign(dataset=dataset, model=name)
        samples = samples[samples["decoding"] == "sample"]
        tables.append(build_curves(samples, ns=votes, permutations=0))
    return pd.concat(tables, ignore_index=True)


def _guess_for(matrices: dict[str, Array], tasks: Tasks, n: int, paths: int) -> Callable[[int], Guess]:
    """The model's `Guess` on each task."""
    gram = examples_gram(tasks)

    def guess(task: int) -> Guess:
        if "value" in matrices:
            return layer_guess(Layer(**matrices), gram[task], n)
        x, y = (np.repeat(part[task][None], paths, axis=0) for part in (tasks.x, tasks.y))
        return _softmax(matrices, x, y)

    return guess


def _softmax(matrices: dict[str, Array], x: Array, y: Array) -> Guess:
    from synthetic.trained.softmax import softmax_guess  # PyTorch is only needed here

    return softmax_guess(matrices, x, y)


def learned_table(weights: Weights, lessons: dict[Key, Lesson]) -> pd.DataFrame:
    """Each linear layer's blocks beside those of V_GD and W_GD of the same step; see `Layer.blocks`."""
    rows = []
    for (dataset, model), matrices in weights.items():
        if "value" not in matrices:
            continue
        layer, setting = Layer(**matrices), lessons[dataset, model].setting
        k = setting.k if isinstance(setting, BinarySetting) else 0
        steps = layer.step_sizes(k)
        named = {"dataset": dataset, "model": model}
        for name, value in ((STEP_X, steps[0]), (STEP_Y, steps[1]), (SKEW, layer.skew_share())):
            rows.append({**named, "part": name, "mean": value})
        paper = gradient_layer(setting.d, float(np.mean(steps))).blocks()
        for name, (mean, rest) in layer.blocks().items():
            rows.append({**named, "part": name, "mean": mean, "rest": rest, "paper": paper[name][0]})
    return pd.DataFrame(rows)
