"""The command line: what it writes, prints and refuses."""

import os
import re
import subprocess
import sys
from pathlib import Path

from click.testing import Result

from predict.estimators import DEFAULT, ESTIMATORS
from results import read_forecast
from tests.predict.commands import predict
from tests.predict.conftest import simulated_samples


def forecast(source: Path, out: Path, *options: str) -> Result:
    return predict("forecast", source, "--out", out, *options)


def test_help_lists_every_predictor() -> None:
    said = " ".join(predict("plan", "--help").output.split())
    listed = said.split("One of ")[1].split("[default")[0].replace(" ", "")
    names = re.findall(r"(?:^|;)([a-z-]+)\(", listed)
    assert sorted(names) == sorted([DEFAULT, *ESTIMATORS])


def test_names_are_printed_so_that_no_terminal_obeys_them(tmp_path: Path) -> None:
    frame = simulated_samples(questions=8, answers=4)
    frame = frame.assign(model="m\x1b]0;x\x07", dataset="d\u202e", setting=frame["setting"] + "\u2028\x1b[2J")
    frame.to_json(tmp_path / "in.jsonl", orient="records", lines=True)
    out, few = ("--out", str(tmp_path / "o.csv")), ("--bootstrap", "5")
    for command, *options in (
        ["forecast", *out, *few],
        ["backtest", *out, "--fit-max-n", "2", "--predictor", "flat"],
        ["fits", *out],
        ["plan", *out, *few, "--predictor", "flat"],
        ["forecast", *out, "--at-settings", "new"],
    ):
        done = predict(command, tmp_path / "in.jsonl", *options)
        assert not {"\x1b", "\x07", "\u202e", "\u2028"} & set(done.stdout), command
        assert done.exit_code == 2 or not {"\x1b", "\x07", "\u202e", "\u2028"} & set(done.stderr), command


def test_a_setting_with_an_equals_sign_in_its_name_is_itself(tmp_path: Path) -> None:
    frame = simulated_samples(questions=8, answers=4, settings=("40", "80"))
    frame = frame.assign(setting="temperature=0." + frame["setting"])
    frame.to_csv(tmp_path / "in.csv", index=False)
    options = ("--at-n", "2", "--predictor", "flat", "--bootstrap", "0")
    named = ("--at-settings", "temperature=0.40,long=5=900")
    done = forecast(tmp_path / "in.csv", tmp_path / "f.csv", *options, *named, "--fit-max-n", "9")
    assert done.exit_code == 0
    assert (
        "from settings temperature=0.40, temperature=0.80, N up to 4\n" in done.output
    )  # all that was fitted
    table = read_forecast(tmp_path / "f.csv")
    assert table["setting"].tolist() == ["temperature=0.40", "long=5"]
    assert table["tokens_per_answer"].tolist() == [31.5, 900.0]
    done = forecast(tmp_path / "in.csv", tmp_path / "f.csv", *options, "--at-settings", "temperature=0.3")
    assert done.exit_code == 2
    assert "temperature=0.3" in done.output


def test_small_matrices_are_not_shared_among_threads() -> None:
    code = """
import atexit, os, runpy, sys
sys.argv = ["predict", "--help"]
atexit.register(lambda: print(os.environ["OPENBLAS_NUM_THREADS"], "numpy" in sys.modules))
runpy.run_module("predict", run_name="__main__")
"""
    of_user = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
    environment = {name: value for name, value in os.environ.items() if name not in of_user}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "1 False"  # set before NumPy is loaded and reads it
