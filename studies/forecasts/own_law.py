"""Forecasts beyond a cap with a known truth: the effect of each part on answers of the law itself.

$ python -m studies.promises.run --part caps

60 questions × 8 answers are drawn from the law of `predict.stopped.answer_law`, with the parameters of the
tests, with some drawn from the prior, or from other laws, and stopped at their median length. The votes of 1,
8 and 40 at 1.5, 2 and 4 times that cap are forecast, and compared with 400 other answers to each question. On
the law's own answers, the forecast uses the law alone, the law and the line of late answers, or these and the
pace, as the product does; on other answers only the product's forecast is made.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from scipy.special import expit

from predict.estimate import Options
from predict.evidence.points import Evidence, Points, Run, renumbered, stopped
from predict.stopped import survival
from predict.stopped.answer_law import PARAMETERS, PRIOR_MEAN, PRIOR_SD
from predict.stopped.fit import fit
from predict.stopped.simulate import Simulated
from results.votes.exact import AnswerPools, Floats, majority_accuracy
from tests.predict.stopped.simulated import ORIGIN, THETA, answers, questions

Q, SEEN, TRUTH, TIMES, N = 60, 8, 400, (1.5, 2.0, 4.0), [1, 8, 40]
REPLICATES = 100


def no_pace(*given: Any) -> tuple[Floats, float]:
    """A replacement of `paces` if answers end as the law says."""
    R: int = given[3]
    return np.zeros((R, 2)), 0.0


def no_line(*given: Any) -> Simulated:
    """A replacement of `follow` if late answers are right as the law says."""
    drawn: Simulated = given[1]
    return drawn


PARTS: dict[str, dict[str, Callable[..., Any]]] = {
    "the law alone": {"paces": no_pace, "follow": no_line},
    "and the line": {"paces": no_pace},
    "and the pace": {},
}
PRODUCT = "and the pace"


def drawn_parameters(rng: np.random.Generator) -> dict[str, float]:
    """Parameters from the prior, with the median question's mode at the origin."""
    theta = PRIOR_MEAN + PRIOR_SD * rng.standard_normal(len(PRIOR_MEAN))
    at: dict[str, float] = dict(zip(PARAMETERS, theta.tolist(), strict=True))
    return at | {"centre": 0.0}


Draw = Callable[[int], AnswerPools]
"""Draws pools of n answers to each question of a world, given n."""


def of_law(at: dict[str, float], rng: np.random.Generator) -> Draw:
    """Answers of the law with these parameters."""
    world = questions(Q, rng, at)
    return lambda n: answers(world, n, rng, at)


Questions = tuple[Floats, Floats]
"""The mode of log tokens, from the origin, and the level of every question, (Q, 1) each."""


def slow_ones_hard(rng: np.random.Generator) -> Questions:
    """Questions whose level falls with their mode."""
    u = rng.standard_normal((Q, 1))
    return 0.6 * u, 1.0 - u + 0.7 * rng.standard_normal((Q, 1))


def two_kinds(rng: np.random.Generator) -> Questions:
    """Two in five questions take five times as long, and are a little harder."""
    slow, u = rng.random((Q, 1)) < 0.4, 0.5 * rng.standard_normal((Q, 1))
    level = 1.0 - u - 0.8 * slow + 0.7 * rng.standard_normal((Q, 1))
    return 0.6 * u + np.log(5) * slow, level


def of_lengths(
    rng: np.random.Generator,
    of: Questions,
    longer: Callable[[np.ndarray], np.ndarray],
    chance: Callable[[Floats, Floats], Floats] = lambda late, level: expit(level - 0.5 * late),
) -> Draw:
    """Answers from other laws: log tokens are a mode + `longer` of standard logistic numbers.

    The `chance` to be right is a function of the distance from the mode and of the question's
    level.
    """
    mode, level = of

    def draw(n: int) -> AnswerPools:
        late = longer(rng.logistic(size=(Q, n)))
        right = rng.random((Q, n)) < chance(late, level)
        votes = np.where(right, 0, rng.choice([1, 2, 3], (Q, n), p=[0.6, 0.3, 0.1])).ravel()
        tokens = np.exp(ORIGIN + mode + late).round().ravel()
        question, names = np.repeat(np.arange(Q), n), [f"q{i:04d}" for i in range(Q)]
        return AnswerPools(names, np.arange(Q + 1) * n, renumbered(question, votes), tokens)

    return draw


