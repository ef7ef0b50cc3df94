"""The laws of the gap fitted to one half of the answers and judged by the other, both ways.

judge(answers, halves).errors["one μ for all questions (the paper)"]      (questions,) squared errors
"""

from dataclasses import dataclass

import numpy as np

from studies.bridge import laws
from studies.bridge.answers import Answers, Floats, Ints

PAPER, FREE, EITHER = "one μ for all questions (the paper)", "μ of each question", "one μ, of either sign"
RISING, ANY, RAW = "rising, each question by itself", "any shape, questions of one law", "as measured"


@dataclass(frozen=True)
class Judged:
    """`errors` and `scores` (questions,) of each law on the other half, averaged over both ways."""

    errors: dict[str, Floats]
    scores: dict[str, Floats]
    rates: tuple[float, ...] = ()


def from_length(answers: Answers, halves: list[Floats], name: str) -> tuple[Answers, list[Floats]]:
    """The lengths from this one on."""
    places = [*range(answers.lengths.index(name), len(answers.lengths))]
    return answers.at(places), [half[:, places] for half in halves]


def judge(answers: Answers, halves: list[Floats]) -> Judged:
    """Every law fitted to one half at all lengths and judged by the other, both ways round."""
    noise, tokens = laws.noise_of(*halves), answers.tokens
    errors: dict[str, list[Floats]] = {}
    scores: dict[str, list[Floats]] = {}
    rates = []
    for one, other in (halves, halves[::-1]):
        half, other_half = laws.Half(one, noise), laws.Half(other, noise)
        rates.append(float(laws.fit_exponential(half, tokens, shared=True).rates[0]))
        for name, said in _laws(half, tokens, np.arange(len(tokens))).items():
            errors.setdefault(name, []).append(laws.squared_error(said.mean, other_half))
            scores.setdefault(name, []).append(laws.log_score(said, other_half))
    return Judged(_means(errors), _means(scores), tuple(rates))


def judge_inner(answers: Answers, halves: list[Floats]) -> Judged:
    """The same laws at lengths they were not fitted to: each inner length is left out in turn."""
    noise, tokens = laws.noise_of(*halves), answers.tokens
    errors: dict[str, list[Floats]] = {}
    for one, other in (halves, halves[::-1]):
        half = laws.Half(one, noise)
        for out in range(1, len(tokens) - 1):
            kept = np.delete(np.arange(len(tokens)), out)
            at = laws.Half(other[:, [out]], noise[[out]][:, [out]])
            for name, said in _laws(half, tokens, kept).items():
                errors.setdefault(name, []).append(laws.squared_error(said.mean[:, [out]], at))
    return Judged(_means(errors), {})


def _means(found: dict[str, list[Floats]]) -> dict[str, Floats]:
    return {name: np.mean(several, axis=0) for name, several in found.items()}


def _laws(half: laws.Half, tokens: Floats, kept: Ints) -> dict[str, laws.Predicted]:
    seen = laws.Half(half.gaps[:, kept], half.noise[np.ix_(kept, kept)])
    said = {}
    for name, rates in ((PAPER, laws.RATES), (EITHER, np.concatenate([-laws.RATES[4:], laws.RATES]))):
        fit = laws.fit_exponential(seen, tokens[kept], shared=True, rates=rates)
        said[name] = fit.predict(seen, tokens[kept], tokens)
    free = laws.fit_exponential(seen, tokens[kept], shared=False)
    said[FREE] = free.predict(seen, tokens[kept], tokens)
    doubled = np.broadcast_to(half.noise, (len(half.gaps), *half.noise.shape))
    for name, line in ((RISING, laws.rising(seen.gaps, seen.noise)), (RAW, seen.gaps)):
        between = np.stack([np.interp(tokens, tokens[kept], row) for row in line])
        said[name] = laws.Predicted(between, doubled)
    if len(kept) == len(tokens):
        said[ANY] = laws.fit_shapeless(half).predict(half, kept)
    return said
