"""The command line: what it writes, prints and refuses."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import Result

from predict.estimators import DEFAULT, ESTIMATORS
from results import read_forecast
from tests.predict.commands import predict
from tests.predict.conftest import simulated_samples


def forecast(source: Path, out: Path, *options: str) -> Result:
    return predict("forecast", source, "--out", out, *options)


def test_default_split_holds_out_the_dearer_half_of_every_group(curves_file: Path, tmp_path: Path) -> None:
    done = forecast(curves_file, tmp_path / "f.csv", "--bootstrap", "50", "--predictor", "low-cost-to-high")
    assert done.exit_code == 0, done.output
    table = read_forecast(tmp_path / "f.csv")
    assert set(table["model"]) == {"small", "large"}
    roles = table.groupby("setting")["role"].unique().map(list).to_dict()
    assert {s: r for s, r in roles.items() if r == ["used"]}.keys() == {"0.8", "1.2", "1.7"}
    held = table[table["role"] == "held_out"]
    assert (held["predicted"] - held["accuracy"]).abs().max() < 0.02
    assert (held["low"] <= held["predicted"]).all()
    assert (held["predicted"] <= held["high"]).all()
    assert "condition" in table


def test_every_split_option_limits_what_is_used(curves_file: Path, tmp_path: Path) -> None:
    def used(*options: str) -> pd.DataFrame:
        options = ("--bootstrap", "0", "--predictor", "power-law", *options)
        assert forecast(curves_file, tmp_path / "f.csv", *options).exit_code == 0
        table = read_forecast(tmp_path / "f.csv")
        return table[table["role"] == "used"]

    assert used("--fit-max-n", "8")["N"].max() == 8
    assert set(used("--fit-max-tokens", "1200")["setting"]) == {"0.8", "1.2"}
    assert set(used("--fit-settings", "0.8,4")["setting"]) == {"0.8", "4"}


def test_new_n_and_new_settings_are_forecast(curves_file: Path, tmp_path: Path) -> None:
    options = ("--at-n", "8,64", "--at-settings", "4,long=6000", "--predictor", "low-cost-to-high")
    done = forecast(curves_file, tmp_path / "f.csv", "--bootstrap", "0", *options)
    assert done.exit_code == 0, done.output
    table = read_forecast(tmp_path / "f.csv").query("model == 'large'").set_index(["setting", "N"])
    assert table["role"].tolist() == ["used", "forecast", "forecast", "forecast"]
    assert table.loc[("long", 8), "T"] == pytest.approx(6e5)
    truth = 0.9 - 0.4 * np.exp(-((0.8 - 0.5 * np.exp(-0.6 * 6)) ** 2) * 8 / 2)
    assert table.loc[("long", 8), "predicted"] == pytest.approx(truth, abs=0.005)


def test_on_curves_the_default_predictor_tells_these_questions_from_new_ones(
    curves_file: Path, tmp_path: Path
) -> None:
    """At an observed point nine tenths of the variance is the questions' luck: √10 times the width."""
    options = ("--fit-max-n", "32", "--at-n", "1,32,64", "--at-settings", "1.2")
    assert forecast(curves_file, tmp_path / "f.csv", *options).exit_code == 0
    table = read_forecast(tmp_path / "f.csv")
    ratio = (table["new_high"] - table["new_low"]) / (table["high"] - table["low"])
    beyond = table["N"] == 64
    assert (ratio[beyond] > 1).all()  # most of either is the error of the fit
    assert ratio[~beyond].to_numpy() == pytest.approx(np.sqrt(10), rel=1e-6)
    assert table["predicted"][~beyond].to_numpy() == pytest.approx(table["accuracy"][~beyond].to_numpy())


def test_help_lists_every_predictor() -> None:
    said = " ".join(predict("plan", "--help").output.split())
    listed = said.split("One of ")[1].split("[default")[0].replace(" ", "")
    names = re.findall(r"(?:^|;)([a-z-]+)\(", listed)
    assert sorted(names) == sorted([DEFAULT, *ESTIMATORS])


def test_an_interval_of_a_third_of_the_range_is_not_ok_whoever_forecasts(
    samples_file: Path, tmp_path: Path
) -> None:
    options = ("--at-n", "4", "--at-settings", "80,far=5000", "--predictor", "all", "--bootstrap", "60")
    assert forecast(samples_file, tmp_path / "f.csv", *options).exit_code == 0
    table = read_forecast(tmp_path / "f.csv").dropna(subset=["predicted"])
    wide = table["high"] - table["low"] > 0.3
    assert "flat" in set(table[wide]["predictor"])  # it raises no alarm of its own
    assert "ok" not in set(table[wide]["status"])
    assert set(table[(table["predictor"] == "flat") & ~wide]["status"]) == {"ok"}


def test_names_are_printed_so_that_no_terminal_obeys_them(tmp_path: Path) -> None:
    frame = simulated_samples(questions=8, answers=4)
    frame = frame.assign(model="m\x1b]0;x\x07", dataset="d\u202e", setting=frame["setting"] + "\u2028\x1b[2J")
    frame.to_json(tmp_path / "in.jsonl", orient="records", lines=True)
    out, few = ("--out", str(tmp_path / "o.csv")), ("--bootstrap", "5")
    for command, *options in (
        ["forecast", *out, *few],
        ["backtest", *out, "--fit-max-n", "2", "--predictor", "flat"],
        ["fits", *out],
        ["plan", *out, *few],
        ["forecast", *out, "--at-settings", "new"],
    ):
        done = predict(command, tmp_path / "in.jsonl", *options)
        assert not {"\x1b", "\x07", "\u202e", "\u2028"} & set(done.stdout), command
        assert done.exit_code == 2 or not {"\x1b", "\x07", "\u202e", "\u2028"} & set(done.stderr), command


def test_a_setting_with_an_equals_sign_in_its_name_is_itself(tmp_path: Path) -> None:
    frame = simulated_samples(questions=8, answers=4, settings=("40", "80"))
    frame = frame.assign(setting="temperature=0." + frame["setting"])
    frame.to_csv(tmp_path / "in.csv", index=False)
    options = ("--at-n", "4", "--predictor", "flat", "--bootstrap", "0")
    named = ("--at-settings", "temperature=0.40,long=5=900")
    assert forecast(tmp_path / "in.csv", tmp_path / "f.csv", *options, *named).exit_code == 0
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
    assert done.stdout.splitlines()[-1] == "1 False"  # said before NumPy is loaded, which reads it then
