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
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from tqdm import tqdm

from results import BadInput, build_curves, kind_of, read_curves, read_samples
from results.figures.words import curves_name, setting_name
from results.tables.status import Status
from results.votes.exact import answer_pools
from synthetic.match.exam import STEPS, Exam, Twin, candidates, shares, sit
from synthetic.match.likelihood import LARGEST_SPREAD, LEAST_P, Curve, Fit, Prediction, predict, weigh
from synthetic.model.settings import BinarySetting, check_count
from synthetic.model.tasks import Array

PREDICTOR = "twin"
MOST_ANSWERS = 1024
"""Rows of more answers than this are left out: the exam's tasks give as many answers each."""
KEPT = 0.999
"""The share of a fit's weight whose twins predict the rest of the curve."""
GROUP = ["source", "dataset", "model", "setting"]
SAME_AT_EVERY_N = ("method", "permutation", "T", "tokens_per_answer", "questions")
Shares = dict[tuple[str, ...], Array]


@dataclass(frozen=True)
class Match:
    """One model at one setting: its `rows` of the curves table, and what which twins explain of them.

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
        name = curves_name(source, dataset, model)
        return name if setting == "default" else f"{name}, {setting_name(source, setting)}"

    @property
    def role(self) -> NDArray[np.str_]:
        """Of each row: used, held_out, or forecast where nothing was measured."""
        beyond = np.where(self.rows["accuracy"].isna(), "forecast", "held_out")
        return np.where(self.rows["N"] <= self.fit_max_n, "used", beyond)

    @property
    def status(self) -> list[str]:
        """Of each row, in the words of forecast tables."""
        if self.fit.p_value < LEAST_P:
            return [Status.POOR_FIT] * len(self.rows)
        return [Status.BOUND_HIT if wide else Status.OK for wide in self.prediction.spread > LARGEST_SPREAD]

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
            tables.append(build_curves(samples, permutations=0, checked=True))
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
            f"{named}: no number of questions in some rows (column 'questions'), and without it no likelihood"
        )
    many = curves["N"] > MOST_ANSWERS
    if many.any():
        warnings.warn(f"{named}: {many.sum()} rows of N above {MOST_ANSWERS} are left out", stacklevel=2)
    return curves[~many], found


def match_all(
    curves: pd.DataFrame,
    known_shares: Shares,
    fit_max_n: int = 4,
    at_n: Sequence[int] = (),
    seed: int = 0,
    jobs: int = 1,
    progress: bool = False,
    grid: Sequence[BinarySetting] | None = None,
) -> list[Match]:
    """The match of every model at every setting of `curves`; `at_n` asks for more N.

    All candidates sit for the marks fitted, and only those that carry weight for the others, which cost
    more. Raises BadInput where nothing is left to fit.
    """
    check_count("jobs", jobs, high=1024)
    for n in at_n:
        check_count("at-n", n, high=MOST_ANSWERS)
    grid = candidates() if grid is None else grid
    groups = {tuple(map(str, names)): rows for names, rows in curves.groupby(GROUP, sort=False)}
    groups = {names: _asked(rows, at_n) for names, rows in groups.items()}
    measured = {names: _curve(names, rows, fit_max_n) for names, rows in groups.items()}
    by_exam: dict[tuple[Exam, Exam], list[tuple[str, ...]]] = {}
    for names, curve in measured.items():
        first = Exam(curve.pool, curve.up_to(fit_max_n).points)
        by_exam.setdefault((first, Exam(curve.pool, curve.points)), []).append(names)
    found = {}
    for (first, whole), members in by_exam.items():
        places = [(setting, t) for setting in grid for t in STEPS]
        twins = _sat(first, places, seed, jobs, progress)
        fits = {names: weigh(measured[names].up_to(fit_max_n), twins, fit_max_n) for names in members}
        kept = {names: sorted(heaviest(fit.weights, KEPT)) for names, fit in fits.items()}
        every = sorted(set(chain.from_iterable(kept.values())))
        again = dict(zip(every, _sat(whole, [places[i] for i in every], seed, jobs, progress), strict=True))
        for names in members:
            mine, weights = [again[i] for i in kept[names]], fits[names].weights[kept[names]]
            weights = weights / weights.sum()
            said = predict(measured[names], mine, weights, fits[names].wider, fit_max_n, seed)
            found[names] = Match(
                names, groups[names], measured[names], fits[names], mine, weights, said, fit_max_n,
                known_shares.get(names),
            )  # fmt: skip
    return [found[names] for names in groups]


def _sat(
    exam: Exam, places: Sequence[tuple[BinarySetting, int]], seed: int, jobs: int, progress: bool
) -> list[Twin]:
    """The twin of every setting and t, those of a setting together."""
    from joblib import Parallel, delayed  # type: ignore[import-untyped]

    steps: dict[BinarySetting, tuple[int, ...]] = {}
    for setting, t in places:
        steps[setting] = (*steps.get(setting, ()), t)
    calls = (delayed(sit)(exam, setting, ts, seed) for setting, ts in steps.items())
    sat = Parallel(n_jobs=jobs, return_as="generator", batch_size=10)(calls)
    shown = tqdm(sat, total=len(steps), unit=" settings", delay=2, disable=None if progress else True)
    return [twin for twins in shown for twin in twins]


def heaviest(weights: Array, share: float) -> list[int]:
    """The places of the fewest weights that carry `share` of their sum, heaviest first."""
    order = np.argsort(-weights, kind="stable")
    places: list[int] = order[: int(np.searchsorted(np.cumsum(weights[order]), share)) + 1].tolist()
    return places


def _asked(rows: pd.DataFrame, at_n: Sequence[int]) -> pd.DataFrame:
    """The rows of one group, and a row without an accuracy for each N of `at_n` that was not measured."""
    same = [name for name in (*GROUP, *SAME_AT_EVERY_N) if name in rows]
    new = [
        known[same].tail(1).merge(pd.DataFrame({"N": sorted(set(at_n) - set(known["N"]))}), how="cross")
        for _, known in rows.groupby("method", sort=False)
    ]
    return pd.concat([rows, *new], ignore_index=True) if at_n else rows


def _curve(names: tuple[str, ...], rows: pd.DataFrame, fit_max_n: int) -> Curve:
    known = rows.dropna(subset=["accuracy"])
    questions, least = int(known["questions"].min()), known["N"].min()
    if least > fit_max_n:
        raise BadInput(
            f"{'/'.join(names[1:])}: the least N is {least}, so nothing is left to fit up to {fit_max_n}"
        )
    one = known[known["N"] == 1].head(1)
    mean, error = one["accuracy"].to_numpy(np.float64), one["stderr"].to_numpy(np.float64)
    square = mean**2 + (questions - 1) * error**2  # of the mean's standard error, back to the questions
    return Curve(
        points=tuple(zip(rows["method"], rows["N"].tolist(), strict=True)),
        accuracy=rows["accuracy"].to_numpy(np.float64),
        square=float(square[0]) if len(square) else float("nan"),
        questions=questions,
        pool=int(known["N"].max()),
    )


def forecast_table(matches: Sequence[Match]) -> pd.DataFrame:
    """The forecast table of predictor "twin", with the likeliest twin's setting and weight."""
    tables = []
    for match in matches:
        said, best = match.prediction, int(match.weights.argmax())
        tables.append(
            match.rows.assign(
                predictor=PREDICTOR,
                role=match.role,
                predicted=said.predicted,
                low=said.low,
                high=said.high,
                status=match.status,
                **_fields(match.twins[best]),
                weight=match.weights[best],
            )
        )
    return pd.concat(tables, ignore_index=True)


def settings_table(matches: Sequence[Match], share: float = 0.99) -> pd.DataFrame:
    """The twins that carry `share` of each match's weight, likeliest first."""
    rows = [
        {**dict(zip(GROUP, match.names, strict=True)), **_fields(match.twins[i]), "weight": match.weights[i]}
        for match in matches
        for i in heaviest(match.weights, share)
    ]
    return pd.DataFrame(rows)


def _fields(twin: Twin) -> dict[str, float]:
    setting = twin.setting
    return {"n": setting.n, "d": setting.d, "k": setting.k, "sigma_eps": setting.sigma_eps, "t": twin.t}
