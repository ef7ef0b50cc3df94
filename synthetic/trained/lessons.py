"""What is trained, on which tasks, in which way: one entry a training, as data.

    LESSONS["fig2h", "trained-linear-attention paths"]  ->  Lesson(way="paths", steps=8, iterations=1200, …)

Three ways to teach, all by the loop of Definition 1 on random tasks:

    loop     the model reads its own output again, without noise; squared error of the last guess (at
             d = 5, n = 20 the mean over all guesses left a risk of .071 after 8 steps, the last .017)
    paths    next-token likelihood on sampled reasoning paths of the paper's transformer, as a language
             model is trained on text
    answers  the model's own sampled path, and the likelihood of the right answer at every step
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from results import BadInput
from synthetic.model.settings import ContinuousSetting, Setting, check_count
from synthetic.panels.experiments import EXPERIMENTS
from synthetic.panels.overrides import fields_of, one_value

Way = Literal["loop", "paths", "answers"]
LINEAR, SOFTMAX = "trained-linear-attention", "trained-softmax-attention"
TRAINED_LENGTH = 8
STEPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
"""The t at which models are tested; a lesson's length is one of them."""


@dataclass(frozen=True)
class Lesson:
    """One training of one model. `steps`: how often it reads its own output; 1 is no chain of thought."""

    setting: Setting
    way: Way
    steps: int = TRAINED_LENGTH
    iterations: int = 1000
    batch: int = 256
    learning_rate: float = 1e-2
    softmax: bool = False

    def __post_init__(self) -> None:
        if self.steps not in STEPS:
            raise BadInput(f"steps={self.steps}: expected one of {', '.join(map(str, STEPS))}")
        check_count("iterations", self.iterations, high=100_000)
        check_count("batch", self.batch, high=4096)
        if not 0 < self.learning_rate <= 1:
            raise BadInput(f"learning_rate={self.learning_rate}: expected a number above 0, at most 1")


EXAMPLES = (10, 20, 40, 80)
"""The n of the d = 5 tasks on which chain of thought is taught and left out."""


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
        for name, steps, iterations in (("loop", TRAINED_LENGTH, 1000), ("one-step", 1, 800)):
            found[f"continuous d=5 n={n}", f"{LINEAR} {name}"] = Lesson(
                noiseless(n), "loop", steps, iterations
            )
    wide = ContinuousSetting(n=36, d=72, eta=1.0, sigma_eps=1.0, sigma=0.0)
    found[PANEL, f"{LINEAR} loop"] = Lesson(wide, "loop", iterations=1200, batch=64, learning_rate=3e-3)
    for dataset, setting in BINARY.items():
        iterations = 1800 if dataset == "fig2e" else 2500
        found[dataset, f"{LINEAR} paths"] = Lesson(
            setting, "paths", iterations=iterations, learning_rate=4e-3
        )
        found[dataset, f"{LINEAR} answers"] = Lesson(setting, "answers")
    plans: list[tuple[str, Setting, Way]] = [
        (FEW_DIMENSIONS, noiseless(20), "loop"),
        ("fig2h", BINARY["fig2h"], "paths"),
        ("fig2h", BINARY["fig2h"], "answers"),
    ]
    for dataset, setting, way in plans:
        lesson = Lesson(setting, way, iterations=800, batch=128, learning_rate=4e-3, softmax=True)
        found[dataset, f"{SOFTMAX} {way}"] = lesson
    return found


LESSONS = _lessons()


def trained_length(lessons: dict[tuple[str, str], Lesson]) -> int:
    """The most steps of any lesson: beyond it no model was ever trained."""
    return max(lesson.steps for lesson in lessons.values())


def changed_lessons(changes: Sequence[str]) -> dict[tuple[str, str], Lesson]:
    """LESSONS with `FIELD=VALUE` applied to each; lessons of one step keep theirs. Raises BadInput."""
    numbers = {name: kind for name, kind in fields_of(Lesson).items() if "int" in kind or "float" in kind}
    lessons = dict(LESSONS)
    for change in changes:
        key, value = one_value(change, numbers)
        for name, lesson in lessons.items():
            if key != "steps" or lesson.steps > 1:
                lessons[name] = replace(lesson, **{key: value})
    return lessons
