"""What a match found, in sentences: of each curve, of each model's settings together, of all.

Does the twin explain the model? 1 of 6 curves are explained; at larger N: majority vote 0.7 points off …
"""

from collections.abc import Sequence

import numpy as np

from results.figures.words import METHOD_NAMES, curves_name
from synthetic.match.exam import STEPS
from synthetic.match.likelihood import LEAST_P
from synthetic.match.matching import Match
from synthetic.model.tasks import Array

CLOSE = 0.01
"""Our choice: a curve is explained if the points not fitted are predicted to one point on average."""


def verdict(match: Match) -> str:
    """Whether the twin explains one model at one setting, with the numbers, in one sentence."""
    said, fit, held = match.prediction, match.fit, match.role == "held_out"
    chance = f"χ² {fit.misfit:.1f} on {fit.fitted}, p = {fit.p_value:.2g}"
    told = f"{match.name}: {short_verdict(match)} (N up to {match.fit_max_n}: {chance}"
    if not held.any():
        return told + ")"
    inside = (said.low <= match.curve.accuracy) & (match.curve.accuracy <= said.high)
    return f"{told}; beyond: {_errors([match])}; {inside[held].sum()} of {held.sum()} in the 90 % interval)"


def short_verdict(match: Match) -> str:
    """explained: no misfit at the fitted N, and every method predicted to CLOSE on average at the others."""
    if match.fit.p_value < LEAST_P:
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
            log10 = common_odds([match.fit.weights for match in several], len(STEPS))
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
        missed = abs(match.prediction.predicted - match.curve.accuracy)
        for method in METHOD_NAMES:
            asked = (match.role == "held_out") & (match.rows["method"] == method).to_numpy()
            if asked.any():
                found.setdefault(method, []).append(missed[asked])
    return {method: np.concatenate(parts) for method, parts in found.items()}


def _errors(matches: Sequence[Match]) -> str:
    """ "majority vote 0.7 points off (at most 1.9), best of N 2.7 points off (at most 11.8)"."""
    return ", ".join(
        f"{METHOD_NAMES[method]} {100 * missed.mean():.1f} points off (at most {100 * missed.max():.1f})"
        for method, missed in held_out_errors(matches).items()
    )
