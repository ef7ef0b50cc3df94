"""The claims that can be tested at any setting: how each is measured, also on your own experiment.

    own_claims("fig2h", with_changes(read_at(EXPERIMENTS["fig2h"], (2, 16)), ["sigma_eps=1"]), tasks=40)

    a-longer-path-is-more-often-right  fig2h step=1 sigma_eps=1  P(path right) at t=16 less t=2  0.06 [0.04, …

Their names are those in the table of the paper's claims, which has these, among others, at its settings. If a
claim is about one t and N, these are the last.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from results import BadInput, fit_saturating
from synthetic.binary.chain import PathLaw, law_of_paths
from synthetic.binary.paths import greedy_correct
from synthetic.continuous.risk import continuous_risk, needs_sampling
from synthetic.model.settings import BinarySetting, Setting, check_count
from synthetic.model.tasks import Array, Tasks, draw_tasks, task_keys
from synthetic.panels.experiments import REPEATS, Experiment
from synthetic.theory import theorems as theory
from synthetic.theory.claim import Claim, ClaimRow, extreme_row, fitted_row, mean_row

MARGIN = 0.01
"""Our threshold: at most one point between a share of tasks and its bound, or a fit and any of its points."""
PATHS = 256
"""Paths per task if there is no formula."""
FEWEST_N = 4
"""Fewest N that can test an exponential with three parameters."""


class Line(NamedTuple):
    """One line of an experiment, its values of t and N, and the number of tasks per repeat."""

    name: str
    setting: Setting
    steps: tuple[int, ...]
    votes: tuple[int, ...]
    tasks: int


Measure = Callable[[Line, int], Iterator[ClaimRow]]


def tasks_of(setting: Setting, seed: int, count: int) -> Tasks:
    """The tasks of all repeats, `count` in each."""
    return draw_tasks(setting, task_keys(REPEATS, count), seed)


def law_of_line(setting: BinarySetting, steps: tuple[int, ...], seed: int, count: int) -> PathLaw:
    return law_of_paths(tasks_of(setting, seed, count), setting, steps)


@lru_cache(maxsize=64)
def _law(line: Line, seed: int) -> PathLaw:
    assert isinstance(line.setting, BinarySetting)
    return law_of_line(line.setting, line.steps, seed, line.tasks)


@lru_cache(maxsize=64)
def _curve(line: Line, method: str, seed: int) -> Array:
    """Accuracy or risk of one method, (tasks, steps, votes)."""
    if method == "majority":
        return _law(line, seed).vote(line.votes)
    if method == "path":
        return _law(line, seed).correct[..., None]
    tasks = tasks_of(line.setting, seed, line.tasks)
    if isinstance(line.setting, BinarySetting):
        return greedy_correct(tasks, line.setting, line.steps)[:, :, None]
    (risks,) = continuous_risk([(tasks, line.setting)], line.steps, line.votes, (method,), "exact", PATHS)
    return risks[method]


def _better(line: Line, quantity: str, lead: Array) -> ClaimRow:
    """Whether accuracy is higher (binary), or risk lower (continuous)."""
    if isinstance(line.setting, BinarySetting):
        return mean_row(line.name, quantity, lead, above=0.0)
    return mean_row(line.name, quantity, lead, below=0.0)


def _lead(line: Line, seed: int, one: str, other: str, words: str) -> Iterator[ClaimRow]:
    """One method minus another, at the last t and N."""
    ours, theirs = (_curve(line, method, seed)[:, -1, -1] for method in (one, other))
    quantity = f"{words.format(N=f'{line.votes[-1]:,}')}, t={line.steps[-1]}"
    yield _better(line, quantity, ours - theirs)


def _gain(line: Line, seed: int, method: str, words: str) -> Iterator[ClaimRow]:
    """The last t minus the first, at the last N."""
    values = _curve(line, method, seed)[..., -1]
    quantity = f"{words.format(N=f'{line.votes[-1]:,}')} at t={line.steps[-1]} less t={line.steps[0]}"
    yield _better(line, quantity, values[:, -1] - values[:, 0])


def _exponential(line: Line, seed: int) -> Iterator[ClaimRow]:
    votes = _curve(line, "majority", seed)
    for at, t in enumerate(line.steps):
        quantity = f"residual of α − β e^(−νN) (ours: < {MARGIN})"
        yield residual_row(f"{line.name} t={t}", quantity, line.votes, votes[:, at])


def residual_row(setting: str, quantity: str, x: ArrayLike, curves: Array) -> ClaimRow:
    """How far the mean of `curves` (tasks, points), as in the figure, is off its exponential: an error of
    the shape, not noise of the vote."""
    return fitted_row(setting, quantity, partial(largest_residual, x), curves, below=MARGIN)


def largest_residual(x: ArrayLike, curve: Array) -> float:
    """The largest absolute residual of a curve from its exponential in x."""
    return float(abs(fit_saturating(x, curve)(x) - curve).max())


def _above_hoeffding(line: Line, seed: int) -> Iterator[ClaimRow]:
    assert isinstance(line.setting, BinarySetting)
    gap = _law(line, seed).gap[..., None]
    bound = theory.vote_lower_bound(gap, np.array(line.votes), line.setting.supports)
    slack = (_curve(line, "majority", seed) - bound).min()
    yield extreme_row(line.name, "least exact vote − bound", slack, slack > -1e-9)


def _above_gap_bound(line: Line, seed: int) -> Iterator[ClaimRow]:
    slack = (_law(line, seed).gap - _gap_bounds(line.setting, line.steps)).min()
    yield extreme_row(line.name, "least gap − bound", slack, slack >= 0)


def _gap_bounds(setting: Setting, steps: tuple[int, ...]) -> list[float]:
    """The theorem's bound at each t. Raises BadInput unless its assumptions hold."""
    assert isinstance(setting, BinarySetting)
    if abs(setting.step * setting.n - 1) > 1e-9 or setting.sampler != "clip-norm":
        raise BadInput("this bound is for the step 1/n and sampler=clip-norm")
    return [theory.gap_lower_bound(setting.n, setting.k, setting.d, setting.sigma_eps, t) for t in steps]


