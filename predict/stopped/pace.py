"""Whether answers end sooner or later than the law says, learnt where it can be checked: at earlier cuts.

    cut where 60 % and 80 % of the ended answers had ended: log odds of ending by the cap off by 0.5 and 0.4
    ->  beyond the cap they are shifted by 0.32 ± 0.21, and by ± 0.8 more per spread of log tokens beyond it

At an earlier cut, the law forecasts how many unfinished answers will have ended by the cap. Part
of its error there recurs beyond the cap. Farther out the law errs more, in either direction,
which earlier cuts cannot show; nor can they show the error of the line below.

A second law says how often late answers are right: one line through the answers to all questions.

    middle answer by length: logit 1.1; one standard deviation later: −0.4  ->  beyond the cap 38 % are right

In `answer_law.py` this depends on parameters that answers within the cap hardly determine. Over all
questions together, the logit of being right falls about linearly in the normal score of an answer's
rank by length. Each draw keeps the odds ratios between questions and shifts all log odds until late
answers are right about as often as a draw of the line says (`DOUBT`: it need not stay straight).
"""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit, ndtri

from predict.evidence.points import Floats
from predict.stopped.fit import Fit, Problem, fit
from predict.stopped.observed import SeenLengths, seen_at
from predict.stopped.simulate import Simulated, move_to, simulate
from results.votes.exact import AnswerPools

ORIGINS = (0.6, 0.8)
"""Shares of the ended answers at which the run is cut earlier."""

LASTING, GROWING = 0.40, 0.76
"""Standard deviations over runs of the law's error in the log odds of having ended: a part that persists from
cut to cut, and one that grows per spread of modes beyond the cap (estimated by studies/forecasts/pace.py)."""

DRAWS = 60


def paces(answers: AnswerPools, cap: float, start: Fit, R: int, seed: int) -> tuple[Floats, float]:
    """Draws (R, 2) of the shifts, as in `simulate`, of the log odds that an unfinished answer has ended.

    `start` is the fit to `answers` stopped at `cap`. Also returns by how many standard deviations
    the earlier cuts missed.
    """
    miss, noise = misses(answers, cap, start, seed)
    variance = LASTING**2 + noise
    kept = LASTING**2 / variance
    u = np.random.default_rng([seed, 3]).standard_normal((R, 2))
    drawn = [kept * miss, 0.0] + u * [LASTING * np.sqrt(1 - kept), GROWING]
    return drawn, float(abs(miss) / np.sqrt(variance))


def misses(answers: AnswerPools, cap: float, start: Fit, seed: int) -> tuple[float, float]:
    """The mean miss of the earlier cuts, and its variance: they share answers, so they count as one cut."""
    ended = answers.tokens[answers.tokens <= cap]
    cuts = [float(np.quantile(ended, share, method="lower")) for share in ORIGINS]
    miss, noise = np.mean([_miss(answers, early, cap, start, seed) for early in cuts], axis=0)
    return float(miss), float(noise)


def _miss(answers: AnswerPools, early: float, cap: float, start: Fit, seed: int) -> tuple[float, float]:
    """The shift of all log odds of ending between `early` and `cap` that was needed, and its variance."""
    problem, later = Problem(seen_at(answers, early)), seen_at(answers, cap)
    seen, unfinished = problem.seen, problem.seen.unfinished
    drawn = simulate(problem, fit(problem, [start.theta]), [early, cap], np.zeros((DRAWS, 2)), seed)
    moves, luck = moves_needed(drawn, unfinished, later.ended_counts.sum() - seen.ended_counts.sum())
    return float(moves.mean()), float(moves.var() + luck)


def moves_needed(drawn: Simulated, unfinished: Floats, ended: float) -> tuple[Floats, float]:
    """The shift of each draw's log odds, (R,), at which it expects the number that `ended`.

    That is the number, over all questions, of answers `unfinished` (Q,) at the first cap that had
    ended by the last one. Also returns the variance due to the sampling noise of these answers.
    """
    alive = np.maximum(1 - drawn.ended[:, :, :1], 1e-9)
    chance = np.clip((drawn.ended[:, :, -1:] - drawn.ended[:, :, :1]) / alive, 1e-9, 1 - 1e-9)
    share = (ended + 0.5) / (unfinished.sum() + 1)  # half an answer added to each side keeps the odds finite
    wanted = np.full((len(chance), 1), share * unfinished.mean())
    moves = move_to(chance, unfinished[:, None], wanted)[:, 0]
    moved = expit(logit(chance[:, :, 0]) + moves[:, None])
    information = ((moved * (1 - moved)) @ unfinished + 0.5).mean()
    return moves, float(1 / information)


