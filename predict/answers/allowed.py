"""What the answers alone allow: the least and the largest accuracy over all laws of the questions that fit.

    150 questions × 4 answers, the vote of 64      forecast 0.68, 90 % 0.63 … 0.73;   allowed 0.57 … 0.79

A forecast leans on its smooth prior as well as on the answers (`prior`). Here every law on the
atoms counts whose log-likelihood is within χ²/2 of the largest one's: the profile likelihood
interval of the population's accuracy, at the level of the forecast. It is an interval of these
questions, too, where they are many.

The law of the largest accuracy at a likelihood is the maximum likelihood law where ν questions
more are seen, each right with the accuracy of its atom. So both ends are found by one search
over ν; ν of the wrong vote gives the lower one. Each maximum is that of the constrained Newton
method (Wang 2007, JRSS B 69): a least squares problem with weights ≥ 0 on the few atoms that
matter.
"""

import numpy as np
from scipy.optimize import brentq, nnls
from scipy.stats import chi2

from predict.evidence.points import Floats

_STEPS, _NEW_ATOMS, _GAIN = 60, 30, 1e-2
_FEWEST, _MOST = -2.0, 9.0  # logs of the questions that are added


def allowed(likelihood: Floats, times: Floats, accuracy: Floats, level: float) -> tuple[float, float]:
    """The ends of what laws (K,) that fit the answers give to Σ_k w_k · accuracy_k.

    likelihood: (U, K) of the patterns of answers by atom, up to a factor per row; times: (U,)
    questions that have each; accuracy: (K,) from 0 to 1.
    """
    best = fitted(likelihood, times)
    least = log_likelihood(likelihood, times, best) - chi2.ppf(level, 1) / 2

    def end(row: Floats) -> float:
        """The accuracy of the law on the edge where questions of this chance (K,) are added."""
        more = np.vstack([likelihood, row])

        def law(log_added: float) -> Floats:
            return fitted(more, np.append(times, np.exp(log_added)))

        def above(log_added: float) -> float:
            return log_likelihood(likelihood, times, law(log_added)) - least

        if above(_FEWEST) <= 0:
            return float(best @ accuracy)
        edge = _MOST if above(_MOST) > 0 else brentq(above, _FEWEST, _MOST, xtol=0.2)
        return float(law(edge) @ accuracy)

    return end(1 - accuracy), end(accuracy)


def log_likelihood(likelihood: Floats, times: Floats, weights: Floats) -> float:
    """Of the answers, the weights (K,) of the atoms being these."""
    return float(times @ np.log(np.maximum(likelihood @ weights, 1e-300)))


def fitted(likelihood: Floats, times: Floats) -> Floats:
    """The weights (K,) of the largest likelihood, to within a hundredth of its logarithm."""
    atoms = likelihood.shape[1]
    weights = np.full(atoms, 1 / atoms)
    value, root = log_likelihood(likelihood, times, weights), np.sqrt(times)
    for _ in range(_STEPS):
        scaled = likelihood / np.maximum(likelihood @ weights, 1e-300)[:, None]
        gain = times @ scaled - times.sum()
        if gain.max() < _GAIN:
            break
        steep = np.argsort(-gain, kind="stable")[:_NEW_ATOMS]
        kept = np.union1d(np.flatnonzero(weights > 1 / atoms), steep)
        towards = np.zeros(atoms)
        rows = np.vstack([scaled[:, kept] * root[:, None], np.full(len(kept), times.sum())])
        towards[kept] = nnls(rows, np.append(2 * root, times.sum()))[0]
        towards /= towards.sum()
        for step in 0.5 ** np.arange(12):
            tried = (1 - step) * weights + step * towards
            logs = log_likelihood(likelihood, times, tried)
            if logs > value:
                weights, value = tried, logs
                break
        else:  # a step of EM, which always climbs
            weights = weights * (gain + times.sum()) / times.sum()
            value = log_likelihood(likelihood, times, weights)
    return weights