BINARY: Mapping[str, Measure] = {
    "vote-beats-greedy-with-few-examples": partial(
        _lead, one="majority", other="greedy", words="vote of {N} − greedy"
    ),
    "the-vote-gains-with-length": partial(_gain, method="majority", words="vote of {N}"),
    "a-longer-path-is-more-often-right": partial(_gain, method="path", words="P(path right)"),
    "accuracy-exponential-in-votes": _exponential,
    "vote-above-its-exponential-bound": _above_hoeffding,
    "gap-above-its-lower-bound": _above_gap_bound,
}
CONTINUOUS: Mapping[str, Measure] = {
    "ensemble-linear-noise-beats-descent": partial(
        _lead, one="ensemble", other="gradient_descent", words="ensemble of {N} − descent"
    ),
    "a-longer-path-has-less-risk": partial(_gain, method="ensemble", words="risk of an ensemble of {N}"),
    "best-of-n-beats-descent": partial(
        _lead, one="best_of_n", other="gradient_descent", words="best-of-{N} − descent"
    ),
    "best-of-n-is-an-upper-bound": partial(
        _lead, one="best_of_n", other="ensemble", words="best-of-{N} − ensemble of {N}"
    ),
}
_TWO_STEPS = {
    "the-vote-gains-with-length",
    "a-longer-path-is-more-often-right",
    "a-longer-path-has-less-risk",
}
_BEST_OF_N = {"best-of-n-beats-descent", "best-of-n-is-an-upper-bound"}


def own_claims(name: str, experiment: Experiment, where: Mapping[str, str], tasks: int | None) -> list[Claim]:
    """The claims that can be tested on this experiment; `where` says where each of them is made.

    A claim is left out at lines that do not meet its assumptions, with a warning. Raises BadInput for an
    invalid count of tasks.
    """
    count = experiment.tasks if tasks is None else tasks
    check_count("tasks", count)
    lines = [
        Line(f"{name} {one.label}".strip(), one.setting, experiment.steps, experiment.votes, count)
        for one in experiment.variants
    ]
    claims, refused = [], dict[str, list[str]]()
    for claim, measure in (BINARY if isinstance(lines[0].setting, BinarySetting) else CONTINUOUS).items():
        shown_lines = []
        for line in lines:
            try:
                _check(claim, line)
            except BadInput as error:
                refused.setdefault(f"{claim} is left out: {error}", []).append(line.name)
            else:
                shown_lines.append(line)
        if shown_lines:
            claims.append(Claim(claim, where[claim], partial(rows_at, measure, shown_lines)))
    for reason, names in refused.items():
        warnings.warn(f"{reason} ({', '.join(names)})", stacklevel=2)
    return claims


def _check(claim: str, line: Line) -> None:
    """Raise BadInput if the claim does not apply to a line, or cannot be measured there."""
    setting = line.setting
    if claim in _TWO_STEPS and len(line.steps) < 2:
        raise BadInput("it compares two t: give --steps")
    if claim == "accuracy-exponential-in-votes" and len(line.votes) < FEWEST_N:
        raise BadInput(f"a fit takes {FEWEST_N} values of N: give --n")
    if claim == "gap-above-its-lower-bound":
        _gap_bounds(setting, line.steps)
    if isinstance(setting, BinarySetting):
        return
    if claim == "ensemble-linear-noise-beats-descent" and setting.noise != "linear":
        raise BadInput("it is about noise=linear")
    method = "best_of_n" if claim in _BEST_OF_N else "ensemble"
    if needs_sampling(setting, (method,)) and line.votes[-1] > PATHS:
        raise BadInput(f"under noise={setting.noise} it is measured on {PATHS} paths: give a smaller --n")


def rows_at(measure: Measure, lines: list[Line], seed: int) -> Iterator[ClaimRow]:
    """The rows of all lines."""
    for line in lines:
        yield from measure(line, seed)
