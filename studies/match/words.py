"""What a match found, in sentences: of each curve, of each model's settings together, of all.

Does the twin explain the model? It fits 6 of 6 curves up to N = 4; beyond, 43 of 48 points are in its …
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from results.figures.words import METHOD_NAMES, curves_name
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
    """For each model with several settings: can one twin, t alone changing, stand for all of them?

    The odds are those of one common (n, d, k, σ_ε) against one for each setting, every twin as likely as any
    other beforehand: the mean over the K candidates of Π K·P(candidate | curve). They take the settings'
    answers to be independent. The likeliest common twin is named with its likeliest t at each setting.
    """
    told = []
    for several in _by_model(matches):
        weights = _weights(several)
        log10 = common_odds(weights)
        words = "more" if log10 > 0 else "less"
        likeliest, at = common_twin(weights)
        one = exam.candidates()[likeliest]
        steps = ", ".join(str(STEPS[step]) for step in at)
        name = curves_name(*several[0].names[:3])
        told.append(
            f"{name}: one twin at its {len(several)} settings, t alone changing, is 10^{abs(log10):.1f} "
            f"times {words} likely than one twin each; the likeliest one (n = {one.n}, d = {one.d}, "
            f"k = {one.k}, σ_ε = {one.sigma_eps:g}) has t = {steps}"
        )
    return told


def with_steps(matches: Sequence[Match]) -> pd.DataFrame:
    """The forecast table, with what one twin for all settings of a model says of each of them.

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
    """The matches of each model on one dataset that has several settings."""
    models: dict[tuple[str, ...], list[Match]] = {}
    for match in matches:
        models.setdefault(match.names[:3], []).append(match)
    return [several for several in models.values() if len(several) > 1]


def _weights(several: Sequence[Match]) -> Array:
    """The weights of all candidates at all t for each of several settings: (settings, candidates, steps)."""
    return np.stack([match.fit.weights.reshape(-1, len(STEPS)) for match in several])


def common_odds(weights: Array) -> float:
    """log₁₀ of those odds, from the weights (curves, candidates, steps), which sum to 1 for each curve."""
    logs = _log_likelihoods(weights)
    return float((np.logaddexp.reduce(logs) - np.log(len(logs))) / np.log(10))


def common_twin(weights: Array) -> tuple[int, NDArray[np.int64]]:
    """The likeliest candidate for all curves together, and the place of its likeliest t at each of them."""
    likeliest = int(_log_likelihoods(weights).argmax())
    return likeliest, weights[:, likeliest].argmax(axis=1)


def _log_likelihoods(weights: Array) -> Array:
    """log Π K·P(candidate | curve) over the curves, (candidates,)."""
    by_candidate = weights.sum(axis=2)
    shares = np.maximum(by_candidate * by_candidate.shape[1], 1e-300)
    total: Array = np.log(shares).sum(axis=0)
    return total
