"""Do a run's answers repeat more than independent sampling can explain? Fixed seeds and caches make them.

    find_repeats([Texts(hashes=[...], samples=[0, 1, ...], tokens=2560), ...], chunks=(16,), free=True)
    -> [Repeat("place", observed=0.98, expected=0.047, chance=1e-121), ...]

Answers that are drawn independently may be equal, short ones often. But then it does not matter which of them
are equal: in what order a question's answers stand tells nothing. So the texts are held against all orders of
the same texts: are those at the same place of different requests (sample index modulo the size of a request),
those within one request, or those of different requests more often equal than pairs in general? The chance
that they are, at most ALARM for the whole run, is a bound and no approximation (Bennett's inequality over the
questions). A wrong size of the requests costs power and no false alarm. Where all answers are one text, order
tells nothing either; there a plain rule holds, for long answers only.
"""

import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

ALARM = 1e-6
"""The largest probability that the order of independent answers raises an alarm."""
LONG = 20
"""Tokens of an answer, in the mean, from which on equal texts everywhere are no coincidence."""
FEWEST_ANSWERS, FEWEST_GROUPS = 4, 5
IDENTICAL_SHARE = 0.9
"""The share of questions with all their long answers one text above which that is an alarm.

The tiny model, which knows few turns of phrase, has 69 % at temperature 0.5 with 4 answers, and 41 % at 1.
"""

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(slots=True)
class Texts:
    """The sampled answers to one question in one setting: 12 bytes each."""

    hashes: "array[int]" = field(default_factory=lambda: array("q"))
    samples: "array[int]" = field(default_factory=lambda: array("i"))
    tokens: int = 0

    def add(self, sample: int, text: str, tokens: int) -> None:
        """Count one answer."""
        self.hashes.append(hash(text))
        self.samples.append(sample)
        self.tokens += tokens


@dataclass(frozen=True)
class Repeat:
    """One comparison: the share of pairs with equal texts, what order alone explains, and its chance."""

    kind: str
    observed: float
    expected: float
    chance: float
    """An upper bound on the probability of so many equal pairs or more."""
    alarm: bool

    def __str__(self) -> str:
        pairs, cause = _WORDS[self.kind]
        if self.kind == "identical":
            return f"{pairs} in {self.observed:.1%} of the questions and settings with long answers: {cause}"
        return (
            f"{pairs} have the same text in {self.observed:.2%} of pairs, {self.expected:.2%} are expected "
            f"(chance below 1e{math.ceil(math.log10(self.chance))}): {cause}"
        )


_WORDS = {
    "identical": ("all answers are one text", "one seed for all requests, a cache, or greedy decoding"),
    "place": (
        "answers at the same place of different requests",
        "the same seed in every request, or a cache",
    ),
    "within": ("answers to the same request", "one seed for all answers of a request"),
    "between": ("answers to different requests", "a cache that gives the answers of another request again"),
}


def find_repeats(groups: Iterable[Texts], chunks: Sequence[int], free: bool) -> list[Repeat]:
    """What was compared, the most telling first; `alarm` marks what independent sampling does not explain.

    `groups`: the answers of each question and setting. `chunks`: answers asked for in one request; where that
    is not known, several guesses, which share the chance of a false alarm. `free`: whether the temperature,
    with top_k and top_p, leaves long answers room to differ.
    """
    groups = [group for group in groups if len(group.hashes) >= FEWEST_ANSWERS]
    found = _identical(groups) if free else []
    if groups:
        table = _Table(groups)
        found += [repeat for chunk in chunks for repeat in table.compare(chunk, ALARM / (3 * len(chunks)))]
    return sorted(found, key=lambda repeat: (not repeat.alarm, repeat.chance))


def _identical(groups: Sequence[Texts]) -> list[Repeat]:
    long = [group for group in groups if group.tokens >= LONG * len(group.hashes)]
    if len(long) < FEWEST_GROUPS:
        return []
    share = sum(len(set(group.hashes)) == 1 for group in long) / len(long)
    return [Repeat("identical", share, 0.0, 0.0 if share > IDENTICAL_SHARE else 1.0, share > IDENTICAL_SHARE)]


