"""Tables for tests of the figures, and the rows that a figure draws."""

import numpy as np
import pandas as pd


def curves(settings=("10", "100"), ns=(1, 2, 4), permutations=2, method="majority", **columns):
    """A small curves table: accuracy 0.3 + 0.1 (index of setting) + 0.05 log2 N."""
    rows = [
        {
            "source": "llm",
            "dataset": "sums",
            "model": "m",
            "method": method,
            "setting": setting,
            "T": 100.0 * (i + 1) * 7,
            "tokens_per_answer": 7.0 * (i + 1),
            "N": n,
            "permutation": str(p),
            "accuracy": 0.3 + 0.1 * i + 0.05 * np.log2(n),
            "stderr": 0.02,
            "questions": 100,
        }
        for i, setting in enumerate(settings)
        for n in ns
        for p in ("exact", *range(permutations))
    ]
    return pd.DataFrame(rows).assign(**columns)


def rows_of(figure, mark):
    """The rows drawn by the figure's layer with the given mark."""
    spec = figure.page_spec()
    layer = next(layer for layer in spec["layer"] if layer["mark"]["type"] == mark)
    return pd.DataFrame(spec["datasets"][layer["data"]["name"]])
