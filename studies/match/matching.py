"""From tables to matches: which twins explain each model at each setting, and what they predict.

    forecast table   setting  method    N   role      accuracy  predicted  low    high   status
                     120      majority  16  held_out  0.959     0.957      0.944  0.968  ok
    settings table   setting  n  d   k  sigma_eps  t  weight
                     120      4  10  1  0.5        8  0.31

Vote and best-of-N of a setting are explained together, by the same twins.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from results import BadInput, kind_of, read_curves, read_samples
from results.commandline import progress
from results.tables.key import Key
from results.tables.status import Status
from results.votes.curves import curves_and_votes
from results.votes.exact import answer_pools
from results.words.names import curves_name, setting_name
from studies.match.exam import STEPS, Exam, Twin, candidates, shares, sit
from studies.match.likelihood import LEAST_P, Curve, Fit, Prediction, predict, weigh
from synthetic.model.settings import BinarySetting, check_count
from synthetic.model.tasks import Array

PREDICTOR = "twin"
MOST_ANSWERS = 1024
"""Rows with more answers than this are left out, as every task of the exam gives that many."""
KEPT = 0.999
"""The share of a fit's weight for which twins predict the rest of the curve."""
GROUP = ["source", "dataset", "model", "setting"]
Shares = dict[tuple[str, ...], Array]


@dataclass(frozen=True)
class Match:
    """One model at one setting: its `rows` of the curves table, and the twins that explain them.

    `fit` weighs all candidates. `twins` are those that carry KEPT of the weight, `weights` theirs, scaled to
    sum 1. `shares` (questions, 2) are the model's p and Δ of every question, where its samples are known.
    """

    names: tuple[str, ...]
    rows: pd.DataFrame
    curve: Curve
    fit: Fit
    twins: Sequence[Twin]
    weights: Array
    prediction: Prediction
    fit_max_n: int
    shares: Array | None = None

    @property
    def name(self) -> str:
        """Model, dataset and setting in words."""
        source, dataset, model, setting = self.names
        name = curves_name(Key(source, dataset, model))
        return name if setting == "default" else f"{name}, {setting_name(source, setting)}"

    @property
    def fits(self) -> bool:
        """Whether chance explains the misfit of the likeliest twin."""
        return self.fit.p_value >= LEAST_P

    @property
    def twin_shares(self) -> tuple[Array, Array]:
        """p and Δ of the tasks of the twins, (tasks, 2), and each one's weight."""
        weights = np.repeat(self.weights, [len(twin.shares) for twin in self.twins])
        return np.concatenate([twin.shares for twin in self.twins]), weights / weights.sum()


def read_tables(paths: Sequence[Path]) -> tuple[pd.DataFrame, Shares]:
    """The exact rows of all curves, and p and Δ of every question of the groups that came as samples.

    Warns of rows above MOST_ANSWERS. Raises BadInput where nothing can be matched.
    """
    tables, found = [], {}
    for path in paths:
        if kind_of(path) == "samples":
            samples = read_samples(path, texts=False)
            samples = samples.assign(source=samples["source"].fillna("llm") if "source" in samples else "llm")
            tables.append(curves_and_votes(samples, permutations=0, most=True)[0])
            for names, part in samples[samples["decoding"] == "sample"].groupby(GROUP, sort=False):
                found[tuple(map(str, names))] = shares(answer_pools(part).counts())
        else:
            tables.append(read_curves(path))
    curves = pd.concat(tables, ignore_index=True)
    curves = curves.reindex(columns=list(dict.fromkeys([*curves.columns, "accuracy", "stderr", "questions"])))
    curves = curves[curves["permutation"].eq("exact") & curves["method"].isin(["majority", "best_of_n"])]
    curves = curves[curves["accuracy"].notna()]
    named = ", ".join(map(str, paths))
    if curves.empty:
        raise BadInput(f"{named}: no exact accuracies of a majority vote or of best-of-N to match")
    if curves["questions"].isna().any():
        raise BadInput(
            f"{named}: some rows have no number of questions (column 'questions'), which the likelihood needs"
        )
    many = curves["N"] > MOST_ANSWERS
    if many.any():
        warnings.warn(f"{named}: {many.sum()} rows of N above {MOST_ANSWERS} are left out", stacklevel=2)
    return curves[~many], found


