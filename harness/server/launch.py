"""Starts and stops a SGLang server.

    python -m harness.server.cpu.start --model-path harness/tiny/model --device cpu --port 30000 ...

On a GPU, the flags suit a server that samples many answers to each prompt. On a CPU, SGLang runs through
the platform plugin in harness/server/cpu. The user's own flags come last and win.
"""

import ctypes
import errno
import importlib.util
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, Self

from harness.experiment import ANSWERS_IN_FLIGHT
from harness.server import toolkit
from harness.server.address import HERE, check_flags, key_for, with_key
from harness.server.cpu.platform import PLATFORM
from harness.server.gpus import usable_gpus
from results import BadInput

_LIBC = ctypes.CDLL(None)
STOP_SECONDS = 20.0
"""How long a server has to end before it is killed."""

# Prompts repeat (lpm: longest prefix match), and answers end well before their limit (low conservativeness).
# By default CUDA graphs cover 256 answers at once, and larger batches use none. SGLang sizes the memory.
GPU_FLAGS = (
    *("--max-running-requests", str(ANSWERS_IN_FLIGHT)),
    *("--cuda-graph-max-bs-decode", str(ANSWERS_IN_FLIGHT)),
    *("--schedule-policy", "lpm"),
    *("--schedule-conservativeness", "0.3"),
    *("--enable-metrics", "--enable-cache-report"),
)
# Without a token limit it reserves half of the memory; without the sleep, an idle server uses a core.
CPU_FLAGS = (
    *("--attention-backend", "torch_native"),
    *("--max-total-tokens", "65536"),
    *("--mem-fraction-static", "0.5"),
    "--sleep-on-idle",
)
PARALLEL = {
    "tp": ("--tp-size", "--tp", "--tensor-parallel-size"),
    "pp": ("--pp-size", "--pp", "--pipeline-parallel-size"),
    "nnodes": ("--nnodes",),
}
"""SGLang's flags that spread one copy of a model over several GPUs, and these over several hosts."""


@dataclass(frozen=True)
class Launch:
    """A command to run, and variables to add to its environment."""

    command: tuple[str, ...]
    environment: dict[str, str]


def launch(
    model: str,
    *,
    port: int,
    host: str = HERE,
    revision: str | None = None,
    device: str = "auto",
    dtype: str = "auto",
    dp: int = 1,
    worker: int = 0,
    workers: int = 1,
    extra: Sequence[str] = (),
) -> Launch:
    """The command that serves `dp` copies of `model` (hub name or folder) on `host`:`port`.

    `device` auto is cuda if there is a GPU. The copies of one server share its random seed. `worker` (from 0)
    of `workers` on a host gets its share of the GPUs. Raises BadInput: SGLang, a GPU or the compiler for
    kernels is missing, float32 on a GPU, or a server that other hosts could use without a key.
    """
    check_flags(extra)
    key = key_for(host)
    if importlib.util.find_spec("sglang") is None:
        raise BadInput("SGLang is not installed: `make serve` installs it")
    gpus, each = usable_gpus(device), gpus_per_copy(extra)
    if gpus and dp * workers * each > gpus:
        needed = f"{dp * workers} copies of the model, {each} GPUs each, need {dp * workers * each}"
        fewer = "give fewer copies (make DP=, --set dp=, --dp or --workers)"
        raise BadInput(f"{needed} GPUs, and this machine has {gpus}: {fewer}")
    if gpus and "float32" in (dtype, *extra):
        raise BadInput("SGLang's norms have no kernel for float32 on a GPU: --set dtype=bfloat16, or auto")
    flags = ["--model-path", model, "--host", host, "--port", str(port), "--dp-size", str(dp)]
    # By default the model's generation_config fills in what a request leaves out.
    flags += ["--sampling-defaults", "openai", "--random-seed", str(secrets.randbits(30))]
    if revision:
        flags += ["--revision", revision]
    reached = {} if host == HERE else _without_proxy(host)
    if gpus:
        command = with_key(key, "sglang.launch_server", [*flags, "--dtype", dtype, *GPU_FLAGS, *extra])
        return Launch(command, reached | _gpu_environment(worker, workers, gpus))
    dtype = "float32" if dtype == "auto" else dtype
    flags += ["--dtype", dtype, *CPU_FLAGS, "--device", "cpu", *extra]
    return Launch(with_key(key, "harness.server.cpu.start", flags), reached | _cpu_environment(dp))


