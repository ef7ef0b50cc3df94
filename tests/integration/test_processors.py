"""The same numbers on every machine: forecasts and panels under other processors and thread counts.

BLAS rounds differently on each kind of processor and with each number of threads; compiled loops differ
with the processor's instructions. What is published must not depend on them: no basis that LAPACK picks, no
optimiser that stops early, no draw from what is not unique.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest

from results import write_samples
from tests.predict.conftest import simulated_samples
from tests.predict.survival.simulated import samples as capped_samples

pytestmark = pytest.mark.integration

CHOICES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OPENBLAS_CORETYPE", "NUMBA_CPU_NAME")
MACHINES = [
    {"OMP_NUM_THREADS": "2"},
    {"OMP_NUM_THREADS": "1", "OPENBLAS_CORETYPE": "Haswell"},
    {"OMP_NUM_THREADS": "2", "OPENBLAS_CORETYPE": "Haswell"},
    {"OMP_NUM_THREADS": "1", "OPENBLAS_CORETYPE": "SkylakeX"},
    {"OMP_NUM_THREADS": "1", "NUMBA_CPU_NAME": "generic"},
]
ONE_THREAD = {"OMP_NUM_THREADS": "1"}
PANELS = ("fig1-continuous", "fig2d")


def run(machine: dict[str, str], *arguments: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in CHOICES} | machine
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def forecast(folder: Path, machine: dict[str, str]) -> pd.DataFrame:
    """Forecasts with intervals by every predictor of either method, as this machine gives them."""
    samples, out = str(folder / "samples.csv"), folder / "forecast.csv"
    write_samples(simulated_samples(), samples)
    request = ["--fit-max-n", "6", "--at-n", "12", "--fit-settings", "40,80,160", "--bootstrap", "100"]
    tables = []
    for method in ("majority", "best_of_n"):
        options = [*request, "--method", method, "--predictor", "all", "--out", str(out)]
        run(machine, "predict", "forecast", samples, *options)
        tables.append(pd.read_csv(out))
    return pd.concat(tables, ignore_index=True)


def beyond_a_cap(folder: Path, machine: dict[str, str]) -> pd.DataFrame:
    """Forecasts of dearer caps with intervals, of accuracies and of tokens, as this machine gives them."""
    samples, out = str(folder / "capped.csv"), folder / "caps.csv"
    write_samples(capped_samples(), samples)
    request = ["--fit-cap", "8000", "--at-caps", "12000,20000", "--at-n", "1,8", "--bootstrap", "60"]
    run(machine, "predict", "forecast", samples, *request, "--out", str(out))
    return pd.read_csv(out)


def panels(folder: Path, machine: dict[str, str]) -> pd.DataFrame:
    """The two panels whose paths are sampled, as this machine gives them."""
    for name in PANELS:
        run(machine, "synthetic", "run", name, "--repeats", "1", "--out", str(folder))
    return pd.concat([pd.read_csv(folder / f"{name}.csv") for name in PANELS])


@cache
def here(make: Callable[[Path, dict[str, str]], pd.DataFrame]) -> pd.DataFrame:
    """The same by this processor with one thread."""
    with TemporaryDirectory() as folder:
        return make(Path(folder), ONE_THREAD)


@pytest.fixture(params=MACHINES, ids=lambda machine: "-".join(machine.values()))
def machine(request: pytest.FixtureRequest) -> dict[str, str]:
    """Another machine, as far as one processor can play it."""
    found: dict[str, str] = request.param
    flags = Path("/proc/cpuinfo")
    if found.get("OPENBLAS_CORETYPE") == "SkylakeX" and "avx512f" not in flags.read_text():
        pytest.skip("this processor has no AVX-512")
    return found


def test_forecasts_are_the_same(machine: dict[str, str], tmp_path: Path) -> None:
    there, at_home = forecast(tmp_path, machine), here(forecast)
    keys, numbers = ["predictor", "setting", "N", "role", "status"], ["predicted", "low", "high"]
    pd.testing.assert_frame_equal(there[keys], at_home[keys])
    off = (there[numbers] - at_home[numbers]).abs().max(axis=1)
    assert off.max() < 5e-4, there[keys].assign(off=off).nlargest(5, "off")
    assert (there[numbers].isna() == at_home[numbers].isna()).all(axis=None)


def test_forecasts_beyond_a_cap_are_the_same(machine: dict[str, str], tmp_path: Path) -> None:
    there, at_home = beyond_a_cap(tmp_path, machine), here(beyond_a_cap)
    numbers = ["predicted", "low", "high", "new_low", "new_high"]
    assert (there[numbers] - at_home[numbers]).abs().max(axis=None) < 5e-4
    for name in ("tokens_per_answer", "tokens_low", "tokens_high"):
        np.testing.assert_allclose(there[name], at_home[name], rtol=5e-4)
    assert there["status"].tolist() == at_home["status"].tolist()


def test_panels_are_the_same(machine: dict[str, str], tmp_path: Path) -> None:
    np.testing.assert_allclose(panels(tmp_path, machine)["risk"], here(panels)["risk"], rtol=0, atol=1e-6)
