"""Few questions of an expensive side with many of a cheap one: coverage and value of the combination.

Simulated: 8 answers each to questions of normal difficulty; the cheap side answers eleven times as many, with
correlated difficulties. Real: the questions of a set are drawn with replacement, ten times as many for the
cheap side. Value: the mean squared error about the truth with the cheap side over that of the expensive side
alone, and the same ratio from the reported standard errors.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr

from results import as_samples
from results.normal import LEVEL
from results.paired.differences import mean_differences
from results.paired.powered import Powered, powered
from results.votes.exact import Floats, accuracy_by_question
from results.votes.setting import feasible, settings_of
from studies.promises.rows import Row, at_least, mean, ratio, share

RUNS, ANSWERS, TIMES = 1000, 8, 10
"""Runs per case, answers per question, and further questions as a multiple of the first."""

SPREAD, EASE = 1.5, 0.3
TRUE = float(ndtr(EASE / np.hypot(1, SPREAD)))


class World(NamedTuple):
    """The correlation of the sides' difficulties, the number of cheap sides, and questions per cluster."""

    name: str
    alike: float
    choices: int = 1
    cluster: int = 1


WORLDS = (
    World("no relation", 0.0),
    World("no relation, three to choose from", 0.0, 3),
    World("weak (.5)", 0.5),
    World("middling (.8), three equal to choose from", 0.8, 3),
    World("strong (.95)", 0.95),
    World("middling (.8), clusters of 5", 0.8, 1, 5),
)

AIME, OTIS = "boinf-{}-aime2425-80", "epoch_otis_mock_aime"
PAIRS = (
    ("BigGSM, GPT-3.5 at temperature .1 and .8", "gpt-3.5-turbo_biggsm_t0.1", "gpt-3.5-turbo_biggsm_t0.8"),
    ("AIME, qwen3-14b and nemotron-9b", AIME.format("qwen3-14b"), AIME.format("nemotron-9b-v2")),
    ("AIME, am-thinking and qwen3-4b", AIME.format("am-thinking-v1"), AIME.format("qwen3-4b")),
    ("AIME, am-thinking and datarus-14b", AIME.format("am-thinking-v1"), AIME.format("datarus-r1-14b")),
    ("OTIS, gpt-5.2 medium and gpt-5.1 medium", f"{OTIS}/5.2/medium", f"{OTIS}/5.1/medium"),
    ("OTIS, gpt-5.2 medium and gpt-5.1 low", f"{OTIS}/5.2/medium", f"{OTIS}/5.1/low"),
)
"""The expensive and the cheap side: a file, and for OTIS also a model and an effort."""

Drawn = tuple[Floats, Floats, list[str]]
"""The expensive side's accuracies (Q,), the cheap sides' (Q, J), and the clusters."""


def simulated(world: World, questions: int, rng: np.random.Generator) -> Drawn:
    """Simulate answers to a number of questions of a world."""
    groups = -(-questions // world.cluster)
    shared = np.repeat(rng.normal(size=groups), world.cluster)[:questions]
    own = rng.normal(size=questions)
    hard = own if world.cluster == 1 else np.sqrt(0.5) * (shared + own)
    noise = rng.normal(size=(questions, world.choices))
    cheap = world.alike * hard[:, None] + np.sqrt(1 - world.alike**2) * noise
    names = [f"c{place // world.cluster}" for place in range(questions)]
    sides = [rng.binomial(ANSWERS, ndtr(EASE + SPREAD * side)) / ANSWERS for side in (hard[:, None], cheap)]
    return sides[0][:, 0], sides[1], names


def told(dear: Floats, cheap: Floats, names: list[str], questions: int) -> tuple[Powered, Powered]:
    """The estimates from the expensive side's first questions, with all of the cheap side, and alone."""
    few, many = slice(None, questions), slice(questions, None)
    found = powered(dear[few], cheap[few], cheap[many], names[few], names[many])
    alone = mean_differences(dear[few, None], clusters=names[few])
    interval = type(found.interval)(alone.interval.low[0], alone.interval.high[0], alone.interval.level)
    return found, Powered(alone.mean[0], alone.stderr[0], interval, 1.0, found.slopes)


def row(case: str, questions: int, runs: list[tuple[Powered, Powered]], true: float) -> Iterator[Row]:
    """The measures of one line of the table."""
    found, alone = zip(*runs, strict=True)
    table, case = "a cheap side on ten times the questions", f"{case}, {questions} questions"
    inside = [[one.interval.low <= true <= one.interval.high for one in side] for side in (alone, found)]
    errors = [[(one.mean - true) ** 2 for one in side] for side in (alone, found)]
    variances = [[one.stderr**2 for one in side] for side in (alone, found)]
    yield Row(table, case, "alone held, %", *share(inside[0]))
    yield Row(table, case, "held, %", *share(inside[1]), at_least(LEVEL))
    yield Row(table, case, "bias, points", *mean([one.mean - true for one in found], 100), "= 0")
    yield Row(table, case, "variance, times that alone", *ratio(errors[1], errors[0]))
    yield Row(table, case, "as told", *ratio(variances[1], variances[0]))


def measured(times: float) -> Iterator[Row]:
    """Measure simulated worlds and the real sides in DATA_DIR; `times` multiplies RUNS."""
    runs = max(50, round(times * RUNS))
    yield from worlds(runs)
    yield from real(Path(os.environ["DATA_DIR"]) / "samples", runs)


def worlds(many: int) -> Iterator[Row]:
    """Measure every world at every size."""
    for world in WORLDS:
        for questions in (10, 20, 50) if world.cluster == 1 else (50, 100):
            rng = np.random.default_rng(questions)
            runs = []
            for _ in range(many):
                runs.append(told(*simulated(world, (1 + TIMES) * questions, rng), questions))
            yield from row(world.name, questions, runs, TRUE)


def real(folder: Path, many: int) -> Iterator[Row]:
    """Measure pairs of real sides with resampled questions."""
    for case, *sides in PAIRS:
        dear, cheap = (_by_question(folder, side) for side in sides)
        both = pd.concat([dear[4], cheap], axis=1, join="inner").to_numpy()
        for questions in (20, 50):
            rng = np.random.default_rng(questions)
            runs = []
            for _ in range(many):
                which = rng.integers(len(both), size=(1 + TIMES) * questions)
                names = list(map(str, range(len(which))))
                runs.append(told(both[which, 0], both[which, 1:], names, questions))
            yield from row(case, questions, runs, both[:, 0].mean())


def _by_question(folder: Path, side: str) -> pd.DataFrame:
    """The exact accuracy of each question by votes of 1, 2, 4, …."""
    file, _, which = side.partition("/")
    samples = pd.read_csv(folder / f"{file}.csv", dtype={"answer": str, "gold": str})
    if which:
        model, effort = which.split("/")
        samples = samples[samples["model"].str.contains(model, regex=False) & (samples["effort"] == effort)]
    (setting,) = settings_of(as_samples(samples))
    ns = feasible(setting, None)
    accuracy = accuracy_by_question(setting.pools.counts(), "majority", ns)
    return pd.DataFrame(accuracy, setting.pools.question_ids, ns)
