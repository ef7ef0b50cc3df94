"""Claims about sparse binary coefficients (Section 5, Figure 2e–h).

    vote-tends-to-one-with-one-example  fig2f t=1000  P(gap > 0), …  0.996 [0.994, 0.998]  holds

Every value is exact given the task; intervals are over tasks. Our own thresholds are marked "ours".
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise, product

import numpy as np

from results.votes.multinomial import vote_limit
from synthetic.binary.chain import Indices, PathLaw, law_of_paths, transitions
from synthetic.binary.paths import greedy_correct, greedy_supports
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import Array
from synthetic.panels.experiments import EXPERIMENTS, VOTES
from synthetic.theory import theorems as theory
from synthetic.theory.claim import Claim, ClaimRow, extreme_row, mean_row
from synthetic.theory.claims.own_setting import (
    BINARY,
    MARGIN,
    Line,
    law_of_line,
    residual_row,
    rows_at,
    tasks_of,
)


def lines_of(*names: str) -> list[tuple[str, BinarySetting]]:
    """The name and setting of every line of these panels."""
    lines = [
        (f"{name} {one.label}".strip(), one.setting) for name in names for one in EXPERIMENTS[name].variants
    ]
    return [(name, setting) for name, setting in lines if isinstance(setting, BinarySetting)]


def _perfect(seed: int) -> Iterator[ClaimRow]:
    ((name, setting),), steps = lines_of("fig2e"), (2, 16)
    law = law_of_line(setting, steps, seed, 30)
    greedy = greedy_correct(tasks_of(setting, seed, 200), setting, steps)
    limit = vote_limit(law.probabilities, law.gold[:, None])
    for at, t in enumerate(steps):
        yield mean_row(f"{name} t={t}", "P(greedy right) (ours: > 0.97)", greedy[:, at], above=0.97)
        yield mean_row(f"{name} t={t}", "vote, N → ∞ (ours: > 0.97)", limit[:, at], above=0.97)


def _greedy_stuck(seed: int) -> Iterator[ClaimRow]:
    ((name, setting),), steps = lines_of("fig2f"), (1, 2, 5, 10, 50, 200)
    greedy = greedy_correct(tasks_of(setting, seed, 4000), setting, steps)
    bound = 2 / setting.d + 2.0 ** (1 - setting.d)
    quantity = f"P(greedy right), below 2/d + 2^(1−d) = {bound:.3f} and {MARGIN} (ours)"
    for at, t in enumerate(steps):
        yield mean_row(f"{name} t={t}", quantity, greedy[:, at], below=bound + MARGIN)


def _vote_rises(seed: int) -> Iterator[ClaimRow]:
    """The theorem: if ζ > 0, which has probability 1 − 2^(1−d), the vote is right from some t on.

    ζ is the least probability of w* two steps later, t = 2 log 2 / −log(1 − ζ): one per task.
    """
    ((name, setting),) = lines_of("fig2f")
    tasks = tasks_of(setting, seed, 1000)
    law, chain = law_of_paths(tasks, setting, (1,)), transitions(tasks, setting)
    zeta = (chain @ chain)[np.arange(len(tasks)), :, law.gold].min(axis=1)
    bound = 1 - 2.0 ** (1 - setting.d)
    above = f"above 1 − 2^(1−d) = {bound:.3f} less {MARGIN} (ours)"
    yield mean_row(name, f"P(ζ > 0), {above}", (zeta > 0).astype(np.float64), above=bound - MARGIN)

    enough = np.ceil(2 * np.log(2) / -np.log1p(-np.where(zeta > 0, zeta, 0.5))).astype(int)
    least = _gap_at(law, chain, enough)[zeta > 0].min()
    yield extreme_row(name, "least gap where ζ > 0, at each example's own t", least, least > 0)
    for t in (1000, 10_000):
        positive = (_gap_at(law, chain, np.full(len(tasks), t)) > 0).astype(np.float64)
        yield mean_row(f"{name} t={t}", f"P(gap > 0), {above}", positive, above=bound - MARGIN)


def _gap_at(first: PathLaw, chain: Array, steps: Indices) -> Array:
    """Δ_t with one t per task, from the law of w_1 and the transitions, (tasks,)."""
    powers = np.stack([np.linalg.matrix_power(*one) for one in zip(chain, steps - 1, strict=True)])
    return replace(first, probabilities=first.probabilities @ powers).gap[:, 0]


def _greedy_cycles(seed: int) -> Iterator[ClaimRow]:
    """Greedy decoding has no memory: an answer that still changes after many steps is in a cycle."""
    for name, setting in lines_of("fig2f", "fig2h"):
        tasks = tasks_of(setting, seed, 400)
        last = greedy_supports(tasks, setting, (199, 200))
        wrong = greedy_correct(tasks, setting, (200,))[:, 0] == 0
        moving = (last[:, 0] != last[:, 1]).any(axis=1)[wrong].astype(np.float64)
        yield mean_row(
            name, "share of greedy's wrong tasks in a cycle, t=200 (ours: > 0.5)", moving, above=0.5
        )


def _exponential_in_examples(seed: int) -> Iterator[ClaimRow]:
    """δ(n) falls like e^(−c √n): from each n to the next, the error must fall at least at that rate."""
    steps, wrong = (1, 16), {}
    for n in (10, 20, 30, 40):
        setting = replace(lines_of("fig2e")[0][1], n=n, eta=1 / n)
        wrong[n] = 1 - greedy_correct(tasks_of(setting, seed, 400), setting, steps)
    for (at, t), (before, n) in product(enumerate(steps), pairwise(wrong)):
        rate = wrong[before][:, at].mean() ** np.sqrt(n / before)
        quantity = f"P(greedy wrong), below {rate:.3f} = its rate in √n from n={before} on"
        yield mean_row(f"fig2e n={n} t={t}", quantity, wrong[n][:, at], below=rate)


def _gap_tends_to_one(seed: int) -> Iterator[ClaimRow]:
    for d in (5, 20):
        setting = BinarySetting(n=1500, d=d, eta=1 / 1500, sigma_eps=0.0)
        gap = law_of_line(setting, (200,), seed, 2).gap[:, 0]
        yield mean_row(f"n=1500 d={d} sigma_eps=0", "mean gap, t=200 (ours: > 0.999)", gap, above=0.999)


def _stays_rather_than_comes(_: int) -> Iterator[ClaimRow]:
    """The remark: p_recurr > p_trans if the theorem applies, and its reason if n > (3σ_ε)⁴."""
    grid = [*product((1, 2, 4), (2, 10, 1000), (0.1, 1.0, 10.0))]
    bounds = [
        theory.transition_bounds(int((6 * k + 3 * sigma_eps) ** 4) + 1, k, d, sigma_eps)
        for k, d, sigma_eps in grid
    ]
    slack = min(recur - trans for trans, recur in bounds)
    yield extreme_row("n ≥ (6k+3σ_ε)⁴", "least p_recurr − p_trans", slack, slack > 0)

    excess = []
    for _k, d, sigma_eps in grid:
        room = (int((3 * sigma_eps) ** 4) + 1) ** 0.25 - sigma_eps
        excess.append(d * room / (room + d * sigma_eps) - 1)
    slack = min(excess)
    quantity = "its reason: least d (n^¼ − σ_ε) / (n^¼ − σ_ε + d σ_ε) − 1"
    yield extreme_row("n > (3σ_ε)⁴", quantity, slack, slack > 0)


def _exponential_in_length(seed: int) -> Iterator[ClaimRow]:
    steps = tuple(range(1, 41))
    for name, setting in lines_of("fig2f", "fig2h"):
        law = law_of_line(setting, steps, seed, 400)
        for of, curves in (("mean gap", law.gap), ("P(path right)", law.correct)):
            quantity = f"largest residual of γ − κ e^(−μt) (ours: < {MARGIN})"
            yield residual_row(f"{name} {of}", quantity, steps, curves)


def _step_reading(seed: int) -> Iterator[ClaimRow]:
    """Single-path accuracy at large t in panel (h), with the text's step 1 and with 1/n."""
    for name, setting in lines_of("fig2h"):
        right = law_of_line(setting, (200,), seed, 200).correct[:, 0]
        yield mean_row(name, "P(path right), t=200 (ours: > 0.5)", right, above=0.5)


