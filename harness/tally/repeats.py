"""Do sampled answers repeat more than independent draws would? Fixed seeds and caches cause that.

    find_repeats([Texts(hashes=[...], samples=[0, 1, ...], tokens=2560), ...], exchangeable=True, free=True)
    -> [Repeat(observed=0.6, expected=0.019, chance=1e-26, alarm=True, distance=16), ...]

Independent answers may be equal, and short ones often are. But which of a question's answers are equal is
then a matter of chance. A server that starts with the same random numbers each time repeats itself when a
run is resumed: sample 16 equals sample 0. One that uses the same numbers for many requests repeats nearby.

So equal pairs are counted by the distance between their sample indices, and the most striking distance is
tested, with each question's answers in their own order and in SHUFFLES random orders. If answers are
independent, their own has the most equal pairs with probability 1 in SHUFFLES + 1, and the number of such
questions is binomial: an exact permutation test, with its p-value times the number of distances (Bonferroni).

If all answers are one text, their order is uninformative: a plain rule applies, for long answers only.
"""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.special import bdtrc

ALARM = 2e-6
"""The largest probability of a false alarm, if answers are independent."""
SHUFFLES = 19
LONG = 20
"""Answers with this many tokens on average are not all the same text by chance."""
FEWEST_ANSWERS, FEWEST_GROUPS = 4, 5
IDENTICAL_SHARE = 0.9
"""Alarm if in more than this share of questions with long answers all of them are one text.

The tiny model, which knows few turns of phrase, has 69 % at temperature 0.5 with 4 answers, and 41 % at 1.
"""

Ints = npt.NDArray[np.int64]


@dataclass(slots=True)
class Texts:
    """The sampled answers to one question in one setting, in 12 bytes each."""

    hashes: "array[int]" = field(default_factory=lambda: array("q"))
    samples: "array[int]" = field(default_factory=lambda: array("i"))
    tokens: int = 0

    def extend(self, samples: Iterable[int], texts: Iterable[str | None], tokens: int) -> None:
        """Add answers that have `tokens` tokens in total."""
        self.hashes.extend(map(hash, texts))
        self.samples.extend(samples)
        self.tokens += tokens


@dataclass(frozen=True)
class Repeat:
    """One comparison: the share of pairs with equal texts, and the share that chance alone explains."""

    observed: float
    expected: float
    chance: float
    """The p-value: of at least so many questions with the most equal pairs in their own order."""
    alarm: bool
    distance: int | None = None
    """Between the sample indices of a pair; None if all answers were compared."""

    def __str__(self) -> str:
        if self.distance is None:
            same = f"in {self.observed:.1%} of questions with long answers, all answers are the same"
            return f"{same}: one seed for all requests, a cache, or greedy decoding"
        equal = f"{self.observed:.2%} of the answers {self.distance} samples apart are equal"
        causes = "one seed for several requests, a cache, or the same numbers after a restart"
        return f"{equal} ({self.expected:.2%} expected by chance): {causes}"


def find_repeats(groups: Iterable[Texts], exchangeable: bool, free: bool) -> list[Repeat]:
    """Every comparison made, the most striking first.

    `groups`: the answers to each question in each setting. `exchangeable`: whether sample indices do not
    depend on what the answers say. `free`: whether temperature, top_p and top_k leave long answers room to
    differ.
    """
    groups = [group for group in groups if len(group.hashes) >= FEWEST_ANSWERS]
    identical = _identical(groups) if free else []
    if exchangeable:
        identical += _at_one_distance(groups)
    return sorted(identical, key=lambda repeat: (not repeat.alarm, repeat.chance))


def _identical(groups: Sequence[Texts]) -> list[Repeat]:
    long = [group for group in groups if group.tokens >= LONG * len(group.hashes)]
    if len(long) < FEWEST_GROUPS:
        return []
    share = sum(len(set(group.hashes)) == 1 for group in long) / len(long)
    alarm = share > IDENTICAL_SHARE
    return [Repeat(share, 0.0, 0.0 if alarm else 1.0, alarm)]


def _at_one_distance(groups: Sequence[Texts]) -> list[Repeat]:
    """A test of the distance whose equal pairs exceed their expectation by the most standard errors."""
    rng = np.random.default_rng(1)
    placed = [_placed(group) for group in groups if len(set(group.hashes)) > 1]
    placed.sort(key=lambda labels: (labels.size, labels.tobytes()))  # an order independent of names
    if not placed:
        return []
    equal, pairs = np.zeros((2, max(map(len, placed))))
    for labels in placed:
        pairs[: labels.size] += _pairs_at_distance(labels)
        alike = np.bincount(labels + 1)[labels + 1]
        repeated = np.flatnonzero((labels >= 0) & (alike > 1))
        earlier, later = np.triu_indices(repeated.size, 1)
        distances = repeated[later] - repeated[earlier]
        same = labels[repeated[later]] == labels[repeated[earlier]]
        equal += np.bincount(distances[same], minlength=pairs.size)
    pairs[0] = 0
    expected = pairs * equal.sum() / pairs.sum()
    distance = 1 + int(((equal - expected) / np.sqrt(np.maximum(expected, 1e-9)))[1:].argmax())
    counted = [_equal_so_far_apart(labels, distance, rng) for labels in placed if len(labels) > distance]
    # A question in which two orders tie for the most is uninformative.
    leaders = [int(equal.argmax()) for _, equal in counted if (equal == equal.max()).sum() == 1]
    if not leaders:
        return []
    at_this_one = float(bdtrc(leaders.count(0) - 1, len(leaders), 1 / (1 + SHUFFLES)))
    chance = min(at_this_one * (pairs.size - 1), 1.0)
    shares = np.sum([equal for _, equal in counted], axis=0) / sum(number for number, _ in counted)
    return [Repeat(float(shares[0]), float(shares[1:].mean()), chance, chance < ALARM, distance)]


def _placed(group: Texts) -> Ints:
    """By sample index, the place where the sample's text first appears; −1 if there is no sample."""
    sample = np.frombuffer(group.samples, np.int32)
    order = sample.argsort(kind="stable")
    hashes = np.frombuffer(group.hashes, np.int64)  # they differ from process to process
    texts = hashes[order]
    _, first, which = np.unique(texts, return_index=True, return_inverse=True)
    labels = np.full(int(sample.max()) + 1, -1)
    labels[sample[order]] = first[which]
    return labels


def _pairs_at_distance(labels: Ints) -> Ints:
    """The number of pairs of samples at each distance, from 0 on."""
    there = (labels >= 0).astype(np.int64)
    if there.all():
        return np.arange(there.size, 0, -1)
    pairs: Ints = np.correlate(there, there, "full")[there.size - 1 :]
    return pairs


def _equal_so_far_apart(labels: Ints, distance: int, rng: np.random.Generator) -> tuple[int, Ints]:
    """The number of pairs at this distance, and how many are equal in their own order and in random ones.

    Random orders permute the answers among the samples that exist.
    """
    there = labels >= 0
    known = labels[there]
    shuffled = [rng.permutation(known) for _ in range(SHUFFLES)]
    both = there[distance:] & there[:-distance]
    if np.bincount(known).max() < 2:
        return int(both.sum()), np.zeros(1 + SHUFFLES, np.int64)
    orders = np.tile(labels, (1 + SHUFFLES, 1))
    orders[1:, there] = shuffled
    equal = (orders[:, distance:] == orders[:, :-distance]) & both
    return int(both.sum()), equal.sum(axis=1)
