"""The same numbers on every machine: forecasts and panels under other processors and thread counts.

BLAS rounds differently on each kind of processor and with each number of threads; compiled loops differ
with the processor's instructions. Published numbers must not depend on them: no basis chosen by LAPACK, no
optimiser that stops early, no random draw based on something that is not unique.
"""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest

from results import write_samples
from tests.predict.conftest import simulated_samples
from tests.predict.stopped.simulated import samples as capped_samples

pytestmark = pytest.mark.release

ROOT = Path(__file__).resolve().parents[2]
CHOICES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OPENBLAS_CORETYPE", "NUMBA_CPU_NAME")
MACHINES = [
    {"OMP_NUM_THREADS": "2", "OPENBLAS_CORETYPE": "Haswell", "NUMBA_CPU_NAME": "generic"},
    {"OMP_NUM_THREADS": "2", "OPENBLAS_CORETYPE": "SkylakeX"},
]
"""Each differs from this machine in threads and processor, since either may change a number."""
ONE_THREAD = {"OMP_NUM_THREADS": "1"}
EVERY = "--fit-max-n 6 --at-n 12 --fit-settings 40,80,160 --bootstrap 100 --predictor all"
CAPS = "--fit-cap 8000 --at-caps 12000,20000 --at-n 1,8 --bootstrap 60"
COMMANDS = [
    f"predict forecast samples.csv {EVERY} --out majority.csv",
    f"predict forecast samples.csv {EVERY} --method best_of_n --out best-of-n.csv",
    f"predict forecast capped.csv {CAPS} --out caps.csv",
    *(f"synthetic run {panel} --tasks 3 --repeats 1 --out ." for panel in ("fig1-continuous", "fig2d")),
]
CHILD = """
import sys
from predict.cli import main as predict
from synthetic.cli import cli as synthetic
for line in sys.stdin.read().splitlines():
    package, *words = line.split()
    {"predict": predict, "synthetic": synthetic}[package](words, standalone_mode=False)
"""
Tables = dict[str, pd.DataFrame]


def tables(machine: dict[str, str]) -> Tables:
    """What the commands write on `machine`, in one process: starting five takes longer than their work."""
    environment = {name: value for name, value in os.environ.items() if name not in CHOICES} | machine
    with TemporaryDirectory() as folder:
        write_samples(simulated_samples(), Path(folder, "samples.csv"))
        write_samples(capped_samples(), Path(folder, "capped.csv"))
        done = subprocess.run(
            [sys.executable, "-c", CHILD],
            input="\n".join(COMMANDS),
            cwd=folder,
            capture_output=True,
            text=True,
            env=environment | {"PYTHONPATH": str(ROOT)},
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        names = ("majority", "best-of-n", "caps", "fig1-continuous", "fig2d")
        return {name: pd.read_csv(Path(folder, f"{name}.csv")) for name in names}


@cache
def here() -> Tables:
    """The tables of this processor with one thread."""
    return tables(ONE_THREAD)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: "-".join(machine.values()))
def test_the_numbers_are_the_same(machine: dict[str, str]) -> None:
    """Compare with another machine, as far as this processor can imitate it."""
    if machine.get("OPENBLAS_CORETYPE") == "SkylakeX" and "avx512f" not in Path("/proc/cpuinfo").read_text():
        pytest.skip("this processor has no AVX-512")
    there, at_home = tables(machine), here()
    for name in ("majority", "best-of-n"):
        keys, numbers = ["predictor", "setting", "N", "role", "status"], ["predicted", "low", "high"]
        one, other = there[name], at_home[name]
        pd.testing.assert_frame_equal(one[keys], other[keys])
        off = (one[numbers] - other[numbers]).abs().max(axis=1)
        assert off.max() < 5e-4, one[keys].assign(off=off).nlargest(5, "off")
        assert (one[numbers].isna() == other[numbers].isna()).all(axis=None)

    one, other = there["caps"], at_home["caps"]
    numbers = ["predicted", "low", "high", "new_low", "new_high"]
    assert (one[numbers] - other[numbers]).abs().max(axis=None) < 5e-4
    for name in ("tokens_per_answer", "tokens_low", "tokens_high"):
        np.testing.assert_allclose(one[name], other[name], rtol=5e-4)
    assert one["status"].tolist() == other["status"].tolist()

    for panel in ("fig1-continuous", "fig2d"):
        np.testing.assert_allclose(there[panel]["risk"], at_home[panel]["risk"], rtol=0, atol=1e-6)
