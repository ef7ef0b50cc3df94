"""The mixture from curves alone: its population is fitted to the points of each setting's curve.

    vote at N = 1, 2, 4, 8: 0.50 0.50 0.55 0.58, fitted 0.64 at N = 64   ->   0.61, 90 % 0.58 … 0.64

A curve is a mean over questions: Σ_k w_k f_N(k) over the atoms k of the mixture (for best-of-N: over rates).
Their weights, with the prior that the fit to answers has, are fitted to the points by least squares; the
interval holds what the points leave open of the weights and how far the fit was off at points left out
(`model_error`). A curve does not show which questions are close calls, so of a vote any share of the
rise beyond the last point is equally likely: half of it is forecast (errors: docs/forecasting/evidence.md).
"""

from dataclasses import replace

import numpy as np
from scipy.optimize import least_squares
from scipy.special import softmax

from predict.answers import prior
from predict.answers.atom_votes import vote_table
from predict.answers.best_of_n import CENTRE, best_of_n_by_rate, rate_laws
from predict.curves.alarm import SURE, falling, loose
from predict.curves.calibration import luck_share, model_error
from predict.curves.intervals import SHARED, replicates_of
from predict.curves.new_settings import spread_out
from predict.estimate import Estimate, Options, Status, everywhere, from_draws, more_severe
from predict.evidence.points import Evidence, Floats, Ints, Points
from results.normal import Z90
from results.paper_fits import POOR_FIT

UNKNOWN = 0.01
"""Standard error of a curve point where the table has none."""

STEP = 1e-5
"""Half the distance of the two curves that give a slope, in prior standard deviations."""


def vote_tables(N: Ints) -> Floats:
    """The vote's accuracy by atom, shape (ATOMS, len(N))."""
    return np.stack([vote_table(int(n)) for n in N], axis=1)


def vote_weights(x: Floats) -> Floats:
    """The weights of the atoms at α = x in prior standard deviations."""
    return np.asarray(softmax(prior.base() + prior.features() @ x / np.sqrt(prior.RIDGE)))


def vote_slopes(x: Floats) -> Floats:
    """The slopes of `vote_weights` along x, shape (ATOMS, len(x))."""
    weights, features = vote_weights(x), prior.features() / np.sqrt(prior.RIDGE)
    return np.asarray(weights[:, None] * (features - weights @ features))


def rate_slopes(x: Floats) -> Floats:
    """The slopes of `rate_laws` along x by central differences, shape (rates, len(x))."""
    steps = STEP * np.eye(len(x))
    return np.asarray((rate_laws(x + steps) - rate_laws(x - steps)).T / (2 * STEP))


LAWS = {
    "majority": (vote_tables, vote_weights, vote_slopes),
    "best_of_n": (best_of_n_by_rate, rate_laws, rate_slopes),
}
"""By method: accuracy at N by atom, the weights at x ~ N(0, 1), and their slopes."""


def from_curves(observed: Evidence, targets: Points, options: Options) -> Estimate:
    """Forecast observed settings by `along_n` and all others by `along_T`; observed points are kept."""
    copies = replicates_of(observed, options.replicates, options.seed)
    mean, these, status = _drawn(observed, copies, targets, options, new=False)
    _, new, _ = _drawn(observed, copies, targets, options, new=True)
    note = "the mixture needs samples; from curves it goes by the points of each curve, and by a law along T"
    return from_draws(mean, these, new, status, options.level, notes=(note,))


