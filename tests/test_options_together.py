"""No option loses its effect beside others: leaving any one out changes what is printed or written."""

import re
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import tts
from tests.unmoved.world import write_world

SPELT = "--as-written --unreadable 68"
"""Of answers that are written in two ways, and of some that say 68."""
TOGETHER = (
    f"curves one.csv {SPELT} --n 1,3 --caps 250,300 --permutations 2 --seed 4 --cluster topic --out out.csv",
    f"curves one.csv {SPELT} --n 2,3 --method best_by_score,weighted_majority --score rm --weights sigmoid"
    " --out out.csv",
    f"compare one.csv two.csv {SPELT} --at 3 --level 0.7 --cluster topic --price one=1 --price two=3",
    "compare one.csv two.csv --at 3,4 --method weighted_majority --score rm --weights sigmoid"
    " --score-cost 50",
    "compare all.csv --model one --model two --at 3 --gate --margin 4 --level 0.7 --cluster topic",
    "compare alone.csv --at 3 --sequential --planned 90 --looks 4 --gate --margin 4 --level 0.7",
    f"compare alone.csv {SPELT} --at 3 --sequential --method weighted_majority --score rm --weights sigmoid",
    "compare one.csv two.csv --every-question --margin 20 --gate --level 0.55",
    f"stop one.csv {SPELT} --rule lead:2 --rule lead:3 --rule certain --n-max 6 --orders 3 --seed 2"
    " --cluster topic --out out.csv",
    f"precision one.csv {SPELT} --questions 50 --answers 3 --cluster topic --level 0.7 --seed 3",
    "precision all.csv --compare --questions 50 --answers 3 --cluster topic --level 0.7 --seed 3",
    "precision few.csv --with large.parquet --price org/thinker=3 --price large=1 --answers 4 --level 0.8",
    "forecast one.csv --fit-max-n 4 --at-n 9 --bootstrap 9 --level 0.7 --seed 3 --target population"
    " --cluster topic --method best_of_n --unreadable 68 --out out.csv",
    "forecast one.csv --fit-max-n 3 --predictor power-law --bootstrap 9 --level 0.7 --as-written"
    " --out out.csv",
    "plan one.csv --max-n 16 --bootstrap 9 --level 0.7 --seed 3 --cluster topic --target-accuracy 0.9"
    " --price one=3 --unreadable 68",
    "plan one.csv --score rm --score-cost 50 --token-budget 500 --level 0.7 --cluster topic --max-n 4",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The world, with a file for each of two models, all.csv of both, and alone.csv without clusters."""
    folder = tmp_path_factory.mktemp("together")
    write_world(folder)
    small, large = pd.read_csv(folder / "small.csv"), pd.read_parquet(folder / "large.parquet")
    rows = pd.concat([small.assign(model="one"), large.assign(model="two")])
    rows = rows[(rows["dataset"] == "sums") & (rows["setting"].astype(str) == "200")].drop(columns="correct")
    other_way = rows["answer"].ne(rows["gold"]) & (rows["sample"] % 2 == 1)
    answers = rows["answer"].astype(str).where(rows["answer"].notna(), "")
    rows["answer"] = answers.where(~other_way | (answers == ""), answers + ".0")
    for name, model in rows.groupby("model"):
        model.to_csv(folder / f"{name}.csv", index=False)
    rows.to_csv(folder / "all.csv", index=False)
    rows.drop(columns="cluster").to_csv(folder / "alone.csv", index=False)
    return folder


@pytest.mark.parametrize("line", TOGETHER, ids=lambda line: "-".join(line.split()[:4]))
def test_no_option_loses_its_effect_beside_the_others(line, folder, monkeypatch):
    monkeypatch.setattr("predict.answers.mixture.IMAGINED", 2**9)
    monkeypatch.setattr("predict.planning.imagined_runs.IMAGINED", 2**9)
    monkeypatch.chdir(folder)

    def told(words: list[str]) -> tuple[int, str, bytes]:
        (out := Path("out.csv")).unlink(missing_ok=True)
        done = CliRunner().invoke(tts.cli, " ".join(words).split())
        return done.exit_code, done.output, out.read_bytes() if out.exists() else b""

    command, *options = re.split(" (?=--)", line)
    together = told([command, *options])
    assert together[0] != 2, together[1]
    lost = [
        option
        for place, option in enumerate(options)
        if told([command, *options[:place], *options[place + 1 :]]) == together
    ]
    assert lost == []
