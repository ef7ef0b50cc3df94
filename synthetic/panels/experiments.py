"""The paper's ten synthetic experiments as data: one entry per panel, with the published settings.

    EXPERIMENTS["fig2f"]  ->  n=1, k=1, d=10, η=1, σ_ε=0; t = 1 … 200; N = 1 … 256; 5 repeats of 40 tasks

The paper says "each setting we repeat 5 times", but not how many tasks a repeat has:
`tasks` is our choice, and so are the grids of t and N. Both readings of the step, η and η/n,
are drawn unless they coincide (n = 1 in f and g) or the panel itself says 1/n (e). Whatever
else the text leaves open is a field of the settings (studies/twin/README.md).

Any field of `BinarySetting` or `ContinuousSetting` can be changed, and t and N:

    with_changes(EXPERIMENTS["fig2h"], ["step_rule=eta/n"])   ->  the same panel at the other step rule
    with_changes(EXPERIMENTS["fig2f"], ["d=5,10,20"])         ->  one line for each d
    read_at(EXPERIMENTS["fig2f"], steps=(8, 50))              ->  the same panel at t = 8 and 50
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, get_args

from results import BadInput
from results.arguments import number_of
from synthetic.model.settings import BinarySetting, ContinuousSetting, Setting, StepRule, check_count

VOTES = (1, 2, 4, 8, 16, 32, 64, 128, 256)

REPEATS = 5
"""The paper: "each setting we repeat 5 times"."""


@dataclass(frozen=True)
class Variant:
    """One line of a panel: a setting, and its distinguishing label ("" for the only line)."""

    setting: Setting
    label: str = ""

    @property
    def model(self) -> str:
        """The `model` column of this line's tables."""
        return f"linear-attention {self.label}".strip()


@dataclass(frozen=True)
class Experiment:
    """One figure panel.

    Parameters:
        title: its heading.
        variants: its lines.
        steps: the values of t, steps of descent, ascending.
        methods: what it shows: "majority", "best_of_n" (by the oracle), "greedy", "ensemble" (the average),
            "gradient_descent".
        tasks: regression tasks per repeat.
        votes: the values of N, numbers of sampled paths.
    """

    title: str
    variants: tuple[Variant, ...]
    steps: tuple[int, ...]
    methods: tuple[str, ...]
    tasks: int
    votes: tuple[int, ...] = VOTES

    def __post_init__(self) -> None:
        """Raise BadInput unless t and N are ascending whole numbers from 1."""
        for name, counts in (("steps", self.steps), ("N", self.votes)):
            for count in counts:
                check_count(name, count, high=100_000)
            if not counts or list(counts) != sorted(set(counts)):
                raise BadInput(f"{name} = {counts}: expected one or more, rising, each once")


def _noisy(label: str, sigma_eps: float, sigma: float, noise: str, step_rule: StepRule = "eta") -> Variant:
    """A line with the sizes and the step that all continuous panels share."""
    return Variant(ContinuousSetting(36, 72, 1e-3, sigma_eps, sigma, noise=noise, step_rule=step_rule), label)


def _grid(noise: str) -> tuple[Variant, ...]:
    """Figure 2a–d: label noise varied at sampling noise 2, the reverse, and the step η/n once."""
    pairs = [(0.5, 2.0), (1.0, 2.0), (2.0, 2.0), (3.0, 2.0), (1.0, 1.0), (1.0, 4.0)]
    lines = [_noisy(f"sigma_eps={label:g} sigma={path:g}", label, path, noise) for label, path in pairs]
    return (*lines, _noisy("sigma_eps=1 sigma=2 step=eta/n", 1.0, 2.0, noise, "eta/n"))


def _both_steps(setting: BinarySetting, eta: str, eta_over_n: str) -> tuple[Variant, ...]:
    """A line with the step η and one with η/n, with these labels."""
    return Variant(setting, eta), Variant(replace(setting, step_rule="eta/n"), eta_over_n)


def _risk(title: str, lines: tuple[Variant, ...], methods: tuple[str, ...], tasks: int) -> Experiment:
    return Experiment(title, lines, (50, 100, 200, 400, 950), (*methods, "gradient_descent"), tasks)


def _accuracy(title: str, lines: tuple[Variant, ...], steps: tuple[int, ...], tasks: int) -> Experiment:
    return Experiment(title, lines, steps, ("majority", "best_of_n", "greedy"), tasks)


_FIGURE_2: tuple[tuple[str, str, str, int, str], ...] = (
    ("a", "constant", "ensemble", 20, "ensemble, constant noise: never below gradient descent"),
    ("b", "linear", "ensemble", 20, "ensemble, linear noise: below gradient descent where labels are noisy"),
    ("c", "constant", "best_of_n", 4, "best-of-N by an oracle reward, constant noise, improves with N"),
    ("d", "linear", "best_of_n", 2, "best-of-N by an oracle reward, linear noise, improves with N (sampled)"),
)
_TO_16 = (1, 2, 3, 4, 6, 8, 12, 16)
_TO_50 = (*_TO_16, 24, 32, 50)

