"""The program `tts`: every command of the packages, and what a page needs and leaves out."""

from importlib.metadata import version
from pathlib import Path

import click
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import tts
from results import BadInput, read_samples


def test_every_command_of_the_packages_is_listed_once() -> None:
    listed = [name for names in tts.JOBS.values() for name in names]
    own = [name for group in (tts.harness, tts.results, tts.predict) for name in group.commands]
    assert sorted(listed) == sorted([*own, "page", "twin"])
    assert set(listed) == set(tts.cli.commands)


@pytest.mark.parametrize("group", [tts.cli, tts.harness, tts.results, tts.predict, tts.synthetic])
def test_a_help_cuts_no_sentence(group: click.Group) -> None:
    first = next(iter(tts.JOBS)) if group is tts.cli else "Commands"
    said = CliRunner().invoke(group, ["--help"], terminal_width=80).output
    assert f"{first}:" in said
    assert "..." not in said.partition(f"{first}:")[2]


def test_files_of_one_name_are_called_by_their_folders() -> None:
    """Otherwise both models are called "results" and merge into one with twice the answers."""
    assert tts._names([Path("a/x.csv"), Path("b/y.csv.gz")]) == ["x", "y"]
    assert tts._names([Path("a/x.csv"), Path("b/x.csv")]) == ["a", "b"]
    assert tts._names([Path("a/x.csv"), Path("a/x.jsonl")]) == ["x-1", "x-2"]


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The steps that `page` takes; only imports are carried out, as tests/unmoved makes a whole page."""
    found = []
    take = tts._step

    def step(name: str, *words: object) -> None:
        found.append([name, *map(str, words)])
        if name == "import":
            take(name, *words)

    monkeypatch.setattr(tts, "_step", step)
    return found


def page(*words: object) -> Result:
    return CliRunner().invoke(tts.cli, ["page", *map(str, words)])


def test_a_table_that_cannot_be_read_leaves_nothing(tmp_path: Path) -> None:
    table = pd.DataFrame({"question_id": ["a"], "answer": ["1"], "gold": ["1"]})
    table.to_csv(tmp_path / "whole.csv")
    table.drop(columns="gold").to_csv(tmp_path / "no_gold.csv")
    out = tmp_path / "page"
    assert page(tmp_path / "whole.csv", tmp_path / "no_gold.csv", "--out", out).exit_code == 2
    assert not out.exists()


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    assert "give another --out" in page("answers.csv", "--out", tmp_path).stderr
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_what_is_right_can_be_said_and_does_not_vote(tmp_path: Path, steps: list[list[str]]) -> None:
    table = pd.DataFrame({"question_id": [*"aabb"], "ok": ["yes", "no", "yes", "no"]})
    table.to_csv(tmp_path / "own.csv", index=False)
    words = (tmp_path / "own.csv", "--dataset", "mine", "--out", tmp_path / "page")
    assert "--correct-if ok=" in page(*words, "--map", "correct=ok").stderr
    assert page(*words, "--correct-if", "ok=yes").exit_code == 0
    samples = read_samples(tmp_path / "page" / "tables" / "own")
    assert samples["correct"].sum() == 2
    assert set(samples["dataset"]) == {"mine"}
    assert [step[0] for step in steps[-5:]] == ["curves", "compare", "forecast", "plan", "report"]


def test_the_version_is_that_of_the_package() -> None:
    done = CliRunner().invoke(tts.cli, ["--version"])
    assert done.output.split() == ["tts,", "version", version("test-time-scaling")]


@pytest.mark.parametrize("prices", [[], ["--price", "small=1"]])
def test_a_step_that_is_left_out_stands_on_the_page(
    prices: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """If one run has no price, the comparison by price is left out and the runs are compared without it."""
    steps = []

    def step(name: str, *words: object) -> None:
        steps.append((name, [str(word) for word in words]))
        if name == "plan" or (name == "compare" and "--price" in words):
            raise BadInput(f"no {name} of these")

    monkeypatch.setattr(tts, "_step", step)
    tts._make([tmp_path / "a"], tmp_path, prices, [], [])
    names = [name for name, _ in steps]
    assert names == ["curves", *["compare"] * (2 if prices else 1), "forecast", "plan", "report"]
    said = steps[-1][1]
    notes = [said[place + 1] for place, word in enumerate(said) if word == "--note"]
    by_price = ["without compare by price: no compare of these"] if prices else []
    assert notes == [*by_price, "without plan: no plan of these"]
    assert str(tmp_path / "tables" / "compare.csv") in said
