"""Sentences on the result of a match: for each curve, for all settings of a model, and overall.

Does the twin explain the model? It fits 6 of 6 curves up to N = 4; beyond, 43 of 48 points are in its …
"""

from collections.abc import Sequence
from math import comb

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from results.tables.key import Key
from results.words.names import METHOD_NAMES, curves_name
from studies.match import exam
from studies.match.exam import STEPS
from studies.match.matching import GROUP, Match, forecast_table
from synthetic.model.tasks import Array


def fit_words(match: Match) -> str:
    """ "fits N up to 4 (χ² 4.8 on 6, p = 0.57)"."""
    fit = match.fit
    chance = f"χ² {fit.misfit:.1f} on {fit.fitted}, p = {fit.p_value:.2g}"
    return f"{'fits' if match.fits else 'misfits'} N up to {match.fit_max_n} ({chance})"


def verdict(match: Match) -> str:
    """How well the twin explains one model at one setting, with the numbers, in one sentence."""
    return f"{match.name}: {fit_words(match)}{beyond([match])}"


def answer(matches: Sequence[Match]) -> str:
    """Does the twin explain the model? One sentence over all matches."""
    fit = sum(match.fits for match in matches)
    told = f"It fits {fit} of {len(matches)} curves up to N = {matches[0].fit_max_n}{beyond(matches)}."
    return f"Does the twin explain the model? {told}"


def beyond(matches: Sequence[Match]) -> str:
    """ "; beyond, 23 of 24 points are in its 90 % intervals (± 4.1), majority vote 2.8 points off …"."""
    table = forecast_table(matches)
    table = table[table["role"] == "held_out"]
    if table.empty:
        return ""
    missed = 100 * (table["predicted"] - table["accuracy"]).abs()
    inside = table["accuracy"].between(table["low"], table["high"]).sum()
    half = 50 * (table["high"] - table["low"]).mean()
    errors = missed.groupby(table["method"].map(METHOD_NAMES), sort=False).agg(["mean", "max"])
    told = [f"{name} {mean:.1f} points off (at most {most:.1f})" for name, mean, most in errors.itertuples()]
    within = f"{inside} of {len(table)} points are in its 90 % intervals (± {half:.1f})"
    return f"; beyond, {within}, {', '.join(told)}"


def one_twin(matches: Sequence[Match]) -> list[str]:
    """For each model with several settings: can one twin, with only t changing, explain all of them?

    The odds are of one common (n, d, k, σ_ε) against one for each setting, with all twins equally likely a
    priori: the mean over the K candidates of Π K·P(candidate | curve). They assume that the settings' answers
    are independent. The likeliest common twin is named with its likeliest t at each setting.
    """
    told = []
    for several in _by_model(matches):
        weights = _weights(several)
        likeliest, at = common_twin(weights)
        one = exam.candidates()[likeliest]
        steps = ", ".join(str(STEPS[step]) for step in at)
        name = curves_name(Key(*several[0].names[:3]))
        told.append(
            f"{name}: one twin at its {len(several)} settings, t alone changing, is "
            f"{_times(common_odds(weights))} likely than one twin each; the likeliest one (n = {one.n}, "
            f"d = {one.d}, k = {one.k}, σ_ε = {one.sigma_eps:g}) has t = {steps}"
        )
        tokens = [float(match.rows["tokens_per_answer"].mean()) for match in several]
        if np.isfinite(tokens).all():
            told.append(f"{name}: {rising_words(weights, np.array(tokens))}")
    return told


def rising_words(weights: Array, tokens: Array) -> str:
    """The remaining odds if t must rise with `tokens` (curves,), for one twin and for one each.

    Any twin improves with t, and a model with tokens, so ordered t are no evidence: both must have them.
    """
    order = np.argsort(tokens, kind="stable")
    weights, tokens = weights[order], tokens[order]
    in_order = int((np.diff(weights.argmax(axis=2), axis=0) >= 0).all(axis=0).sum())
    one, each = rising_odds(weights), rising_odds(weights.sum(axis=1, keepdims=True))
    in_proportion = proportional_odds(weights, tokens)
    return (
        f"the likeliest t of {in_order} of {weights.shape[1]} twins are in the order of tokens; with t free "
        f"to rise, one twin is {_times(one - each)} likely than one each, and t in proportion to tokens "
        f"{_times(in_proportion - one)} than t free to rise"
    )


