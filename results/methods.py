"""How N answers become one: a row for each method, and all that is said of it.

A new method is a row here and, where it is computed from answers, a function in
`results.votes.scored.accuracy_by`. Every list of methods, name and sentence goes by this table.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Method:
    """One method.

    Arguments:
        words: what it is called.
        of: what it is made from: plain answers, answers with scores, scores alone that are the credit of an
            answer, or other than by the product's votes.
        votes: whether equal answers count together. Verdicts, which say only right or wrong, do not vote.
        forecast: whether there are forecasts of it, and runs are compared by it where no method is named.
        opposite: the method that it is 1 less of, with right answers taken for wrong ones: all of N are right
            unless one of them is not.
        spending: more answers as a way of spending, "" where they are not meant to help.
        act: a sentence's start, of {N} answers.
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
"""What can be made of N answers."""

BY_SCORE = tuple(name for name, method in METHODS.items() if method.of == "scores")
"""What can be made of N answers that have scores."""

CREDIT = tuple(name for name, method in METHODS.items() if method.of == "credit")
"""What can be made of N scores from 0 to 1, each the credit of an answer; of one answer it is the mean."""

SCORED = (*BY_SCORE, *CREDIT)
"""What needs scores."""

COMPUTED = (*EVERY_METHOD, *SCORED)
"""What is computed from samples."""

FORECAST = tuple(name for name, method in METHODS.items() if method.forecast)
"""What there are forecasts of where no method is named; runs are compared by these, too."""

FORECAST_ON_REQUEST = tuple(name for name, method in METHODS.items() if method.opposite in FORECAST)
"""What there are forecasts of on request, by those of its opposite."""

LISTED = f"One or more of {', '.join(COMPUTED)}, separated by commas."
"""What the help of an option says of them."""
