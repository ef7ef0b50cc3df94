"""The engine without a server: a transformers model in this process, with a decoding loop of our own.

transformers' `generate()` computes a prompt, and keeps its keys and values, once per answer. It carries
finished answers along and repeats grouped-query heads at every step. docs/benchmarks.md has the figures.
"""

from harness.server.cpu.torchvision_names import declare_torchvision_operations

declare_torchvision_operations()  # before the first import of transformers' models
