"""The methods that make one answer of N: a row for each, with everything that is said about it.

A new method is a row here and, if it is computed from answers, a function in
`results.votes.scored.accuracy_by`. All lists, names and sentences on methods use this table.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Method:
    """One method.

    Arguments:
        words: its name.
        of: its input: plain answers, answers with scores, scores alone, each the credit of an answer, or
            something other than votes computed here.
        votes: whether equal answers count together. Mere verdicts, right or wrong, cannot vote.
        forecast: whether it is forecast, and used to compare runs, if no method is named.
        opposite: the method whose complement it is, with right and wrong exchanged: all of N are right
            unless one of them is wrong.
        spending: more answers as a way of spending; "" if they are not meant to help.
        act: the start of a sentence about {N} answers.
    """

    words: str
    of: Literal["answers", "scores", "credit", "other"] = "other"
    votes: bool = False
    forecast: bool = False
    opposite: str = ""
    spending: str = ""
    act: str = ""


METHODS = {
    "majority": Method(
        words="majority vote",
        of="answers",
        votes=True,
        forecast=True,
        spending="voting",
        act="A vote over {N} answers",
    ),
    "best_of_n": Method(
        words="best of N",
        of="answers",
        forecast=True,
        spending="asking again with a perfect judge",
        act="A perfect judge of {N} answers",
    ),
    "all_of_n": Method(
        words="all of N",
        of="answers",
        opposite="best_of_n",
        act="Asking that all {N} answers be right",
    ),
    "best_by_score": Method(
        words="best by score",
        of="scores",
        spending="picking by score",
        act="Picking the highest score of {N} answers",
    ),
    "weighted_majority": Method(
        words="weighted vote",
        of="scores",
        votes=True,
        spending="voting by score",
        act="A vote over {N} answers, weighted by score,",
    ),
    "highest_score": Method(
        words="highest score",
        of="credit",
        spending="asking again with a perfect judge",
        act="The highest score of {N} answers",
    ),
    "ensemble": Method(words="average of N", spending="averaging", act="Averaging {N} paths"),
    "greedy": Method(words="greedy decoding"),
}

EVERY_METHOD = tuple(name for name, method in METHODS.items() if method.of == "answers")
"""Methods for N answers."""

BY_SCORE = tuple(name for name, method in METHODS.items() if method.of == "scores")
"""Methods for N answers with scores."""

CREDIT = tuple(name for name, method in METHODS.items() if method.of == "credit")
"""Methods for N scores from 0 to 1, each the credit of an answer; at N = 1, the mean score."""

SCORED = (*BY_SCORE, *CREDIT)
"""Methods that need scores."""

COMPUTED = (*EVERY_METHOD, *SCORED)
"""Methods that are computed from samples."""

FORECAST = tuple(name for name, method in METHODS.items() if method.forecast)
"""The default methods of forecasts and of comparisons."""

FORECAST_ON_REQUEST = tuple(name for name, method in METHODS.items() if method.opposite in FORECAST)
"""Methods that are forecast on request, by way of their opposite."""

LISTED = f"One or more of {', '.join(COMPUTED)}, separated by commas."
"""The help of an option that lists them."""