def _at(claim: str, where: str, lines: Iterable[Line]) -> Claim:
    """A claim that can be tested at any setting, at the paper's."""
    return Claim(claim, where, partial(rows_at, BINARY[claim], [*lines]))


_WITH_FEW_EXAMPLES = [
    Line(name, setting, (3, 50), (256,), 1500 if setting.d == 2 else 200)  # d = 2 is cheap
    for name, setting in lines_of("fig1-binary", "fig2f", "fig2g", "fig2h")
]
_LONGER = [
    Line(name, setting, (1, 50), (1,), {"fig2e": 4, "fig1-binary": 20}.get(name, 400))
    for name, setting in (lines_of("fig1-binary")[0], *lines_of("fig2e", "fig2f", "fig2g", "fig2h"))
]
_AGAINST_N = [
    Line(name, setting, (2, 8, 50), VOTES, 400 if setting.d == 2 else 60)
    for name, setting in lines_of("fig2g", "fig2h")
]
_FOR_ITS_BOUND = [
    Line(panel, lines_of(panel)[line][1], (2, 8, 50), (1, 4, 16, 64, 256, 1024), 20)
    for panel, line in (("fig2f", 0), ("fig2h", 1))
]
_MANY_EXAMPLES = [
    Line(
        f"n={n} k={k} d={d} sigma_eps={sigma_eps}",
        BinarySetting(n=n, d=d, k=k, eta=1 / n, sigma_eps=sigma_eps),
        steps=(1, 2, 3, 5, 10, 40),
        votes=(1,),
        tasks=1,
    )
    for n, k, d, sigma_eps in (
        (1500, 1, 5, 0.05),
        (2000, 1, 20, 0.1),
        (2000, 1, 100, 0.1),
        (25_000, 2, 5, 0.1),
    )
]

