"""The paper's ten synthetic experiments as data: one entry for each panel, with the published settings.

    EXPERIMENTS["fig2f"]  ->  n=1, k=1, d=10, η=1, σ_ε=0; t = 1 … 200; N = 1 … 256; 5 repeats of 40 tasks

The paper says "each setting we repeat 5 times", but not how many tasks a repeat has: `tasks` is ours, and so
are the grids of t and N. What else the text leaves open is a field of the settings (docs/reproduction.md).
"""

from dataclasses import dataclass

from results import BadInput
from synthetic.model.settings import BinarySetting, ContinuousSetting, NoiseFunction, Setting

VOTES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


@dataclass(frozen=True)
class Variant:
    """One line of a panel; `label` tells it from the others (empty where there is one line)."""

    setting: Setting
    label: str = ""

    @property
    def model(self) -> str:
        """The `model` column of this line's tables."""
        return f"linear-attention {self.label}".strip()


@dataclass(frozen=True)
class Experiment:
    """One figure panel: its lines, the t and N it is read at, the methods shown, tasks per repeat."""

    title: str
    variants: tuple[Variant, ...]
    steps: tuple[int, ...]
    methods: tuple[str, ...]
    tasks: int
    votes: tuple[int, ...] = VOTES


def _continuous(sigma_eps: float, sigma: float, noise: NoiseFunction) -> ContinuousSetting:
    """The sizes and the step that all continuous panels share."""
    return ContinuousSetting(n=36, d=72, eta=1e-3, sigma_eps=sigma_eps, sigma=sigma, noise=noise)


def _grid(noise: NoiseFunction) -> tuple[Variant, ...]:
    """The lines of Figure 2a–d: label noise varied at sampling noise 2, then the other way round."""
    pairs = [(0.5, 2.0), (1.0, 2.0), (2.0, 2.0), (3.0, 2.0), (1.0, 1.0), (1.0, 4.0)]
    return tuple(
        Variant(_continuous(sigma_eps, sigma, noise), f"sigma_eps={sigma_eps:g} sigma={sigma:g}")
        for sigma_eps, sigma in pairs
    )


_STEPS = (50, 100, 200, 400, 950)
_BINARY_METHODS = ("majority", "best_of_n", "greedy")

EXPERIMENTS: dict[str, Experiment] = {
    "fig1-continuous": Experiment(
        title="Figure 1, continuous coefficients: ensemble and best-of-N against N and t, and plain descent",
        variants=(
            Variant(_continuous(1.0, 2.0, "constant"), "constant noise"),
            Variant(_continuous(1.0, 2.0, "linear"), "linear noise"),
        ),
        steps=_STEPS,
        methods=("ensemble", "best_of_n", "gradient_descent"),
        tasks=1,
    ),
    "fig1-binary": Experiment(
        title="Figure 1, binary coefficients: vote, best-of-N and greedy against N and t",
        variants=(Variant(BinarySetting(n=4, k=1, d=48, eta=1 / 4, sigma_eps=0.5)),),
        steps=(1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 50),
        methods=_BINARY_METHODS,
        tasks=20,
    ),
    "fig2a": Experiment(
        title="Figure 2a: ensemble, constant noise: never below plain gradient descent",
        variants=_grid("constant"),
        steps=_STEPS,
        methods=("ensemble", "gradient_descent"),
        tasks=20,
    ),
    "fig2b": Experiment(
        title="Figure 2b: ensemble, linear noise: below plain gradient descent where labels are noisy",
        variants=_grid("linear"),
        steps=_STEPS,
        methods=("ensemble", "gradient_descent"),
        tasks=20,
    ),
    "fig2c": Experiment(
        title="Figure 2c: best-of-N by an oracle reward, constant noise",
        variants=_grid("constant"),
        steps=_STEPS,
        methods=("best_of_n", "gradient_descent"),
        tasks=4,
    ),
    "fig2d": Experiment(
        title="Figure 2d: best-of-N by an oracle reward, linear noise (sampled: there is no formula)",
        variants=_grid("linear"),
        steps=_STEPS,
        methods=("best_of_n", "gradient_descent"),
        tasks=1,
    ),
    "fig2e": Experiment(
        title="Figure 2e: many examples, greedy decoding and vote both perfect",
        variants=(Variant(BinarySetting(n=40, k=2, d=30, eta=1 / 40, sigma_eps=0.1)),),
        steps=(1, 2, 3, 4, 6, 8, 12, 16),
        methods=_BINARY_METHODS,
        tasks=10,
    ),
    "fig2f": Experiment(
        title="Figure 2f: one example, greedy stays near 2/d while the vote rises with t",
        variants=(Variant(BinarySetting(n=1, k=1, d=10, eta=1.0, sigma_eps=0.0)),),
        steps=(1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 50, 100, 200),
        methods=_BINARY_METHODS,
        tasks=40,
    ),
    "fig2g": Experiment(
        title="Figure 2g: accuracy against N as α − β e^(−νN), d = 2",
        variants=(Variant(BinarySetting(n=1, k=1, d=2, eta=1.0, sigma_eps=0.1)),),
        steps=(1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 50),
        methods=_BINARY_METHODS,
        tasks=40,
    ),
    "fig2h": Experiment(
        title="Figure 2h: accuracy against N as α − β e^(−νN), d = 10, at the text's step 1 and at 1/n",
        variants=(
            Variant(BinarySetting(n=5, k=1, d=10, eta=1.0, sigma_eps=0.1), "step=1"),
            Variant(BinarySetting(n=5, k=1, d=10, eta=1.0, sigma_eps=0.1, step_rule="eta/n"), "step=1/5"),
        ),
        steps=(1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 50),
        methods=_BINARY_METHODS,
        tasks=40,
    ),
}


def find_experiments(name: str) -> dict[str, Experiment]:
    """The experiment of that name, or every one for "all". Raises BadInput."""
    if name == "all":
        return EXPERIMENTS
    if name not in EXPERIMENTS:
        raise BadInput(f"{name!r}: no such experiment, expected all or one of {', '.join(EXPERIMENTS)}")
    return {name: EXPERIMENTS[name]}
