"""What a cheap side saves a dear one: how many questions of both tell as much for the least cost.

    questions  questions_with  questions_cheap  cost_with  margin_with  with
    400        146             1,210            0.67       0.79         mini

The dear side answers few questions, the cheap one these and more (`results.paired.powered`).
A pilot that both have answered tells how much of what questions differ by the cheap side explains.
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
    """Questions of a dear side, and of a cheap one that has these among its own; 0 where it does not pay.

    cost: in questions of the dear side.
    margin: the ± for the cost of the dear side alone, in its ±.
    """

    dear: float
    cheap: float
    cost: float
    margin: float


@dataclass(frozen=True)
class CheapSide:
    """A cheap side beside the dear one, on the questions of both.

    price: an answer of the cheap side in answers of the dear one.
    further: questions that the cheap side alone has answered.
    """

    dear: Side
    cheap: Side
    price: float
    further: int


def with_cheap(dear: Side, cheap: Sequence[Side], rows: pd.DataFrame, level: float) -> pd.DataFrame:
    """The rows of `margins.precision` with what a cheaper side saves, at whichever setting saves most.

    questions_with and questions_cheap give the same ± of new questions for the least cost: the
    part cost_with of that of the dear side alone, and cost_low … cost_high by what the pilot
    leaves open (NaN with clusters: a simulated range held in 60 of 100 only); margin_with: the ±
    for all of it; with, explained, price: the cheap side, what it explains of a question's
    variance, and what one of it costs in one of the dear side.
    Raises BadInput for other questions, as `shared_questions` does, and without a cost.
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
    price = float(b.cost.mean() * b.pools.sizes.mean() / a.cost.mean())
    if not price > 0:
        raise BadInput(
            f"{a.named} and {b.named}: without token counts there is no cost: give a column tokens"
        )
    return CheapSide(a, b, price, len(cheap.pools.question_ids) - len(both))


def _saving(
    row: Mapping[Any, Any], beside: CheapSide, variance: Floats, level: float, size: float
) -> dict[str, Any]:
    """What one cheap side saves in a run of a row's size: the columns that `with_cheap` adds.

    variance: of a question, what the cheap side explains and its ends, (3,).
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
    """The variance of a question's accuracy by n answers of `a` that `b` explains, and its ends, (3,).

    Sides of the same questions. By the N = 1, 2, 4, … of b that explains most. The squared
    correlation over questions, or clusters of them, is too high by chance: a jackknife takes
    that off, and gives the interval. Raises BadInput for fewer than FEWEST.
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
    """From sums of a b, a² and b², (3, …); 0 where the correlation is negative."""
    together, of_a, of_b = products
    return np.asarray(together.clip(min=0) ** 2 / np.maximum(of_a * of_b, _NO_VARIANCE))


def split(alone: float, squared: float, price: float, further: int = 0, size: float = 1.0) -> Mixed:
    """Questions of both sides that tell as much as `alone` of the dear one for less.

    squared: the squared correlation of a question of both. (1 − u g)/n of its variance is left with
    n dear questions and m cheap ones (`results.paired.powered`), u = 1 − n/m, where g is `squared`
    less what the slope costs, which is learnt from the n and shrunk.
    price: of a question of the cheap side in that of one of the dear side.
    further: questions of the cheap side that are there. size: of the clusters.
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
