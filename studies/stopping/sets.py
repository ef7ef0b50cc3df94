"""The sets of real answers for the page on stopping, by the family with which they are left out.

load(data)  ->  {"boinf-qwen3-14b-aime2425-80": ("aime", <samples>), …}

A family is a benchmark or a source: a rule that is fitted without it has seen nothing like it. The folder of
data is described in CONTRIBUTING.md; the answers of the family `qwen` ship with the project.
"""

from pathlib import Path

import pandas as pd

from results.tables.contract import read_samples

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "aime": [f"boinf-{model}-aime2425-80" for model in ("am-thinking-v1", "datarus-r1-14b", "nemotron-9b-v2")]
    + ["boinf-qwen3-14b-aime2425-80", "boinf-qwen3-4b-aime2425-80"],
    "gpqa": ["boinf-nemotron-9b-v2-gpqa-80"],
    "math-500": ["boinf-nemotron-9b-v2-math500-80"],
    "amc": ["rgeval-llama32-3b-rgmath-amc23-50"],
    "biggsm": [f"gpt-3.5-turbo_biggsm_t{t}" for t in ("0.1", "0.5", "0.8")],
}
SHIPPED = {"qwen": ["qwen-gsm8k", "qwen-math"]}


def load(data: Path) -> dict[str, tuple[str, pd.DataFrame]]:
    """The family, and the samples of one setting, by the set's name."""
    files = [(family, data / "samples" / f"{name}.csv") for family, names in FILES.items() for name in names]
    for family, names in SHIPPED.items():
        files += [(family, ROOT / f"results/cached/{name}.parquet") for name in names]
    sets = {}
    for family, path in files:
        table = read_samples(path, texts=False)
        for setting, rows in table.groupby("setting", sort=False):
            name = path.stem if len(set(table["setting"])) == 1 else f"{path.stem}, {setting}"
            sets[name] = (family, rows.reset_index(drop=True))
    return sets
