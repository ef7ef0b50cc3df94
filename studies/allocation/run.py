"""Where should the next answer go, to measure accuracy? Two stages against equal shares, at equal cost.

$ DATA_DIR=../shared/data python -m studies.allocation.run        20 s

Each question of a real set has a probability p of a right answer: its share in the pool. A
pilot of n₀ answers is followed by more where it indicates the largest spread (Neyman 1934). As
the number of answers to a question depends on its pilot, the plain mean is biased; `unbiased`
is not. Everything is summed over all outcomes, without simulation.
"""

from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
import pandas as pd
from scipy import special

from results.votes.exact import Floats, Ints, answer_pools, best_of_n
from studies.options import DATA
from studies.pages import markdown
from studies.stopping.sets import load

BUDGETS = (8, 16, 32)
"""Mean number of answers per question; half of them are the pilot."""
LARGEST = 4
"""A question gets at most this many times the budget."""
TRIES = (1, 4)
"""The N of pass@N, the accuracy to be measured."""
SHOWN = {
    "ratio": "variance, unbiased",
    "new": "the same, new questions",
    "plain": "mean square error, plain",
    "bias": "bias of plain, points",
}
"""The columns of the table: those of variances are relative to equal shares."""


@dataclass(frozen=True)
class Design:
    """The total number of answers, numbers[j], for a question with j right answers in its pilot."""

    numbers: Ints
    tries: int

    @property
    def pilot(self) -> int:
        """n₀, the number of answers in the pilot."""
        return len(self.numbers) - 1

    def plain(self, number: int, right: Ints) -> Floats:
        """The estimate from all answers of a question, as if their number had been fixed."""
        return best_of_n(number, right, self.tries)

    def unbiased(self, number: int, right: Ints) -> Floats:
        """The pilot's estimate, averaged over all possible pilots of the given answers.

        For a question with `number` answers, `right` of them right, only pilots after which a
        question gets `number` answers are possible (Girshick, Mosteller and Savage 1946; the
        estimate from the pilot is unbiased, and so is its mean given all answers, by Rao and
        Blackwell).
        """
        pilots = np.flatnonzero(self.numbers == number)
        rest = number - self.pilot
        ways = special.comb(self.pilot, pilots) * special.comb(rest, right[:, None] - pilots)
        by_pilot = best_of_n(self.pilot, pilots, self.tries)
        return np.asarray((ways * by_pilot).sum(axis=1) / ways.sum(axis=1))

    def moments(self, p: Floats, estimate: str) -> tuple[Floats, Floats, Floats]:
        """Mean and variance of an estimate, and the answers spent, for each chance p of a right answer."""
        mean, square, spent = np.zeros_like(p), np.zeros_like(p), np.zeros_like(p)
        for number in np.unique(self.numbers):
            pilots = np.flatnonzero(self.numbers == number)
            rest = int(number) - self.pilot
            right = np.arange(pilots.min(), pilots.max() + rest + 1)
            ways = special.comb(self.pilot, pilots) * special.comb(rest, right[:, None] - pilots)
            possible = ways.sum(axis=1) > 0
            right, ways = right[possible], ways[possible].sum(axis=1)
            chances = ways * p[:, None] ** right * (1 - p[:, None]) ** (number - right)
            values = getattr(self, estimate)(int(number), right)
            mean += chances @ values
            square += chances @ values**2
            spent += number * chances.sum(axis=1)
        return mean, square - mean**2, spent


def scatter(p: Floats, tries: int) -> Floats:
    """The spread of pass@N due to one answer at p: the slope of 1 − (1 − p)^N times the answer's spread."""
    return np.asarray(tries * (1 - p) ** (tries - 1) * np.sqrt(p * (1 - p)))


def two_stages(p: Floats, budget: int, tries: int, open_above: float = 0.5) -> Design:
    """The pilot alone, or one larger number where the spread is large, with `budget` answers on average.

    Only two numbers are used: a different number for each pilot would reveal the pilot, and
    an unbiased estimate could then not use the later answers.
    """
    pilot = budget // 2
    right = np.arange(pilot + 1)
    of_pilot = scatter((right + 0.5) / (pilot + 1), tries)
    is_open = of_pilot > open_above * of_pilot.max()

    def design(larger: int) -> Design:
        return Design(np.where(is_open, larger, pilot), tries)

    larger = np.arange(pilot + 1, LARGEST * budget + 1)
    costs = [design(int(number)).moments(p, "plain")[2].mean() for number in larger]
    return design(int(larger[np.abs(np.array(costs) - budget).argmin()]))


def compared(p: Floats, budget: int, tries: int) -> dict[str, float]:
    """Standard errors in points, and variances relative to equal shares at the cost of the two stages."""
    design = two_stages(p, budget, tries)
    _, variance, spent = design.moments(p, "unbiased")
    plain_mean, plain_variance, _ = design.moments(p, "plain")
    truth = 1 - (1 - p) ** tries
    cost = float(spent.mean())
    fewer, more = int(np.floor(cost)), int(np.ceil(cost))
    equal = {n: Design(np.full(n + 1, n), tries).moments(p, "plain")[1].mean() for n in (fewer, more)}
    of_equal = float(np.interp(cost, list(equal), list(equal.values())))
    questions = len(p)
    bias = float((plain_mean - truth).mean())
    return {
        "cost": cost,
        "error": 100 * float(np.sqrt(of_equal / questions)),
        "ratio": float(variance.mean() / of_equal),
        "bias": 100 * bias,
        "plain": float((plain_variance.mean() + questions * bias**2) / of_equal),
        "new": float((truth.var() + variance.mean()) / (truth.var() + of_equal)),
    }


def chances(samples: pd.DataFrame) -> Floats:
    """The share of right answers to each question of a set, (Q,)."""
    pools = answer_pools(samples)
    by_question = np.split(pools.votes, pools.starts[1:-1])
    return np.array([float((votes == 0).mean()) for votes in by_question])


def allocation_table(sets: dict[str, Floats]) -> str:
    """A row for each accuracy and budget: the median over the sets, and the smallest and largest."""
    rows = []
    for tries in TRIES:
        for budget in BUDGETS:
            table = pd.DataFrame([compared(p, budget, tries) for p in sets.values()])
            cells = [f"{table[c].median():.2f} ({table[c].min():.2f} … {table[c].max():.2f})" for c in SHOWN]
            rows.append([f"pass@{tries}", str(budget), f"{table['error'].median():.1f}", *cells])
    head = ["accuracy", "answers to a question", "standard error, points", *SHOWN.values()]
    return markdown(head, rows)


@click.command()
@DATA
def main(data: Path) -> None:
    """Print the table of the README."""
    click.echo(allocation_table({name: chances(samples) for name, (_, samples) in load(data).items()}))


if __name__ == "__main__":
    main()
