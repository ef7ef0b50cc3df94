"""Folders of runs as the input of `predict forecast`, as `make predict` gives them."""

import os
from pathlib import Path

import pandas as pd
import pytest

from results import read_forecast, read_samples, write_curves, write_samples
from results.votes.curves import build_curves
from tests.predict.commands import curve, predict
from tests.predict.conftest import simulated_samples

FOUR = ("20", "40", "80", "160")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder with an old run, one of two settings, an empty one, a report, and a new run with curves."""
    folder = tmp_path / "runs"
    for age, (name, settings) in enumerate({"old": FOUR, "few": FOUR[:2], "new": FOUR}.items()):
        run = folder / name / "samples.csv"
        write_samples(simulated_samples(20, 8, settings).assign(model=name), run)
        os.utime(run, (age, age))
    write_curves(build_curves(read_samples(folder / "new")), folder / "new" / "curves.csv")
    (folder / "empty").mkdir()
    (folder / "empty" / "samples.csv").write_text("question_id,setting,sample,answer,gold\n")
    (folder / "report.csv").write_text("what\nthis\n")
    return folder


def test_the_newest_run_comes_first_and_shipped_tables_last(runs: Path, tmp_path: Path) -> None:
    shipped = tmp_path / "shipped.csv"
    data = str(read_samples(runs / "old")["dataset"].iloc[0])
    others = [
        curve(setting=name, tokens_per_answer=float(name), model="shipped", dataset=data) for name in FOUR
    ]
    again = curve(model="old", dataset=data)
    write_curves(pd.concat([*others, again]), shipped)
    out, page = tmp_path / "f.csv", tmp_path / "f.html"
    asked = ("--predictor", "default,low-cost-to-high", "--bootstrap", 0, "--out", out, "--plot", page)

    done = predict("forecast", runs, "--then", shipped, *asked)

    assert done.exit_code == 0, done.output
    assert read_forecast(out)["model"].unique().tolist() == ["new", "few", "old", "shipped"]
    passed_over = [line for line in done.stderr.splitlines() if line.startswith("skipped")]
    assert [Path(line.split(":")[1].strip()).parent.name for line in passed_over] == ["empty", tmp_path.name]
    text = page.read_text(encoding="utf-8")
    assert "<h1>Figure 3" in text
    assert "2508.07571" in text
    assert text.index("<h2>new") < text.index("<h2>old") < text.index("<h2>shipped")
    assert "<h2>few" not in text  # only mentioned
    assert text.count("<li>few") == 2


def test_a_folder_with_nothing_in_it_and_one_that_would_be_overwritten(runs: Path, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    nothing = predict("forecast", tmp_path / "none", "--out", tmp_path / "f.csv")
    assert nothing.exit_code == 2
    before = (runs / "new" / "curves.csv").read_bytes()
    mine = predict("forecast", runs, "--out", runs / "new" / "curves.csv")
    assert mine.exit_code == 2
    assert (runs / "new" / "curves.csv").read_bytes() == before


def test_sets_are_told_apart_by_their_names_and_not_by_how_these_read(tmp_path: Path) -> None:
    """ "a on b" on "c" reads like "a" on "b on c"; a folder named twice counts once."""
    names = [("a on b", "c"), ("a", "b on c")]
    for place, (model, dataset) in enumerate(names):
        run = simulated_samples(20, 4, ("20",)).assign(model=model, dataset=dataset)
        write_samples(run, tmp_path / str(place) / "samples.csv")
    for inputs in ([tmp_path], [tmp_path / "0", tmp_path / "1"], [tmp_path, tmp_path]):
        done = predict("forecast", *inputs, "--at-n", 8, "--bootstrap", 0, "--out", tmp_path / "f.csv")
        assert done.exit_code == 0, done.output
        found = read_forecast(tmp_path / "f.csv")
        assert set(zip(found["model"], found["dataset"], strict=True)) == set(names)
        assert len(found) == 2
        (tmp_path / "f.csv").unlink()
