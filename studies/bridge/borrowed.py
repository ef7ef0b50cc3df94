"""Accuracy beyond the lengths seen: the value of a law borrowed from other questions or another set.

    forecasts(answers, seen=4, other=whole_answers_of_another_set, cuts=[20, 40, …])

Only the first lengths are seen, where the rise has not begun. All four forecasts are of one answer's
accuracy at the later ones:

* no gain: the accuracy at the last length seen;
* the paper's law: α − β e^(−μT) for each question, drawn from one law, fitted to the lengths seen;
* other questions: half of the questions were sampled at every length, and predict the other half;
* another set's answers: its share of answers that end by themselves within T, and how often those are right;
  an answer that is cut is right as often as at the last length seen.
"""

import numpy as np
import pandas as pd

from results.normal import FORECAST_TAILS
from studies.bridge.answers import RIGHT, Answers, Floats
from studies.bridge.laws import RATES, Exponential, Half, fit_exponential

RESAMPLES = 100
FLAT, PAPER, OTHERS, ANOTHER = "nothing gains", "the paper's law", "other questions", "another set's answers"


def errors(answers: Answers, seen: int, other: pd.DataFrame, cuts: Floats, seed: int = 0) -> pd.DataFrame:
    """Mean absolute error of each forecast over the later lengths, in points, with 90 % intervals.

    `cuts` (lengths,) is where answers are cut, infinite for whole ones. `other` has the whole answers of
    another set by the same model. Questions of both sets are drawn anew for the intervals.
    """
    rng = np.random.default_rng(seed)
    ended = _ended(other, cuts)
    rate = _fit(answers, seen, RATES).rates
    own = _once(answers, ended, seen, rate)
    splits = [_points(_halves(answers, seen, rng, again=False)) for _ in range(RESAMPLES)]
    rows = [own | {OTHERS: float(np.mean(splits))}]
    for _ in range(RESAMPLES):
        drawn = answers.of(rng.integers(answers.shape[0], size=answers.shape[0]))
        more = ended[rng.integers(len(ended), size=len(ended))]
        others = _points(_halves(answers, seen, rng, again=True))
        rows.append(_once(drawn, more, seen, rate) | {OTHERS: others})
    table = pd.DataFrame(rows)
    low, high = (table[1:].quantile(tail) for tail in FORECAST_TAILS)
    return pd.DataFrame({"error": table.iloc[0], "low": low, "high": high})


def _once(answers: Answers, ended: Floats, seen: int, rate: Floats) -> dict[str, float]:
    truth = answers.right().mean(axis=0)
    within, right = ended[:, 0].mean(axis=0), ended[:, 1].mean(axis=0)
    finishing = right + (1 - within) * truth[seen - 1]
    return {
        FLAT: _points(truth[seen - 1] - truth[seen:]),
        PAPER: _points(paper_forecast(answers, seen, rate) - truth[seen:]),
        ANOTHER: _points(finishing[seen:] - truth[seen:]),
    }


def _halves(answers: Answers, seen: int, rng: np.random.Generator, again: bool) -> Floats:
    """The distance between the means of two random halves of the questions, resampled (`again`) or not."""
    share = answers.right()[:, seen:]
    halves = np.array_split(rng.permutation(len(share)), 2)
    means = [share[rng.choice(half, len(half)) if again else half].mean(axis=0) for half in halves]
    return np.asarray(means[0] - means[1])


def paper_forecast(answers: Answers, seen: int, rates: Floats = RATES) -> Floats:
    """Accuracy at the later lengths by the paper's law for each question, with parameters from one law."""
    fit, half = _fit(answers, seen, rates), _shares(answers, seen)
    tokens = answers.tokens
    return np.asarray(fit.predict(half, tokens[:seen], tokens[seen:]).mean.mean(axis=0))


def _fit(answers: Answers, seen: int, rates: Floats) -> Exponential:
    return fit_exponential(_shares(answers, seen), answers.tokens[:seen], shared=True, rates=rates)


def _shares(answers: Answers, seen: int) -> Half:
    """Each question's share of right answers at the lengths seen, and the noise of these shares."""
    at = answers.codes[:, :, :seen] == RIGHT
    within = [np.cov(own.T.astype(float)) / at.shape[1] for own in at]
    return Half(answers.right()[:, :seen], np.mean(within, axis=0) + 1e-5 * np.eye(seen))


def _ended(other: pd.DataFrame, cuts: Floats) -> Floats:
    """(questions, 2, lengths): shares of answers that end within each length, and that end and are right."""
    tokens, right = other["tokens"].to_numpy(float), other["correct"].to_numpy(bool)
    within = tokens[:, None] <= cuts
    columns = np.concatenate([within, within & right[:, None]], axis=1)
    by_question = pd.DataFrame(columns.astype(float)).groupby(other["question_id"].to_numpy()).mean()
    return by_question.to_numpy().reshape(len(by_question), 2, len(cuts))


def _points(off: Floats) -> float:
    return 100 * float(np.abs(off).mean())
