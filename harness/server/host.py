"""Checks what a GPU host lacks for SGLang, all at once, before anything is downloaded.

    $ python3 -m harness.server.host --experiment gsm8k-budgets
    8 GPUs: NVIDIA H100 80GB HBM3 (driver 580.65.06)
    nvcc 13.0 in /usr/local/cuda compiles and links

    error: this host cannot run SGLang yet:
      * the driver is 535.129.03, CUDA 13 needs 580 or later: ...
      * no Python.h of Python 3.12: apt install python3-dev

Only the standard library is used here, and no syntax that an older Python cannot read.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from contextlib import suppress
from pathlib import Path

from harness.server import hub, toolkit

CUDA_13_DRIVER = 580
"""The oldest driver for CUDA 13, which the wheels of constraints-gpu.txt are built with."""
PYTHONS = (3, 11), (3, 13)
GLIBC = (2, 34)
"""SGLang has wheels for these Pythons, and for this C library or a later one."""
GB = 1e9
INSTALLED, FETCHED = 12 * GB, 5 * GB
"""Disk space of .venv with SGLang in it, and of what pip downloads for that."""


def gpus() -> tuple[list[str], str]:
    """The GPUs that nvidia-smi names, a line each, and why it names none (empty if it does).

    GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-5c8a...)
    """
    if not shutil.which("nvidia-smi"):
        return [], "no nvidia-smi here: install NVIDIA's driver"
    try:
        done = toolkit.run(["nvidia-smi", "-L"], seconds=60)
    except (OSError, subprocess.SubprocessError) as error:
        return [], f"nvidia-smi: {error}: restart the host or reinstall NVIDIA's driver"
    lines = (done.stdout + done.stderr).strip().splitlines()
    gpus = [line.strip() for line in lines if re.match(r"\s*(GPU|MIG) ", line)]
    if gpus:
        return gpus, ""
    reply = lines[0] if lines else f"nothing, with status {done.returncode}"
    return [], (
        f"nvidia-smi names no GPU ({reply}): restart the host if its driver has changed, else reinstall the "
        "driver; a container needs --gpus all"
    )


def visible(named: list[str]) -> list[str]:
    """Those GPUs of `named` that CUDA will use here: all, or those of CUDA_VISIBLE_DEVICES."""
    wanted = os.environ.get("CUDA_VISIBLE_DEVICES")
    whole = [line for line in named if line.startswith("GPU ")]
    if wanted is None:
        return whole
    visible_gpus: list[str] = []
    for word in wanted.replace(" ", "").split(","):
        if word.isdecimal():
            match = whole[int(word) : int(word) + 1]
        else:
            match = [line for line in named if word and f"UUID: {word}" in line]
        if not match:
            break  # like CUDA, which ignores everything from the first unknown one on
        visible_gpus.append(match[0])
    return visible_gpus


def driver() -> str:
    """The first GPU's name and the driver's version from nvidia-smi; empty if it reports none."""
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    with suppress(OSError, subprocess.SubprocessError):
        done = toolkit.run(query, seconds=60)
        if done.returncode == 0 and (lines := done.stdout.strip().splitlines()):
            name, _, version = lines[0].rpartition(", ")
            return f"{name}, driver {version}"
    return ""


def old_driver() -> list[str]:
    """A line if the driver is too old; not if nvidia-smi's table shows that cuda-compat makes up for it."""
    version = driver().rpartition(" driver ")[2]
    if not version or int("0" + version.partition(".")[0]) >= CUDA_13_DRIVER:
        return []
    supported = re.search(r"CUDA(?: UMD)? Version *: *(\d+)", toolkit.run(["nvidia-smi"], seconds=60).stdout)
    if supported and int(supported[1]) >= toolkit.CUDA:
        return []
    needed = f"CUDA {toolkit.CUDA} needs {CUDA_13_DRIVER} or later"
    return [
        f"the driver is {version}, {needed}: install a newer one; or, for data-centre GPUs, cuda-compat-13-0 "
        "from NVIDIA's repository with LD_LIBRARY_PATH=/usr/local/cuda-13.0/compat; or an older SGLang image "
        "and URL= (docs/gpu-host.md)"
    ]


def wheels(venv: Path) -> list[str]:
    """Lines if this Python cannot create `venv`, or SGLang has no wheels for it or for this system."""
    first, last = (".".join(map(str, version)) for version in PYTHONS)
    lacks = []
    if not PYTHONS[0] <= sys.version_info[:2] <= PYTHONS[1]:
        now = platform.python_version()
        lacks.append(
            f"Python is {now}, and SGLang has wheels for {first} to {last}: give make PYTHON=python{last}"
        )
    if not venv.exists() and importlib.util.find_spec("ensurepip") is None:
        lacks.append(f"Python cannot make {venv}, as it has no ensurepip: apt install python3-venv")
    library, version = platform.libc_ver()
    if library == "glibc" and tuple(map(int, version.split(".")[:2])) < GLIBC:
        lacks.append(
            f"glibc is {version}, and SGLang's wheels need 2.34: Ubuntu 22.04, Debian 12 or RHEL 9 have it; "
            "on an older system use SGLang's image (docs/gpu-host.md)"
        )
    return lacks


