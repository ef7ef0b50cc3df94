"""The settings of a synthetic experiment: sizes, step, noise. What the paper leaves open is a field here.

    BinarySetting(n=4, d=48, k=1, eta=0.25, sigma_eps=0.5)

Names follow the paper: n in-context examples of dimension d, sparsity k, step size eta, label noise
sigma_eps, sampling noise sigma, prior scale omega.
"""

import math
from dataclasses import dataclass
from typing import Literal, get_args

from results import BadInput

StepRule = Literal["eta", "eta/n"]
NoiseFunction = Literal["constant", "linear"]
NoiseScale = Literal["eta", "eta2", "raw"]
Solver = Literal["exact", "monte-carlo", "transformer"]

MAX_NUMBERS = 50_000_000
"""The most numbers that one set of in-context examples may hold (400 MB)."""


@dataclass(frozen=True)
class BinarySetting:
    """Case study 2: a k-sparse 0/1 coefficient and Algorithm 2.

    `step_rule` says what multiplies Xᵀ(Xw − y): η itself, as in the binary proofs, or the proposition's η/n.
    """

    n: int
    d: int
    eta: float
    sigma_eps: float
    k: int = 1
    step_rule: StepRule = "eta"

    def __post_init__(self) -> None:
        _check_common(self.n, self.d, self.eta, self.sigma_eps, self.step_rule)
        if not 1 <= self.k < self.d:
            raise BadInput(f"sparsity k={self.k}: expected a whole number from 1 to d−1={self.d - 1}")

    @property
    def step(self) -> float:
        """The factor in front of Xᵀ(Xw − y)."""
        return self.eta if self.step_rule == "eta" else self.eta / self.n

    @property
    def supports(self) -> int:
        """How many answers there are: C(d, k)."""
        return math.comb(self.d, self.k)


@dataclass(frozen=True)
class ContinuousSetting:
    """Case study 1: a Gaussian coefficient and Algorithm 1.

    `noise_scale` sets the variance s of ξ ~ N(0, s I): ησ² ("eta"), η²σ² ("eta2") or σ² ("raw").
    `linear_sign` is the sign in front of ξξᵀw̃: −1 as in every proof, +1 as in the definition.
    `decay` r gives the covariates the covariance eigenvalues i^−(r+1); None is the identity.
    """

    n: int
    d: int
    eta: float
    sigma_eps: float
    sigma: float
    noise: NoiseFunction = "constant"
    omega: float = 1.0
    step_rule: StepRule = "eta"
    noise_scale: NoiseScale = "eta"
    linear_sign: int = -1
    decay: float | None = None

    def __post_init__(self) -> None:
        _check_common(self.n, self.d, self.eta, self.sigma_eps, self.step_rule)
        _check_number("sigma", self.sigma, 0)
        _check_number("omega", self.omega, 0)
        _check_choice("noise", self.noise, get_args(NoiseFunction))
        _check_choice("noise_scale", self.noise_scale, get_args(NoiseScale))
        if self.linear_sign not in (-1, 1):
            raise BadInput(f"linear_sign={self.linear_sign}: expected −1 or 1")
        if self.decay is not None:
            _check_number("decay", self.decay, 0)

    @property
    def step(self) -> float:
        """The factor in front of Xᵀ(Xw − y)."""
        return self.eta if self.step_rule == "eta" else self.eta / self.n

    @property
    def noise_variance(self) -> float:
        """The variance s of every coordinate of ξ."""
        return {"eta": self.eta, "eta2": self.eta**2, "raw": 1.0}[self.noise_scale] * self.sigma**2


Setting = BinarySetting | ContinuousSetting


def check_count(name: str, value: int, low: int = 1, high: int = 10_000_000) -> None:
    """Refuse a count outside [low, high]. Raises BadInput."""
    if not isinstance(value, int) or not low <= value <= high:
        raise BadInput(f"{name}={value}: expected a whole number from {low} to {high}")


def _check_common(n: int, d: int, eta: float, sigma_eps: float, step_rule: str) -> None:
    check_count("n", n)
    check_count("d", d, low=2)
    if n * d > MAX_NUMBERS or d * d > MAX_NUMBERS:
        raise BadInput(f"n={n}, d={d}: one task would hold more than {MAX_NUMBERS:,} numbers")
    _check_number("eta", eta, 0, strict=True)
    _check_number("sigma_eps", sigma_eps, 0)
    _check_choice("step_rule", step_rule, get_args(StepRule))


def _check_number(name: str, value: float, low: float, strict: bool = False) -> None:
    if not math.isfinite(value) or value < low or (strict and value == low):
        raise BadInput(
            f"{name}={value}: expected a finite number {'above' if strict else 'of at least'} {low:g}"
        )


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise BadInput(f"{name}={value!r}: expected one of {', '.join(choices)}")
