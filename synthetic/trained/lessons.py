"""What is trained, on which tasks, in which way: one entry a training, as data.

    LESSONS["fig2h paths"]  ->  Lesson(setting=…n=5, d=10…, way="paths", steps=8, iterations=1500, …)
"""

from dataclasses import dataclass
from typing import Literal

from synthetic.model.settings import ContinuousSetting, Setting
from synthetic.panels.experiments import EXPERIMENTS

Way = Literal["loop", "paths", "answers"]


@dataclass(frozen=True)
class Lesson:
    """One training. `steps`: how often the model reads its own output; 1 is training without chain of thought."""

    setting: Setting
    way: Way
    steps: int = 8
    iterations: int = 1000
    batch: int = 256
    learning_rate: float = 1e-2
    model: Literal["linear", "softmax"] = "linear"


def small(n: int) -> ContinuousSetting:
    return ContinuousSetting(n=n, d=5, eta=1.0, sigma_eps=0.0, sigma=0.0)
