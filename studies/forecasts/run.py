"""Remake every table and figure along N of the forecasting pages, from the data to the Markdown.

$ DATA_DIR=../shared/data python -m studies.forecasts.run --jobs 2

Imports the sets and judges every predictor and the rivals from the literature on all of them (`along_n`).
Writes the scores of this edition, figures (PNG) and commands beside this file, and the tables between the
markers of docs/forecasting.md and README.md. Answers and the scores of each set stay in runs.
"""

import shlex
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import click
import pandas as pd

from results.tables.files import write_raw
from studies.forecasts.along_n import jobs, scores_of
from studies.forecasts.page import HERE, insert, write
from studies.options import DATA, PROCESSES, pool_of

ROOT = HERE.parents[1]
WORK = Path("runs/forecasting")
BEFORE, EDITION = (HERE / "editions" / name for name in ("8.csv", "9.csv"))
"""The scores of the previous and this edition of the forecaster; a new edition gets a new file."""


@click.command()
@PROCESSES
@click.option("--splits", default=4, show_default=True, type=click.IntRange(1), help="Splits of a set.")
@DATA
@click.option("--reuse", is_flag=True, help="Take what the last run has left; do the rest.")
@click.option(
    "--again", multiple=True, metavar="PREDICTOR", help="Judge this one alone; the others as before."
)
def main(processes: int, splits: int, data: Path, reuse: bool, again: tuple[str, ...]) -> None:
    """Remake the tables and pictures of docs/forecasting.md and README.md."""
    started = time.monotonic()
    if not reuse:
        shutil.rmtree(ROOT / WORK, ignore_errors=True)
    commands = prepare(data)
    with ThreadPoolExecutor(processes) as threads:
        list(threads.map(run, [words for words in commands if not (ROOT / words[-1]).exists()]))
    with pool_of(processes) as pool:
        found = pd.concat(pool.map(partial(scores_of, names=again), jobs(data, splits)), ignore_index=True)
    if again:
        found = with_others(found, pd.read_csv(BEFORE))
    write_raw(found, EDITION)
    write(found)
    examples()
    said = [shown(words, data) for words in [*commands, *EXAMPLES.values()]]
    (HERE / "commands.txt").write_text("\n".join(said) + "\n", encoding="utf-8")
    click.echo(f"{time.monotonic() - started:.0f} s")


def with_others(found: pd.DataFrame, before: pd.DataFrame) -> pd.DataFrame:
    """Scores of some predictors, with those of the others from an earlier edition, in its order."""
    key = ["set", "method", "seen", "predictor"]
    newest = pd.concat([found, before]).drop_duplicates(key).set_index(key)
    return newest.reindex(before.set_index(key).index).reset_index()[before.columns]


def prepare(data: Path) -> list[list[str]]:
    """The import commands. bigGSM's three files become one with a setting."""
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
    return [
        [
            *take,
            str(both),
            "--map",
            "setting=temperature",
            "--dataset",
            "biggsm",
            "--model",
            "gpt-3.5-turbo",
            "--out",
            f"{WORK}/biggsm",
        ],
        [
            *take,
            str(source / "epoch_otis_mock_aime.csv"),
            "--map",
            "setting=effort",
            "--map",
            "tokens=completion_tokens",
            "--dataset",
            "otis-mock-aime",
            "--out",
            f"{WORK}/otis",
        ],
        [
            *take,
            str(source / "gpt-4_game24_cot.csv"),
            "--dataset",
            "game24",
            "--model",
            "gpt-4",
            "--out",
            f"{WORK}/game24",
        ],
    ]


EXAMPLES = {
    "forecast-example": [
        "predict",
        "forecast",
        f"{WORK}/otis",
        "--fit-max-n",
        "4",
        "--at-n",
        "8,32",
        "--out",
        f"{WORK}/forecast.csv",
    ],
    "plan-example": [
        "predict",
        "plan",
        f"{WORK}/otis",
        "--target-accuracy",
        "0.9",
        "--plot",
        "docs/images/plan.png",
    ],
}
SHOWN = "openai/gpt-5.1 on"
"""The model whose part of the output is shown on the page."""


def examples() -> None:
    """Run the page's examples and put one model's part of their output into it."""
    for name, words in EXAMPLES.items():
        blocks = map(str.strip, run(words).split("\n\n"))
        shown = "\n\n".join(block for block in blocks if block.startswith(SHOWN))
        insert(name, f"```\n$ {shlex.join(['tts', *words[1:]])}\n…\n{shown}\n…\n```")


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
    return shlex.join(["tts", *words[1:]]).replace(str(data), "$DATA_DIR").replace(f"{ROOT}/", "")


if __name__ == "__main__":
    main()