def compilers() -> list[str]:
    """Lines on a missing C compiler, C++ compiler or Python.h: kernels are compiled at each start."""
    lacks = []
    for kind, variable, names in (("C", "CC", ("gcc", "clang")), ("C++", "CXX", ("c++",))):
        wanted = os.environ.get(variable)
        if not any(map(shutil.which, [wanted] if wanted else names)):
            what = (
                f"{variable}={wanted} is not there"
                if wanted
                else f"no {kind} compiler ({' or '.join(names)})"
            )
            lacks.append(f"{what}: apt install build-essential (dnf install gcc gcc-c++)")
    if not Path(sysconfig.get_path("include"), "Python.h").is_file():
        version = "{}.{}".format(*sys.version_info)
        lacks.append(
            f"no Python.h of Python {version}: apt install python{version}-dev (dnf install python3-devel)"
        )
    return lacks


def small_disks(venv: Path, weights: float) -> list[str]:
    """Lines on disks with too little room for what is still to be downloaded; `weights`: a model's bytes."""
    needs = [(hub.cache(), weights)]
    if not (venv / ".sglang-gpu").exists():
        needs += [(venv, INSTALLED), (Path(tempfile.gettempdir()), FETCHED)]
    disks: dict[int, list[tuple[Path, float]]] = {}
    for folder, size in needs:
        disks.setdefault(_there(folder).stat().st_dev, []).append((folder, size))
    lacks = []
    for wanted in disks.values():
        needed = sum(size for _, size in wanted)
        free = shutil.disk_usage(_there(wanted[0][0])).free
        if free < needed:
            names = ", ".join(str(folder) for folder, size in wanted if size)
            lacks.append(
                f"{free / GB:.0f} GB are free and {needed / GB:.0f} GB needed on the disk of {names}: make "
                "room, or put them elsewhere (VENV=, TMPDIR, HF_HOME)"
            )
    return lacks


def _there(folder: Path) -> Path:
    """`folder`, or the nearest folder above it that exists."""
    return next(part for part in (folder.absolute(), *folder.absolute().parents) if part.exists())


def check(venv: Path, model: str, revision: str | None, copies: int) -> tuple[list[str], list[str]]:
    """Lines on what there is, and lines on what is missing and what to do about it."""
    named, no_gpu = gpus()
    usable = visible(named)
    lacks = [no_gpu] if no_gpu else old_driver()
    if named and not usable:
        hides = f"CUDA_VISIBLE_DEVICES={os.environ.get('CUDA_VISIBLE_DEVICES')}"
        lacks.append(f"{hides} names none of the {len(named)} GPUs here: unset it, or name some")
    elif 0 < len(usable) < copies:
        lacks.append(
            f"DP={copies} copies of the model need as many GPUs, and {len(usable)} are visible: give fewer"
        )
    there = [f"{len(usable)} {'GPU' if len(usable) == 1 else 'GPUs'}: {driver()}"]
    no_compiler = compilers()
    lacks += [*wheels(venv), *no_compiler]
    home = toolkit.toolkit()
    if home is None:
        there.append(f"no nvcc of CUDA {toolkit.CUDA}: pip's is installed and tried first")
    elif not no_compiler:
        trouble = toolkit.does_not_build(home)
        there.append(f"nvcc in {home} compiles and links")
        lacks += [f"the nvcc in {home} fails ({trouble}): {toolkit.REMEDY}"] if trouble else []
    weights, trouble = hub.weights(model, revision) if model else (0.0, "")
    lacks += [trouble] if trouble else []
    return there, lacks + small_disks(venv, weights)


def main() -> int:
    """Print what there is and return 0, or all that is missing and return 2."""
    parser = argparse.ArgumentParser(
        prog="python3 -m harness.server.host", description=__doc__.splitlines()[0]
    )
    parser.add_argument(
        "--count", action="store_true", help="print how many GPUs are visible, and nothing else"
    )
    parser.add_argument("--venv", type=Path, default=Path(".venv"), help="where SGLang will be installed")
    parser.add_argument("--experiment", default="", help="experiment whose model will run")
    parser.add_argument("--model", default="", help="another model: a name on the hub or a folder")
    parser.add_argument("--copies", type=int, default=1, help="copies of the model, at least one GPU each")
    given = parser.parse_args()
    if given.count:
        print(len(visible(gpus()[0])))  # noqa: T201
        return 0
    model, revision = given.model, None
    if given.experiment and not model and sys.version_info >= PYTHONS[0]:
        model, revision = hub.model_of(given.experiment)
    there, lacks = check(given.venv, model, revision, given.copies)
    if lacks:
        lines = ["error: this host cannot run SGLang yet:", *(f"  * {line}" for line in lacks)]
        print("\n".join(lines), file=sys.stderr)  # noqa: T201
        return 2
    print("\n".join(there))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
