"""The mean over questions, and its standard error if questions come in clusters.

    300 independent questions        0.024
    30 passages of 10 questions      0.059      if whole passages are understood or not

Questions of one passage, template or repository tend to be right or wrong together, so that
they carry less information than as many independent ones. With errors summed by cluster, s_c,
the standard error of the mean of Q questions in C clusters is sqrt(C / (C − 1) · Σ s_c²) / Q
(arXiv:2411.00640, section 2.2, with the correction for few clusters). With one question per
cluster, this is the ordinary formula. For Student's t, clusters of m_c questions count as
(Σ m_c)² / Σ m_c² clusters of equal size: for clusters of 1, 2, … 12 questions that agree, 6 of
100 intervals of 95 % miss; with the plain number of clusters, 7 would.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.special import chdtri

from results.votes.exact import DIGITS, Floats, Ints

Clusters = Sequence[str] | None
"""The name of each question's cluster, (Q,); None: questions are independent."""


def mean_accuracy(by_question: Floats) -> Floats:
    """The mean over questions, (…, Q, K) to (…, K), rounded."""
    return np.asarray(by_question.mean(axis=-2).round(DIGITS))


def standard_error(by_question: Floats, clusters: Clusters = None) -> Floats:
    """The standard error of `mean_accuracy`, (…, K); NaN if there is only one question or cluster."""
    questions = by_question.shape[-2]
    draws = len(cluster_sizes(questions, clusters))
    if draws < 2:
        return np.full_like(by_question[..., 0, :], np.nan)
    if not clusters:
        return np.asarray((by_question.std(axis=-2, ddof=1) / np.sqrt(questions)).round(DIGITS))
    errors = by_question - by_question.mean(axis=-2, keepdims=True)
    squares = (cluster_sums(errors, clusters) ** 2).sum(axis=-2)
    return np.asarray((np.sqrt(draws / (draws - 1) * squares) / questions).round(DIGITS))


def shared_variance(by_question: Floats, clusters: Clusters) -> Floats:
    """The increase in a question's variance due to clustering, (…, K)."""
    alone, together = standard_error(by_question), standard_error(by_question, clusters)
    return np.asarray((together**2 - alone**2) * by_question.shape[-2])


def cluster_sizes(questions: int, clusters: Clusters) -> Ints:
    """The number of questions in each independent draw, (draws,): one, or the size of a cluster."""
    return np.bincount(cluster_places(clusters)) if clusters else np.ones(questions, np.int64)


def equal_draws(sizes: Ints | Floats) -> float:
    """The effective number of draws of equal size, given their sizes (draws,); at most their number."""
    return round(float(sizes.sum() ** 2 / (sizes**2).sum()), DIGITS)


def redrawn(shape: tuple[int, int], clusters: Clusters, rng: np.random.Generator) -> Ints:
    """R bootstrap draws of Q question indices with replacement, of `shape` (R, Q), in whole clusters.

    If clusters differ in size, the last one drawn is cut off at Q.
    """
    if not clusters:
        return rng.integers(shape[1], size=shape)
    places = cluster_places(clusters)
    order = np.argsort(places, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(places[order])) + 1)
    drawn = np.empty(shape, np.int64)
    for row in drawn:
        which = rng.integers(len(members), size=2 * len(members))
        row[:] = np.resize(np.concatenate([members[i] for i in which]), shape[1])
    return drawn


_FEWEST_ALIKE, _LARGEST_ALIKE, _BY_LUCK = 6, 0.2, 1e-3


def look_clustered(names: Sequence[str], by_question: Floats) -> str | None:
    """A warning if questions whose names begin alike are right together; by_question: (Q,); else None.

    It needs at least six such groups, none with more than a fifth of the questions, and a
    clustered variance of the mean that chance would reach once in a thousand times.
    """
    begins = pd.Series(names, dtype=str).str.replace(r"[^0-9A-Za-z]+[0-9A-Za-z]*$", "", regex=True)
    sizes, questions = cluster_sizes(len(names), list(begins)), len(names)
    draws = len(sizes)
    if not _FEWEST_ALIKE <= draws <= questions / 2 or sizes.max() > _LARGEST_ALIKE * questions:
        return None
    values = by_question[:, None]
    alone, together = float(standard_error(values)[0]), float(standard_error(values, list(begins))[0])
    if together**2 <= alone**2 * chdtri(draws - 1, _BY_LUCK) / (draws - 1):
        return None
    return (
        f"questions whose names begin alike ({begins.iloc[0]}…) are right together: a column cluster with "
        f"these {draws} clusters would make a standard error {together / alone:.1f} times as large"
    )


def cluster_sums(by_question: Floats, clusters: Sequence[str]) -> Floats:
    """Sums over the questions of each cluster, (…, Q, K) to (…, C, K), clusters as they first appear."""
    places = cluster_places(clusters)
    order = np.argsort(places, kind="stable")
    starts = np.flatnonzero(np.diff(places[order], prepend=-1))
    return np.asarray(np.add.reduceat(by_question[..., order, :], starts, axis=-2))


def cluster_places(clusters: Sequence[str]) -> Ints:
    """The index of each question's cluster; clusters are numbered as they first appear."""
    return np.asarray(pd.factorize(np.asarray(clusters, object))[0], np.int64)