def gpus_per_copy(flags: Sequence[str]) -> int:
    """The GPUs per copy of the model on this host: tensor times pipeline parallelism in SGLang's `flags`.

    With --nnodes they are spread over that many hosts.
    """
    size = dict.fromkeys(PARALLEL, 1)
    words = [part for flag in flags for part in flag.split("=", 1)]
    for flag, value in pairwise(words):
        for kind, names in PARALLEL.items():
            if flag in names and value.isdecimal():
                size[kind] = int(value)
    return max(1, size["tp"] * size["pp"] // max(1, size["nnodes"]))


def _gpu_environment(worker: int, workers: int, gpus: int) -> dict[str, str]:
    """The CUDA toolkit, and this server's share of the GPUs that this process may use."""
    if (home := toolkit.toolkit()) is None:
        raise BadInput(f"SGLang finds no nvcc of CUDA {toolkit.CUDA}: {toolkit.REMEDY}")
    if shutil.which("ninja", path=_environment()["PATH"]) is None:
        raise BadInput("SGLang finds no ninja: `pip install ninja` installs it")
    environment = {"CUDA_HOME": str(home)}
    if workers == 1:
        return environment
    usable = (os.environ.get("CUDA_VISIBLE_DEVICES") or ",".join(map(str, range(gpus)))).split(",")
    share = gpus // workers
    own = usable[worker * share : (worker + 1) * share]
    return environment | {"CUDA_VISIBLE_DEVICES": ",".join(own)}


def _cpu_environment(dp: int) -> dict[str, str]:
    """The platform's name, and one thread and one core per copy unless the environment says otherwise.

    The tiny model's operations are too small to split: two threads were three times slower than one. Set
    OMP_NUM_THREADS for a larger model.
    """
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0]
    defaults = {"OMP_NUM_THREADS": "1"}
    if dp > 1:
        defaults["SGLANG_CPU_OMP_THREADS_BIND"] = "|".join(str(cores[i % len(cores)]) for i in range(dp))
    given = {name: os.environ.get(name, value) for name, value in defaults.items()}
    return {"SGLANG_PLATFORM": PLATFORM, "CUDA_VISIBLE_DEVICES": "", **given}


def free_ports(count: int = 1) -> list[int]:
    """Different ports on 127.0.0.1 that nothing listens on.

    A server binds its port seconds after it was chosen. So none is in the range of outgoing connections (from
    32768), one of which might take it in the meantime.
    """
    ports: list[int] = []
    for port in secrets.SystemRandom().sample(range(20000, 30000), 10000):
        if len(ports) == count:
            break
        with suppress(BadInput):
            check_free(port)
            ports.append(port)
    return ports


def check_free(port: int, host: str = HERE) -> None:
    """Raise BadInput if something listens on `host`:`port`, or `host` is no address of this machine."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise BadInput(f"port {port} on {host} is in use: give another --port") from None
            raise BadInput(
                f"{host}:{port}: {error.strerror or error}: give another --host or --port"
            ) from None


class Server:
    """A server's process group. It is stopped as a whole and does not outlive this process."""

    def __init__(self, launch: Launch, log: IO[Any] | None = None) -> None:
        """Start the server. Its output goes to `log`, or to this process's own output."""
        self._process = subprocess.Popen(
            launch.command,
            env={**_environment(), **launch.environment},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT if log else None,
            start_new_session=True,  # Ctrl-C reaches this process alone, which then stops the group
            preexec_fn=end_with_parent if sys.platform == "linux" else None,
        )

    @property
    def pid(self) -> int:
        """The process that was started, which leads the group."""
        return self._process.pid

    def wait(self) -> int:
        """Wait until the server ends by itself, and return its exit status."""
        return self._process.wait()

    def ended(self) -> int | None:
        """The exit status if the server has ended, else None."""
        return self._process.poll()

    def ask_to_end(self) -> None:
        """Send SIGTERM to the server, and do not wait."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Kill the server's whole group at once, and wait for its end."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        """Ask the server to end, and kill what is left of its group after STOP_SECONDS."""
        self.ask_to_end()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(STOP_SECONDS)
        self.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _environment() -> dict[str, str]:
    """This process's environment with what every server needs.

    SGLang runs `ninja`, which pip has put beside this Python; and it sends itself a request before it is
    ready, which a proxy to the internet could not deliver.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    return {**os.environ, "PATH": path, **_without_proxy()}


def _without_proxy(*hosts: str) -> dict[str, str]:
    """Variables that make programs reach this machine and `hosts` without a proxy."""
    directly = ["127.0.0.1", "localhost", "::1", *hosts]
    given = os.environ.get("no_proxy") or os.environ.get("NO_PROXY")
    without = ",".join([given, *directly] if given else directly)
    # Programs differ in which of the two names they read.
    return {"NO_PROXY": without, "no_proxy": without}


def end_when_told() -> None:
    """Make this process exit in order on SIGTERM, so that its servers end with it."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


def end_with_parent() -> None:
    """For `preexec_fn`, on Linux: the child gets SIGTERM when its parent ends, even by SIGKILL."""
    _LIBC.prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
