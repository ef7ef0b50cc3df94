"""Make every table and picture of docs/forecasting.md again, from the data to the Markdown.

$ DATA_DIR=../shared/data python docs/forecasting/make.py --jobs 2
$ python -m predict backtest results/runs/forecasting/otis --fit-max-n 4 --at-n 8 …   (31 s)

Imports the sets, runs `predict backtest` on each, forecasts settings that are left out, and forecasts the
twin, whose truth is exact. Writes the error tables (CSV), the pictures (PNG) and the commands beside this
file, and the tables between the markers of docs/forecasting.md. Answers stay in results/runs.
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
import vl_convert
from evidence import LENGTH_JOBS, TWIN_JOBS, rows_of

from predict.backtest import summary
from results.files import write_raw
from results.plots import Figure, combined_spec
from results.plots_backtest import calibration_figure, coverage_figure, errors_figure, truth_figure

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "forecasting.md"
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

TABLE_ORDER = [
    "flat", "exponential", "power-law", "low-cost-to-high", "joint", "plug-in", "beta-binomial", "mixture",
]  # fmt: skip


@click.command()
@click.option("--jobs", default=2, show_default=True, type=click.IntRange(1), help="Processes.")
@click.option("--splits", default=24, show_default=True, type=click.IntRange(1), help="Splits of a backtest.")
@click.option(
    "--data", envvar="DATA_DIR", default=ROOT.parent / "shared" / "data", type=click.Path(path_type=Path)
)
def main(jobs: int, splits: int, data: Path) -> None:
    """Remake the tables and pictures of docs/forecasting.md."""
    started = time.monotonic()
    os.environ["OMP_NUM_THREADS"] = "1"  # for the processes started below
    shutil.rmtree(ROOT / WORK, ignore_errors=True)
    commands = prepare(data)
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(run, commands))
        backtests = [backtest.command(splits) for backtest in BACKTESTS]
        list(pool.map(run, backtests))
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        evidence = pd.concat(pool.map(rows_of, [*TWIN_JOBS, *LENGTH_JOBS]), ignore_index=True)
    write_raw(evidence, ROOT / WORK / "evidence.csv")
    hidden = pd.concat([backtest.rows() for backtest in BACKTESTS], ignore_index=True)
    write(hidden, evidence, [shown(words, data) for words in [*commands, *backtests]])
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


def run(words: list[str]) -> None:
    """Run `python -m WORDS` in the repository; its output is shown where it fails."""
    start = time.monotonic()
    done = subprocess.run([sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise click.ClickException(f"{shlex.join(words)}: {done.stderr.strip()}")
    click.echo(f"{shlex.join(words[:3])} {words[-1]} ({time.monotonic() - start:.0f} s)")


def shown(words: list[str], data: Path) -> str:
    """A command as a reader types it."""
    return shlex.join(["python", "-m", *words]).replace(str(data), "$DATA_DIR").replace(f"{ROOT}/", "")


def write(hidden: pd.DataFrame, evidence: pd.DataFrame, commands: list[str]) -> None:
    """All files beside this one, and the tables in the page."""
    (HERE / "commands.txt").write_text("\n".join(commands) + "\n", encoding="utf-8")
    by_set = summary_by_set(hidden)
    twin = evidence[evidence["kind"] != "lengths"]
    asked = evidence[evidence["role"] == "held_out"]
    by_twin, by_length = (
        summary_by_set(asked[(asked["kind"] == "lengths") == lengths]) for lengths in (False, True)
    )
    for name, table in (("backtests", by_set), ("twin", by_twin), ("lengths", by_length)):
        write_raw(table, HERE / f"{name}.csv")
    vote, best = (by_set[by_set["method"] == method] for method in ("majority", "best_of_n"))
    insert("majority", markdown(vote))
    insert("best-of-n", markdown(best))
    insert("overall", overall(hidden, asked))
    insert("twin", markdown(by_twin))
    insert("lengths", markdown(by_length))
    draw(
        "errors",
        [errors_figure(vote, "vote", "Majority vote, forecast from 4 or 8 answers"),
         errors_figure(best, "best", "Best of N, forecast from 4 to 16 answers")],
    )  # fmt: skip
    judged = pd.concat([hidden, asked[asked["kind"] != "lengths"]])
    draw(
        "coverage",
        [coverage_figure(pd.concat([by_set, by_twin]), "coverage", "Do the intervals keep their word?"),
         calibration_figure(judged, "calibration", "Promised and kept coverage")],
    )  # fmt: skip
    draw("twin", twin_figures(twin))


def summary_by_set(rows: pd.DataFrame) -> pd.DataFrame:
    """`predict.backtest.summary` of each set."""
    parts = [
        summary(part).reset_index().assign(set=name, method=method)
        for (name, method), part in rows.groupby(["set", "method"], sort=False)
    ]
    table = pd.concat(parts, ignore_index=True)
    return table[["set", "method", *table.columns.drop(["set", "method"])]]


def markdown(table: pd.DataFrame) -> str:
    """Mean error in percentage points and coverage by set and predictor; the smallest error is bold."""
    present = [name for name in TABLE_ORDER if name in set(table["predictor"])]
    lines = ["| set | " + " | ".join(present) + " |", "|---" * (len(present) + 1) + "|"]
    for name, part in table.groupby("set", sort=False):
        rows = part.set_index("predictor")
        full = rows[rows["forecasts"] > rows["missing"]]
        cells = [str(name)]
        for predictor in present:
            if predictor not in rows.index or not rows.loc[predictor, "forecasts"]:
                cells.append("–")
                continue
            row = rows.loc[predictor]
            error = f"{100 * row['mean_error']:.2f}"
            error = f"**{error}**" if row["mean_error"] == full["mean_error"].min() else error
            held = "" if pd.isna(row["coverage"]) else f" ({100 * row['coverage']:.0f})"
            cells.append(error + held)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def overall(hidden: pd.DataFrame, evidence: pd.DataFrame) -> str:
    """One line a predictor and kind of task: forecasts, error, bias, worst error, coverage."""
    kinds = {
        "majority vote along N": hidden[hidden["method"] == "majority"],
        "best of N along N": hidden[hidden["method"] == "best_of_n"],
        "new settings along T": evidence[evidence["kind"] == "lengths"],
        "twin, exact truth": evidence[evidence["kind"] != "lengths"],
    }
    head = ["task", "predictor", "forecasts", "none given", "mean error", "bias", "worst", "held by 90 %"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for kind, rows in kinds.items():
        table = summary(rows)
        for predictor in (name for name in TABLE_ORDER if name in table.index):
            row = table.loc[predictor]
            if not row["forecasts"]:
                continue
            bias = f"{100 * row['bias']:+.2f}".replace("-", "−")
            numbers = [f"{100 * row['mean_error']:.2f}", bias, f"{100 * row['worst_error']:.1f}"]
            held = "–" if pd.isna(row["coverage"]) else f"{100 * row['coverage']:.0f} %"
            cells = [kind, predictor, f"{row['forecasts']:.0f}", f"{row['missing']:.0f}", *numbers, held]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def twin_figures(rows: pd.DataFrame) -> list[Figure]:
    """One split of the twin over N, and one over T."""
    figures = []
    for kind, axis, keep, title in (
        ("twin-N", "N", {"setting": ["1", "3", "6", "12", "50"]}, "The vote of N, from 8 answers a question"),
        ("twin-T", "T", {"N": [1, 8, 64]}, "Longer reasoning, from T ≤ 8"),
    ):
        part = rows[(rows["kind"] == kind) & (rows["predictor"] == "mixture") & (rows["split"] == 0)]
        for column, values in keep.items():
            part = part[part[column].isin(values)]
        subtitle = ("Lines: exact. Marks and bars: forecasts with 90 % intervals.", part["set"].iloc[0])
        figures.append(
            truth_figure(part, part.assign(known=part["role"] == "used"), axis, kind, title, subtitle)
        )
    return figures


def draw(name: str, figures: list[Figure]) -> None:
    """Figures side by side as docs/forecasting/NAME.png."""
    png = bytes(vl_convert.vegalite_to_png(combined_spec([figures]), scale=1.6))
    (HERE / f"{name}.png").write_bytes(png)


def insert(name: str, text: str) -> None:
    """Put `text` between the page's markers of this name, and print it."""
    click.echo(f"\n{name}\n{text}")
    page = PAGE.read_text(encoding="utf-8")
    pattern = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
    if not pattern.search(page):
        click.echo(f"(no markers for {name} in {PAGE.name})", err=True)
        return
    PAGE.write_text(pattern.sub(lambda found: f"{found[1]}\n{text}\n\n{found[2]}", page), encoding="utf-8")


if __name__ == "__main__":
    main()
