"""Lets `import transformers` and `import sglang` work where torchvision's compiled library does not load.

SGLang needs torchvision, and transformers imports it where it finds it. A torchvision built for CUDA,
beside a CPU build of PyTorch, has Python code that asks for two operations which only its compiled library
would name:

    RuntimeError: operator torchvision::nms does not exist

Text models call neither, so naming them is enough. Call this before the first import of either library.
"""

import importlib
import importlib.util

SCHEMA = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"


def declare_torchvision_operations() -> None:
    """Name the missing operations if torchvision cannot be imported without; calling one stays an error."""
    if importlib.util.find_spec("torchvision") is None:
        return
    try:
        importlib.import_module("torchvision")
    except RuntimeError as error:
        if "torchvision::nms" not in str(error):
            raise
        import torch

        for name in ("nms", "qnms"):
            torch.library.define(f"torchvision::{name}", SCHEMA)
        importlib.import_module("torchvision")
