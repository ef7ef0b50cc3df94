"""The wheel in an environment of its own: the commands start there and find the files they ship with."""

import configparser
import json
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.integration.planned import settings

pytestmark = pytest.mark.release

PACKAGES = ("harness", "predict", "prompts", "results", "synthetic")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source, made = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "README.md", "LICENSE", "tts.py"):
        shutil.copy(ROOT / name, source)
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package, source / package, ignore=shutil.ignore_patterns("__pycache__", "runs")
        )
    how = ("--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--no-build-isolation")
    _run(sys.executable, "-m", "pip", "wheel", *how, "-w", made, source)
    return next(made.glob("*.whl"))


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with only the wheel; other packages come from the environment of this test."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, symlinks=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(home)}))
    zipfile.ZipFile(wheel).extractall(packages)
    (packages / "others.pth").write_text(sysconfig.get_path("purelib"))
    return home / "bin" / "python"


def _run(*command: object, cwd: Path = ROOT) -> str:
    """The command's stdout and stderr, combined; the checkout is not on its path."""
    done = subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin", "HOME": str(cwd)},
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_every_file_of_the_packages_is_in_the_wheel(wheel: Path) -> None:
    shipped = set(zipfile.ZipFile(wheel).namelist())
    tracked = _run("git", "-C", ROOT, "ls-files", *PACKAGES).splitlines()
    assert {name for name in tracked if Path(name).name != "README.md"} - shipped == set()


def test_the_names_at_the_top_are_ours_alone(wheel: Path) -> None:
    """They are common words such as `results`: no other installed package may use one of them."""
    names = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    own = {name.removesuffix(".py") for name in names if not name.endswith(".dist-info")}
    assert own == {*PACKAGES, "tts"}
    owners = packages_distributions()
    assert {owner for name in own for owner in owners.get(name, ())} <= {"test-time-scaling"}


def test_the_program_starts(wheel: Path, python: Path, tmp_path: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (declared,) = (name for name in archive.namelist() if name.endswith("entry_points.txt"))
    programs = configparser.ConfigParser()
    programs.read_string(archive.read(declared).decode())
    assert dict(programs["console_scripts"]) == {"tts": "tts:main"}
    script = "import sys; sys.argv[0] = 'tts'; from tts import main; main()"
    assert "page" in _run(python, "-c", script, "--help", cwd=tmp_path)
    _run(python, "-c", script, "questions", "tiny", cwd=tmp_path)


def test_the_readme_s_python_prints_what_stands_below_it(python: Path, tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (code, shown), *_ = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", readme, re.DOTALL)
    assert _run(python, "-c", code, cwd=tmp_path).split() == shown.split()


SEVERAL = """
import json, runpy, sys

missing, commands = map(json.loads, sys.argv[1:])

class Missing:
    def find_spec(name, path=None, target=None):
        if name in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing)
for sys.argv in commands:
    try:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        print(f"<{ended.code}>")
import harness
print(harness.__file__)
"""


def several(python: Path, folder: Path, *commands: list[object], missing: tuple[str, ...] = ()) -> list[str]:
    """The output and exit status of each of `commands`, as if the modules `missing` were not installed.

    They run in one process in `folder`, away from the checkout.
    """
    words = json.dumps([[*map(str, command)] for command in commands])
    *said, harness = re.split(
        r"<(\d)>\n", _run(python, "-uc", SEVERAL, json.dumps(missing), words, cwd=folder)
    )
    assert str(ROOT) not in harness
    return said


def test_samples_curves_and_forecasts_without_the_checkout(python: Path, tmp_path: Path) -> None:
    said = several(
        python,
        tmp_path,
        ["harness", "sample", "tiny", *settings(2, 4, (10,)), "--out", "run"],
        ["results", "curves", "run", "--out", "curves.csv"],
        ["results", "report", "curves.csv", "--out", "report"],
        ["synthetic", "list"],
    )
    assert said[1::2] == ["0"] * 4, said
    assert "<svg" in next((tmp_path / "report").glob("*.svg")).read_text()
    assert "fig2f" in said[-2]


def test_what_is_missing_without_the_extras(python: Path, tmp_path: Path) -> None:
    """Without plotting or language-model engines, commands needing neither work; others end with one line."""
    cached = next(python.parents[1].glob("lib/*/site-packages/results/cached/tiny.csv"))
    said = several(
        python,
        tmp_path,
        ["predict", "plan", cached, "--token-budget", 3000, "--bootstrap", 10],
        ["results", "report", "--out", "r"],
        ["predict", "plan", cached, "--plot", "p.png"],
        ["harness", "sample", "tiny", "--out", "run"],
        missing=("altair", "vl_convert", "ctranslate2"),
    )
    assert said[1::2] == ["0", "2", "2", "2"], said
    for line, extra in zip(said[2::2], ("plots", "plots", "lm"), strict=True):
        assert (line.count("\n"), f".[{extra}]" in line) == (1, True)
