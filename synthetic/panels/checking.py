"""Compare the literal transformer with the exact solution: accuracy or risk of N paths on the same tasks.

    check(EXPERIMENTS["fig2h"], tasks=2, paths=16, seed=0)

    line    t  N  exact  transformer  difference  stderr
    step=1  8  1  0.409  0.412        0.003       0.009

The difference is taken task by task, so its standard error is that of the sampled paths alone. For a noise
law without moments, `sample_paths` replaces the exact solution.
"""

import warnings

import numpy as np
import pandas as pd
from scipy.stats import t as t_law

from results import BadInput, answer_pools, majority_accuracy
from results.votes.clusters import standard_error
from synthetic.binary.accuracy import question_names, samples_table, transformer_supports
from synthetic.binary.chain import law_of_paths
from synthetic.continuous.risk import continuous_risk, needs_sampling
from synthetic.model.settings import BinarySetting, Setting, check_count
from synthetic.model.tasks import Array, Tasks, draw_tasks, task_keys
from synthetic.panels.experiments import REPEATS, Experiment

LONGEST = 50
"""The time of the literal loop grows with the cube of t: longer paths are left out."""
ALARM = 0.01
"""Rate of false alarms if both are the same."""
ROUNDING = 1e-9
"""Smaller differences count as 0: deterministic paths have no standard error."""
STAND_IN = 256
"""Sampled paths per task, many at once, if there is no exact solution."""


def check(
    experiment: Experiment, tasks: int, paths: int, seed: int, votes: tuple[int, ...] = (1,)
) -> pd.DataFrame:
    """One row per line, t up to `LONGEST`, and N; warns if there is no exact solution.

    Raises BadInput for invalid counts.
    """
    settings = [line.setting for line in experiment.variants]
    no_exact = sorted({setting.noise for setting in settings if needs_sampling(setting, ("ensemble",))})
    check_count("paths", paths)
    for n in votes:
        check_count("N", n, high=min(paths, STAND_IN) if no_exact else paths)
    steps = tuple(t for t in experiment.steps if t <= LONGEST)
    if not steps:
        least = min(experiment.steps)
        raise BadInput(f"steps={least}: the literal loop is walked up to t={LONGEST}: ask for less")
    for law in no_exact:
        instead = f"the mean of {STAND_IN} paths stands for the exact risk"
        warnings.warn(f"noise={law}: this law states no moments: {instead}", stacklevel=2)
    at_t, at_n = (axis.ravel() for axis in np.meshgrid(steps, votes, indexing="ij"))
    rows = []
    for line in experiment.variants:
        drawn = draw_tasks(line.setting, task_keys(REPEATS, tasks), seed)
        both = _both(line.setting, drawn, steps, paths, votes)
        exact, sampled = (one.reshape(len(drawn), -1) for one in both)
        apart = sampled - exact
        means = {"exact": exact, "transformer": sampled, "difference": apart}
        table = {name: of_tasks.mean(axis=0) for name, of_tasks in means.items()}
        rows.append(
            pd.DataFrame({"line": line.label, "t": at_t, "N": at_n, **table, "stderr": standard_error(apart)})
        )
    return pd.concat(rows, ignore_index=True)


def verdict(table: pd.DataFrame, tasks: int) -> str:
    """Whether a table of `check` shows more than chance: Student’s t of the worst row, with Bonferroni."""
    apart = table["difference"].abs()
    worst = float((apart / table["stderr"]).where(apart > ROUNDING, 0.0).max())
    chance = float(t_law.ppf(1 - ALARM / 2 / len(table), REPEATS * tasks - 1))
    word = "they agree" if worst <= chance else "they differ"
    return (
        f"{word}: of {len(table)} rows the worst is {worst:.1f} standard errors apart; chance alone brings "
        f"{chance:.1f} or more once in {1 / ALARM:.0f} checks"
    )


def _both(
    setting: Setting, tasks: Tasks, steps: tuple[int, ...], paths: int, votes: tuple[int, ...]
) -> tuple[Array, Array]:
    """Accuracy of a vote or risk of an average, exactly and from literal paths, (tasks, steps, votes) each.

    The latter is a mean over all N-subsets of the paths, an unbiased estimate of the exact value.
    """
    if isinstance(setting, BinarySetting):
        exact = law_of_paths(tasks, setting, steps).vote(votes)
        samples = samples_table(tasks, setting, steps, transformer_supports(tasks, setting, paths, steps))
        return exact, _votes_of(samples, question_names(tasks, setting), steps, votes)
    line, method = [(tasks, setting)], "ensemble"
    (solved,) = continuous_risk(line, steps, votes, (method,), "exact", STAND_IN)
    (literal,) = continuous_risk(line, steps, votes, (method,), "transformer", paths)
    return solved[method], literal[method]


def _votes_of(
    samples: pd.DataFrame, names: list[str], steps: tuple[int, ...], votes: tuple[int, ...]
) -> Array:
    """The accuracy of a vote of N of the answers to the named tasks, (tasks, steps, votes)."""
    drawn, rows = samples[samples["decoding"] == "sample"], []
    for t in steps:
        pools = answer_pools(drawn[drawn["setting"] == str(t)])
        place = [pools.question_ids.index(name) for name in names]
        rows.append(majority_accuracy(pools.counts(), votes)[place])
    return np.stack(rows, axis=1)