class _Table:
    """All answers of `groups` one below the other, and how often texts are equal within each group."""

    def __init__(self, groups: Sequence[Texts]) -> None:
        sizes = np.array([len(group.hashes) for group in groups])
        self._groups = len(groups)
        self._group = np.repeat(np.arange(len(groups)), sizes)
        self._label = np.concatenate([np.frombuffer(group.hashes, np.int64) for group in groups])
        self._sample = np.concatenate([np.frombuffer(group.samples, np.int32) for group in groups])
        n = sizes.astype(np.float64)
        self._n = n
        group, count = _counted(self._group, self._label)
        pairs = self._sum(group, count * (count - 1))  # ordered, as everything below
        triples = self._sum(group, count * (count - 1) * (count - 2))
        self._equal = pairs / 2
        # The probability, in a random order, that two places hold equal texts; three; two and two others.
        self._p2 = pairs / (n * (n - 1))
        self._p3 = triples / (n * (n - 1) * (n - 2))
        self._p22 = (pairs**2 - 4 * triples - 2 * pairs) / (n * (n - 1) * (n - 2) * (n - 3))

    def compare(self, chunk: int, level: float) -> list[Repeat]:
        """Pairs at the same place, within, and between requests of `chunk` answers, each at `level`."""
        n = self._n
        place = self._pairs_within(self._sample % chunk)
        edges, degrees, equal = within = self._pairs_within(self._sample // chunk)
        # Every answer has n - 1 others; those not in its own request are in different ones.
        between = (
            n * (n - 1) / 2 - edges,
            n * (n - 1) ** 2 - 4 * (n - 1) * edges + degrees,
            self._equal - equal,
        )
        kinds = {"place": place, "within": within, "between": between}
        return [repeat for kind, pairs in kinds.items() for repeat in self._test(kind, *pairs, level)]

    def _pairs_within(self, cell: Ints) -> tuple[Floats, Floats, Floats]:
        """For each group the pairs of answers in one cell, their squared degrees, and those with equal texts.

        The degree of an answer is the number of pairs that it is in.
        """
        group, count = _counted(self._group, cell)
        equal_group, equal = _counted(self._group, cell, self._label)
        return (
            self._sum(group, count * (count - 1)) / 2,
            self._sum(group, count * (count - 1) ** 2),
            self._sum(equal_group, equal * (equal - 1)) / 2,
        )

    def _test(self, kind: str, edges: Floats, degrees: Floats, equal: Floats, level: float) -> list[Repeat]:
        """Equal pairs against their mean and variance over all orders of a group's texts (Mantel 1967)."""
        mean = edges * self._p2
        adjacent = degrees - 2 * edges  # ordered pairs of pairs with one answer in common
        square = edges * self._p2 + adjacent * self._p3 + (edges**2 - edges - adjacent) * self._p22
        variance = square - mean**2
        most = np.minimum(edges, self._equal) - mean
        telling = (most > 1e-9) & (variance > 1e-9)
        if not telling.any():
            return []
        edges, equal, mean, most = edges[telling], equal[telling], mean[telling], most[telling]
        # A group counts for at most 1, so that Bennett's inequality holds with that bound.
        chance = bennett(float(((equal - mean) / most).sum()), float((variance[telling] / most**2).sum()))
        shares = (float(equal.sum() / edges.sum()), float(mean.sum() / edges.sum()))
        return [Repeat(kind, *shares, chance, chance < level)]

    def _sum(self, group: npt.NDArray[Any], values: Ints) -> Floats:
        return np.bincount(group, values, self._groups).astype(np.float64)


def bennett(excess: float, variance: float) -> float:
    """P(sum >= excess) at most, of independent terms of mean 0, none above 1, with this sum of variances.

    Bennett (1962); Boucheron, Lugosi, Massart, Concentration Inequalities, Theorem 2.9.
    """
    if excess <= 0:
        return 1.0
    ratio = excess / variance
    return math.exp(-min(700.0, variance * ((1 + ratio) * math.log1p(ratio) - ratio)))


def _counted(*keys: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Ints]:
    """The first key of each distinct row of `keys`, and how many rows there are of it."""
    order = np.lexsort(keys[::-1])
    new = np.zeros(len(order), bool)
    new[0] = True
    for key in keys:
        ordered = key[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(new)
    return keys[0][order][starts], np.diff(starts, append=len(order))
