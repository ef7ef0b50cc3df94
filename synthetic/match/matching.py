"""From tables to matches: which twins explain each model at each setting, and what they predict.

    forecast table   setting  method    N   role      accuracy  predicted  low    high   status
                     120      majority  16  held_out  0.959     0.957      0.944  0.968  ok
    settings table   setting  n  d   k  sigma_eps  t  weight
                     120      4  10  1  0.5        8  0.31

Vote and best-of-N of a setting are explained together, by the same twins.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from tqdm import tqdm

from results import BadInput, build_curves, kind_of, read_curves, read_samples
from results.figures.words import METHOD_NAMES, curves_name, setting_name
from results.votes.exact import answer_pools
from synthetic.match.exam import STEPS, Exam, Twin, candidates, shares, sit
from synthetic.match.likelihood import LEAST_P, Curve, Explanation, explain
from synthetic.model.settings import BinarySetting, check_count
from synthetic.model.tasks import Array

PREDICTOR = "twin"
MOST_ANSWERS = 256
"""Rows of more answers than this are left out: the exam grows with the square of its pool."""
CLOSE = 0.01
"""Our choice: a curve is explained if the points not fitted are predicted to one point on average."""
GROUP = ["source", "dataset", "model", "setting"]


@dataclass(frozen=True)
class Match:
    """One model at one setting: its `rows` of the curves table, the twins and what they explain.

    `shares` (questions, 2) are the model's p and Δ of every question, where its samples are known.
    """

    names: tuple[str, str, str, str]
    rows: pd.DataFrame
    curve: Curve
    twins: Sequence[Twin]
    explained: Explanation
    fit_max_n: int
    shares: Array | None = None

    @property
    def name(self) -> str:
        """Model, dataset and setting in words."""
        source, dataset, model, setting = self.names
        name = curves_name(source, dataset, model)
        return name if setting == "default" else f"{name}, {setting_name(source, setting)}"

    @property
    def held_out(self) -> "pd.Series[bool]":
        """Which rows the fit did not see."""
        return self.rows["N"] > self.fit_max_n

    @property
    def twin_shares(self) -> tuple[Array, Array]:
        """p and Δ of the tasks of all twins, (tasks, 2), and each one's weight."""
        weights = np.repeat(self.explained.weights, [len(twin.shares) for twin in self.twins])
        return np.concatenate([twin.shares for twin in self.twins]), weights / weights.sum()


def read_tables(paths: Sequence[Path]) -> tuple[pd.DataFrame, dict[tuple[str, ...], Array]]:
    """The exact rows of all curves, and p and Δ of every question of the groups that came as samples.

    Raises BadInput where nothing can be matched.
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
    known = curves["permutation"].eq("exact") & curves["method"].isin(["majority", "best_of_n"])
    curves = curves[known & curves["accuracy"].notna() & (curves["N"] <= MOST_ANSWERS)]
    if curves.empty:
        raise BadInput(
            f"{', '.join(map(str, paths))}: no exact accuracies of a majority vote or of best-of-N to match"
        )
    if curves["questions"].isna().any():
        raise BadInput(
            f"{', '.join(map(str, paths))}: no number of questions in some rows (column 'questions'), and "
            "without it no likelihood"
        )
    return curves, found


def match_all(
    curves: pd.DataFrame,
    known_shares: dict[tuple[str, ...], Array],
    fit_max_n: int = 4,
    seed: int = 0,
    jobs: int = 1,
    progress: bool = False,
    grid: Sequence[BinarySetting] | None = None,
) -> list[Match]:
    """The match of every model at every setting of `curves`. Raises BadInput where nothing is left to fit."""
    check_count("jobs", jobs, high=1024)
    grid = candidates() if grid is None else grid
    groups = [(tuple(map(str, names)), rows) for names, rows in curves.groupby(GROUP, sort=False)]
    measured = [_curve(names, rows, fit_max_n) for names, rows in groups]
    exams = list(dict.fromkeys(Exam(curve.pool, curve.points) for curve in measured))
    with tqdm(
        total=len(exams) * len(grid), unit=" settings", delay=2, disable=None if progress else True
    ) as bar:
        twins = {exam: list(_sat(exam, grid, seed, jobs, bar)) for exam in exams}
    found = []
    for (names, rows), curve in zip(groups, measured, strict=True):
        known = twins[Exam(curve.pool, curve.points)]
        explained = explain(curve, known, fit_max_n, seed)
        shown = known_shares.get(names)
        found.append(Match(names, rows, curve, known, explained, fit_max_n, shown))  # type: ignore[arg-type]
    return found


def _sat(exam: Exam, grid: Sequence[BinarySetting], seed: int, jobs: int, bar: tqdm) -> Iterator[Twin]:  # type: ignore[type-arg]
    from joblib import Parallel, delayed  # type: ignore[import-untyped]

    calls = (delayed(sit)(exam, setting, seed) for setting in grid)
    for twins in Parallel(n_jobs=jobs, return_as="generator", batch_size=8)(calls):
        bar.update()
        yield from twins


def _curve(names: tuple[str, ...], rows: pd.DataFrame, fit_max_n: int) -> Curve:
    questions, ns = int(rows["questions"].min()), rows["N"].to_numpy(np.int64)
    if ns.min() > fit_max_n:
        raise BadInput(
            f"{'/'.join(names[1:])}: the least N is {ns.min()}, so nothing is left to fit up to {fit_max_n}"
        )
    one = rows[rows["N"] == 1].head(1)
    mean, error = one["accuracy"].to_numpy(np.float64), one["stderr"].to_numpy(np.float64)
    square = mean**2 + (questions - 1) * error**2  # of the mean's standard error, back to the questions
    return Curve(
        points=tuple(zip(rows["method"], ns.tolist(), strict=True)),
        accuracy=rows["accuracy"].to_numpy(np.float64),
        square=float(square[0]) if len(square) else float("nan"),
        questions=questions,
        pool=int(ns.max()),
    )


def forecast_table(matches: Sequence[Match]) -> pd.DataFrame:
    """The forecast table of predictor "twin", with the likeliest twin's setting and weight."""
    tables = []
    for match in matches:
        explained = match.explained
        best = int(explained.weights.argmax())
        tables.append(
            match.rows.assign(
                predictor=PREDICTOR,
                role=np.where(match.held_out, "held_out", "used"),
                predicted=explained.predicted,
                low=explained.low,
                high=explained.high,
                status=explained.status,
                **_fields(match.twins[best]),
                weight=explained.weights[best],
            )
        )
    return pd.concat(tables, ignore_index=True)


