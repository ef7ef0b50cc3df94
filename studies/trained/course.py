"""The whole course: teaches every lesson, examines every model, and writes the files.

tables = take_course(out, seed=0, jobs=2)
weights.npz, trained.csv (a curves table), learned.csv, trained.png, .svg, .pdf
"""

from pathlib import Path

from tqdm import tqdm

from results import write_curves
from results.figures.theme import rendered
from results.tables.files import write_raw
from studies.trained.examination import examine, learned_table
from studies.trained.figure import page
from studies.trained.lessons import LESSONS
from studies.trained.summary import summary
from studies.trained.weights import read_weights, write_weights
from synthetic.model.settings import check_count


def take_course(
    out: Path, seed: int, jobs: int, tasks: int | None = None, paths: int = 256
) -> dict[str, str]:
    """Teach, examine and write the folder `out`; returns the tables of `summary`, by title.

    The models are examined as written, rounded. Raises ModuleNotFoundError without PyTorch.
    """
    check_count("jobs", jobs, high=1024)
    from joblib import Parallel, delayed  # type: ignore[import-untyped]

    from studies.trained.training import teach

    calls = (delayed(teach)(lesson, seed) for lesson in LESSONS.values())
    taught = Parallel(n_jobs=jobs, return_as="generator")(calls)
    bar = tqdm(taught, total=len(LESSONS), desc="training", unit="model", disable=None)
    found = {key: matrices for key, (matrices, _) in zip(LESSONS, bar, strict=True)}
    out.mkdir(parents=True, exist_ok=True)
    write_weights(found, out / "weights.npz")
    weights = read_weights(out / "weights.npz")
    curves, learned = examine(weights, seed, tasks, paths), learned_table(weights)
    write_curves(curves, out / "trained.csv")
    write_raw(learned, out / "learned.csv")
    for suffix, content in rendered(page(curves, weights)).items():
        (out / f"trained{suffix}").write_bytes(content)
    return summary(curves, learned)
