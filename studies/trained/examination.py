"""How well the trained models and the paper's own do: a curves table, and one of what was learned.

    dataset              model                            method    setting  N   risk / accuracy
    continuous d=5 n=20  trained-linear-attention loop    ensemble  8        1   0.015
    fig2h                trained-linear-attention paths   majority  8        64  0.981

Models are examined on tasks they were not trained on: the twin's own for that panel and seed. Risk is that
of the noise-free path, for which an ensemble makes no difference; rows where it diverges are left out.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from results import build_curves
from studies.trained.layer import Layer, Model, gradient_layer
from studies.trained.lessons import FEW_DIMENSIONS, LESSONS, LINEAR, PANEL, STEPS, TRAINED_LENGTH
from studies.trained.loop import mean_path_risk, sample_answers
from studies.trained.weights import Weights
from synthetic.binary.accuracy import exact_accuracy, samples_table
from synthetic.continuous.moments import gradient_descent_risk
from synthetic.model.settings import BinarySetting, ContinuousSetting
from synthetic.model.tasks import Array, Tasks, draw_tasks, task_keys
from synthetic.panels.experiments import EXPERIMENTS
from synthetic.panels.running import curves_table

VOTES = (1, 2, 4, 8, 16, 32, 64)
CONTINUOUS_TASKS = 1000
EXACT, SAMPLED = "linear-attention", "linear-attention sampled"
TUNED, BLIND = "linear-attention tuned step", f"{LINEAR} loop, thoughts unseen"


def examine(weights: Weights, seed: int, tasks: int | None, paths: int) -> pd.DataFrame:
    """The curves table of every trained model and of the paper's layer on the same tasks.

    `tasks` is the number of tasks per panel (default: the panel's own); `paths` are sampled for each.
    """
    tables = []
    for dataset in dict.fromkeys(dataset for dataset, _ in weights):
        models = {model: one for (name, model), one in weights.items() if name == dataset}
        setting = LESSONS[dataset, next(iter(models))].setting
        per_repeat = EXPERIMENTS[dataset].tasks if dataset in EXPERIMENTS else CONTINUOUS_TASKS // 5
        drawn = draw_tasks(setting, task_keys(5, per_repeat)[:tasks], seed)
        if isinstance(setting, BinarySetting):
            tables += _binary(dataset, models, drawn, setting, paths)
        else:
            tables += _continuous(dataset, models, drawn, setting)
    return pd.concat(tables, ignore_index=True)


def _continuous(
    dataset: str, matrices: dict[str, dict[str, Array]], tasks: Tasks, setting: ContinuousSetting
) -> list[pd.DataFrame]:
    models = {name: model_of(one) for name, one in matrices.items()}
    if dataset in (FEW_DIMENSIONS, PANEL):
        models[BLIND] = Layer(**matrices[f"{LINEAR} loop"]).without_thoughts().read
        models[TUNED] = gradient_layer(setting.d, tuned_step(setting, TRAINED_LENGTH)).read
    tables = []
    for name, model in models.items():
        risk = mean_path_risk(model, tasks, STEPS)
        bounded = np.isfinite(risk).all(axis=0)
        steps = np.array(STEPS)[bounded].tolist()
        values = {"ensemble": risk[:, bounded, None]}
        tables.append(curves_table([values], steps, (1,), {"dataset": dataset, "model": name}, "risk"))
    return tables


def tuned_step(setting: ContinuousSetting, t: int, seed: int = 1) -> float:
    """The η of V_GD with the least risk after t steps on other tasks: a multiple of 0.02 up to 1."""
    count = 20_000 // setting.d  # many, as the mean depends on rare tasks where descent diverges
    tasks = draw_tasks(setting, task_keys(1, count), seed)
    etas = 0.02 * np.arange(1, 51)
    given = [replace(setting, eta=float(eta), step_rule="eta/n") for eta in etas]
    return float(etas[np.argmin([gradient_descent_risk(tasks, one, (t,)).mean() for one in given])])


def _binary(
    dataset: str, matrices: dict[str, dict[str, Array]], tasks: Tasks, setting: BinarySetting, paths: int
) -> list[pd.DataFrame]:
    votes = [n for n in VOTES if n <= paths]
    exact, _ = exact_accuracy(tasks, setting, STEPS, votes, ("majority", "best_of_n"))
    tables = [curves_table([exact], STEPS, votes, {"dataset": dataset, "model": EXACT}, "accuracy")]
    models: dict[str, Model] = {SAMPLED: gradient_layer(setting.d, setting.step * setting.n).read}
    models |= {name: model_of(one) for name, one in matrices.items()}
    for name, model in models.items():
        answers = sample_answers(model, tasks, setting, paths, STEPS)
        samples = samples_table(tasks, setting, STEPS, answers).assign(dataset=dataset, model=name)
        samples = samples[samples["decoding"] == "sample"]
        tables.append(build_curves(samples, ns=votes, permutations=0))
    return tables


def model_of(matrices: dict[str, Array]) -> Model:
    """The model of trained matrices: linear attention where there is a `value`, else softmax."""
    if "value" in matrices:
        return Layer(**matrices).read
    from studies.trained.softmax import softmax_model  # PyTorch is only needed here

    return softmax_model(matrices)


def learned_table(weights: Weights) -> pd.DataFrame:
    """The gradient step of each linear layer, and its distance from V_GD, which has no skew part."""
    rows = []
    for (dataset, model), matrices in weights.items():
        if "value" not in matrices:
            continue
        layer, setting = Layer(**matrices), LESSONS[dataset, model].setting
        x, y = layer.step_sizes(setting.k if isinstance(setting, BinarySetting) else 0)
        rows.append((dataset, model, x, y, layer.skew_share()))
    columns = ["dataset", "model", "step through x", "step through y", "V: x to w, skew share"]
    return pd.DataFrame(rows, columns=columns)