def match_all(
    curves: pd.DataFrame,
    known_shares: Shares,
    fit_max_n: int = 4,
    seed: int = 0,
    jobs: int = 1,
) -> list[Match]:
    """The match of every model at every setting of `curves`.

    All candidates take the exam for the fitted marks; only those with weight take it for the others, which
    cost more. Raises BadInput if nothing is left to fit.
    """
    check_count("jobs", jobs, high=1024)
    places = [(setting, t) for setting in candidates() for t in STEPS]
    groups = {tuple(map(str, names)): rows for names, rows in curves.groupby(GROUP, sort=False)}
    measured = {names: _curve(names, rows, fit_max_n) for names, rows in groups.items()}
    everyone = lru_cache(maxsize=1)(lambda exam: _all_sit(exam, places, seed, jobs))
    found = []
    for names, curve in measured.items():
        known = curve.up_to(fit_max_n)
        fit = weigh(known, everyone(Exam(known.pool, known.points)), fit_max_n)
        kept = sorted(heaviest(fit.weights, KEPT))
        twins = _all_sit(Exam(curve.pool, curve.points), [places[i] for i in kept], seed, jobs)
        weights = fit.weights[kept] / fit.weights[kept].sum()
        said = predict(curve, twins, weights, fit.wider, fit_max_n, seed)
        rest = fit, twins, weights, said, fit_max_n, known_shares.get(names)
        found.append(Match(names, groups[names], curve, *rest))
    return found


def _all_sit(exam: Exam, places: Sequence[tuple[BinarySetting, int]], seed: int, jobs: int) -> list[Twin]:
    """The twins of every setting and t, ordered by setting."""
    from joblib import Parallel, delayed  # type: ignore[import-untyped]

    steps: dict[BinarySetting, tuple[int, ...]] = {}
    for setting, t in places:
        steps[setting] = (*steps.get(setting, ()), t)
    calls = (delayed(sit)(exam, setting, ts, seed) for setting, ts in steps.items())
    sat = Parallel(n_jobs=jobs, return_as="generator", batch_size=10)(calls)
    shown = progress(" settings", sat, total=len(steps))
    return [twin for twins in shown for twin in twins]


def heaviest(weights: Array, share: float) -> list[int]:
    """The indices of the fewest weights that carry `share` of their sum, heaviest first."""
    order = np.argsort(-weights, kind="stable")
    places: list[int] = order[: int(np.searchsorted(np.cumsum(weights[order]), share)) + 1].tolist()
    return places


def _curve(names: tuple[str, ...], rows: pd.DataFrame, fit_max_n: int) -> Curve:
    questions, least = int(rows["questions"].min()), rows["N"].min()
    if least > fit_max_n:
        raise BadInput(
            f"{'/'.join(names[1:])}: the smallest N is {least}, so nothing is left to fit up to {fit_max_n}"
        )
    one = rows[rows["N"] == 1].head(1)
    # of the mean's standard error, back to the questions
    square = one["accuracy"] ** 2 + (questions - 1) * one["stderr"] ** 2
    return Curve(
        points=tuple(zip(rows["method"], rows["N"].tolist(), strict=True)),
        accuracy=rows["accuracy"].to_numpy(np.float64),
        square=float(square.sum(min_count=1)),
        questions=questions,
        pool=int(rows["N"].max()),
    )


def forecast_table(matches: Sequence[Match]) -> pd.DataFrame:
    """The forecast table of predictor "twin"."""
    tables = [
        match.rows.assign(
            predictor=PREDICTOR,
            role=np.where(match.rows["N"] <= match.fit_max_n, "used", "held_out"),
            predicted=match.prediction.predicted,
            low=match.prediction.low,
            high=match.prediction.high,
            status=Status.OK if match.fits else Status.POOR_FIT,
        )
        for match in matches
    ]
    return pd.concat(tables, ignore_index=True)


def settings_table(matches: Sequence[Match], share: float = 0.99) -> pd.DataFrame:
    """The table of twins that carry `share` of each match's weight, likeliest first."""
    rows = []
    for match in matches:
        for i in heaviest(match.weights, share):
            twin = match.twins[i]
            one = twin.setting
            rows.append((*match.names, one.n, one.d, one.k, one.sigma_eps, twin.t, match.weights[i]))
    return pd.DataFrame(rows, columns=[*GROUP, "n", "d", "k", "sigma_eps", "t", "weight"])
