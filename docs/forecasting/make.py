"""Make every table and picture of the forecasting pages again, from the data to the Markdown.

$ DATA_DIR=../shared/data python docs/forecasting/make.py --jobs 2
$ python -m predict backtest results/runs/forecasting/otis --fit-max-n 4 --at-n 8 …   (31 s)

Imports the sets, runs `predict backtest` on each, forecasts settings that are left out, and forecasts the
twin, whose truth is exact. Writes the error tables (CSV), the pictures (PNG) and the commands beside this
file, and the tables between the markers of docs/forecasting.md and evidence.md. Answers stay in results/runs.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import click
import pandas as pd
from evidence import LENGTH_JOBS, TWIN_JOBS, rows_of
from page import insert, write

from results.tables.files import write_raw

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORK = Path("results/runs/forecasting")


@dataclass(frozen=True)
class Backtest:
    """One call of `predict backtest`; a row of the tables for each value of the column `each`."""

    name: str
    label: str
    folder: str
    method: str
    seen: int
    at_n: str
    each: str | None = None

    def command(self, splits: int) -> list[str]:
        """The words after `python -m`."""
        return [
            "predict", "backtest", f"{WORK}/{self.folder}", "--method", self.method,
            "--fit-max-n", str(self.seen), "--at-n", self.at_n, "--splits", str(splits),
            "--out", f"{WORK}/{self.name}.csv",
        ]  # fmt: skip

    def rows(self) -> pd.DataFrame:
        """All forecasts, with the `set` each belongs to."""
        table = pd.read_csv(ROOT / WORK / f"{self.name}.csv", dtype={"setting": str})
        names = self.label + (" " + table[self.each].map(short) if self.each else "")
        return table.assign(set=names + f", {self.seen} → {self.at_n.replace(',', ', ')}")


def short(name: str) -> str:
    """A model's name without its maker and date."""
    return re.sub(r"-\d{4}-?\d\d-?\d\d$", "", name.split("/")[-1])


BACKTESTS = [
    Backtest("biggsm-4", "bigGSM", "biggsm", "majority", 4, "8,16", "setting"),
    Backtest("biggsm-8", "bigGSM", "biggsm", "majority", 8, "16", "setting"),
    Backtest("otis-4", "OTIS", "otis", "majority", 4, "8", "model"),
    Backtest("biggsm-best-4", "bigGSM", "biggsm", "best_of_n", 4, "8,16", "setting"),
    Backtest("otis-best-4", "OTIS", "otis", "best_of_n", 4, "8", "model"),
    Backtest("game24-4", "game of 24", "game24", "best_of_n", 4, "32,64,100"),
    Backtest("game24-8", "game of 24", "game24", "best_of_n", 8, "32,64,100"),
    Backtest("game24-16", "game of 24", "game24", "best_of_n", 16, "32,64,100"),
]


@click.command()
@click.option("--jobs", default=2, show_default=True, type=click.IntRange(1), help="Processes.")
@click.option("--splits", default=8, show_default=True, type=click.IntRange(1), help="Splits of a backtest.")
@click.option(
    "--data", envvar="DATA_DIR", default=ROOT.parent / "shared" / "data", type=click.Path(path_type=Path)
)
@click.option(
    "--reuse", is_flag=True, help="Take the forecasts of the last run; write tables and pictures only."
)
def main(jobs: int, splits: int, data: Path, reuse: bool) -> None:
    """Remake the tables and pictures of docs/forecasting.md and evidence.md."""
    started = time.monotonic()
    os.environ["OMP_NUM_THREADS"] = "1"  # for the processes started below
    if not reuse:
        shutil.rmtree(ROOT / WORK, ignore_errors=True)
    commands = prepare(data)
    backtests = [backtest.command(splits) for backtest in BACKTESTS]
    if not reuse:
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(run, commands))
            list(pool.map(run, backtests))
        with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
            found = pd.concat(pool.map(rows_of, [*TWIN_JOBS, *LENGTH_JOBS]), ignore_index=True)
        write_raw(found, ROOT / WORK / "evidence.csv")
    evidence = pd.read_csv(ROOT / WORK / "evidence.csv", dtype={"setting": str})
    hidden = pd.concat([backtest.rows() for backtest in BACKTESTS], ignore_index=True)
    write(hidden, evidence)
    examples()
    said = [shown(words, data) for words in [*commands, *backtests, *EXAMPLES.values()]]
    (HERE / "commands.txt").write_text("\n".join(said) + "\n", encoding="utf-8")
    click.echo(f"{time.monotonic() - started:.0f} s")


