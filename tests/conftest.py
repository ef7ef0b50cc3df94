"""Fixtures shared by all tests."""

import gc
import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from harness.server.cpu.torchvision_names import declare_torchvision_operations

# How long an example takes says more about the machine than about the code.
# The same examples on every machine; `pytest --hypothesis-profile search` looks for others.
settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=1000)
settings.load_profile("same")

ROOT = Path(__file__).resolve().parent.parent


def needs(library: str) -> pytest.MarkDecorator:
    """Skip where a library is not installed; it is looked up without importing it, which takes seconds."""
    return pytest.mark.skipif(find_spec(library) is None, reason=f"{library} is not installed")


def pytest_configure(config: pytest.Config) -> None:
    """Keep literals of the code out of Hypothesis's examples unless searching: it collects them from the
    modules imported so far in this process, which depends on the tests that ran before."""
    if config.getoption("--hypothesis-profile") != "search":
        providers._get_local_constants = Constants


@pytest.fixture(scope="session")
def torch() -> Any:
    """PyTorch, imported only by the tests that need it: the import takes seconds."""
    return pytest.importorskip("torch")


@pytest.fixture(scope="session")
def transformers(torch: Any) -> Any:
    """transformers, with PyTorch; comparisons with it skip where `make test-fast` installed neither."""
    declare_torchvision_operations()
    library = pytest.importorskip("transformers")
    gc.freeze()  # converting a model collects garbage several times
    return library


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real data (DATA_DIR, default ../shared/data); tests that need it skip without it."""
    folder = Path(os.environ.get("DATA_DIR", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no data folder at {folder} (set DATA_DIR)")
    return folder


@pytest.fixture(scope="module")
def fewer_completions() -> Iterator[None]:
    """Complete each question an eighth as often: completions take most of the time of a mixture.

    The forecast is exact given the atoms either way, and a draw takes one completion of every question, so
    that at most a sixteenth of its variance is lost. `tests/unmoved` has the numbers with all completions.
    """
    with pytest.MonkeyPatch.context() as patch:
        for module in ("predict.answers.mixture", "predict.planning.imagined_runs"):
            patch.setattr(f"{module}.IMAGINED", 2**12)
        yield


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write reports without figure files, which take most of the time and are tested elsewhere."""
    monkeypatch.setattr("results.report.page.rendered", lambda _: {})


def pytest_collection_finish() -> None:
    """Exclude what was imported and collected from garbage collection, which saves a sixth of the time."""
    gc.collect()
    gc.freeze()


LONGEST = (
    "integration/test_gpu_check.py",
    "integration/test_processors.py",
    "theory/test_claims.py",
    "answers/test_mixture.py",
    "evidence/test_unfinished.py",
    "planning/test_power.py",
    "paired/test_runs.py",
)
"""Files that take a minute or more: started last, one would keep all other workers waiting."""


def turn(item: pytest.Item) -> int:
    """The rank of a test: first those of SGLang's servers and the longest files, then other slow ones."""
    if "sglang_fleet" in getattr(item, "fixturenames", ()) or str(item.path).endswith(LONGEST):
        return 0
    slow = any(item.get_closest_marker(name) for name in ("integration", "release", "server"))
    return 1 if slow else 2


@pytest.hookimpl(tryfirst=True)  # before xdist reads the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Group the tests that one process of `pytest -n 2 --dist loadgroup` runs, and start the slow ones first.

    Tests in one file share its fixtures; all tests of the SGLang servers share the servers.
    """
    items.sort(key=turn)
    for item in items:
        if not item.get_closest_marker("xdist_group"):
            shared = "sglang_fleet" if "sglang_fleet" in getattr(item, "fixturenames", ()) else str(item.path)
            item.add_marker(pytest.mark.xdist_group(shared))
