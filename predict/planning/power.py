"""How many questions and answers decide a comparison, from the answers of a pilot of both sides.

    questions  answers  method    N   difference  margin  detectable  decided  questions_to_decide
    200        16       majority  16  0.042       0.031   0.044       0.56     533

The verdict is that of `tts compare` on one row named beforehand: the mean of the paired differences
over questions, with Student's interval (`results.paired.needed.Decision`). Both sides' questions are
simulated by `imagined_runs`; the variance of a question's difference includes the draw of the question
and the luck of both sides' answers. The pilot does not determine the true difference, and its own luck
can look like one: `decided` is the chance of a verdict averaged over the posterior of the difference,
with a prior that favours small ones (`results.paired.needed.given`); it exceeds 5 % even for equal
models. With more answers than the pilot's, the difference is taken to be as uncertain as at these.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from predict.planning.imagined_runs import MOST, Imagined, imagined, parts
from results import BadInput
from results.normal import LEVEL
from results.paired.differences import least_stderr
from results.paired.needed import Decision, given
from results.votes.clusters import Clusters, cluster_sizes, equal_draws, shared_variance
from results.votes.exact import AnswerPools, accuracy_by_question
from results.votes.unnamed import unnamed


def power(
    a: AnswerPools,
    b: AnswerPools,
    questions: Sequence[int],
    answers: Sequence[int],
    seed: int,
    level: float = LEVEL,
) -> pd.DataFrame:
    """A row for each size of both runs: b − a by one answer, and by the vote and best-of-N of all.

    a, b: pilots on the same questions. margin: half the expected interval. detectable: the
    true difference for which the interval excludes 0 with probability POWER; decided: the
    chance that it excludes 0, averaged over the posterior of the difference.
    questions_to_decide: the fewest for which this chance is POWER; inf if none suffice. Raises
    BadInput for one question, which says nothing about others, and for too many answers.
    """
    if len(a.question_ids) < 2:
        raise BadInput("one question says nothing about others: give a pilot with several")
    a, b = unnamed([a, b])
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
    """The number of answers that every question has on both sides, at most MOST."""
    return int(min(a.sizes.min(), b.sizes.min(), MOST))


def _as_seen(method: str, N: int, fewest: int) -> tuple[str, int]:
    """The method and N, with N at most the pilot's number of answers; best-of-1 is a single answer."""
    return (method, min(N, fewest)) if min(N, fewest) > 1 else ("majority", 1)


def _difference(
    a: AnswerPools,
    b: AnswerPools,
    way: tuple[str, int],
    n: int,
    sides: Sequence[Imagined],
    clusters: Clusters,
) -> tuple[float, float]:
    """The mean of b − a and its variance for one question, in runs of n answers by `way` (method, N).

    The sides are simulated separately, but questions hard for one model are hard for another.
    Two models' answers to a question are independent, so the covariance of their exact
    accuracies is unbiased at each N up to the pilot's; beyond it their correlation is taken
    to be that at the pilot's N.
    """
    method, N = way
    fewest = piloted(a, b)
    at = _as_seen(method, N, fewest)
    exact = [accuracy_by_question(side.counts(), at[0], np.array([at[1]]))[:, 0] for side in (a, b)]
    covariance = float(np.cov(np.stack(exact))[0, 1])
    (between_a, within_a), (between_b, within_b) = (parts(side[n][way]) for side in sides)
    most = np.sqrt(between_a * between_b)
    if fewest < N:
        (one, _), (other, _) = (parts(side[fewest][at]) for side in sides)
        covariance *= most / max(np.sqrt(one * other), 1e-12)
    variance = between_a + within_a + between_b + within_b - 2 * np.clip(covariance, -most, most)
    if clusters:
        variance += float(shared_variance((exact[1] - exact[0])[:, None], clusters)[0])
    return float(sides[1][n][way].mean() - sides[0][n][way].mean()), max(float(variance), 0.0)
