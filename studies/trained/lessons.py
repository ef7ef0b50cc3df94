"""What is trained, on which tasks, and how: one entry per training, as data.

    LESSONS["fig2h", "trained-linear-attention paths"]  ->  Lesson(way="paths", iterations=2500, …)

Three ways to teach, all by the loop of Definition 1 on random tasks:

    loop     the model reads its own output again, without noise; squared error of the last guess (at
             d = 5, n = 20 the mean over all guesses left a risk of .071 after 8 steps, the last .017)
    paths    next-token likelihood on sampled reasoning paths of the paper's transformer, as a language
             model is trained on text
    answers  the model's own sampled path, and the likelihood of the right answer at every step
"""

from dataclasses import dataclass, replace
from typing import Literal

from synthetic.model.settings import ContinuousSetting, Setting
from synthetic.panels.experiments import EXPERIMENTS

LINEAR, SOFTMAX = "trained-linear-attention", "trained-softmax-attention"
TRAINED_LENGTH = 8
STEPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
"""The t at which models are tested."""


@dataclass(frozen=True)
class Lesson:
    """One training of one model. `steps`: how often it reads its own output; 1 means no chain of thought."""

    setting: Setting
    way: Literal["loop", "paths", "answers"]
    steps: int = TRAINED_LENGTH
    iterations: int = 1000
    batch: int = 256
    learning_rate: float = 1e-2
    softmax: bool = False


EXAMPLES = (10, 20, 40, 80)
"""The n of the d = 5 tasks that are taught with and without chain of thought."""


def noiseless(n: int) -> ContinuousSetting:
    """Continuous tasks of dimension 5 without label noise."""
    return ContinuousSetting(n=n, d=5, eta=1.0, sigma_eps=0.0, sigma=0.0)


BINARY: dict[str, Setting] = {
    "fig2e": EXPERIMENTS["fig2e"].variants[0].setting,
    "fig2f": EXPERIMENTS["fig2f"].variants[0].setting,
    "fig2h": replace(EXPERIMENTS["fig2h"].variants[0].setting, step_rule="eta/n"),
}
"""The paper's panels, each at the step 1/n of its proofs: V_GD with η = 1."""

FEW_DIMENSIONS = "continuous d=5 n=20"
PANEL = "continuous d=72 n=36"


def _lessons() -> dict[tuple[str, str], Lesson]:
    found = {}
    for n in EXAMPLES:
        dataset, setting = f"continuous d=5 n={n}", noiseless(n)
        found[dataset, f"{LINEAR} loop"] = Lesson(setting, "loop")
        found[dataset, f"{LINEAR} one-step"] = Lesson(setting, "loop", steps=1, iterations=800)
    wide = ContinuousSetting(n=36, d=72, eta=1.0, sigma_eps=1.0, sigma=0.0)
    found[PANEL, f"{LINEAR} loop"] = Lesson(wide, "loop", iterations=1200, batch=64, learning_rate=3e-3)
    for dataset, panel in BINARY.items():
        iterations = 1800 if dataset == "fig2e" else 2500
        found[dataset, f"{LINEAR} paths"] = Lesson(panel, "paths", iterations=iterations, learning_rate=4e-3)
        found[dataset, f"{LINEAR} answers"] = Lesson(panel, "answers")
    small = Lesson(noiseless(20), "loop", iterations=800, batch=128, learning_rate=4e-3, softmax=True)
    found[FEW_DIMENSIONS, f"{SOFTMAX} loop"] = small
    found["fig2h", f"{SOFTMAX} paths"] = replace(small, setting=BINARY["fig2h"], way="paths")
    found["fig2h", f"{SOFTMAX} answers"] = replace(small, setting=BINARY["fig2h"], way="answers")
    return found


LESSONS = _lessons()
