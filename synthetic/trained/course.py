"""The whole course: every lesson taught, every model examined, the files written.

outcome = take_course(lessons, seed=0, jobs=2, tasks=None, paths=256)
weights.npz, trained.csv (a curves table), learned.csv, trained.png, .svg, .pdf
"""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
from tqdm import tqdm

from results import BadInput, write_curves
from results.figures.theme import rendered
from results.tables.files import write_raw
from synthetic.model.settings import check_count
from synthetic.trained.examination import examine, learned_table
from synthetic.trained.figure import page
from synthetic.trained.lessons import Lesson
from synthetic.trained.weights import Weights, rounded, write_weights

Key = tuple[str, str]


@dataclass(frozen=True)
class Course:
    """What was learned and how well: weights and two tables."""

    weights: Weights
    curves: pd.DataFrame
    learned: pd.DataFrame


def take_course(
    lessons: dict[Key, Lesson], seed: int, jobs: int, tasks: int | None, paths: int, progress: bool = False
) -> Course:
    """Teach and examine. Raises BadInput without PyTorch or on counts that make no sense."""
    if find_spec("torch") is None:
        raise BadInput("training needs PyTorch, which is not installed: pip install torch")
    check_count("jobs", jobs, high=1024)
    check_count("paths", paths, low=2)
    if tasks is not None:
        check_count("tasks", tasks, low=2)
    from joblib import Parallel, delayed  # type: ignore[import-untyped]

    from synthetic.trained.training import teach

    calls = (delayed(teach)(lesson, seed) for lesson in lessons.values())
    taught = Parallel(n_jobs=jobs, return_as="generator")(calls)
    bar = tqdm(taught, total=len(lessons), desc="training", unit="model", disable=None if progress else True)
    found = dict(zip(lessons, bar, strict=True))
    weights = {key: rounded(matrices) for key, (matrices, _) in found.items()}
    return Course(weights, examine(weights, lessons, seed, tasks, paths), learned_table(weights, lessons))


def write_course(course: Course, lessons: dict[Key, Lesson], out: Path) -> None:
    """weights.npz, trained.csv, learned.csv and the picture trained.* in the folder `out`."""
    out.mkdir(parents=True, exist_ok=True)
    write_weights(course.weights, out / "weights.npz")
    write_curves(course.curves, out / "trained.csv")
    write_raw(course.learned, out / "learned.csv")
    for suffix, content in rendered(page(course.curves, course.weights, lessons)).items():
        (out / f"trained{suffix}").write_bytes(content)
