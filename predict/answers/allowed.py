"""What the answers alone allow: the range of accuracy over all laws of the questions that fit them.

    150 questions × 4 answers, the vote of 64      forecast 0.68, 90 % 0.63 … 0.73;   allowed 0.57 … 0.79

A forecast depends on its smooth prior as well as on the answers (`prior`). Here every law on the
atoms is admitted whose log-likelihood is within χ²/2 of the maximum: the profile likelihood
interval of the population's accuracy, at the level of the forecast. With many questions it is
an interval for these questions, too.

Of the laws with a given likelihood, the one with the largest accuracy is the maximum likelihood
law after adding ν pseudo-questions, each right with its atom's accuracy. So each end is found by
one search over ν; pseudo-questions with a wrong vote give the lower end. The maximum is found by
the constrained Newton method (Wang 2007, JRSS B 69): non-negative least squares on the few atoms
that matter.
"""

import numpy as np
from scipy.optimize import brentq, nnls
from scipy.stats import chi2

from predict.evidence.points import Floats

_STEPS, _NEW_ATOMS, _GAIN = 60, 30, 1e-2
_FEWEST, _MOST = -2.0, 9.0  # log of the number of pseudo-questions


def allowed(likelihood: Floats, times: Floats, accuracy: Floats, level: float) -> tuple[float, float]:
    """The least and largest Σ_k w_k · accuracy_k over the laws w (K,) that fit the answers.

    likelihood: (U, K) of each pattern of answers by atom, up to a factor per row; times: (U,)
    questions with each pattern; accuracy: (K,) from 0 to 1.
    """
    best = fitted(likelihood, times)
    least = log_likelihood(likelihood, times, best) - chi2.ppf(level, 1) / 2

    def end(row: Floats) -> float:
        """Accuracy of the law at the likelihood limit, pseudo-questions of likelihood `row` (K,) added."""
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
    """The log-likelihood of the answers under atom weights (K,)."""
    return float(times @ np.log(np.maximum(likelihood @ weights, 1e-300)))


def fitted(likelihood: Floats, times: Floats) -> Floats:
    """The maximum likelihood weights (K,), to within 0.01 of the largest log-likelihood."""
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
        else:  # an EM step, which never lowers the likelihood
            weights = weights * (gain + times.sum()) / times.sum()
            value = log_likelihood(likelihood, times, weights)
    return weights