PRIOR_MEAN, PRIOR_SD = np.array([2.0, -1.5]), np.array([2.0, 1.0])
"""Normal prior on the line's level and slope, wide enough for every complete run of studies/forecasts."""

DOUBT = 0.3
"""Standard deviation of the fraction of the way from the law to its line that a draw goes; its mean is 1."""

RANKS = 2000
"""Steps of the numerical integral along the line."""


def fit_line(seen: SeenLengths) -> Fit:
    """Level and slope by logistic regression on the ended answers; questions, not answers, are independent.

    So the likelihood is raised to the power at which its curvature matches, on average over directions,
    the sandwich estimator of Liang and Zeger (1986), the prior counting as one more question (the
    magnitude adjustment of Ribatet, Cooley and Davison 2012, Statistica Sinica 22).
    """
    ended = seen.ended_counts.sum(axis=0)
    score = ndtri((np.cumsum(ended) - ended / 2 + 0.5) / (ended.sum() + seen.unfinished.sum() + 1))
    x = np.stack([np.ones_like(score), score])
    right, prior = seen.right.sum(axis=0), np.diag(PRIOR_SD**-2.0)

    def loss(line: Floats, power: float) -> tuple[float, Floats]:
        off, at = (line - PRIOR_MEAN) / PRIOR_SD, line @ x
        value = off @ off / 2 - power * (right @ at - ended @ np.logaddexp(0.0, at))
        return float(value), off / PRIOR_SD - power * (x @ (right - ended * expit(at)))

    def best(power: float) -> tuple[Floats, Floats, Floats]:
        """The line, the curvature of the log likelihood there, and the scatter of its slopes by question."""
        line = minimize(loss, PRIOR_MEAN, (power,), jac=True, method="BFGS", options={"gtol": 1e-6}).x
        p = expit(line @ x)
        slopes = (seen.right - seen.ended_counts * p) @ x.T
        return line, (x * ended * p * (1 - p)) @ x.T, slopes.T @ slopes

    _, curvature, scatter = best(1.0)
    power = min(1.0, len(x) / np.trace(np.linalg.solve(curvature + prior, scatter + prior)))
    line, curvature, _ = best(power)
    return Fit(line, np.linalg.cholesky(np.linalg.inv(power * curvature + prior)))


def follow(line: Fit, drawn: Simulated, share: float, seed: int) -> Simulated:
    """`drawn`, whose first cap is the one that was seen, with late answers right as often as the line says.

    `share` of the answers had ended by the first cap. Each draw has its own line.
    """
    R, rng = len(drawn.right), np.random.default_rng([seed, 2])
    lines = line.theta + rng.standard_normal((R, 2)) @ line.spread.T
    way = 1 + DOUBT * rng.standard_normal((R, 1))
    ended = np.diff(drawn.ended, axis=2)
    chance = np.clip(np.diff(drawn.right, axis=2) / np.maximum(ended, 1e-12), 1e-9, 1 - 1e-9)
    reached = share + (drawn.ended - drawn.ended[:, :, :1]).mean(axis=1)
    ranks = (np.arange(RANKS) + 0.5) / RANKS
    by_rank = np.cumsum(expit(lines[:, :1] + lines[:, 1:] * ndtri(ranks)), axis=1) / RANKS
    upto = [np.interp(u, ranks + 0.5 / RANKS, total) for u, total in zip(reached, by_rank, strict=True)]
    moves = way * move_to(chance, ended, np.diff(upto, axis=1))
    late = ended * expit(logit(chance) + moves[:, None, :])
    right = np.concatenate([np.zeros_like(late[:, :, :1]), np.cumsum(late, axis=2)], axis=2)
    return Simulated(drawn.right[:, :, :1] + right, drawn.ended, drawn.tokens)
