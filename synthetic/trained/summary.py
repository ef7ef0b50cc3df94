"""The course in a dozen lines for a terminal: what was learned, how good it is, where it stops being good.

d=5 n=20: learned steps .67 through x, .67 through y; risk at t=8 .015 (gradient descent .026)
"""

import numpy as np
import pandas as pd

from synthetic.model.settings import BinarySetting, ContinuousSetting
from synthetic.trained.examination import BLIND, EXACT, STEPS, TUNED, Key
from synthetic.trained.figure import one_step_risk
from synthetic.trained.layer import Layer
from synthetic.trained.lessons import (
    BINARY,
    EXAMPLES,
    FEW_DIMENSIONS,
    LINEAR,
    PANEL,
    SOFTMAX,
    TRAINED_LENGTH,
    Lesson,
)
from synthetic.trained.weights import Weights, linear_layer

T = TRAINED_LENGTH
LAST = STEPS[-1]


def summary(curves: pd.DataFrame, weights: Weights, lessons: dict[Key, Lesson]) -> list[str]:
    """About a dozen lines."""
    lines = []
    for dataset in (FEW_DIMENSIONS, PANEL):
        layer = linear_layer(weights[dataset, f"{LINEAR} loop"])
        lines.append(f"{dataset}, loop: {_steps(layer, 0)}; skew part of V's x block {skew_share(layer):.2f}")
        for model in (f"{LINEAR} loop", BLIND, TUNED, f"{SOFTMAX} loop", f"{LINEAR} one-step"):
            told = [_risk(curves, dataset, model, t) for t in (1, T, 16, LAST)]
            if any(text != "-" for text in told):
                what = model.removeprefix("trained-")
                lines.append(f"  risk at t=1, {T}, 16, {LAST}: {', '.join(told)}  {what}")
    for n in EXAMPLES:
        dataset = f"continuous d=5 n={n}"
        setting = lessons[dataset, f"{LINEAR} one-step"].setting
        assert isinstance(setting, ContinuousSetting)
        one, loop = (
            _risk(curves, dataset, f"{LINEAR} {name}", t) for name, t in (("one-step", 1), ("loop", T))
        )
        best = one_step_risk(setting)
        lines.append(f"n={n}: without chain of thought {one} (best possible {best:.3g}), with it {loop}")
    for dataset, setting in BINARY.items():
        assert isinstance(setting, BinarySetting)
        for model in (f"{LINEAR} paths", f"{LINEAR} answers", f"{SOFTMAX} paths", f"{SOFTMAX} answers"):
            if (dataset, model) in weights:
                lines.append(_binary_line(curves, weights, dataset, model, setting.k))
    return lines


def largest_difference(curves: pd.DataFrame, dataset: str, model: str) -> float:
    """The largest |accuracy − the exact twin's| over the vote's t up to the trained length and every N."""
    rows = curves[(curves["dataset"] == dataset) & (curves["method"] == "majority") & (curves["T"] <= T)]
    table = rows.pivot_table(index=["T", "N"], columns="model", values="accuracy")
    return float((table[model] - table[EXACT]).abs().max())


def skew_share(layer: Layer) -> float:
    """The norm of the skew-symmetric part of V's x block over that of its symmetric part; 0 in V_GD."""
    block = layer.value[:, : layer.d]
    return float(np.linalg.norm(block - block.T) / np.linalg.norm(block + block.T))


def _binary_line(curves: pd.DataFrame, weights: Weights, dataset: str, model: str, k: int) -> str:
    matrices = weights[dataset, model]
    steps = f"; {_steps(linear_layer(matrices), k)}" if "value" in matrices else ""
    single = ", ".join(f"{_accuracy(curves, dataset, model, t, 1)}" for t in (1, T, LAST))
    exact = ", ".join(f"{_accuracy(curves, dataset, EXACT, t, 1)}" for t in (1, T, LAST))
    most = int(curves.loc[curves["dataset"] == dataset, "N"].max())
    vote = f"{_accuracy(curves, dataset, model, T, most)} ({_accuracy(curves, dataset, EXACT, T, most)})"
    gap = largest_difference(curves, dataset, model)
    return (
        f"{dataset} {model.removeprefix('trained-')}: one path at t=1, {T}, {LAST}: {single} (exact {exact}); "
        f"vote of {most} at t={T}: {vote}; off by at most {gap:.3f} up to t={T}{steps}"
    )


def _steps(layer: Layer, k: int) -> str:
    through_x, through_y = layer.step_sizes(k)
    return f"step {through_x:.3f} through x, {through_y:.3f} through y"


def _risk(curves: pd.DataFrame, dataset: str, model: str, t: int) -> str:
    here = curves[(curves["dataset"] == dataset) & (curves["model"] == model) & (curves["T"] == t)]
    if not (curves["dataset"].eq(dataset) & curves["model"].eq(model)).any():
        return "-"
    return f"{here['risk'].iloc[0]:.3g}" if len(here) else "diverged"


def _accuracy(curves: pd.DataFrame, dataset: str, model: str, t: int, n: int) -> str:
    at = (curves["dataset"] == dataset) & (curves["model"] == model) & (curves["method"] == "majority")
    return f"{curves[at & (curves['T'] == t) & (curves['N'] == n)]['accuracy'].iloc[0]:.3f}"