BINARY_CLAIMS = [
    Claim("vote-and-greedy-perfect-with-many-examples", "Sec. 5 sufficient n, Fig. 2e", _perfect),
    Claim("greedy-stays-near-2/d-with-one-example", "Sec. 5 limited n, Fig. 2f", _greedy_stuck),
    Claim("vote-tends-to-one-with-one-example", "Sec. 5 limited n, Fig. 2f", _vote_rises),
    _at("vote-beats-greedy-with-few-examples", "Sec. 5, Sec. 6.2, Fig. 1, Fig. 2f", _WITH_FEW_EXAMPLES),
    _at("the-vote-gains-with-length", "Sec. 6.2, Fig. 1", _WITH_FEW_EXAMPLES),
    Claim("greedy-gets-stuck-in-cycles", "Sec. 5, after the theorem on limited n", _greedy_cycles),
    Claim("recovery-exponential-in-examples", "Sec. 5 sufficient n, δ(n)", _exponential_in_examples),
    Claim("gap-tends-to-one-without-label-noise", "Sec. 5 sufficient n, remark", _gap_tends_to_one),
    Claim("staying-is-likelier-than-arriving", "Sec. 5 sufficient n, remark", _stays_rather_than_comes),
    _at("a-longer-path-is-more-often-right", "Sec. 6.2, assumed of Acc(T, 1)", _LONGER),
    _at("accuracy-exponential-in-votes", "Sec. 6.1, Fig. 2g, h", _AGAINST_N),
    Claim("gap-exponential-in-length", "Sec. 6.2", _exponential_in_length),
    _at("vote-above-its-exponential-bound", "Sec. 5 proposition on the vote", _FOR_ITS_BOUND),
    _at("gap-above-its-lower-bound", "Sec. 5 sufficient n, n ≥ (6k+3σ_ε)⁴", _MANY_EXAMPLES),
    Claim("single-paths-of-2h-are-mostly-right", "ours: the step that Fig. 2h needs", _step_reading),
]
