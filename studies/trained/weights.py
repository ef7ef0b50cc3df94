"""Reading and writing of trained weights as one small file, and the shipped ones.

read_weights(SHIPPED)["fig2h", "trained-linear-attention paths"]["value"]  ->  (10, 22)
"""

from pathlib import Path

import numpy as np

from synthetic.model.tasks import Array

SHIPPED = Path(__file__).with_name("weights.npz")
Weights = dict[tuple[str, str], dict[str, Array]]
"""(dataset, model) to its matrices by name: those of a linear-attention layer are `Layer`'s fields."""


def write_weights(weights: Weights, path: Path) -> None:
    """Write every matrix, rounded to half precision, under `dataset|model|matrix`."""
    flat = {
        "|".join((*key, name)): matrix.astype(np.float16)
        for key, one in weights.items()
        for name, matrix in one.items()
    }
    np.savez_compressed(path, **flat)  # type: ignore[arg-type]


def read_weights(path: Path) -> Weights:
    """The weights of `write_weights`."""
    found: Weights = {}
    with np.load(path) as flat:
        for name in flat.files:
            dataset, model, matrix = name.split("|")
            found.setdefault((dataset, model), {})[matrix] = flat[name].astype(np.float64)
    return found
