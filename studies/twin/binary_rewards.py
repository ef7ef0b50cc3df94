"""Exact best-of-N by any reward (Definition 2), from the law of w_t, and the available rewards.

$ python -m studies.twin.binary_rewards --out runs/judges      judges.csv

    best_by_reward(answers, REWARDS["context"], votes=(1, 1024))[task, step]  ->  [0.05, 0.58]

A random answer is right or wrong and has a reward. Let the rewards be v_1 < v_2 < …, with m_g the probability
of v_g, r_g the probability of v_g with a right answer, and F_g = m_1 + … + m_g. The best of N has reward v_g
with probability F_g^N − F_{g−1}^N, and answers of the same reward share the credit:

    P(right) = Σ_g r_g / m_g · (F_g^N − F_{g−1}^N)   →   r_G / m_G of the largest reward, as N → ∞.

With Gaussian noise of standard deviation τ on every reward, none tie, and with F(x) = Σ_g m_g Φ((x − v_g)/τ)

    P(right) = ∫ Σ_g r_g φ((x − v_g)/τ)/τ · N F(x)^{N−1} dx   →   the same limit.

The proof is in studies/twin/rewards.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np
import pandas as pd
from scipy.special import ndtr

from results import write_curves
from results.cli.options import out_option
from results.votes.multinomial import best_of_n_accuracy
from synthetic.binary.chain import Indices, PathLaw, all_supports, law_of_paths
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import Array, Tasks, draw_tasks, task_keys
from synthetic.panels.experiments import VOTES, Variant
from synthetic.panels.running import curves_table

NAME = "judges"
LINES = (
    Variant(BinarySetting(n=4, k=1, d=48, eta=1 / 4, sigma_eps=0.5), "n=4 d=48"),
    Variant(BinarySetting(n=5, k=1, d=10, eta=1 / 5, sigma_eps=0.5), "n=5 d=10"),
    Variant(BinarySetting(n=8, k=3, d=12, eta=1 / 8, sigma_eps=0.7), "n=8 d=12 k=3"),
)
STEPS = (16,)
TO_4096 = (*VOTES, 512, 1024, 4096)
REPEATS, TASKS = 5, 30

POINTS_A_DEVIATION = 32
"""Points of the trapezoidal rule for each τ; the integrand is analytic, so the rule's error vanishes."""
REACH = 9.0
"""Standard deviations beyond the outermost reward, where the normal density is below 1e-17."""

TAU = 1.0
"""The noise of `noisy`: half the distance between w* and a neighbour."""
TRUE_YES, FALSE_YES = 0.9, 0.1
LAMBDA = 5.0


@dataclass(frozen=True)
class Answers:
    """All answers to some tasks, with their probabilities at each t: the input of a reward."""

    tasks: Tasks
    setting: BinarySetting
    steps: tuple[int, ...]
    law: PathLaw

    @property
    def subsets(self) -> Indices:
        """The supports, (supports, k)."""
        return all_supports(self.setting.d, self.setting.k)

    @property
    def overlap(self) -> Array:
        """How many coordinates an answer shares with w*, (tasks, 1, supports)."""
        shared = self.tasks.w_star[:, self.subsets].sum(axis=2)
        return np.asarray(shared[:, None])

    @property
    def residual(self) -> Array:
        """Σ_i (y_i − x_iᵀw)² of every answer, (tasks, 1, supports)."""
        fitted = self.tasks.x[:, :, self.subsets].sum(axis=3)  # (tasks, n, supports)
        return np.asarray(((self.tasks.y[:, :, None] - fitted) ** 2).sum(axis=1)[:, None])


class Atom(NamedTuple):
    """A possible reward of an answer, and its probability; both broadcast to (tasks, steps, supports)."""

    chance: Array | float
    value: Array | float


@dataclass(frozen=True)
class Reward:
    """`atoms(answers)`: the possible rewards of every answer; `spread`: τ of the Gaussian noise."""

    name: str
    atoms: Callable[[Answers], Sequence[Atom]]
    spread: float = 0.0


class _Levels(NamedTuple):
    """The rewards at one task and t, ascending: their probabilities, total and with a right answer."""

    value: Array
    mass: Array
    right: Array


def best_by_reward(answers: Answers, reward: Reward, votes: Sequence[int]) -> Array:
    """P(the best of N answers by this reward is w*), ties shared, (tasks, steps, votes)."""
    accuracy = _noisy if reward.spread else _ranked

    def one(levels: _Levels) -> Array:
        return accuracy(levels, np.asarray(votes, np.float64), reward.spread)

    return _by_task(answers, reward, one)


def reward_limit(answers: Answers, reward: Reward) -> Array:
    """The limit of `best_by_reward` as N → ∞, (tasks, steps)."""
    return _by_task(answers, reward, lambda levels: levels.right[-1] / levels.mass[-1])


def _by_task(answers: Answers, reward: Reward, solve: Callable[[_Levels], Array]) -> Array:
    """`solve` of the levels of each task and t."""
    probabilities, gold = answers.law.probabilities, answers.law.gold
    atoms = [np.broadcast_arrays(*atom, probabilities)[:2] for atom in reward.atoms(answers)]
    found = []
    for task in range(len(probabilities)):
        for step in range(probabilities.shape[1]):
            law = probabilities[task, step]
            right = np.zeros_like(law)
            right[gold[task]] = law[gold[task]]
            values = np.concatenate([value[task, step] for _, value in atoms])
            mass, hit = (
                np.concatenate([part * chance[task, step] for chance, _ in atoms]) for part in (law, right)
            )
            found.append(solve(_levels(values, mass, hit)))
    return np.array(found).reshape(*probabilities.shape[:2], *np.shape(found[0]))


