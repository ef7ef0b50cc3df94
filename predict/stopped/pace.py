"""Whether answers end sooner or later than the law says, learnt where that can be seen: at earlier cuts.

    cut where 60 % and 80 % of the ended answers had ended: log odds of ending by the cap off by 0.5 and 0.4
    ->  beyond the cap they are moved by 0.34 ± 0.22, and by ± 0.7 more where log tokens are a spread farther

At an earlier cut every later answer is hidden; of those that were unfinished then, the forecast says how many
have ended by the cap. A part of that error comes back beyond the cap. Farther beyond the cap the law is
farther off, in either direction, which earlier cuts do not tell. How often late answers are right is not
corrected so: by how much `trend` misses that at an earlier cut does not tell how it will at the cap.
"""

import numpy as np
from scipy.special import expit, logit

from predict.evidence.points import Floats
from predict.stopped.fit import Fit, Problem, fit
from predict.stopped.seen import seen_at
from predict.stopped.simulate import Simulated, move_to, simulate
from results.votes.exact import AnswerPools

ORIGINS = (0.6, 0.8)
"""Shares of the ended answers at which the run is cut again."""

LASTING, GROWING = 0.44, 0.71
"""Standard deviations over runs of the law's error in the log odds of having ended: of the part that lasts
from cut to cut, and of that which grows with log tokens beyond the cap, counted in spreads of the questions'
modes. studies/forecasts/pace.py estimates them."""

DRAWS = 60


def paces(answers: AnswerPools, cap: float, start: Fit, R: int, seed: int) -> tuple[Floats, float]:
    """Draws (R, 2) of what the log odds that an unfinished answer ends are to be moved by; see `simulate`.

    For a fit, `start`, to `answers` stopped at `cap`. Also returns how far off the earlier cuts were, in
    standard deviations.
    """
    miss, noise = misses(answers, cap, start, seed)
    variance = LASTING**2 + noise
    kept = LASTING**2 / variance
    u = np.random.default_rng([seed, 3]).standard_normal((R, 2))
    drawn = [kept * miss, 0.0] + u * [LASTING * np.sqrt(1 - kept), GROWING]
    return drawn, float(abs(miss) / np.sqrt(variance))


def misses(answers: AnswerPools, cap: float, start: Fit, seed: int) -> tuple[float, float]:
    """By how much the earlier cuts missed, and its variance: they share answers, so they count as one cut."""
    ended = answers.tokens[answers.tokens <= cap]
    cuts = [float(np.quantile(ended, share, method="lower")) for share in ORIGINS]
    miss, noise = np.mean([_miss(answers, early, cap, start, seed) for early in cuts], axis=0)
    return float(miss), float(noise)


def _miss(answers: AnswerPools, early: float, cap: float, start: Fit, seed: int) -> tuple[float, float]:
    """The move of all log odds of ending between `early` and `cap` that was needed, and its variance."""
    problem, later = Problem(seen_at(answers, early)), seen_at(answers, cap)
    seen, unfinished = problem.seen, problem.seen.unfinished
    drawn = simulate(problem, fit(problem, start.theta), [early, cap], np.zeros((DRAWS, 2)), seed)
    moves, luck = moves_needed(drawn, unfinished, later.ended_counts.sum() - seen.ended_counts.sum())
    return float(moves.mean()), float(moves.var() + luck)


def moves_needed(drawn: Simulated, unfinished: Floats, ended: float) -> tuple[Floats, float]:
    """By how much each draw's log odds must be moved, (R,), for it to expect what came.

    That is, that of the answers to each question which were `unfinished` (Q,) at the first cap so many have
    `ended` by the last one. Also returns the variance by the luck of these answers.
    """
    alive = np.maximum(1 - drawn.ended[:, :, :1], 1e-9)
    chance = np.clip((drawn.ended[:, :, -1:] - drawn.ended[:, :, :1]) / alive, 1e-9, 1 - 1e-9)
    share = (ended + 0.5) / (unfinished.sum() + 1)  # half an answer on either side keeps the odds finite
    wanted = np.full((len(chance), 1), share * unfinished.mean())
    moves = move_to(chance, unfinished[:, None], wanted)[:, 0]
    moved = expit(logit(chance[:, :, 0]) + moves[:, None])
    information = ((moved * (1 - moved)) @ unfinished + 0.5).mean()
    return moves, float(1 / information)
