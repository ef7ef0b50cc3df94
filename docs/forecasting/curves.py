"""What curves alone tell of votes of more answers: mean errors by set, predictor and answers seen.

$ DATA_DIR=../shared/data python docs/forecasting/curves.py        (after make.py; 10 s)
seen  sets  flat  power-law  exponential  joint  mixture
8     9     0.71  1.00       1.33         0.83   0.61

Geometric means over sets of the error relative to the power law's; two splits of each set. From curves the
mixture is `predict.curves.along_n`.
"""

import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import click
import numpy as np
import pandas as pd
from page import insert

from predict.groups import Group, read_groups
from predict.predictors import PREDICTORS
from predict.protocol import Options
from predict.split import observe

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
STARTS = ("boinf", "epoch-", "jhu", "rgeval")
NAMES = ("flat", "power-law", "exponential", "joint", "mixture")


def errors(group: Group, seen: int) -> dict[str, float]:
    """The mean absolute error of each predictor on the curve of `seen` answers, asked for more."""
    pool = min(int(one.answers.sizes.min()) for one in group.pools)
    wanted = np.isin(group.points.N, [n for n in (8, 16, 32, 64, pool) if seen < n <= pool])
    missed: dict[str, list[float]] = {name: [] for name in NAMES}
    for split in range(2):
        shown = observe(group, [one.setting for one in group.pools], seen, Options(), split)
        curve = replace(shown, pools=(), replicates=shown.replicates[:0])
        for name in NAMES:
            found = PREDICTORS[name](curve, group.points[wanted], Options()).mean
            missed[name] += np.abs(found - group.accuracy[wanted]).tolist()
    return {name: float(np.mean(values)) for name, values in missed.items()}


@click.command()
@click.option(
    "--data", envvar="DATA_DIR", default=ROOT.parent / "shared" / "data", type=click.Path(path_type=Path)
)
def main(data: Path) -> None:
    """Print the table and put it into the page."""
    made = [ROOT / "results" / "runs" / "forecasting" / name for name in ("biggsm", "otis")]
    tables = [path for start in STARTS for path in sorted((data / "samples").glob(f"{start}*.csv"))]
    rows = []
    for path in [*made, *tables]:
        for group in read_groups([path], "majority"):
            for seen in (4, 8, 16, 32):
                if 2 * seen <= min(int(one.answers.sizes.min()) for one in group.pools):
                    rows.append({"set": path.stem, "seen": seen, **errors(group, seen)})
    by_set = pd.DataFrame(rows).groupby(["seen", "set"])[list(NAMES)].mean().clip(lower=1e-3)
    relative = np.log(by_set.div(by_set["power-law"], axis=0)).groupby("seen")
    found, sets = np.exp(relative.mean()), relative.size()
    lines = ["| answers seen | sets | " + " | ".join(NAMES) + " |", "|---" * (len(NAMES) + 2) + "|"]
    for seen, row in found.iterrows():
        lines.append(f"| {seen} | {sets[seen]} | " + " | ".join(f"{row[name]:.2f}" for name in NAMES) + " |")
    insert("curves", "\n".join(lines))


if __name__ == "__main__":
    main()
