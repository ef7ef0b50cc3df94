"""How exact a run will be: the ± of one answer, of a vote and of best-of-N, told by the answers of a pilot.

    questions  answers  method    N   predicted  new_margin  margin  questions_to_halve  answers_to_halve
    200        16       majority  16  0.81       0.043       0.011   800                 inf

Questions are those that the forecaster learns from the pilot (`predict.answers`): each is
drawn many times from what its answers say of it, and gives two runs of N answers. What
differs within a pair is the luck of the answers, w; what differs between questions beyond
it, b, is the draw of the questions. The mean over Q questions then has the variance w / Q
as a measure of these questions and (b + w) / Q as one of their kind. The luck falls as 1/N
for one answer, and at least as fast for the vote or best-of-N of as many of more answers
(Hoeffding, Annals of Mathematical Statistics 1948, theorem 5.2).

How many questions and answers decide a comparison, told by the answers of a pilot of both
sides.

    questions  answers  method    N   difference  margin  detectable  decided  questions_to_decide
    200        16       majority  16  0.042       0.031   0.044       0.56     533

The verdict is that of `tts compare` on one row named beforehand: the paired difference of a
question, its mean over the questions, Student's interval
(`results.paired.needed.Decision`). Both sides' questions are imagined as `precision`
imagines them; what a question's difference varies by holds the draw of the question and the
luck of both sides' answers. The pilot leaves open how large the true difference is, and its
own luck looks like one: `decided` is the chance of a verdict averaged over what it leaves
open, most true differences being small (`results.paired.needed.given`). Of two equal models
it is still more than 5 %. At more answers than the pilot's as much is taken to be open as
at the pilot's.

Questions that come in clusters err together: what the pilot's do, measured at its answers,
is added to b.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from predict.answers.best_of_n import RATES, fit_rates
from predict.answers.mixture import drawn_atoms
from predict.answers.population import fit_population
from predict.answers.rest import vote_of, worlds
from predict.answers.unread import Unread
from predict.evidence.points import Floats, Ints
from results import BadInput
from results.normal import FORECAST_LEVEL, LEVEL, z_of
from results.paired.differences import least_stderr
from results.paired.needed import Decision, given
from results.paired.pairs import clusters_of, shared_questions
from results.paired.powered import FEWEST as FEWEST_WITH
from results.paired.sides import Side
from results.votes.clusters import Clusters, cluster_sizes, cluster_sums, equal_draws, shared_variance
from results.votes.exact import AnswerPools, VoteCounts, accuracy_by_question
from results.votes.setting import powers_and

IMAGINED, FEWEST = 40_000, 16
"""Pairs of runs in all, and at least of each question; they tell a ± to about a hundredth of itself."""

Imagined = dict[int, dict[tuple[str, int], Floats]]
"""Runs by number of answers, method and N."""

_NO_VARIANCE, _MOST_ALIKE = 1e-12, 1 - 1e-9

MOST = 1000
"""Answers to a question that are imagined within a minute."""


def precision(
    pilot: AnswerPools,
    questions: Sequence[int],
    answers: Sequence[int],
    seed: int,
    level: float = FORECAST_LEVEL,
) -> pd.DataFrame:
    """A row for each size of a run: of one answer and, of two answers or more, the vote and the best of all.

    margin, new_margin: half the interval of these and of new questions. …_to_halve: how
    many would halve the second; inf where no number of answers does. One question tells
    nothing of new ones (NaN).
    """
    rows, z = [], z_of(level)
    counts, alone = pilot.counts(), len(pilot.question_ids) == 1
    imagine = imagined(counts, answers, [seed])
    for n in answers:
        for (method, N), runs in imagine[n].items():
            between, within = _parts(runs)
            between = np.nan if alone else max(between + _together(pilot, method, N), 0.0)
            left = (between + within) / 4 - between
            for Q in questions:
                rows.append(
                    {
                        **{"questions": Q, "answers": n, "method": method, "N": N},
                        "predicted": np.mean(runs),
                        "new_margin": z * np.sqrt((between + within) / Q),
                        "margin": z * np.sqrt(within / Q),
                        "questions_to_halve": 4 * Q,
                        "answers_to_halve": np.ceil(n * within / left) if left > 0 else np.inf,
                    }
                )
    return pd.DataFrame(rows).sort_values(["questions", "answers"], kind="stable", ignore_index=True)


def explained(a: Side, b: Side, method: str, n: int, level: float) -> Floats:
    """The variance of a question's accuracy by n answers of `a` that `b` explains, and its ends, (3,).

    Sides of the same questions. By the N = 1, 2, 4, … of b that explains most. The squared
    correlation over questions, or clusters of them, is too high by chance: a jackknife takes
    that off, and gives the interval. Raises BadInput for fewer than FEWEST_WITH.
    """
    draws = clusters_of(a, b) or a.pools.question_ids
    if (count := len(set(draws))) < FEWEST_WITH:
        raise BadInput(
            f"{a.named} and {b.named} share {count} draws, expected {FEWEST_WITH} questions or more"
        )
    ns = np.array(sorted(powers_and(b.most)))
    values = np.column_stack([a.curve(method)[:, min(n, a.most) - 1], b.curve(method)[:, ns - 1]])
    sums = cluster_sums(values - values.mean(axis=0), draws)
    y, f = sums[:, :1], sums[:, 1:]
    products = np.stack([y * f, y**2 + 0 * f, f**2])  # (3, draws, ns)

    def squared(total: Floats) -> Floats:
        return np.asarray(total[0].clip(min=0) ** 2 / np.maximum(total[1] * total[2], _NO_VARIANCE))

    total = products.sum(axis=1)
    best = int(squared(total).argmax())
    without = squared(total[:, None] - products)[:, best].clip(max=_MOST_ALIKE)
    unbiased = np.clip(count * squared(total)[best] - (count - 1) * without.mean(), 0, _MOST_ALIKE)
    half = z_of(level) * np.sqrt((count - 1) * np.arctanh(np.sqrt(without)).var())  # Fisher's z
    shares = np.tanh((np.arctanh(np.sqrt(unbiased)) + half * np.array([0, -1, 1])).clip(0)) ** 2
    return np.asarray(shares * (y**2).sum() / len(values) * count / (count - 1))


def split(
    alone: float, squared: float, price: float, further: int = 0, size: float = 1.0
) -> tuple[float, float, float, float]:
    """Questions n and m of a dear and a cheap side that tell as much as `alone` of the dear one for less.

    Their cost in that of a question of the dear side; and the ± for the cost of the dear side
    alone, in its ±. The n are among the m; m is 0 where the dear side alone costs no more.

    squared: the squared correlation of a question of both: (1 − u g)/n of its variance is left
    (`results.paired.powered`), u = 1 − n/m, where g is `squared` less what the slope costs, which
    is learnt from the n and shrunk. price: of a question of the cheap side in that of one of the
    dear side; further: questions of the cheap side that are there; size: of the clusters.
    """
    n = np.arange(np.ceil(FEWEST_WITH * size), np.floor(alone) + 1)
    draws, least = n / size, n + FEWEST_WITH * size
    shrunk = squared / (squared + 2 * (1 - squared) / (draws - 1))
    worth = squared * (2 * shrunk - shrunk**2) - shrunk**2 * (1 - squared) / (draws - 2)
    left = np.maximum(1 - (1 - n / alone) / np.maximum(worth, _NO_VARIANCE), _NO_VARIANCE)
    m = np.ceil(np.maximum(n / left, least))
    cost = n + price * np.maximum(m - further, 0)
    afforded = further + (alone - n) / price
    variance = np.where(afforded >= least, (1 - (1 - n / np.maximum(afforded, n)) * worth) / n, np.inf)
    margin = float(np.sqrt(alone * variance.min(initial=1 / alone)))
    if cost.min(initial=np.inf) >= alone:
        return alone, 0.0, alone, margin
    best = int(cost.argmin())
    return float(n[best]), float(m[best]), float(cost[best]), margin


def with_cheap(dear: Side, cheap: Sequence[Side], rows: pd.DataFrame, level: float) -> pd.DataFrame:
    """The rows of `precision` of a dear side with what a cheaper one saves, at whichever setting saves most.

    questions_with and questions_cheap give the same ± of new questions for the least cost: the
    part cost_with of that of the dear side alone, and cost_low … cost_high by what the pilot
    leaves open (NaN with clusters: a simulated range held in 60 of 100 only); margin_with: the ±
    for all of it; with, explained, price: the cheap side, what it explains of a question's
    variance, and what one of it costs in one of the dear side.
    Raises BadInput for other questions, as `shared_questions` does, and without a cost.
    """
    beside = []
    for side in cheap:
        both = shared_questions(dear, side.on(dear.pools.question_ids))
        a, b = dear.on(both), side.on(both)
        price = float(b.cost.mean() * b.pools.sizes.mean() / a.cost.mean())
        if not price > 0:
            raise BadInput(
                f"{a.named} and {b.named}: without token counts there is no cost: give a column tokens"
            )
        beside.append((a, b, price, len(side.pools.question_ids) - len(both)))
    sizes = cluster_sizes(len(dear.pools.question_ids), dear.pools.clusters)
    size = len(dear.pools.question_ids) / equal_draws(sizes)
    ways = sorted(set(zip(rows["method"], rows["N"], strict=True)))
    known = {way: [explained(a, b, *way, level) for a, b, *_ in beside] for way in ways}
    found = []
    for row in rows.to_dict("records"):
        Q, choices = row["questions"], []
        new, luck = (Q * (row[ends] / z_of(level)) ** 2 for ends in ("new_margin", "margin"))
        for (_, b, price, further), shared in zip(beside, known[row["method"], row["N"]], strict=True):
            squared = np.minimum(shared, max(new - luck, 0.0)) / max(new, _NO_VARIANCE)
            each = price / row["answers"]
            (n, m, cost, margin), *ends = (split(Q, part, each, further, size) for part in squared)
            told = {"questions_with": n, "questions_cheap": m, "cost_with": cost / Q}
            low, high = (ends[1][2], ends[0][2]) if dear.pools.clusters is None else (np.nan, np.nan)
            told |= {"cost_low": low / Q, "cost_high": high / Q}
            told |= {"margin_with": margin * row["new_margin"], "with": b.named}
            choices.append(told | {"explained": squared[0], "price": each})
        found.append(min(choices, key=lambda told: told["cost_with"]))
    return rows.join(pd.DataFrame(found, rows.index))


def _together(pilot: AnswerPools, method: str, N: int) -> float:
    """What is added to b for the clusters of the pilot, by its votes of up to N answers."""
    at = np.array([min(N, pilot.sizes.min())])
    exact = accuracy_by_question(pilot.counts(), method, at)
    return float(shared_variance(exact, pilot.clusters)[0]) if pilot.clusters else 0.0


def imagined(counts: VoteCounts, answers: Sequence[int], seed: Sequence[int]) -> Imagined:
    """Pairs of runs of so many answers, for each number: by method and N whether each is right, (2, Q, S).

    The S draws of a question are of what its answers leave open; one pair differs by the
    luck of its answers. Raises BadInput for too many answers.
    """
    if max(answers) > MOST:
        raise BadInput(f"{max(answers):,} answers to a question are too many to imagine; at most {MOST:,}")
    S = max(FEWEST, IMAGINED // len(counts.pools))
    fitted = fit_population(counts)
    mass, rates = fitted.posterior(), fit_rates(counts).posterior()
    p = RATES[drawn_atoms(rates, S, np.random.default_rng(seed))]
    by_answers = {}
    for n in answers:
        atom = drawn_atoms(mass, S, np.random.default_rng([*seed, n]))
        single, vote = _votes(counts, n, atom, fitted.unread, [*seed, n])
        by_answers[n] = {("majority", 1): single, ("majority", n): vote}
        if n > 1:
            luck = np.random.default_rng([*seed, n, 1]).random((2, *p.shape))
            by_answers[n]["best_of_n", n] = np.asarray(luck < 1 - (1 - p) ** n, dtype=np.float64)
    return by_answers


def _votes(
    counts: VoteCounts, answers: int, atom: Ints, unread: Unread | None, seed: Sequence[int]
) -> tuple[Floats, Floats]:
    """Two runs of so many answers, from atoms (Q, S): accuracy of one answer, and of the vote, (2, Q, S)."""
    rng = np.random.default_rng([*seed, 0])
    single, vote = np.empty((2, *atom.shape)), np.empty((2, *atom.shape))
    for world in worlds(counts, atom, unread, rng):
        size = np.full(len(world.p), answers)
        for run in range(2):
            drawn = world.more(size, rng)
            single[run, world.rows] = (drawn[:, 0] / answers).reshape(len(world.rows), -1)
            vote[run, world.rows] = vote_of(drawn, answers).reshape(len(world.rows), -1)
    return single, vote


def power(
    a: AnswerPools,
    b: AnswerPools,
    questions: Sequence[int],
    answers: Sequence[int],
    seed: int,
    level: float = LEVEL,
) -> pd.DataFrame:
    """A row for each size of both runs: b − a by one answer, and by the vote and the best of all.

    a, b: pilots on the same questions. margin: half the interval to expect. detectable: the
    true difference that it leaves out 0 for with POWER; decided: the chance that it does,
    averaged over what the pilot leaves open of the difference. questions_to_decide: the
    fewest with POWER as this chance, of as many answers; inf if there are none. Raises
    BadInput for one question, which tells nothing of others, and too many answers.
    """
    if len(a.question_ids) < 2:
        raise BadInput("one question says nothing about others: give a pilot with several")
    fewest = piloted(a, b)
    each = sorted({*answers, fewest})
    sides = [imagined(side.counts(), each, [seed, i]) for i, side in enumerate((a, b))]
    clusters = a.clusters or b.clusters
    pilot = len(a.question_ids)
    sizes = cluster_sizes(pilot, clusters)
    size, largest = pilot / equal_draws(sizes), int(sizes.max())
    by_answers = {n: {way: _difference(a, b, way, n, sides, clusters) for way in sides[0][n]} for n in each}
    rows = []
    for n in answers:
        for (method, N), (difference, variance) in by_answers[n].items():
            seen = _as_seen(method, N, fewest)
            measured = by_answers[fewest].get(seen, (difference, variance))[1]
            decision = Decision(level, size, largest, whole=n == N)
            truth = given(difference, max(np.sqrt(measured / pilot), float(least_stderr(pilot, largest))))
            to_decide = decision.questions(variance, truth)
            for Q in questions:
                rows.append(
                    {
                        **{"questions": Q, "answers": n, "method": method, "N": N},
                        "difference": difference,
                        "margin": decision.margin(Q, variance),
                        "detectable": decision.detectable(Q, variance),
                        "decided": decision.decided(Q, variance, truth),
                        "questions_to_decide": to_decide,
                    }
                )
    return pd.DataFrame(rows).sort_values(["questions", "answers"], kind="stable", ignore_index=True)


def piloted(a: AnswerPools, b: AnswerPools) -> int:
    """The answers that every question has on both sides."""
    return int(min(a.sizes.min(), b.sizes.min(), MOST))


def _as_seen(method: str, N: int, fewest: int) -> tuple[str, int]:
    """The same way, of no more answers than the pilot has; the best of one is that one answer."""
    return (method, min(N, fewest)) if min(N, fewest) > 1 else ("majority", 1)


def _difference(
    a: AnswerPools,
    b: AnswerPools,
    way: tuple[str, int],
    n: int,
    sides: Sequence[Imagined],
    clusters: Clusters,
) -> tuple[float, float]:
    """Of runs of n answers by one way (method, N): the mean of b − a, and the variance of one question's.

    Each side is imagined by itself, and yet what is hard for one model is hard for another.
    Two models' answers to a question are independent, so the covariance of their exact
    accuracies is unbiased at each N up to the pilot's; beyond it their correlation is taken
    to be that at the pilot's.
    """
    method, N = way
    fewest = piloted(a, b)
    at = _as_seen(method, N, fewest)
    exact = [accuracy_by_question(side.counts(), at[0], np.array([at[1]]))[:, 0] for side in (a, b)]
    covariance = float(np.cov(np.stack(exact))[0, 1])
    (between_a, within_a), (between_b, within_b) = (_parts(side[n][way]) for side in sides)
    most = np.sqrt(between_a * between_b)
    if fewest < N:
        (one, _), (other, _) = (_parts(side[fewest][at]) for side in sides)
        covariance *= most / max(np.sqrt(one * other), 1e-12)
    variance = between_a + within_a + between_b + within_b - 2 * np.clip(covariance, -most, most)
    if clusters:
        variance += float(shared_variance((exact[1] - exact[0])[:, None], clusters)[0])
    return float(sides[1][n][way].mean() - sides[0][n][way].mean()), max(float(variance), 0.0)


def _parts(runs: Floats) -> tuple[float, float]:
    """Of pairs of runs (2, Q, S): the variance between questions, and that within one."""
    within = float(np.mean((runs[0] - runs[1]) ** 2) / 2)
    return max(float(runs.var()) - within, 0.0), within
