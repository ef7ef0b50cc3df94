"""Beyond a cap where the truth is known: what each part of the forecast does to answers of the law itself.

$ python -m studies.forecasts.own_law [SETS]        8 sets take some six minutes of a core

60 questions × 8 answers are drawn from the law of `predict.stopped.law` and stopped at their median length;
the votes of 1, 8 and 40 at 1.5, 2 and 4 times that cap are forecast, and held against 400 other answers to
each question. Parameters are those of the tests, or drawn from the prior. The forecast is made of the law
alone, of the law and the line of late answers, and of these and the pace, as the product makes it.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

import click
import numpy as np
import pandas as pd

from predict.estimate import Options
from predict.evidence.points import Evidence, Points, Run, stopped
from predict.stopped import survival
from predict.stopped.law import PARAMETERS, PRIOR_MEAN, PRIOR_SD
from predict.stopped.simulate import Simulated
from results.votes.exact import Floats, majority_accuracy
from tests.predict.stopped.simulated import THETA, answers, questions

Q, SEEN, TRUTH, TIMES, N = 60, 8, 400, (1.5, 2.0, 4.0), [1, 8, 40]
REPLICATES = 100


def no_pace(*given: Any) -> tuple[Floats, float]:
    """As `paces` where answers end as the law says."""
    R: int = given[3]
    return np.zeros((R, 2)), 0.0


def no_line(*given: Any) -> Simulated:
    """As `follow` where late answers are right as the law says."""
    drawn: Simulated = given[1]
    return drawn


PARTS: dict[str, dict[str, Callable[..., Any]]] = {
    "the law alone": {"paces": no_pace, "follow": no_line},
    "and the line": {"paces": no_pace},
    "and the pace": {},
}


def drawn_parameters(rng: np.random.Generator) -> dict[str, float]:
    """From the prior, with the middle question's mode at the origin."""
    theta = PRIOR_MEAN + PRIOR_SD * rng.standard_normal(len(PRIOR_MEAN))
    at: dict[str, float] = dict(zip(PARAMETERS, theta.tolist(), strict=True))
    return at | {"centre": 0.0}


def forecasts(sets: int, *, prior: bool) -> Iterator[pd.DataFrame]:
    """A row for each cap and N, by set and part."""
    for seed in range(sets):
        rng = np.random.default_rng([seed, 77])
        at = drawn_parameters(rng) if prior else THETA
        world = questions(Q, rng, at)
        whole, few = answers(world, TRUTH, rng, at), answers(world, SEEN, rng, at)
        cap = int(np.median(whole.tokens))
        caps = {str(times): int(times * cap) for times in TIMES}
        truth = [majority_accuracy(stopped(whole, one).counts(), N).mean(axis=0) for one in caps.values()]
        run = Run("s", few, cap, {"seen": cap} | caps, few.sizes.clip(TRUTH))
        evidence = Evidence(Points.grid({}, []), np.empty(0), np.empty(0), method="majority", run=run)
        targets = Points.grid(dict.fromkeys(caps, 0.0), N)
        for part, changed in PARTS.items():
            with ExitStack() as stack:
                for name, instead in changed.items():
                    stack.enter_context(patch.object(survival, name, instead))
                found = survival.survival(evidence, targets, Options(REPLICATES, seed))
            rows = pd.DataFrame({"times": targets.setting, "N": targets.N, "truth": np.concatenate(truth)})
            rows["part"] = part
            rows["bias"] = 100 * (found.mean - rows["truth"])
            rows["error"] = rows["bias"].abs()
            rows["held"] = rows["truth"].between(found.these.low, found.these.high)
            rows["ok"] = found.status == "ok"
            yield rows


def main(sets: int) -> None:
    """Print the table."""
    click.echo("| parameters | forecast by | bias, 1.5 × the cap | 2 × | 4 × | error | held | ok |")
    click.echo("|---|---|---:|---:|---:|---:|---:|---:|")
    for kind, prior in (("of the tests", False), ("from the prior", True)):
        rows = pd.concat(forecasts(sets, prior=prior))
        for part, of in rows.groupby("part", sort=False):
            bias = " | ".join(f"{one:+.1f}" for one in of.groupby("times", sort=False)["bias"].mean())
            click.echo(
                f"| {kind} | {part} | {bias} | {of['error'].mean():.1f} | {of['held'].mean():.0%} | "
                f"{of['ok'].mean():.0%} |"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8)
