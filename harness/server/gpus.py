"""Which GPUs PyTorch can use here, or why none: `python -m harness.server.gpus`.

8 GPUs: NVIDIA H100 80GB HBM3 (driver 580.65.06)
error: PyTorch 2.14.1+cu130 can use no GPU, although there is one: NVIDIA A100-SXM4-80GB, driver 535.129.03
"""

import sys

from harness.server.host import CUDA_13_DRIVER, driver
from results import BadInput


def usable_gpus(device: str) -> int:
    """How many GPUs a server on `device` (auto, cpu, cuda) can use; 0 is the CPU.

    Raises BadInput if `cuda` was asked for, or the machine has a GPU, and PyTorch can use none.
    """
    if device == "cpu":
        return 0
    import torch

    if torch.cuda.is_available():
        return int(torch.cuda.device_count())
    driver_version = driver()
    if device == "auto" and not driver_version:
        return 0
    there = "and nvidia-smi names none"
    if driver_version:
        there = f"although there is one: {driver_version} (CUDA 13 needs driver {CUDA_13_DRIVER} or later)"
    raise BadInput(
        f"PyTorch {torch.__version__} cannot use a GPU, {there}: for a small model on a CPU give --device "
        "cpu, or --set device=cpu to tts sample"
    )


if __name__ == "__main__":
    try:
        print(f"{usable_gpus('cuda')} GPUs: {driver()}")  # noqa: T201
    except BadInput as error:
        print(f"error: {error.message}", file=sys.stderr)  # noqa: T201
        sys.exit(2)
