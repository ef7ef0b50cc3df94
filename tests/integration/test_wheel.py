"""The wheel in an environment of its own: the commands start there and find what they ship with."""

import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.integration

ROOMS = ("harness", "predict", "prompts", "results", "synthetic")
NOT_SHIPPED = {"README.md", "results/runs"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source, made = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for room in ROOMS:
        shutil.copytree(ROOT / room, source / room, ignore=shutil.ignore_patterns("__pycache__", "runs"))
    _run(sys.executable, "-m", "pip", "wheel", *PIP, "--no-build-isolation", "-w", made, source)
    return next(made.glob("*.whl"))


PIP = ("--quiet", "--disable-pip-version-check", "--no-index", "--no-deps")


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with the wheel alone; other packages are looked up where this test found its own."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, symlinks=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(home)}))
    _run(sys.executable, "-m", "pip", "install", *PIP, "--target", packages, wheel)
    (packages / "others.pth").write_text(sysconfig.get_path("purelib"))
    return home / "bin" / "python"


def _run(*command: object, cwd: Path = ROOT, status: int = 0) -> str:
    """What the command says, both streams together; the checkout is not on its path."""
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, env={"PATH": "/usr/bin:/bin", "HOME": str(cwd)}, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert done.returncode == status, done.stdout
    return done.stdout


def test_every_file_of_the_rooms_is_in_the_wheel(wheel: Path) -> None:
    shipped = set(zipfile.ZipFile(wheel).namelist())
    tracked = _run("git", "-C", ROOT, "ls-files", *ROOMS).splitlines()
    assert {name for name in tracked if Path(name).name != "README.md"} - shipped == set()


def test_samples_curves_and_forecasts_without_the_checkout(python: Path, tmp_path: Path) -> None:
    few = ["limit=2", "samples=4", "budgets=10"]
    options = [word for setting in few for word in ("--set", setting)]
    assert str(ROOT) not in _run(python, "-c", "import harness; print(harness.__file__)", cwd=tmp_path)
    _run(python, "-m", "harness", "sample", "tiny", *options, "--out", "run", cwd=tmp_path)
    _run(python, "-m", "results", "curves", "run", "--out", "curves.csv", cwd=tmp_path)
    _run(python, "-m", "results", "report", "curves.csv", "--out", "report", cwd=tmp_path)
    assert "<svg" in next((tmp_path / "report").glob("*.svg")).read_text()
    assert "fig2f" in _run(python, "-m", "synthetic", "list", cwd=tmp_path)
    read_data = "from results.cli.report import CACHED; from synthetic.trained.weights import SHIPPED; "
    assert "tiny.csv" in _run(
        python, "-c", read_data + "print(SHIPPED.exists(), *CACHED.iterdir())", cwd=tmp_path
    )


WITHOUT_EXTRAS = """
import runpy, sys

class Missing:
    def find_spec(name, path=None, target=None):
        if name in ("altair", "vl_convert", "torch"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing)
sys.argv = sys.argv[1:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


def test_what_is_missing_without_the_extras(python: Path, tmp_path: Path) -> None:
    """No plotting engine and no PyTorch: what needs none works, the others end in one line."""

    def bare(*arguments: object, status: int = 0) -> str:
        return _run(python, "-c", WITHOUT_EXTRAS, *arguments, cwd=tmp_path, status=status)

    cached = next(python.parents[1].glob("lib/*/site-packages/results/cached/tiny.csv"))
    bare("predict", "plan", cached, "--token-budget", 3000, "--bootstrap", 10)
    for command in (
        ["results", "report", "--out", "r"],
        ["synthetic", "figures", cached.with_name("fig2f.csv"), "--out", "f"],
        ["predict", "plan", cached, "--plot", "p.png"],
    ):
        said = bare(*command, status=2)
        assert (said.count("\n"), ".[plots]" in said) == (1, True)
    said = bare("harness", "sample", "tiny", "--out", "run", status=2)
    assert (said.count("\n"), ".[lm]" in said) == (1, True)