def settings_table(matches: Sequence[Match], share: float = 0.99) -> pd.DataFrame:
    """The twins that carry `share` of each match's weight, likeliest first."""
    rows = []
    for match in matches:
        weights = match.explained.weights
        order = np.argsort(-weights, kind="stable")
        kept = order[: int(np.searchsorted(np.cumsum(weights[order]), share)) + 1]
        named = dict(zip(GROUP, match.names, strict=True))
        rows += [{**named, **_fields(match.twins[i]), "weight": weights[i]} for i in kept]
    return pd.DataFrame(rows)


def _fields(twin: Twin) -> dict[str, float]:
    setting = twin.setting
    return {"n": setting.n, "d": setting.d, "k": setting.k, "sigma_eps": setting.sigma_eps, "t": twin.t}


def verdict(match: Match) -> str:
    """Whether the twin explains one model at one setting, with the numbers, in one sentence."""
    explained, held = match.explained, match.held_out.to_numpy()
    chance = f"χ² {explained.misfit:.1f} on {explained.fitted}, p = {explained.p_value:.2g}"
    said = f"{match.name}: {short_verdict(match)} (N up to {match.fit_max_n}: {chance}"
    if not held.any():
        return said + ")"
    inside = (explained.low <= match.curve.accuracy) & (match.curve.accuracy <= explained.high)
    return f"{said}; beyond: {_errors([match])}; {inside[held].sum()} of {held.sum()} in the 90 % interval)"


def short_verdict(match: Match) -> str:
    """explained: no misfit at the fitted N, and every method predicted to CLOSE on average at the others."""
    if match.explained.p_value < LEAST_P:
        return "not explained"
    errors = held_out_errors([match])
    if not errors:
        return "fitted"
    worst = max(missed.mean() for missed in errors.values())
    return "explained" if worst <= CLOSE else "fitted, but not predicted"


def answer(matches: Sequence[Match]) -> str:
    """Does the twin explain the model? One sentence over all matches."""
    count = [short_verdict(match) for match in matches].count("explained")
    beyond = _errors(matches)
    told = f"; at larger N: {beyond}" if beyond else ""
    return f"Does the twin explain the model? {count} of {len(matches)} curves are explained{told}."


def one_twin(matches: Sequence[Match]) -> list[str]:
    """For each model with several settings: can one twin, t alone changing, stand for all of them?

    The odds are those of one common (n, d, k, σ_ε) against one for each setting, every twin as likely as any
    other beforehand: the mean over the K candidates of Π K·P(candidate | curve).
    """
    models: dict[str, list[Match]] = {}
    for match in matches:
        models.setdefault(curves_name(*match.names[:3]), []).append(match)
    told = []
    for name, several in models.items():
        if len(several) > 1:
            log10 = common_odds([match.explained.weights for match in several], len(STEPS))
            words = "more" if log10 > 0 else "less"
            told.append(
                f"{name}: one twin at its {len(several)} settings, t alone changing, is 10^{abs(log10):.1f} "
                f"times {words} likely than one twin each"
            )
    return told


def common_odds(weights: Sequence[Array], steps: int) -> float:
    """log₁₀ of those odds, from each curve's weights (candidates × steps, the t of a candidate in a row)."""
    by_candidate = np.stack([one.reshape(-1, steps).sum(axis=1) for one in weights])
    logs = np.log(np.maximum(by_candidate * by_candidate.shape[1], 1e-300)).sum(axis=0)
    return float((np.logaddexp.reduce(logs) - np.log(len(logs))) / np.log(10))


def held_out_errors(matches: Sequence[Match]) -> dict[str, Array]:
    """How far off the predictions are at the N that were not fitted, by method."""
    found: dict[str, list[Array]] = {}
    for match in matches:
        missed = abs(match.explained.predicted - match.curve.accuracy)
        for method in METHOD_NAMES:
            asked = (match.held_out & (match.rows["method"] == method)).to_numpy()
            if asked.any():
                found.setdefault(method, []).append(missed[asked])
    return {method: np.concatenate(parts) for method, parts in found.items()}


def _errors(matches: Sequence[Match]) -> str:
    """ "majority vote 0.7 points off (at most 1.9), best of N 2.7 points off (at most 11.8)"."""
    return ", ".join(
        f"{METHOD_NAMES[method]} {100 * missed.mean():.1f} points off (at most {100 * missed.max():.1f})"
        for method, missed in held_out_errors(matches).items()
    )
