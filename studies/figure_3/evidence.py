"""The paper's Algorithm 3, its options and its repair on every set, under both protocols.

    python -m studies.figure_3.run --data ../shared/data/samples      (which calls this)

*longer*: every N is measured at the cheapest 3, 4 or 6 settings (at most all but one), and the longer
settings are forecast at each of these N. These are the inputs stated for the paper's Algorithm 3. *longer and
more*: only N ≤ 16 is measured there, and the forecasts are the same. The sets are those of from_curves.py,
used to choose the repair's priors, limits and rule for `ok`, and those of fresh_lines.py, which were not used
for any choice.

A row of protocols.csv is a (set, protocol, settings seen, way to forecast): the numbers of forecasts asked
and given, their mean absolute error in points, how many are ok, how many of these are within 3.5 points, and
their mean error. A set that is already in the CSV is not measured again.
"""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd

from predict.curves import law_forecast
from predict.curves import question_law as fit
from predict.curves.algorithm_3 import judged, low_cost_to_high
from predict.curves.question_law import QuestionLaw
from predict.curves.rivals import flat
from predict.estimate import Options, Status, everywhere
from predict.evidence.capped import observe
from predict.evidence.groups import Group, groups_of_curves
from predict.evidence.points import Evidence, Floats, Points, Texts
from results.saturating import fit_curves, rate_grid
from studies.figure_3.fresh_lines import fresh_lines
from studies.figure_3.from_curves import NEAR, SEEN, curves_of, sets
from studies.forecasts.rivals import JOINT
from synthetic import Experiment, run_panel

HERE = Path(__file__).resolve().parent
CSV = HERE / "protocols.csv"

PROTOCOLS = {"longer": 1_000_000, "longer and more": 16}
"""The largest N that is seen, by protocol."""

ALGORITHM_3, LAW = "Algorithm 3", "question law"

CHOICES: dict[str, dict[str, str | bool]] = {
    ALGORITHM_3: {},
    "T_1, T_2: the first two": {"ends": "first"},
    "T_1, T_2: all, by least squares": {"ends": "all"},
    "D_N off the fitted curves": {"measured": False},
}
"""Choices that the paper leaves open, as options of the predictor."""

ALIKE = 0.02
"""The spread of log-odds between questions at which they count as one question."""

Found = tuple[Floats, Texts]
"""Forecasts (M,), and the status of each."""


def measure(data: Path | None, jobs: int) -> pd.DataFrame:
    """Measure every set that protocols.csv lacks, and add it."""
    done = pd.read_csv(CSV) if CSV.exists() else pd.DataFrame({"set": []})
    asked = [one for one in every_set(data) if one[1] not in set(done["set"])]
    with ProcessPoolExecutor(jobs) as pool:
        for table in pool.map(measured, *zip(*asked, strict=True)) if asked else ():
            done = pd.concat([done, table.round(3)], ignore_index=True)
            done.to_csv(CSV, index=False)
    return done


def every_set(data: Path | None) -> Iterator[tuple[str, str, str]]:
    """(kind, name, source): first the sets the repair was developed on, then the fresh ones."""
    yield from sets(data)
    for line in fresh_lines().variants:
        yield "fresh", line.label, "fresh"


def group_of(kind: str, name: str, source: str) -> Group:
    """The curves of a set."""
    if kind == "fresh":
        whole = fresh_lines()
        line = next(line for line in whole.variants if line.label == name)
        one = Experiment(whole.title, (line,), whole.steps, whole.methods, whole.tasks)
        (group,) = groups_of_curves(run_panel(one), "majority")
    else:
        (group,) = groups_of_curves(curves_of(kind, name, source), "majority")
    return group


@dataclass(frozen=True)
class Case:
    """What is seen of a set by a protocol, at its cheapest `settings` (a number), and what is forecast."""

    protocol: str
    settings: int
    seen: Evidence
    targets: Points
    truth: Floats


