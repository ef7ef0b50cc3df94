"""The CUDA compiler with which SGLang builds its kernels whenever a server starts on a GPU.

    $ .venv/bin/python -m harness.server.toolkit
    nvcc 13.0 in .venv/lib/python3.12/site-packages/nvidia/cu13 compiles and links

NVIDIA's packages for pip have a lib and no lib64, and no libcudart.so: two links add them. Only the standard
library is used here: this also runs before anything is installed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from contextlib import suppress
from pathlib import Path

CUDA = 13
"""The CUDA that PyTorch and SGLang of constraints-gpu.txt are built with."""
HOST = Path("/usr/local/cuda")
"""Where a host's toolkit is by default."""

# The second header, which SGLang's kernels include, fails if compiler and headers differ in version.
KERNEL = """#include <cuda_runtime.h>
#include <cuda/std/type_traits>
__global__ void kernel() {}
extern "C" int start() { kernel<<<1, 1>>>(); return cudaGetLastError(); }
"""
REMEDY = (
    f"install a CUDA {CUDA} toolkit (on Ubuntu with NVIDIA's repository: apt install cuda-toolkit-{CUDA}-0) "
    "and set CUDA_HOME to it, or use SGLang's image (docs/gpu-host.md)"
)


def toolkit() -> Path | None:
    """The first folder with an nvcc of CUDA 13 and its libcudart.so, in SGLang's search order; or None.

    The host's own come first, then the one that pip has installed in this environment.
    """
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH")]
    if compiler := shutil.which("nvcc"):
        homes.append(str(Path(compiler).parent.parent))
    folders = [Path(home) for home in [*homes, HOST] if home]
    of_pip = Path(sysconfig.get_path("purelib"), "nvidia", f"cu{CUDA}")
    for folder in [*folders, linked(of_pip)]:
        if release(folder)[0] == CUDA and (folder / "lib64" / "libcudart.so").exists():
            return folder
    return None


def release(home: Path) -> tuple[int, int]:
    """The release of the nvcc in a toolkit's folder, such as (13, 0); (0, 0) if none runs there."""
    with suppress(OSError, subprocess.SubprocessError):
        answer = run([str(home / "bin" / "nvcc"), "--version"])
        if release := re.search(r"release (\d+)\.(\d+)", answer.stdout):
            return int(release[1]), int(release[2])
    return 0, 0


def does_not_build(home: Path) -> str:
    """Why a kernel cannot be compiled and linked with the toolkit in `home`; empty if it can."""
    host = os.environ.get("CXX", "c++")
    with tempfile.TemporaryDirectory(prefix="nvcc-") as folder:
        source, built, library = (str(Path(folder, name)) for name in ("k.cu", "k.o", "k.so"))
        Path(source).write_text(KERNEL)
        compiling = [str(home / "bin" / "nvcc"), "-Xcompiler", "-fPIC", "-c", source, "-o", built]
        linking = [host, "-shared", built, f"-L{home / 'lib64'}", "-lcudart", "-o", library]
        for command in (compiling, linking):
            try:
                done = run(command)
            except (OSError, subprocess.SubprocessError) as error:
                return f"{command[0]}: {error}"
            if done.returncode:
                lines = (done.stderr or done.stdout).splitlines() or [f"status {done.returncode}"]
                return next((line for line in lines if "error" in line or "cannot" in line), lines[0])
    return ""


def run(command: list[str], seconds: float = 300) -> subprocess.CompletedProcess[str]:
    """Run a command and return its status and output. Raises OSError or SubprocessError if that fails."""
    return subprocess.run(
        command, capture_output=True, text=True, errors="replace", timeout=seconds, check=False
    )


def linked(home: Path) -> Path:
    """Add to `home`, a toolkit of pip, the two links by which SGLang links its kernels; return it."""
    for library in home.glob("lib/libcudart.so.*"):
        for link, target in ((home / "lib64", "lib"), (home / "lib" / "libcudart.so", library.name)):
            with suppress(FileExistsError):
                link.symlink_to(target)
    return home


def main() -> int:
    """Say which toolkit a server will use, and return 0 if it builds a kernel, else 2."""
    home = toolkit()
    trouble = does_not_build(home) if home else f"no nvcc of CUDA {CUDA} on this host, and none of pip"
    if home is None or trouble:
        print(f"error: {home or 'nvcc'}: {trouble}: {REMEDY}", file=sys.stderr)  # noqa: T201
        return 2
    major, minor = release(home)
    print(f"nvcc {major}.{minor} in {home} compiles and links")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
