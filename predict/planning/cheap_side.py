"""What a cheap side saves an expensive one: the questions of both that are as precise for the least cost.

    questions  questions_with  questions_cheap  cost_with  margin_with  with
    400        146             1,210            0.67       0.79         mini

The expensive side answers few questions, the cheap one these and more (`results.paired.powered`).
A pilot answered by both shows how much of the variance between questions the cheap side explains.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from predict.evidence.points import Floats
from results import BadInput
from results.normal import z_of
from results.paired.differences import students
from results.paired.pairs import clusters_of, shared_questions
from results.paired.powered import FEWEST
from results.paired.sides import Side
from results.votes.clusters import cluster_sizes, cluster_sums, equal_draws
from results.votes.setting import powers_and

_NO_VARIANCE, _MOST_ALIKE = 1e-12, 1 - 1e-9


@dataclass(frozen=True)
class Mixed:
    """Questions for the expensive side (`dear`) and, including these, the cheap one (0: it does not pay).

    cost: in questions of the expensive side.
    margin: the ± at the cost of the expensive side alone, divided by the ± of the latter.
    """

    dear: float
    cheap: float
    cost: float
    margin: float


@dataclass(frozen=True)
class CheapSide:
    """A cheap side and the expensive one (`dear`), on the questions that they share.

    price: cost of a cheap question, with all its answers, in answers of the expensive side.
    further: number of questions that only the cheap side has answered.
    """

    dear: Side
    cheap: Side
    price: float
    further: int


def with_cheap(dear: Side, cheap: Sequence[Side], rows: pd.DataFrame, level: float) -> pd.DataFrame:
    """The rows of `margins.precision` with the savings due to the cheap side that saves most.

    questions_with, questions_cheap: expensive and cheap questions with the same new_margin at the
    least cost. cost_with: this cost as a share of that of the expensive side alone; cost_low
    and cost_high: its interval from the pilot (NaN with clusters: in simulations it held in only 60
    of 100). margin_with: the ± at the full cost. with, explained, price: the cheap side, the share
    of a question's variance that it explains, and the price of a cheap question in expensive ones.
    Raises BadInput if questions differ, as `shared_questions` does, and without a cost.
    """
    beside = [_beside(dear, side) for side in cheap]
    questions = len(dear.pools.question_ids)
    size = questions / equal_draws(cluster_sizes(questions, dear.pools.clusters))
    ways = sorted(set(zip(rows["method"], rows["N"], strict=True)))
    shares = {way: [explained(each.dear, each.cheap, *way, level) for each in beside] for way in ways}
    cheapest = []
    for row in rows.to_dict("records"):
        known = zip(beside, shares[row["method"], row["N"]], strict=True)
        savings = [_saving(row, each, variance, level, size) for each, variance in known]
        cheapest.append(min(savings, key=lambda saving: saving["cost_with"]))
    return rows.join(pd.DataFrame(cheapest, rows.index))


def _beside(dear: Side, cheap: Side) -> CheapSide:
    both = shared_questions(dear, cheap.on(dear.pools.question_ids))
    a, b = dear.on(both), cheap.on(both)
    for side in (a, b):
        if not side.cost.mean() > 0:
            what = "an answer's cost is unknown or 0: give a column tokens, or a --price for each model"
            raise BadInput(f"{side.named}: {what}")
    price = float(b.cost.mean() * b.pools.sizes.mean() / a.cost.mean())
    return CheapSide(a, b, price, len(cheap.pools.question_ids) - len(both))


def _saving(
    row: Mapping[Any, Any], beside: CheapSide, variance: Floats, level: float, size: float
) -> dict[str, Any]:
    """The savings due to one cheap side in a run of the row's size: the columns that `with_cheap` adds.

    variance: (3,) a question's variance explained by the cheap side, and the ends of its interval.
    """
    questions, z = row["questions"], z_of(level)
    of_new = questions * (row["new_margin"] / z / students(questions / size, level)) ** 2
    of_luck = questions * (row["margin"] / z) ** 2
    explicable = max(of_new - of_luck, 0.0)
    share, least, most = np.minimum(variance, explicable) / max(of_new, _NO_VARIANCE)
    each = beside.price / row["answers"]
    best, dearest, cheapest = (
        split(questions, squared, each, beside.further, size) for squared in (share, least, most)
    )
    is_known = beside.dear.pools.clusters is None
    return {
        "questions_with": best.dear,
        "questions_cheap": best.cheap,
        "cost_with": best.cost / questions,
        "cost_low": cheapest.cost / questions if is_known else np.nan,
        "cost_high": dearest.cost / questions if is_known else np.nan,
        "margin_with": best.margin * row["new_margin"],
        "with": beside.cheap.named,
        "explained": share,
        "price": each,
    }


def explained(a: Side, b: Side, method: str, n: int, level: float) -> Floats:
    """The variance of a question's accuracy at n answers of `a` that `b` explains, with its interval, (3,).

    Both sides have the same questions; b is read at the N = 1, 2, 4, … that explains most. The
    squared correlation over questions (or clusters) is biased upwards: a jackknife removes the
    bias and gives the interval. Raises BadInput for fewer than FEWEST of them.
    """
    draws = clusters_of(a, b) or a.pools.question_ids
    count = len(set(draws))
    if count < FEWEST:
        kind = "questions" if a.pools.clusters is None else "clusters of questions"
        raise BadInput(f"{a.named} and {b.named} share {count} {kind}, expected {FEWEST} or more")
    ns = np.array(sorted(powers_and(b.most)))
    values = np.column_stack([a.curve(method)[:, min(n, a.most) - 1], b.curve(method)[:, ns - 1]])
    errors = cluster_sums(values - values.mean(axis=0), draws)
    of_a, of_b = errors[:, :1], errors[:, 1:]
    products = np.stack([of_a * of_b, of_a**2 + 0 * of_b, of_b**2])  # (3, draws, ns)
    total = products.sum(axis=1)
    best = int(_squared_correlation(total).argmax())
    without = _squared_correlation(total[:, None] - products)[:, best].clip(max=_MOST_ALIKE)
    unbiased = count * _squared_correlation(total)[best] - (count - 1) * without.mean()
    z_values = np.arctanh(np.sqrt(without))  # Fisher's
    half = z_of(level) * np.sqrt((count - 1) * z_values.var())
    middle = np.arctanh(np.sqrt(np.clip(unbiased, 0, _MOST_ALIKE)))
    shares = np.tanh((middle + half * np.array([0, -1, 1])).clip(0)) ** 2
    variance = (of_a**2).sum() / len(values) * count / (count - 1)
    return np.asarray(shares * variance)


def _squared_correlation(products: Floats) -> Floats:
    """From the sums of a b, a² and b², (3, …); 0 if the correlation is negative."""
    together, of_a, of_b = products
    return np.asarray(together.clip(min=0) ** 2 / np.maximum(of_a * of_b, _NO_VARIANCE))


def split(alone: float, squared: float, price: float, further: int = 0, size: float = 1.0) -> Mixed:
    """The cheapest mix of both sides' questions that is as precise as `alone` expensive questions.

    squared: squared correlation of the two sides' accuracies. With n expensive questions and m cheap
    ones, the mean has (1 − u g)/n of a question's variance (`results.paired.powered`), u = 1 − n/m; g is
    `squared` less the cost of the slope, which is fitted to the n questions and shrunk.
    price: a question of the cheap side in questions of the expensive one.
    further: cheap questions already answered. size: of the clusters.
    """
    n = np.arange(np.ceil(FEWEST * size), np.floor(alone) + 1)
    draws = n / size
    fewest_cheap = n + FEWEST * size
    shrunk = squared / (squared + 2 * (1 - squared) / (draws - 1))
    worth = squared * (2 * shrunk - shrunk**2) - shrunk**2 * (1 - squared) / (draws - 2)
    left = np.maximum(1 - (1 - n / alone) / np.maximum(worth, _NO_VARIANCE), _NO_VARIANCE)
    m = np.ceil(np.maximum(n / left, fewest_cheap))
    cost = n + price * np.maximum(m - further, 0)

    afforded = further + (alone - n) / price
    unseen = 1 - n / np.maximum(afforded, n)
    variance = np.where(afforded >= fewest_cheap, (1 - unseen * worth) / n, np.inf)
    margin = float(np.sqrt(alone * variance.min(initial=1 / alone)))
    if cost.min(initial=np.inf) >= alone:
        return Mixed(alone, 0.0, alone, margin)
    best = int(cost.argmin())
    return Mixed(float(n[best]), float(m[best]), float(cost[best]), margin)