def prepare(data: Path) -> list[list[str]]:
    """The import commands, and those of the twin. bigGSM's three files become one with a setting."""
    source = data / "samples"
    both = ROOT / WORK / "biggsm.csv"
    both.parent.mkdir(parents=True, exist_ok=True)
    pd.concat(
        [
            pd.read_csv(source / f"gpt-3.5-turbo_biggsm_t{t}.csv", dtype=str).assign(temperature=f"t{t}")
            for t in ("0.1", "0.5", "0.8")
        ]
    ).to_csv(both, index=False)
    take = ["harness", "import", "csv"]
    twin = ["synthetic", "run", "fig2h", "--solver"]
    return [
        [*take, str(both), "--map", "setting=temperature", "--dataset", "biggsm", "--model", "gpt-3.5-turbo",
         "--out", f"{WORK}/biggsm"],
        [*take, str(source / "epoch_otis_mock_aime.csv"), "--map", "setting=effort", "--map",
         "tokens=completion_tokens", "--drop", "error=1", "--dataset", "otis-mock-aime",
         "--out", f"{WORK}/otis"],
        [*take, str(source / "gpt-4_game24_cot.csv"), "--dataset", "game24", "--model", "gpt-4",
         "--out", f"{WORK}/game24"],
        [*twin, "exact", "--out", f"{WORK}/exact"],
        [*twin, "monte-carlo", "--paths", "64", "--out", f"{WORK}/sampled"],
    ]  # fmt: skip


EXAMPLES = {
    "forecast-example": [
        "predict", "forecast", f"{WORK}/otis", "--fit-max-n", "4", "--at-n", "8,32",
        "--out", f"{WORK}/forecast.csv",
    ],
    "plan-example": [
        "predict", "plan", f"{WORK}/otis", "--target-accuracy", "0.9", "--plot", "docs/forecasting/plan.png",
    ],
}  # fmt: skip
SHOWN = "openai/gpt-5.1 on"
"""The model whose part of the output stands in the page."""


def examples() -> None:
    """Run the page's examples and put one model's part of their output into it."""
    for name, words in EXAMPLES.items():
        blocks = run(words).split("\n\n")
        first = next(i for i, block in enumerate(blocks) if block.strip().startswith(SHOWN))
        rest = blocks[first + 1 :]
        more = [block for block in rest[:1] if block.startswith("The next run")]
        text = "\n\n".join([blocks[first].strip(), *more])
        insert(name, f"```\n$ {shlex.join(['python', '-m', *words])}\n…\n{text}\n…\n```")


def run(words: list[str]) -> str:
    """Run `python -m WORDS` in the repository and return its output; errors are shown."""
    start = time.monotonic()
    done = subprocess.run([sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise click.ClickException(f"{shlex.join(words)}: {done.stderr.strip()}")
    click.echo(f"{shlex.join(words[:3])} {words[-1]} ({time.monotonic() - start:.0f} s)")
    return done.stdout


def shown(words: list[str], data: Path) -> str:
    """A command as a reader types it."""
    return shlex.join(["python", "-m", *words]).replace(str(data), "$DATA_DIR").replace(f"{ROOT}/", "")


if __name__ == "__main__":
    main()