EXPERIMENTS: dict[str, Experiment] = {
    "fig1-continuous": _risk(
        "Figure 1, continuous coefficients: more paths and longer ones lower the risk",
        (
            _noisy("constant noise", 1.0, 2.0, "constant"),
            _noisy("linear noise", 1.0, 2.0, "linear"),
            _noisy("constant noise, step=eta/n", 1.0, 2.0, "constant", "eta/n"),
            _noisy("linear noise, step=eta/n", 1.0, 2.0, "linear", "eta/n"),
        ),
        ("ensemble", "best_of_n"),
        tasks=2,
    ),
    "fig1-binary": _accuracy(
        "Figure 1, binary coefficients: more answers and longer ones raise the accuracy",
        _both_steps(BinarySetting(n=4, k=1, d=48, eta=1 / 4, sigma_eps=0.5), "", "step=1/16"),
        _TO_50,
        tasks=20,
    ),
    **{
        f"fig2{panel}": _risk(f"Figure 2{panel}: {title}", _grid(noise), (method,), tasks)
        for panel, noise, method, tasks, title in _FIGURE_2
    },
    "fig2e": _accuracy(
        "Figure 2e: many examples, greedy decoding and vote both perfect",
        (Variant(BinarySetting(n=40, k=2, d=30, eta=1 / 40, sigma_eps=0.1)),),
        _TO_16,
        tasks=10,
    ),
    "fig2f": _accuracy(
        "Figure 2f: one example, greedy stays near 2/d while the vote rises with t",
        (Variant(BinarySetting(n=1, k=1, d=10, eta=1.0, sigma_eps=0.0)),),
        tuple(sorted({5, 10, *_TO_50, 100, 200})),
        tasks=40,
    ),
    "fig2g": _accuracy(
        "Figure 2g: accuracy against N as α − β e^(−νN), d = 2",
        (Variant(BinarySetting(n=1, k=1, d=2, eta=1.0, sigma_eps=0.1)),),
        _TO_50,
        tasks=40,
    ),
    "fig2h": _accuracy(
        "Figure 2h: accuracy against N as α − β e^(−νN), d = 10",
        _both_steps(BinarySetting(n=5, k=1, d=10, eta=1.0, sigma_eps=0.1), "step=1", "step=1/5"),
        _TO_50,
        tasks=40,
    ),
}


def find_experiments(name: str) -> dict[str, Experiment]:
    """The experiment of that name, or every one for "all". Raises BadInput."""
    if name not in ("all", *EXPERIMENTS):
        raise BadInput(f"{name!r}: no such experiment, expected all or one of {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS if name == "all" else {name: EXPERIMENTS[name]}


def with_changes(experiment: Experiment, changes: Sequence[str]) -> Experiment:
    """The experiment with every line at each value of `key=value,value,…`, labelled accordingly.

    Lines that end up with the same setting are merged. Raises BadInput for an unknown field, a
    value of the wrong kind, or one that the setting refuses.
    """
    # last, as the sampler decides which dials are valid
    for change in sorted(changes, key=lambda change: change.startswith("dial=")):
        lines = [varied for line in experiment.variants for varied in _varied(line, change)]
        first = {line.setting: line for line in reversed(lines)}
        kept = _told_apart([line for line in lines if first[line.setting] is line])
        experiment = replace(experiment, variants=tuple(kept))
    return experiment


def read_at(experiment: Experiment, steps: Sequence[int] = (), votes: Sequence[int] = ()) -> Experiment:
    """The experiment at these t and N, if any are given. Raises BadInput for counts below one."""
    own_steps, own_votes = tuple(sorted(set(steps))), tuple(sorted(set(votes)))
    return replace(experiment, steps=own_steps or experiment.steps, votes=own_votes or experiment.votes)


def _varied(line: Variant, change: str) -> list[Variant]:
    """The line at each value of `key=value,value,…`."""
    names = [field.name for field in fields(line.setting)]
    key, equals, text = change.partition("=")
    if not equals or key not in names:
        raise BadInput(f"{change!r}: expected FIELD=VALUE with FIELD one of {', '.join(names)}")
    settings = [replace(line.setting, **{key: _value(part.strip())}) for part in text.split(",")]
    return [Variant(setting, _label(line, setting, key)) for setting in settings]


def _label(line: Variant, changed: Setting, key: str) -> str:
    """The line's label after a change of `key`, with the values it names updated."""
    before = line.setting

    def mended(match: re.Match[str]) -> str:
        name, text = match.groups()
        if name == "step":
            by_rule = text in get_args(StepRule)
            step = changed.step_rule if by_rule else Fraction(changed.step).limit_denominator(10**6)
            return match[0] if changed.step == before.step else f"step={step}"
        now = getattr(changed, name, None)
        return match[0] if now == getattr(before, name, None) else f"{name}={now}"

    label = re.sub(r"(\w+)=([^\s,]+)", mended, line.label)
    if isinstance(before, ContinuousSetting) and isinstance(changed, ContinuousSetting):
        label = label.replace(f"{before.noise} noise", f"{changed.noise} noise")
    value = getattr(changed, key)
    named = re.search(rf"\b{key}=|\b{re.escape(str(value))} {key}\b", label)  # like "linear noise"
    return label if named else f"{label} {key}={value}".strip()


def _told_apart(lines: Sequence[Variant]) -> list[Variant]:
    """The lines, with their differences added to any labels that coincide."""
    variants = []
    for line in lines:
        alike = [other.setting for other in lines if other.label == line.label]
        differ = [name for name in vars(line.setting) if len({vars(one)[name] for one in alike}) > 1]
        words = [f"{name}={vars(line.setting)[name]}" for name in differ]
        variants.append(replace(line, label=" ".join([line.label, *words]).strip()))
    return variants


def _value(text: str) -> Any:
    """The text as a number if it is one; settings refuse values of the wrong kind."""
    return None if text.lower() == "none" else number_of(text)
