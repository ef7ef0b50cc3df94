"""The paper's ten synthetic experiments as data: one entry for each panel, with the published settings.

    EXPERIMENTS["fig2f"]  ->  n=1, k=1, d=10, η=1, σ_ε=0; t = 1 … 200; N = 1 … 256; 5 repeats of 40 tasks

The paper says "each setting we repeat 5 times", but not how many tasks a repeat has: `tasks` is ours, and so
are the grids of t and N. Both readings of the step, η and η/n, are drawn where they differ and the panel does
not say 1/n itself: e does, and n = 1 in f and g. What else the text leaves open is a field of the settings
(docs/reproduction.md).
"""

from dataclasses import dataclass

from results import BadInput
from synthetic.model.settings import BinarySetting, ContinuousSetting, NoiseFunction, Setting, StepRule

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


def _continuous(
    sigma_eps: float, sigma: float, noise: NoiseFunction, step_rule: StepRule = "eta"
) -> ContinuousSetting:
    """The sizes and the step that all continuous panels share."""
    return ContinuousSetting(36, 72, 1e-3, sigma_eps, sigma, noise=noise, step_rule=step_rule)


def _grid(noise: NoiseFunction) -> tuple[Variant, ...]:
    """Figure 2a–d: label noise varied at sampling noise 2, the other way round, and the step η/n once."""
    pairs = [(0.5, 2.0), (1.0, 2.0), (2.0, 2.0), (3.0, 2.0), (1.0, 1.0), (1.0, 4.0)]
    lines = [
        Variant(_continuous(sigma_eps, sigma, noise), f"sigma_eps={sigma_eps:g} sigma={sigma:g}")
        for sigma_eps, sigma in pairs
    ]
    return (*lines, Variant(_continuous(1.0, 2.0, noise, "eta/n"), "sigma_eps=1 sigma=2 step=eta/n"))


_STEPS = (50, 100, 200, 400, 950)
_BINARY_METHODS = ("majority", "best_of_n", "greedy")

EXPERIMENTS: dict[str, Experiment] = {
    "fig1-continuous": Experiment(
        title="Figure 1, continuous coefficients: more paths and longer ones lower the risk",
        variants=(
            Variant(_continuous(1.0, 2.0, "constant"), "constant noise"),
            Variant(_continuous(1.0, 2.0, "linear"), "linear noise"),
            Variant(_continuous(1.0, 2.0, "constant", "eta/n"), "constant noise, step=eta/n"),
            Variant(_continuous(1.0, 2.0, "linear", "eta/n"), "linear noise, step=eta/n"),
        ),
        steps=_STEPS,
        methods=("ensemble", "best_of_n", "gradient_descent"),
        tasks=2,
    ),
    "fig1-binary": Experiment(
        title="Figure 1, binary coefficients: more answers and longer ones raise the accuracy",
        variants=(
            Variant(BinarySetting(n=4, k=1, d=48, eta=1 / 4, sigma_eps=0.5)),
            Variant(BinarySetting(n=4, k=1, d=48, eta=1 / 4, sigma_eps=0.5, step_rule="eta/n"), "step=1/16"),
        ),
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
        title="Figure 2c: best-of-N by an oracle reward, constant noise, improves with N",
        variants=_grid("constant"),
        steps=_STEPS,
        methods=("best_of_n", "gradient_descent"),
        tasks=4,
    ),
    "fig2d": Experiment(
        title="Figure 2d: best-of-N by an oracle reward, linear noise, improves with N (sampled)",
        variants=_grid("linear"),
        steps=_STEPS,
        methods=("best_of_n", "gradient_descent"),
        tasks=2,
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
        title="Figure 2h: accuracy against N as α − β e^(−νN), d = 10",
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
