"""The settings of a synthetic experiment: sizes, step, noise. What the paper leaves open is a field here.

    BinarySetting(n=4, d=48, k=1, eta=0.25, sigma_eps=0.5)

Names follow the paper: n in-context examples of dimension d, sparsity k, step size eta, label noise
sigma_eps, sampling noise sigma, prior scale omega.
"""

import math
from dataclasses import dataclass, field
from typing import Literal, get_args, get_origin, get_type_hints

from results import BadInput

StepRule = Literal["eta", "eta/n"]
NoiseFunction = Literal["constant", "linear"]
NoiseScale = Literal["eta", "eta2", "raw"]
Solver = Literal["exact", "monte-carlo", "transformer"]

MAX_NUMBERS = 5_000_000
"""The most numbers that one set of in-context examples may hold (40 MB)."""
LARGEST = 1e50
"""The largest scale of anything: its fourth power is still a number."""


@dataclass(frozen=True)
class _Sizes:
    """What both cases have. `step_rule`: Xᵀ(Xw − y) is multiplied by η itself, as in the binary proofs, or
    by the proposition's η/n.
    """

    n: int
    d: int
    eta: float
    sigma_eps: float
    step_rule: StepRule = field(default="eta", kw_only=True)

    def __post_init__(self) -> None:
        check_count("n", self.n)
        check_count("d", self.d, low=2)
        if self.n * self.d > MAX_NUMBERS or self.d**2 > MAX_NUMBERS:
            raise BadInput(f"n={self.n}, d={self.d}: one task would hold more than {MAX_NUMBERS:,} numbers")
        for name, kind in get_type_hints(type(self)).items():
            value, choices = getattr(self, name), get_args(kind)
            if get_origin(kind) is Literal and value not in choices:
                raise BadInput(f"{name}={value!r}: expected one of {', '.join(map(str, choices))}")
            number = kind is float or (float in choices and value is not None)
            if number and not (isinstance(value, int | float) and 0 <= value <= LARGEST):
                raise BadInput(f"{name}={value}: expected a number from 0 to {LARGEST:g}")
        if self.eta == 0:
            raise BadInput("eta=0: expected a number above 0")

    @property
    def step(self) -> float:
        """The factor in front of Xᵀ(Xw − y)."""
        return self.eta if self.step_rule == "eta" else self.eta / self.n


@dataclass(frozen=True)
class BinarySetting(_Sizes):
    """Case study 2: a k-sparse 0/1 coefficient and Algorithm 2."""

    k: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("sparsity k", self.k, high=self.d - 1)

    @property
    def supports(self) -> int:
        """How many answers there are: C(d, k)."""
        return math.comb(self.d, self.k)


@dataclass(frozen=True)
class ContinuousSetting(_Sizes):
    """Case study 1: a Gaussian coefficient and Algorithm 1.

    `noise_scale` sets the variance s of ξ ~ N(0, s I): ησ² ("eta"), η²σ² ("eta2") or σ² ("raw").
    `linear_sign` is the sign in front of ξξᵀw̃: −1 as in every proof, +1 as in the definition.
    `decay` r gives the covariates the covariance eigenvalues i^−(r+1); None is the identity.
    """

    sigma: float
    noise: NoiseFunction = "constant"
    omega: float = 1.0
    noise_scale: NoiseScale = "eta"
    linear_sign: Literal[-1, 1] = -1
    decay: float | None = None

    @property
    def noise_variance(self) -> float:
        """The variance s of every coordinate of ξ."""
        return {"eta": self.eta, "eta2": self.eta**2, "raw": 1.0}[self.noise_scale] * self.sigma**2


Setting = BinarySetting | ContinuousSetting


def check_count(name: str, value: int, low: int = 1, high: int = 10_000_000) -> None:
    """Refuse a count outside [low, high]. Raises BadInput."""
    if not isinstance(value, int) or not low <= value <= high:
        raise BadInput(f"{name}={value}: expected a whole number from {low} to {high}")
