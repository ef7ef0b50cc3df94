"""The platform class: PyTorch operations only, no Triton kernels, no captured graphs.

Only SGLang imports it, in the server and in each of its worker processes.
"""

from typing import Any

from sglang.srt.platforms.cpu import CpuDeviceMixin
from sglang.srt.platforms.device_mixin import PlatformEnum
from sglang.srt.platforms.interface import PlatformCapabilities, SRTPlatform


class TorchCpuPlatform(CpuDeviceMixin, SRTPlatform):  # type: ignore[misc]
    """A CPU on which SGLang uses PyTorch's own operations."""

    _enum = PlatformEnum.OOT
    device_name = device_type = "cpu"
    capabilities = PlatformCapabilities(supports_triton=False, graph_capture=False)

    def get_default_attention_backend(self) -> str:
        return "torch_native"

    def get_dispatch_key_name(self) -> str:
        return "native"

    def is_pin_memory_available(self, device: Any = None) -> bool:  # noqa: ARG002 -- SGLang's signature
        return False
