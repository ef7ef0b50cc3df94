"""Settings of a synthetic experiment: sizes, step, noise, and what the paper leaves open.

    BinarySetting(n=4, d=48, k=1, eta=0.25, sigma_eps=0.5)

Names follow the paper: n in-context examples of dimension d, sparsity k, step size eta, label noise
sigma_eps, sampling noise sigma, prior scale omega.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from results import BadInput
from synthetic.model.noise import NOISE_LAWS, MomentRule, NoiseLaw
from synthetic.model.sampling import SAMPLING_RULES

StepRule = Literal["eta", "eta/n"]
NoiseScale = Literal["eta", "eta2", "raw"]
Solver = Literal["exact", "monte-carlo", "transformer"]

MAX_NUMBERS = 5_000_000
"""Most numbers in one set of in-context examples (40 MB)."""
LARGEST = 1e50
"""Largest value of any parameter: its fourth power is still finite."""


@dataclass(frozen=True)
class _Sizes:
    """The fields that both cases share. `step_rule`: multiply Xᵀ(Xw − y) by η, as in the binary proofs, or
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
    """Case study 2: a k-sparse 0/1 coefficient, sampled by Algorithm 2.

    Parameters:
        n: in-context examples.
        d: their dimension, and that of the coefficient.
        eta: the step size of descent.
        sigma_eps: the standard deviation of the label noise.
        k: how many coefficients are 1, from 1 to d − 1.
        sampler: one of SAMPLING_RULES; the paper's is "clip-norm".
        dial: the parameter of a sampler that has one (such as a temperature); else None.
        step_rule: "eta" multiplies Xᵀ(Xw − y) by η, as in the proofs of this case; "eta/n" by η/n.

    Raises BadInput for an invalid size, number or name.
    """

    k: int = 1
    sampler: str = "clip-norm"
    dial: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("sparsity k", self.k, high=self.d - 1)
        check_name("sampler", self.sampler, SAMPLING_RULES)
        rule = SAMPLING_RULES[self.sampler]
        if self.dial is not None and not rule.takes(self.dial):
            raise BadInput(f"dial={self.dial}: for sampler={self.sampler}, expected {rule.dial_is}")

    def weights(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weights by which Algorithm 2 draws coordinates, at least 0, from w̃: (…, d) to (…, d)."""
        rule = SAMPLING_RULES[self.sampler]
        return rule.weights(scores, rule.neutral if self.dial is None else self.dial)

    @property
    def supports(self) -> int:
        """The number of possible answers, C(d, k)."""
        return math.comb(self.d, self.k)


@dataclass(frozen=True)
class ContinuousSetting(_Sizes):
    """Case study 1: a Gaussian coefficient and Algorithm 1.

    `noise` is one of NOISE_LAWS. `noise_scale` sets the variance s of ξ ~ N(0, s I): ησ² ("eta"), η²σ²
    ("eta2") or σ² ("raw").
    `linear_sign` is the sign in front of ξξᵀw̃: −1 as in every proof, +1 as in the definition.
    `decay` r gives the covariates the covariance eigenvalues i^−(r+1); None is the identity.
    """

    sigma: float
    noise: str = "constant"
    omega: float = 1.0
    noise_scale: NoiseScale = "eta"
    linear_sign: Literal[-1, 1] = -1
    decay: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_name("noise", self.noise, NOISE_LAWS)

    @property
    def noise_variance(self) -> float:
        """The variance s of every coordinate of ξ."""
        return {"eta": self.eta, "eta2": self.eta**2, "raw": 1.0}[self.noise_scale] * self.sigma**2

    @property
    def law(self) -> NoiseLaw:
        """The noise law that `noise` names."""
        return NOISE_LAWS[self.noise]

    @property
    def moment_rule(self) -> MomentRule | None:
        """The law's rule for mean and covariance in this setting; None if it has none."""
        rule = self.law.moments
        return None if rule is None else rule(self.noise_variance, self.linear_sign)


Setting = BinarySetting | ContinuousSetting


def check_name(what: str, name: str, table: Collection[str]) -> None:
    """Raise BadInput, which lists the table's names, for a name that is not in it."""
    if name not in table:
        raise BadInput(f"{what}={name!r:.40}: expected one of {', '.join(table)}")


def check_count(name: str, value: int, low: int = 1, high: int = 10_000_000) -> None:
    """Raise BadInput for a count outside [low, high]."""
    if not isinstance(value, int) or not low <= value <= high:
        raise BadInput(f"{name}={value}: expected a whole number from {low} to {high}")