def _levels(values: Array, mass: Array, right: Array) -> _Levels:
    there = mass > 0
    level, place = np.unique(values[there], return_inverse=True)
    total = mass[there].sum()
    sums = (np.bincount(place, part[there], len(level)) / total for part in (mass, right))
    return _Levels(level, *sums)


def _ranked(levels: _Levels, votes: Array, _spread: float) -> Array:
    below = np.concatenate([[0.0], np.cumsum(levels.mass)])
    below[-1] = 1.0
    share = levels.right / levels.mass
    return np.asarray(share @ np.diff(below[:, None] ** votes, axis=0))


def _noisy(levels: _Levels, votes: Array, spread: float) -> Array:
    low, high = levels.value[0] - REACH * spread, levels.value[-1] + REACH * spread
    count = int(np.ceil((high - low) / spread * POINTS_A_DEVIATION)) + 1
    x, spacing = np.linspace(low, high, count, retstep=True)
    z = (x - levels.value[:, None]) / spread
    density = levels.right @ np.exp(-(z**2) / 2) / (spread * np.sqrt(2 * np.pi))
    below = np.clip(levels.mass @ ndtr(z), 0.0, 1.0)
    chosen = votes[:, None] * below ** (votes[:, None] - 1)
    return np.asarray(chosen @ density * spacing)


def _minus_distance(answers: Answers) -> Array:
    """−‖w − w*‖² of every answer, minus twice the number of coordinates missed, (tasks, 1, supports)."""
    return 2 * (answers.overlap - answers.setting.k)


ORACLE = Reward("oracle", lambda answers: [Atom(1.0, _minus_distance(answers))])
"""The paper's reward: R = −‖w − w*‖²."""

CONTEXT = Reward("context", lambda answers: [Atom(1.0, -answers.residual)])
"""What the prompt itself can check: R = −Σ_i (y_i − x_iᵀw)², the log-likelihood of w. No oracle."""

NOISY = Reward("noisy", lambda answers: [Atom(1.0, _minus_distance(answers))], spread=TAU)
"""An oracle with measurement error: R = −‖w − w*‖² + τ ξ, with ξ standard normal for each answer."""


def _yes_or_no(answers: Answers) -> list[Atom]:
    yes = np.where(answers.overlap == answers.setting.k, TRUE_YES, FALSE_YES)
    return [Atom(yes, 1.0), Atom(1 - yes, 0.0)]


VERDICT = Reward("verdict", _yes_or_no)
"""A judge that says yes to a right answer at the rate TRUE_YES, to a wrong one at FALSE_YES."""


def _with_a_liking(answers: Answers) -> list[Atom]:
    """The preferred wrong answer has the most attention at the start: it is the likeliest after one step."""
    first = law_of_paths(answers.tasks, answers.setting, (1,)).probabilities[:, 0].copy()
    tasks = np.arange(len(first))
    first[tasks, answers.law.gold] = -1.0
    liked = np.zeros((len(first), 1, first.shape[1]))
    liked[tasks, 0, first.argmax(axis=1)] = LAMBDA
    return [Atom(1.0, liked - answers.residual)]


BIASED = Reward("biased", _with_a_liking)
"""The prompt's check with a bias to one wrong answer: R = context + LAMBDA · 1{w is that answer}."""

REWARDS: dict[str, Reward] = {reward.name: reward for reward in (ORACLE, CONTEXT, NOISY, VERDICT, BIASED)}
"""The rewards by name. Add your own in one line here (studies/twin/rewards.md)."""


def curves(
    repeats: int = REPEATS,
    tasks: int = TASKS,
    votes: tuple[int, ...] = TO_4096,
    steps: tuple[int, ...] = STEPS,
) -> pd.DataFrame:
    """The curves table of best-of-N by each reward, the vote and the oracle."""
    return pd.concat([_of_line(line, repeats, tasks, votes, steps) for line in LINES], ignore_index=True)


def _of_line(
    line: Variant, repeats: int, tasks: int, votes: tuple[int, ...], steps: tuple[int, ...]
) -> pd.DataFrame:
    setting = line.setting
    assert isinstance(setting, BinarySetting)
    drawn = draw_tasks(setting, task_keys(repeats, tasks), seed=0)
    law = law_of_paths(drawn, setting, steps)
    plain = {
        "majority": law.vote(votes),
        "best_of_n": best_of_n_accuracy(law.correct, votes),
    }
    answers = Answers(drawn, setting, steps, law)
    others = [reward for reward in REWARDS.values() if reward is not ORACLE]
    judged = {reward.name: best_by_reward(answers, reward, votes) for reward in others}
    return judged_table(plain, judged, steps, votes, {"dataset": NAME, "model": line.model}, "accuracy")


def judged_table(
    plain: dict[str, Array],
    judged: dict[str, Array],
    steps: Sequence[int],
    votes: Sequence[int],
    named: dict[str, str],
    column: str,
) -> pd.DataFrame:
    """The curves table of values by method, and of best-of-N by reward, each reward as a separate model."""
    tables = [curves_table([plain], steps, votes, named, column)]
    for reward, values in judged.items():
        model = {"model": f"{named['model']}, {reward} reward"}
        tables.append(curves_table([{"best_by_score": values}], steps, votes, named | model, column))
    return pd.concat(tables, ignore_index=True)


@click.command()
@out_option("Folder to write to.", folder=True)
def main(out: Path) -> None:
    """Write the curves."""
    write_curves(curves(), out / f"{NAME}.csv")


if __name__ == "__main__":
    main()
