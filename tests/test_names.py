"""No number depends on the names of questions, clusters, data sets, models or settings, on the order of a
setting's answers in a file, on the kind of file or its extra columns, or on what else it holds (here answers
of another model on another data set; a comparison does depend on that, as its intervals are simultaneous).
"""

from hashlib import blake2b
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import tts
from results import read_samples, write_samples
from tests.unmoved.world import SETTINGS, write_world

NEW = {
    "60": "1 low",
    "200": "2 more",
    "free": "3 all",
    "sums": "zz",
    "words": "aa",
    "small": "b",
    "large": "a",
}
COMMANDS = (
    "curves one.csv --permutations 3 --out out.csv",
    "stop one.csv --n-max 6 --orders 5 --out out.csv",
    "compare one.csv --out out.csv",
    "forecast one.csv --fit-max-n 4 --at-n 9 --predictor all --bootstrap 9 --cluster cluster --out out.csv",
    "forecast long.csv --fit-cap 600 --at-caps 800 --at-n 1,4 --bootstrap 9 --out out.csv",
    "backtest one.csv --fit-max-n 3 --at-n 6 --splits 2 --predictor default --bootstrap 9 --out out.csv",
    "plan one.csv --max-n 16 --bootstrap 9 --out out.csv",
    "precision one.csv --questions 50 --answers 4 --cluster topic --out out.csv",
    "precision two.csv --compare --questions 60 --answers 1,6 --out out.csv",
)
BESIDE = "mm"
NAMES = ["dataset", "model", "setting", "question_id", "cluster", "topic"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two folders with the same answers of two models, under two sets of names."""
    given, renamed = tmp_path_factory.mktemp("given"), tmp_path_factory.mktemp("renamed")
    write_world(given)
    small, large = given / "small.csv", given / "large.parquet"
    samples, long = read_samples(small, large), read_samples(given / "long.csv")
    tables = {
        "one": samples[(samples["model"] == "small") & (samples["dataset"] == "sums")],
        "two": samples[samples["setting"] == "200"],
        "long": long,
    }
    for name, table in tables.items():
        write_samples(table, given / f"{name}.csv")
        shuffled = table.sample(frac=1, random_state=5)
        other = pd.concat([shuffled[shuffled["setting"] == setting] for setting in SETTINGS])
        for column in NAMES:
            other[column] = [NEW.get(cell, hashed(cell)) for cell in other[column].astype(str)]
        other = other.drop(columns=["score_rm", "tokens_rm"], errors="ignore").assign(colour="red")
        first = (other[["dataset", "model"]] == other[["dataset", "model"]].iloc[0]).all(axis=1)
        beside = other[first].sample(frac=0.9, random_state=1).assign(dataset=BESIDE, model="c")
        other.to_parquet(renamed / f"{name}-alone.parquet")
        pd.concat([beside, other]).to_parquet(renamed / f"{name}.parquet")
    return given, renamed


def hashed(name: str) -> str:
    return blake2b(name.encode(), digest_size=4).hexdigest()


@pytest.mark.parametrize("line", COMMANDS, ids=lambda line: "-".join(line.split()[:3]))
def test_numbers_are_the_same_under_other_names(line, folders, monkeypatch):
    monkeypatch.setattr("predict.answers.mixture.IMAGINED", 2**9)
    monkeypatch.setattr("predict.planning.imagined_runs.IMAGINED", 2**9)
    alone = "-alone" if line.split()[0] == "compare" else ""
    tables = []
    for folder, kind in zip(folders, (".csv", f"{alone}.parquet"), strict=True):
        monkeypatch.chdir(folder)
        done = CliRunner().invoke(tts.cli, line.replace(".csv", kind, 1).split())
        assert done.exit_code == 0, done.output
        table = pd.read_csv("out.csv")
        tables.append(table[table["dataset"] != BESIDE])
    numbers = list(tables[1].select_dtypes("number"))
    given, renamed = (table[numbers] for table in tables)
    np.testing.assert_array_equal(by_content(given), by_content(renamed))


def by_content(numbers: pd.DataFrame) -> pd.DataFrame:
    """The rows sorted by their numbers, since a table may be ordered by names."""
    return numbers.sort_values(list(numbers), ignore_index=True)
