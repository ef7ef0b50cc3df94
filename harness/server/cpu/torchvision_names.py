"""Makes `import transformers` and `import sglang` work although torchvision's compiled library does not load.

SGLang needs torchvision, and transformers imports it if it is installed. PyPI has it for CUDA only. With a
CPU build of PyTorch it lacks two operations (`RuntimeError: operator torchvision::nms does not exist`) that
no language model calls: declaring them is enough. Do it before the first import of either library.
"""

import importlib
import importlib.util


def declare_torchvision_operations() -> None:
    """Declare the two operations if torchvision cannot be imported without; calling one is still an error."""
    if importlib.util.find_spec("torchvision") is None:
        return
    try:
        importlib.import_module("torchvision")
    except RuntimeError as error:
        if "torchvision::nms" not in str(error):
            raise
        import torch

        for name in ("nms", "qnms"):
            schema = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"
            torch.library.define(f"torchvision::{name}", schema)
        importlib.import_module("torchvision")
