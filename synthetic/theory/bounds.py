"""The theorems' bounds beside the exact curves, as one table to draw.

    panel,x_name,x,line,value,kind
    "ensemble, constant noise, t = 100: excess risk",N,64,exact,0.0896,exact
    "ensemble, constant noise, t = 100: excess risk",N,64,"theorem × 0.28 (fitted)",0.1133,bound

A bound written with ≲ hides a constant. Here that is the least factor that lifts the bound above every exact
point of its panel, and the line's name gives it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from tqdm import tqdm

from results.votes.multinomial import vote_accuracy, vote_limit
from synthetic.binary.chain import law_of_paths
from synthetic.binary.greedy import greedy_correct
from synthetic.continuous.moments import gradient_descent_risk, path_moments, spectrum
from synthetic.model.settings import BinarySetting, ContinuousSetting
from synthetic.model.tasks import Array, covariance_eigenvalues, draw_tasks, task_keys
from synthetic.theory import theorems as theory

REPEATS = 5
VOTES = (1, 4, 16, 64, 256, 1024, 4096)
ETA = 0.5


@dataclass(frozen=True)
class Panel:
    """One picture: a title, the name and values of x, and each line's values by name.

    `relative`: the bounds hide a constant, which is fitted to the one exact line.
    """

    title: str
    x_name: str
    x: tuple[int, ...]
    exact: dict[str, Array]
    bounds: dict[str, Array]
    relative: bool = False

    def rows(self) -> pd.DataFrame:
        """Columns panel, x_name, x, line, value, kind (exact or bound); a fitted factor is in the line."""
        lines = [(name, value, "exact") for name, value in self.exact.items()]
        for name, value in self.bounds.items():
            if self.relative:
                (exact,) = self.exact.values()
                factor = theory.hidden_factor(exact, value)[1]
                name, value = f"{name} × {factor:.2g} (fitted)", value * factor
            lines.append((name, value, "bound"))
        fixed = {"panel": self.title, "x_name": self.x_name, "x": self.x}
        tables = [pd.DataFrame({**fixed, "line": name, "value": v, "kind": kind}) for name, v, kind in lines]
        return pd.concat(tables, ignore_index=True)


def bounds_table(seed: int, progress: bool = False) -> pd.DataFrame:
    """Every panel's rows, in order."""
    panels: list[Callable[[int], Panel]] = [_descent, _constant, _linear, _vote, _gap, _one_example]
    bar = tqdm(panels, unit="panel", delay=2, disable=None if progress else True)
    return pd.concat([panel(seed).rows() for panel in bar], ignore_index=True)


def _continuous(n: int, d: int, sigma: float, **changes: object) -> ContinuousSetting:
    """The theorems' regime: step η/n, covariance eigenvalues i^−2, label noise and prior of scale 1."""
    fixed: dict[str, object] = {"eta": ETA, "sigma_eps": 1.0, "step_rule": "eta/n", "decay": 1.0}
    return ContinuousSetting(n=n, d=d, sigma=sigma, **{**fixed, **changes})  # type: ignore[arg-type]


def _descent(seed: int) -> Panel:
    setting, steps = _continuous(n=100, d=100, sigma=0.0), (5, 10, 20, 50, 100, 200, 500, 1000)
    view = spectrum(draw_tasks(setting, task_keys(REPEATS, 6), seed), setting)
    excess = gradient_descent_risk(view, setting, steps).mean(axis=0) / 2
    eigenvalues = covariance_eigenvalues(setting)
    bounds = {
        "theorem": [theory.gradient_descent_bound(eigenvalues, 100, ETA, t, 1, 1).total() for t in steps],
        "rate for i^−2": [theory.polynomial_rate(1.0, 100, ETA, t, 1, 1).total() for t in steps],
    }
    found = {name: np.array(value) for name, value in bounds.items()}
    title = "gradient descent, n = d = 100: excess risk"
    return Panel(title, "t", steps, {"exact": excess}, found, relative=True)