def _times(log10: float) -> str:
    return f"10^{abs(log10):.1f} times {'more' if log10 > 0 else 'less'}"


def rising_odds(weights: Array) -> float:
    """log₁₀ of the mean over candidates and over all t that do not fall of Π K·S·weight over the curves."""
    total, *others = _logs(weights)
    for curve in others:
        total = curve + np.logaddexp.accumulate(total, axis=1)
    curves, candidates, steps = weights.shape
    return _log10_mean(total, candidates * comb(steps + curves - 1, curves))


def proportional_odds(weights: Array, tokens: Array) -> float:
    """The same over t nearest to tokens/c, with log c uniform from where all t are last to all first."""
    log_t, log_steps = np.log(tokens), np.log(STEPS)
    pace = np.linspace(log_t.min() - log_steps[-1], log_t.max() - log_steps[0], 100_001)
    nearest = np.stack([abs(one - pace[:, None] - log_steps).argmin(axis=1) for one in log_t])
    paths, often = np.unique(nearest, axis=1, return_counts=True)  # (curves, paths)
    on_path = _logs(weights)[np.arange(len(tokens))[:, None], :, paths].sum(axis=0)  # (paths, candidates)
    return _log10_mean(on_path + np.log(often)[:, None], often.sum() * on_path.shape[1])


def _logs(weights: Array) -> Array:
    """log K·S·weight: the likelihood of each curve over its mean, (curves, candidates, steps)."""
    _, candidates, steps = weights.shape
    return np.asarray(np.log(np.maximum(weights * candidates * steps, 1e-300)))


def _log10_mean(logs: Array, count: int) -> float:
    return float((np.logaddexp.reduce(logs, axis=None) - np.log(count)) / np.log(10))


def with_steps(matches: Sequence[Match]) -> pd.DataFrame:
    """The forecast table, with the result for each setting of one twin for all settings of a model.

    `twin_t` is its likeliest t there, `twin_odds` log₁₀ of its odds against a twin for each setting; both are
    missing where a model has one setting only.
    """
    table = forecast_table(matches)
    at = pd.MultiIndex.from_frame(table[GROUP].astype(str))
    steps, odds = {}, {}
    for several in _by_model(matches):
        weights = _weights(several)
        for match, step in zip(several, common_twin(weights)[1], strict=True):
            steps[match.names], odds[match.names] = float(STEPS[step]), common_odds(weights)
    if not steps:
        return table
    return table.assign(
        twin_t=[steps.get(one, np.nan) for one in at], twin_odds=[odds.get(one, np.nan) for one in at]
    )


def _by_model(matches: Sequence[Match]) -> list[list[Match]]:
    """The matches of each model and dataset with several settings."""
    models: dict[tuple[str, ...], list[Match]] = {}
    for match in matches:
        models.setdefault(match.names[:3], []).append(match)
    return [several for several in models.values() if len(several) > 1]


def _weights(several: Sequence[Match]) -> Array:
    """The weights of all candidates at all t for each of several settings: (settings, candidates, steps)."""
    return np.stack([match.fit.weights.reshape(-1, len(STEPS)) for match in several])


def common_odds(weights: Array) -> float:
    """log₁₀ of the odds of one twin, from weights (curves, candidates, steps) that sum to 1 per curve."""
    logs = _log_likelihoods(weights)
    return float((np.logaddexp.reduce(logs) - np.log(len(logs))) / np.log(10))


def common_twin(weights: Array) -> tuple[int, NDArray[np.int64]]:
    """The likeliest candidate for all curves together, and the index of its likeliest t for each curve."""
    likeliest = int(_log_likelihoods(weights).argmax())
    return likeliest, weights[:, likeliest].argmax(axis=1)


def _log_likelihoods(weights: Array) -> Array:
    """log Π K·P(candidate | curve) over the curves, (candidates,)."""
    by_candidate = weights.sum(axis=2)
    shares = np.maximum(by_candidate * by_candidate.shape[1], 1e-300)
    total: Array = np.log(shares).sum(axis=0)
    return total
