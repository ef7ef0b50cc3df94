"""Lines of the twin on which no forecast was tuned: drawn and committed before any of them was run.

    fresh 1    d = 16, n = 12, k = 1, σ_ε = 0.3, step 0.35/n

The question law's priors, its limits and its rule for `ok` were found on the paper's lines and on the sets of
from_curves.py, so results on those are optimistic. Here d, n, σ_ε and the step are drawn from values that no
line of the paper has; every line drawn is kept, however much or little there is to forecast on it.
"""

import numpy as np

from synthetic import BinarySetting, Experiment, Variant

LINES = 12
SEED = 2508_07571
"""The paper's arXiv number: no seed was tried before it."""

DIMENSIONS = (6, 8, 12, 16, 20, 24)
EXAMPLES = (2, 3, 6, 8, 12)
NOISES = (0.05, 0.2, 0.3, 0.4)
STEPS = (0.35, 0.7, 1.7)
"""Multiples of 1/n. The paper's steps are 1 and 1/n; with these n no product equals one of them."""

SPARSITIES = (1, 1, 2)

LENGTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 50)
"""Those of the paper's panels g and h."""

TASKS = 40
"""Tasks in each of five repeats, as in panels f to h."""


def fresh_lines() -> Experiment:
    """The lines as an experiment for `run_panel`."""
    rng = np.random.default_rng(SEED)
    variants = []
    for number in range(1, LINES + 1):
        d, n = int(rng.choice(DIMENSIONS)), int(rng.choice(EXAMPLES))
        noise, step, k = float(rng.choice(NOISES)), float(rng.choice(STEPS)), int(rng.choice(SPARSITIES))
        setting = BinarySetting(n=n, d=d, k=k, eta=step, sigma_eps=noise, step_rule="eta/n")
        variants.append(Variant(setting, f"fresh {number}"))
    title = "Ours: lines that no forecast was tuned on"
    return Experiment(title, tuple(variants), LENGTHS, ("majority",), TASKS)