def two_modes(share: float, times: float) -> Callable[[np.random.Generator], Draw]:
    """A `share` of the answers takes this many times as long."""

    def world(rng: np.random.Generator) -> Draw:
        def longer(z: Floats) -> Floats:
            return np.asarray(0.15 * z + np.log(times) * (rng.random(z.shape) < share))

        return of_lengths(rng, slow_ones_hard(rng), longer)

    return world


WORLDS: dict[str, Callable[[np.random.Generator], Draw]] = {
    "parameters of the tests": lambda rng: of_law(THETA, rng),
    "parameters from the prior": lambda rng: of_law(drawn_parameters(rng), rng),
    "two modes of length": two_modes(0.4, 5.0),
    "a rarer, nearer second mode": two_modes(0.2, 3.0),
    "two kinds of question": lambda rng: of_lengths(rng, two_kinds(rng), lambda z: 0.15 * z),
    "later answers are better": lambda rng: of_law(THETA | {"slope": 0.4, "bend": 0.2}, rng),
    "later answers are guesses": lambda rng: of_lengths(
        rng,
        slow_ones_hard(rng),
        lambda z: 0.25 * z,
        lambda late, level: np.where(late > 0.4, 0.25, expit(level)),
    ),
    "many never end": lambda rng: of_law(THETA | {"never_ends": -1.2}, rng),
}
PARTLY = ("parameters of the tests", "parameters from the prior")
"""Worlds of the law, for which forecasts without some parts are made as well."""


def cache_of_one(function: Callable[..., Any]) -> Callable[..., Any]:
    """Cache the first result of a function, for callers that always pass the same arguments."""
    found: list[Any] = []

    def once(*given: Any) -> Any:
        found.extend([] if found else [function(*given)])
        return found[0]

    return once


def forecasts(name: str, sets: int) -> pd.DataFrame:
    """A row for each cap and N, by set and part."""
    return pd.concat([rows for seed in range(sets) for rows in forecasts_of(name, seed)])


def forecasts_of(name: str, seed: int) -> Iterator[pd.DataFrame]:
    """The forecasts for one set, by part."""
    draw = WORLDS[name](np.random.default_rng([seed, 77]))
    whole, few = draw(TRUTH), draw(SEEN)
    cap = int(np.median(whole.tokens))
    caps = {str(times): int(times * cap) for times in TIMES}
    truth = [majority_accuracy(stopped(whole, one).counts(), N).mean(axis=0) for one in caps.values()]
    run = Run("s", few, cap, {"seen": cap} | caps, few.sizes.clip(TRUTH))
    evidence = Evidence(Points.grid({}, []), np.empty(0), np.empty(0), method="majority", run=run)
    targets = Points.grid(dict.fromkeys(caps, 0.0), N)
    fit_once = cache_of_one(fit)
    for part, changed in PARTS.items():
        if part != PRODUCT and name not in PARTLY:
            continue
        with ExitStack() as stack:
            for function, instead in (changed | {"fit": fit_once}).items():
                stack.enter_context(patch.object(survival, function, instead))
            found = survival.survival(evidence, targets, Options(REPLICATES, seed))
        rows = pd.DataFrame({"times": targets.setting, "N": targets.N, "truth": np.concatenate(truth)})
        rows["part"], rows["set"] = part, seed
        rows["bias"] = 100 * (found.mean - rows["truth"])
        rows["width"] = 100 * (found.these.high - found.these.low)
        rows["held"] = rows["truth"].between(found.these.low, found.these.high)
        rows["ok"] = found.status == "ok"
        yield rows