def _ensemble(setting: ContinuousSetting, t: int, seed: int) -> Array:
    """Mean excess risk of an ensemble at each of VOTES."""
    moments = path_moments(spectrum(draw_tasks(setting, task_keys(REPEATS, 4), seed), setting), setting, (t,))
    return np.asarray(moments.ensemble_risk(VOTES)[:, 0].mean(axis=0) / 2)


def _constant(seed: int) -> Panel:
    setting, t = _continuous(n=60, d=40, sigma=0.1), 100
    bound = theory.constant_noise_bound(
        covariance_eigenvalues(setting), 60, ETA, t, 1, 1, setting.noise_variance
    )
    found = {"theorem": np.array([bound.total(n) for n in VOTES])}
    title = f"ensemble, constant noise, t = {t}: excess risk"
    return Panel(title, "N", VOTES, {"exact": _ensemble(setting, t, seed)}, found, relative=True)


def _linear(seed: int) -> Panel:
    d, n, t = 80, 40, 800
    setting = _continuous(n=n, d=d, sigma=d**-0.5, noise="linear", noise_scale="raw")
    bound = theory.linear_noise_bound(covariance_eigenvalues(setting), n, ETA, t, 1, 1, 1 / d)
    found = {"theorem": np.array([bound.total(n) for n in VOTES])}
    title = f"ensemble, linear noise, t = {t}: excess risk"
    return Panel(title, "N", VOTES, {"exact": _ensemble(setting, t, seed)}, found, relative=True)


def _vote(seed: int) -> Panel:
    setting, t = BinarySetting(n=5, d=10, eta=1 / 5, sigma_eps=0.1), 50
    law = law_of_paths(draw_tasks(setting, task_keys(REPEATS, 40), seed), setting, (t,))
    ahead = law.gap[:, 0] > 0  # the proposition is about these tasks only
    exact = vote_accuracy(law.probabilities[ahead, 0], law.gold[ahead], VOTES).mean(axis=0)
    bound = theory.vote_lower_bound(law.gap[ahead], np.array(VOTES), setting.supports).mean(axis=0)
    title = f"vote, panel h at step 1/5, t = {t}, tasks with Δ > 0"
    return Panel(title, "N", VOTES, {"exact": exact}, {"1 − |W| e^(−NΔ²/2)": bound})


def _gap(seed: int) -> Panel:
    n, d, sigma_eps, steps = 2000, 20, 0.1, (1, 2, 3, 5, 8, 12, 20, 40)
    setting = BinarySetting(n=n, d=d, eta=1 / n, sigma_eps=sigma_eps)
    law = law_of_paths(draw_tasks(setting, task_keys(REPEATS, 4), seed), setting, steps)
    bound = np.array([theory.gap_lower_bound(n, 1, d, sigma_eps, t) for t in steps])
    exact = {"least of 20 tasks, exact": law.gap.min(axis=0)}
    return Panel("Δ, n = 2,000, d = 20", "t", steps, exact, {"lower bound": bound})


def _one_example(seed: int) -> Panel:
    dimensions, t = (3, 4, 6, 8, 10, 14, 20), 2000

    def solve() -> Iterator[tuple[float, float]]:
        for d in dimensions:
            setting = BinarySetting(n=1, d=d, eta=1.0, sigma_eps=0.0)
            law = law_of_paths(draw_tasks(setting, task_keys(REPEATS, 80), seed), setting, (t,))
            # greedy decoding soon repeats itself, and its bound is close: fewer steps, more tasks
            greedy = greedy_correct(
                draw_tasks(setting, task_keys(REPEATS, 2000), seed), setting, (50,)
            ).mean()
            yield float(greedy), float(vote_limit(law.probabilities[:, 0], law.gold).mean())

    greedy, vote = np.array(list(solve())).T
    bounds = {
        "greedy at most": np.array([theory.limited_greedy_bound(d) for d in dimensions]),
        "vote at least": np.array([theory.limited_vote_bound(d) for d in dimensions]),
    }
    exact = {"greedy, exact, t = 50": greedy, "vote, exact, N → ∞": vote}
    return Panel(f"one example, no label noise, t = {t:,}", "d", dimensions, exact, bounds)