def _drawn(
    observed: Evidence, copies: Floats, targets: Points, options: Options, new: bool
) -> tuple[Floats, Floats, np.ndarray]:
    settings = observed.points.settings()
    N, R = np.unique(targets.N), len(copies)
    grid = Points.grid(dict(settings), N)
    value, open_yet, drawn = along_n(observed, grid, replace(options, replicates=R))
    status = more_severe(open_yet, falling(observed, grid))

    def again(points: Points, accuracy: Floats, at: Points) -> Floats:
        unknown = np.full(len(points), np.nan)
        return along_n(Evidence(points, accuracy, unknown, method=observed.method), at, Options())[0]

    luck = np.random.default_rng([options.seed, 1]).standard_normal((R, 1))
    drawn += model_error(observed, grid, again) * luck
    own, common = drawn.var(axis=0) if R else np.full(len(grid), UNKNOWN**2), np.zeros(len(grid))
    keep = 1.0 if new else np.sqrt(luck_share(observed))
    shared = observed.accuracy + keep * (copies - observed.accuracy)
    places = {place: at for at, place in enumerate(observed.points.places())}
    for i, place in enumerate(grid.places()):
        last = np.flatnonzero(observed.points.setting == place[0])[-1]
        j = places.get(place, int(last))
        variance = np.nan_to_num(observed.stderr[j], nan=UNKNOWN) ** 2
        common[i] = SHARED * variance * new
        if place in places:
            value[i], status[i], own[i] = observed.accuracy[j], Status.OK, (1 - SHARED) * variance
            drawn[:, i] = shared[:, j]
        elif new:
            drawn[:, i] += np.sqrt(SHARED) * (copies[:, j] - observed.accuracy[j])
    table = (len(settings), len(N))
    mean, draws = np.empty(len(targets)), np.empty((R, len(targets)))
    at_target = everywhere(Status.OK, len(targets))
    seen = np.isin(targets.setting, [name for name, _ in settings])
    index = {place: i for i, place in enumerate(grid.places())}
    at = [index[place] for place in targets[seen].places()]
    mean[seen], at_target[seen], draws[:, seen] = value[at], status[at], drawn[:, at]
    mean[~seen], at_target[~seen], (draws[:, ~seen], _) = spread_out(
        np.array([T for _, T in settings]), N, value.reshape(table), own.reshape(table),
        np.stack(2 * [common.reshape(table)]), targets[~seen], replace(options, replicates=R),
    )  # fmt: skip
    return mean, np.clip(draws, 0.0, 1.0), at_target


def along_n(observed: Evidence, targets: Points, options: Options) -> tuple[Floats, np.ndarray, Floats]:
    """Mean and status (M,) at observed settings, and draws (R, M) of what their points leave open."""
    rng = np.random.default_rng(options.seed)
    mean, draws = np.empty(len(targets)), np.empty((options.replicates, len(targets)))
    status = everywhere(Status.OK, len(targets))
    for name, _ in observed.points.settings():
        part, here = observed.points.setting == name, targets.setting == name
        ns, accuracy = observed.points.N[part], observed.accuracy[part]
        stderr = np.nan_to_num(observed.stderr[part], nan=UNKNOWN)
        noise = np.maximum(np.sqrt(1 - SHARED) * stderr, SURE)
        asked = np.concatenate([ns, targets.N[here]])
        values, spread = fit_curve(ns, accuracy, noise, observed.method, asked)
        far = np.sqrt(np.mean((values[: len(ns)] - accuracy) ** 2)) > POOR_FIT
        fitted, spread = values[len(ns) :], spread[len(ns) :]
        unsure = np.sqrt((spread**2).sum(axis=1))
        mean[here] = fitted
        draws[:, here] = fitted + rng.standard_normal((options.replicates, spread.shape[1])) @ spread.T
        if observed.method == "majority":
            last = accuracy[np.maximum(np.searchsorted(ns, targets.N[here], side="right") - 1, 0)]
            mean[here] = (last + fitted) / 2
            draws[:, here] = last + rng.random((options.replicates, 1)) * (draws[:, here] - last)
            unsure = np.hypot(unsure / 2, (fitted - last) / np.sqrt(12))
        status[here] = more_severe(loose(Z90 * unsure), Status.POOR_FIT if far else Status.OK)
    return mean, status, draws


def fit_curve(N: Ints, accuracy: Floats, noise: Floats, method: str, at: Ints) -> tuple[Floats, Floats]:
    """The curve (M,) at `at` that is likeliest after points (P,) with independent `noise`, and its spread.

    The spread (M, len(x)) turns independent standard normal numbers into errors of the curve: those of x by
    Laplace's approximation, with the curvature of Gauss and Newton, and to first order those of the curve.
    """
    tables, weights, slopes = LAWS[method]
    size = prior.features().shape[1] if method == "majority" else len(CENTRE)
    seen, asked = tables(N).T, tables(at).T

    def missed(x: Floats) -> Floats:
        return np.concatenate([(seen @ weights(x) - accuracy) / noise, x])

    def jacobian(x: Floats) -> Floats:
        return np.vstack([seen @ slopes(x) / noise[:, None], np.eye(size)])

    x = least_squares(missed, np.zeros(size), jacobian, xtol=1e-12, ftol=1e-12, gtol=1e-12).x
    J = jacobian(x)
    return asked @ weights(x), asked @ slopes(x) @ np.linalg.cholesky(np.linalg.inv(J.T @ J))
