"""The numbers that commands print and write about data that ship, kept in `kept/` to be compared.

    compare.json    "stdout/2": [9.4, 7.1, 11.6, 14.0, 0.0]      numbers in a line that is printed
                    "out/difference": [12, 1.0824, 0.09375, …]   a column of out.csv: rows, sum, some

They are no proof that a number is right: the tests with an independent reference are. They notice that
one has moved. Where that is meant, look at it, and keep the new ones:

    python -m tests.unmoved.commands [NAME …]
"""

import json
import re
import shutil
import sys
import tempfile
from contextlib import chdir
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd
from click.testing import CliRunner

from harness.cli import cli as harness
from predict.cli import main as predict
from results.cli import cli as results
from results.report.inputs import read_tables
from results.report.page import build_report
from synthetic.cli import cli as synthetic

ROOT = Path(__file__).resolve().parents[2]
KEPT = Path(__file__).parent / "kept"
PACKAGES = {"harness": harness, "predict": predict, "results": results, "synthetic": synthetic}
MATH, GSM8K, TINY = "cached/qwen-math.parquet", "cached/qwen-gsm8k.parquet", "cached/tiny.csv"
FORECAST, FEW = "predict forecast", "--bootstrap 200"
TWIN = ("fig1-binary", "fig2a", "fig2e", "fig2f", "fig2h")
COMMANDS = {
    "forecast-votes": f"{FORECAST} {MATH} --fit-max-n 4 --at-n 8,16,64 --predictor all {FEW}",
    "forecast-best": f"{FORECAST} {MATH} --fit-max-n 4 --method best_of_n --predictor all {FEW}",
    "forecast-population": f"{FORECAST} {GSM8K} --fit-settings 20,100 --target population {FEW}",
    "forecast-curves": f"{FORECAST} {TINY} --at-settings 100,long=300 --at-n 1,16 --predictor all {FEW}",
    "forecast-caps": f"{FORECAST} a.parquet --fit-cap 200 --at-caps 400 --at-n 1,8 --bootstrap 50",
    "backtest": f"predict backtest {MATH} --fit-max-n 4 --at-n 8,16 --splits 2 --bootstrap 100",
    "plan": f"predict plan {MATH} --target-accuracy 0.999 --max-n 32 {FEW}",
    "plan-budget": f"predict plan {TINY} --token-budget 200 {FEW}",
    "fits": f"predict fits {TINY}",
    "precision": f"predict precision {MATH} --questions 200,1000 --answers 4,16",
    "curves": f"results curves {MATH} --permutations 3 --n 1,2,4,16 --caps 100,300",
    "stop": f"results stop {GSM8K} --n-max 16 --orders 5",
    "compare": "results compare a.parquet b.parquet --price a=1 --price b=3",
    "dry-run": "harness sample tiny --set limit=20 --dry-run --rate 1000 --price-per-hour 2 --out new",
    "inspect": f"harness inspect {MATH}",
    "inspect-wrong": f"harness inspect {MATH} --wrong --limit 2",
    **{f"twin-{name}": f"synthetic run {name} --tasks 3 --repeats 2" for name in TWIN},
    "twin-changed": "synthetic run fig2f --set d=5,20 --set n=30 --tasks 2 --repeats 2",
}
SOME = 24
NUMBER = re.compile(r"[−+-]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?")


def numbers(text: str) -> list[float]:
    """Every number in a text."""
    return [float(one.replace(",", "").replace("−", "-")) for one in NUMBER.findall(text)]


def outcome(name: str, folder: Path) -> dict[str, list[Any]]:
    """Columns of the tables a command writes, and the numbers in each line it prints."""
    shutil.copytree(ROOT / "results/cached", folder / "cached")
    table = pd.read_parquet(folder / GSM8K)
    for run, setting in (("a", "20"), ("b", "500")):
        rows = table[table["setting"] == setting].assign(setting="x", model=run)
        rows.to_parquet(folder / f"{run}.parquet")
    package, *words = COMMANDS[name].split()
    if package != "harness":
        words += ["--out", "out" if package == "synthetic" else "out.csv"]
    with chdir(folder):
        ended = CliRunner().invoke(PACKAGES[package], words, catch_exceptions=False)
    assert ended.exit_code == 0, ended.output
    said = ended.stdout.splitlines() if package != "synthetic" else []  # which tells seconds
    found: dict[str, list[Any]] = {
        f"stdout/{i}": told for i, line in enumerate(said) if (told := numbers(line))
    }
    for path in sorted(folder.glob("out*/*.csv")) + sorted(folder.glob("out.csv")):
        table = pd.read_csv(path)
        found |= {f"{path.stem}/{column}": summary(table[column]) for column in table}
    return found


def summary(values: "pd.Series[Any]") -> list[Any]:
    """How many values there are, their sum (of texts: how many differ), and up to SOME of them."""
    if values.dtype.kind not in "if":
        cells: list[Any] = [str(value) for value in values]
        total: float = len(set(cells))
    else:
        cells = [float(f"{value:.7g}") for value in values.fillna(-1)]
        total = float(f"{values.sum():.7g}")
    return [len(cells), total, *cells[:: -(-len(cells) // SOME)]]


def figures(folder: Path) -> dict[str, Any]:
    """Each figure of a report in Vega-Lite, its data by column as in `summary`."""
    for name in ("qwen-math.csv", "qwen-math-forecast.csv", "fig2f.csv"):
        table = pd.read_csv(ROOT / "results/cached" / name)
        if "predictor" in table:
            table = table[table["predictor"].isin(["default", "flat"])]
        table.to_csv(folder / name, index=False)
    specs: list[dict[str, Any]] = []
    with patch("results.report.page.rendered", lambda spec: specs.append(spec) or {}):
        build_report(read_tables(sorted(folder.iterdir())), datetime(2026, 1, 2, tzinfo=UTC))
    found = {}
    for spec in specs:
        if "layer" in spec:
            tables = {name: pd.DataFrame(rows) for name, rows in spec["datasets"].items()}
            data = {
                name: {column: summary(table[column]) for column in table} for name, table in tables.items()
            }
            found[next(iter(data))] = spec | {"title": "", "description": "", "datasets": data}
    return found


if __name__ == "__main__":
    KEPT.mkdir(exist_ok=True)
    for name in sys.argv[1:] or [*COMMANDS, "figures"]:
        with tempfile.TemporaryDirectory() as folder:
            kept = figures(Path(folder)) if name == "figures" else outcome(name, Path(folder))
        lines = (f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in kept.items())
        (KEPT / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
