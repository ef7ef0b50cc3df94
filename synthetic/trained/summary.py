"""The course in a dozen lines for a terminal: what was learned, how good it is, where it stops being good.

fig2h paths: step 1.002 through x, 1.001 through y; one path at t=1, 8, 32: …; off by at most 0.015
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from synthetic.model.settings import BinarySetting, ContinuousSetting
from synthetic.trained.examination import BLIND, EXACT, SAMPLED, TUNED, Key
from synthetic.trained.figure import one_step_risk
from synthetic.trained.layer import Layer
from synthetic.trained.lessons import (
    BINARY,
    EXAMPLES,
    FEW_DIMENSIONS,
    LINEAR,
    PANEL,
    SOFTMAX,
    STEPS,
    Lesson,
    trained_length,
)
from synthetic.trained.weights import Weights, linear_layer


def summary(curves: pd.DataFrame, weights: Weights, lessons: dict[Key, Lesson]) -> list[str]:
    """About a dozen lines; t is a number of reasoning steps, risk is ‖w_t − w*‖²."""
    length = trained_length(lessons)
    steps = list(dict.fromkeys((1, length, STEPS[-1])))
    lines = []
    for dataset in (FEW_DIMENSIONS, PANEL):
        layer = linear_layer(weights[dataset, f"{LINEAR} loop"])
        lines.append(f"{dataset}, loop: {_steps(layer)}; skew part of V's x block {skew_share(layer):.2f}")
        lines.append(f"  risk at t={_listed(steps)}")
        models = {
            f"{LINEAR} loop": "trained",
            BLIND: "blind to its thoughts",
            TUNED: "gradient descent",
            f"{SOFTMAX} loop": "softmax",
        }
        told = [
            f"{name} {_listed(_risk(curves, dataset, model, t) for t in steps)}"
            for model, name in models.items()
            if model in set(curves.loc[curves["dataset"] == dataset, "model"])
        ]
        lines[-1] += ": " + "; ".join(told)
    lines.append(_without_chain(curves, lessons, length))
    for dataset, setting in BINARY.items():
        assert isinstance(setting, BinarySetting)
        exact = _listed(_accuracy(curves, dataset, EXACT, t, 1) for t in steps)
        one, votes = largest_difference(curves, dataset, SAMPLED, length)
        lines.append(
            f"{dataset}: one path at t={_listed(steps)}: exact {exact}; "
            f"sampled, the paper's own layer is off up to t={length} by {one:.3f} (votes: {votes:.3f})"
        )
        for kind in (LINEAR, SOFTMAX):
            for way in ("paths", "answers"):
                if (dataset, f"{kind} {way}") in weights:
                    model = f"{kind} {way}"
                    lines.append("  " + _taught(curves, weights, dataset, model, setting.k, steps, length))
    return lines


def largest_difference(curves: pd.DataFrame, dataset: str, model: str, length: int) -> tuple[float, float]:
    """The largest |accuracy − the exact twin's| at t up to `length`: of one path, and of a vote of any N."""
    rows = curves[(curves["dataset"] == dataset) & (curves["method"] == "majority") & (curves["T"] <= length)]
    table = rows.pivot_table(index=["T", "N"], columns="model", values="accuracy")
    apart = (table[model] - table[EXACT]).abs()
    return float(apart.xs(1, level="N").max()), float(apart.max())


def skew_share(layer: Layer) -> float:
    """The norm of the skew-symmetric part of V's x block over that of its symmetric part; 0 in V_GD."""
    block = layer.value[:, : layer.d]
    return float(np.linalg.norm(block - block.T) / np.linalg.norm(block + block.T))


def _without_chain(curves: pd.DataFrame, lessons: dict[Key, Lesson], length: int) -> str:
    one, best, many = [], [], []
    for n in EXAMPLES:
        dataset = f"continuous d=5 n={n}"
        setting = lessons[dataset, f"{LINEAR} one-step"].setting
        assert isinstance(setting, ContinuousSetting)
        one.append(_risk(curves, dataset, f"{LINEAR} one-step", 1))
        best.append(f"{one_step_risk(setting):.3g}")
        many.append(_risk(curves, dataset, f"{LINEAR} loop", length))
    return (
        f"d=5, n={_listed(EXAMPLES)}: risk of one step, trained, {_listed(one)} (best possible "
        f"{_listed(best)}); of {length} steps {_listed(many)}"
    )


def _taught(
    curves: pd.DataFrame, weights: Weights, dataset: str, model: str, k: int, steps: list[int], length: int
) -> str:
    matrices = weights[dataset, model]
    learned = f"; {_steps(linear_layer(matrices), k)}" if "value" in matrices else ""
    one, any_vote = largest_difference(curves, dataset, model, length)
    most = int(curves.loc[curves["dataset"] == dataset, "N"].max())
    vote, exact = (_accuracy(curves, dataset, name, length, most) for name in (model, EXACT))
    single = _listed(_accuracy(curves, dataset, model, t, 1) for t in steps)
    return (
        f"{model.removeprefix('trained-')} {single}; "
        f"vote of {most} at t={length}: {vote} (exact {exact}); off by {one:.3f} "
        f"(votes: {any_vote:.3f}){learned}"
    )


def _listed(values: Iterable[object]) -> str:
    return ", ".join(str(value) for value in values)


def _steps(layer: Layer, k: int = 0) -> str:
    through_x, through_y = layer.step_sizes(k)
    return f"step {through_x:.3f} through x, {through_y:.3f} through y"


def _risk(curves: pd.DataFrame, dataset: str, model: str, t: int) -> str:
    at = (curves["dataset"] == dataset) & (curves["model"] == model) & (curves["T"] == t)
    return f"{curves[at]['risk'].iloc[0]:.3g}" if at.any() else "diverged"


def _accuracy(curves: pd.DataFrame, dataset: str, model: str, t: int, n: int) -> str:
    at = (curves["dataset"] == dataset) & (curves["model"] == model) & (curves["method"] == "majority")
    return f"{curves[at & (curves['T'] == t) & (curves['N'] == n)]['accuracy'].iloc[0]:.3f}"
