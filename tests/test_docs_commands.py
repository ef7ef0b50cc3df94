"""Every command on the pages is run in a folder with the files that it names, or at least parsed.

A command begins with `python`, `make` or `tts`, in a block or between backticks. One without options is a
name in a sentence, and has to exist. `NOT_RUN` lists those that are only parsed, with the reason: that still
finds a renamed option, experiment key, target or file. Of each `SLOW` command the first is run.
"""

import os
import re
import shlex
import shutil
import subprocess
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from harness.experiment import read_experiment
from results import write_samples
from tests.conftest import ROOT
from tests.docs.pages import PAGES, blocks, split
from tests.predict.conftest import simulated_samples
from tests.predict.stopped.simulated import samples as answers_of_many_lengths

pytestmark = [pytest.mark.release, pytest.mark.usefixtures("fewer_completions")]

NOT_RUN = {
    r"harness (sample|serve|gateway|gpu-check)": "a GPU, the hub, a server or minutes: tests/integration",
    r"harness judge": "a server; tests/harness/judge, tests/integration/test_judged_runs.py",
    r"harness force": "a run whose model is at hand; tests/harness/run/test_force.py",
    r"harness questions (math|multiple-choice)": "the hub, or a file of your own; tests/harness/questions",
    r"harness import (lm-eval|inspect)": "their logs are made, and imported, in tests/integration",
    r"harness import (tau|terminal)-bench": "published files; smaller ones in tests/harness/imports",
    r"harness import jsonl (qwen_math|lcb)": "the same",
    r"predict backtest|(predict|results) \w+ results/cached": "seconds; their packages' tests have smaller",
    r"synthetic (run|check) fig2a": "a law of one's own is not there: tests/docs/test_recipes.py",
    r"results report runs/gain": "a table of that law",
    r"synthetic (claims|check|run (all|.*--(set|tasks))|figures)": "minutes; parts in tests/synthetic",
}
SLOW = {"page", "report", "forecast", "plan", "precision", "run"}
"""Commands that take seconds: only the first of each is run."""
GROUPS = {
    "harness": "harness.cli:cli",
    "predict": "predict.cli:main",
    "results": "results.cli:cli",
    "synthetic": "synthetic.cli:cli",
    "tts": "tts:cli",
}