def cases(group: Group) -> Iterator[Case]:
    """The cases of a set."""
    names = [setting for setting, _ in group.points.settings()]
    for protocol, most in PROTOCOLS.items():
        for count in dict.fromkeys(min(count, len(names) - 1) for count in SEEN):
            hidden = ~np.isin(group.points.setting, names[:count])
            seen = observe(group, names[:count], most)
            yield Case(protocol, count, seen, group.points[hidden], group.accuracy[hidden])


def measured(kind: str, name: str, source: str) -> pd.DataFrame:
    """The rows of one set."""
    rows = []
    for one in cases(group_of(kind, name, source)):
        for way, found in forecasts(one.seen, one.targets).items():
            place = {
                "kind": kind,
                "set": name,
                "protocol": one.protocol,
                "settings": one.settings,
                "way": way,
            }
            rows.append(place | scored(*found, one.truth))
    return pd.DataFrame(rows)


def scored(mean: Floats, status: Texts, truth: Floats) -> dict[str, float]:
    """The errors of the forecasts, and of those that are ok."""
    off = 100 * np.abs(mean - truth)
    given, ok = np.isfinite(off), status == Status.OK
    return {
        "asked": len(off),
        "given": given.sum(),
        "error": off[given].mean() if given.any() else np.nan,
        "ok": ok.sum(),
        "ok_near": (off[ok] <= NEAR).sum(),
        "ok_error": off[ok].mean() if ok.any() else np.nan,
    }


def forecasts(seen: Evidence, targets: Points) -> dict[str, Found]:
    """The forecasts of the targets by every way: the paper's with its options, then its repair by steps."""
    by_law = law_forecast.forecast_by_law(seen, targets, Options())
    law = by_law.estimate
    law_ok = law.status == Status.OK
    found: dict[str, Found] = {}
    for way, choice in CHOICES.items():
        paper = low_cost_to_high(seen.points, seen.accuracy[None], targets, **choice)  # type: ignore[arg-type]
        mean = paper.mean[0]
        found[way] = mean, judged(paper.status, mean, law.mean, law_ok)
    steps = {
        "one fit": JOINT["joint"](seen, targets, Options(replicates=0)).mean,
        "one question": along_one_exponential(seen, targets, law_of_one_question(seen)),
        "many questions": along_one_exponential(seen, targets, by_law.law),
        "flat": flat(seen.points, seen.accuracy[None], targets).mean[0],
    }
    unjudged = everywhere(Status.BOUND_HIT, len(targets))
    found |= {step: (mean, unjudged) for step, mean in steps.items()}
    found[LAW] = law.mean, law.status
    return found


def law_of_one_question(seen: Evidence) -> QuestionLaw:
    """The question law with all questions alike: only Δ²/2 is replaced, by the exact vote."""
    prior = np.array([np.log(ALIKE), fit.PRIOR[1], np.log(ALIKE), fit.PRIOR[3]])
    width = np.array([0.01, fit.PRIOR_SD[1], 0.01, fit.PRIOR_SD[3]])
    points = seen.points
    afresh = fit._fitted.__wrapped__  # not a cached fit under the usual prior
    with patch.multiple(fit, PRIOR=prior, PRIOR_SD=width, REACH=4 * width, _fitted=afresh):
        return fit.fit(points.T, points.N, seen.accuracy, seen.stderr, points.setting, seen.method)


def along_one_exponential(seen: Evidence, targets: Points, law: QuestionLaw) -> Floats:
    """The forecasts of a question law, with one exponential along T in place of several laws."""
    with patch.multiple(law_forecast, along_T=exponential, fit=lambda *_: law):
        return law_forecast.forecast_by_law(seen, targets, Options()).estimate.mean


def exponential(
    T: Floats, scaled: Floats, _variance: Floats, at: Floats, R: int, *_: object
) -> tuple[Floats, Floats]:
    """A replacement of `along_T`: γ − κ e^(−μT) through the accuracy of one answer, as in the paper.

    It has the signature of `along_T`, but no random draws.
    """
    single = law_forecast._accuracy(scaled)
    curve = fit_curves(T, single[None], rates=rate_grid(T), accuracy=True)
    mean = law_forecast._scaled(np.clip(curve(at)[0], 0.0, 1.0))
    return mean, np.repeat(mean[None], R, axis=0)