def commands() -> list[str]:
    """Each command once, without its prompt, the variables before it, and its comment."""
    found: dict[str, str] = {}
    for page in PAGES:
        text = split(page)[0]
        lines = "".join(blocks(page, "")).replace("\\\n", " ").splitlines()
        lines += re.findall(r"^ {4}(.*)", text, re.MULTILINE)
        lines += [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", text)]
        for line in lines:
            command = re.sub(r"^(\$ )?([A-Z_]+=\S+ )*|\s+[#…].*$", "", line.strip())
            if re.match(r"(python|make|tts) [-\w.]", command):
                command = " ".join(command.split())
                found.setdefault(re.sub(r" --out \S+", "", command), command)
    return [one for one in found.values() if not one.startswith("python -c")]


COMMANDS = commands()


RUNS = ("gsm8k", "gsm8k-forced", "tiny", "tiny-120", "tiny-forced")
"""Runs that the pages use, each with answers at three budgets."""


def group(package: str) -> click.Group:
    module, name = GROUPS[package].split(":")
    found = getattr(import_module(module), name)
    assert isinstance(found, click.Group)
    return found


def parse(package: str, words: list[str]) -> None:
    """Parse the words as the command would; for `sample`, read the experiment too."""
    above = click.Context(group(package))
    name, command, rest = group(package).resolve_command(above, words)
    assert command is not None
    given = command.make_context(name, rest, parent=above).params
    own = given.get("config") == "mine.toml"  # tests/docs/test_recipes.py runs it
    if (package, name) == ("harness", "sample") and not own:
        url = {"url": given["url"]} if given["url"] else {}
        read_experiment(given["config"], dict(given["overrides"]) | url)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs and tables under the names that the pages use."""
    folder = tmp_path_factory.mktemp("pages")
    shutil.copytree(ROOT / "results" / "cached", folder / "results" / "cached")
    examples = ROOT / "tests" / "harness" / "imports" / "formats"
    shutil.copytree(examples / "sgl-eval", folder, dirs_exist_ok=True)
    long = answers_of_many_lengths().replace({"question_id": {"q0000": "ID"}})
    long = long.assign(answer=long["answer"].str[1:], gold="0", finish_reason="stop")
    long["text"] = "The answer is ##" + long["answer"] + "##."
    budgets = simulated_samples(20, 16, ("100", "200", "400"))
    least, middle, most = (budgets[budgets["setting"] == setting] for setting in ("100", "200", "400"))
    efforts = budgets.replace({"setting": {"100": "low", "200": "medium", "400": "high"}})
    parts = budgets["question_id"].map(lambda name: f"{int(name[1:]) % 2 + 1}/2")
    runs = {
        **{name: long.assign(model=name) for name in ("DIR", "DIR1", "DIR2", "NEW", "RUN", "runs/aime")},
        "runs/judged": long.assign(score_judge=long["correct"] / 2 + 0.25, logprob=-long["tokens"] / 1e4),
        **dict.fromkeys(("INPUT", *(f"runs/{run}" for run in RUNS)), budgets),
        **{
            f"runs/gsm8k-shard-{part[0]}": budgets[parts == part].assign(shard=part)
            for part in ("1/2", "2/2")
        },
        **{name: least.assign(model=name, setting="default") for name in ("small", "baseline")},
        **{name: most.assign(model=name, setting="default") for name in ("large", "current")},
        "PILOT": least,
        "runs/stopped": least.assign(stop_rule="lead:4"),
        "runs/otis": efforts,
        "runs/forecasting/otis": efforts,
    }
    for name, table in runs.items():
        write_samples(table, folder / name / "samples.jsonl")
    write_samples(long.assign(score_rm=long["tokens"].astype(float)), folder / "samples.csv")
    write_samples(middle, folder / "table.csv")
    own = {"answer": "final", "gold": "target", "tokens": "out_tokens"}
    with_ids = middle[["question_id", *own]].rename(columns=own)
    foreign = efforts.assign(error=[1] + [0] * (len(efforts) - 1)).rename(columns={"setting": "effort"})
    tables = {
        **dict.fromkeys(("mini", "maxi"), with_ids),
        **dict.fromkeys(("small", "large"), with_ids.rename(columns={"question_id": "problem"})),
        "answers": foreign.rename(columns={"tokens": "out_tokens"}),
        "epoch_otis_mock_aime": foreign.rename(columns={"tokens": "completion_tokens"}),
    }
    for name, table in tables.items():
        table.to_csv(folder / f"{name}.csv")
    shutil.copy(folder / "results" / "cached" / "tiny.csv", folder / "curves.csv")
    shutil.copy(folder / "results" / "cached" / "qwen-gsm8k-forecast.csv", folder / "forecast.csv")
    return folder


def in_its_package(command: str) -> tuple[str, list[str]]:
    """The package of a command and the words for it: `tts twin run …` is `run …` of `synthetic`."""
    _, *words = shlex.split(command)
    if words[0] == "twin":
        return "synthetic", words[1:]
    packages = (name for name in GROUPS if words[0] in group(name).commands)
    return next(packages, "tts"), words


OF_TTS = [command for command in COMMANDS if command.startswith("tts ")]
WITH_OPTIONS = [command for command in OF_TTS if re.search(r" --(?!help)", command)]
NAMES = [command for command in OF_TTS if command not in WITH_OPTIONS and " COMMAND " not in command]


def run_of(commands: list[str]) -> set[str]:
    """The commands to run: all but `NOT_RUN`, and of each slow command only the first."""
    chosen: dict[str, str] = {}
    for command in commands:
        package, words = in_its_package(command)
        line = f"{package} {' '.join(words)}"
        if not any(re.match(pattern, line) for pattern in NOT_RUN):
            chosen.setdefault(words[0] if words[0] in SLOW else command, command)
    return set(chosen.values())


RUN = run_of(WITH_OPTIONS)


@pytest.mark.parametrize("command", NAMES)
def test_a_name_in_a_sentence_is_that_of_a_command(command: str) -> None:
    package, words = in_its_package(command)
    assert words in ([], ["--help"]) or words[0] in group(package).commands


@pytest.mark.parametrize("command", WITH_OPTIONS)
@pytest.mark.usefixtures("undrawn")
def test_a_command_of_the_pages(
    command: str, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_run = command in RUN
    if is_run:
        shutil.copytree(made, tmp_path, dirs_exist_ok=True, copy_function=os.link)
    monkeypatch.chdir(tmp_path if is_run else made)
    package, words = in_its_package(command)
    words = [found for word in words for found in sorted(map(str, Path().glob(word))) or [word]]
    if not is_run:
        parse(package, words)
        return
    if "--out" in words:
        shutil.rmtree(words[words.index("--out") + 1], ignore_errors=True)  # a run's folder has to be new
    done = CliRunner().invoke(group(package), words)
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("command", [one for one in COMMANDS if one.startswith("python ")])
def test_a_module_of_the_pages(command: str) -> None:
    module, *options = shlex.split(command)[2:]
    study = import_module(module)
    declared = set(re.findall(r'"(--[a-z-]+)"', Path(str(study.__file__)).read_text(encoding="utf-8")))
    for value in vars(study).values():
        if isinstance(value, click.Command):
            declared.update(option for parameter in value.params for option in parameter.opts)
    assert {option for option in options if option.startswith("--")} <= declared


@pytest.mark.parametrize("command", [one for one in COMMANDS if one.startswith("make")])
def test_a_target_of_the_pages(command: str) -> None:
    done = subprocess.run(["make", "-n", *shlex.split(command)[1:]], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    printed = done.stdout.replace("\\\n", " ")
    for words in re.findall(r"-m (tts [^;|&\n]*)", printed):
        parse(*in_its_package(words))
