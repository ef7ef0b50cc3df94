"""The exact majority vote as a reducer for inspect_ai, which finds this plug-in by the name `tts`.

    inspect eval task.py --epochs 8 --epochs-reducer tts/vote_4     # 4 of the 8 epochs vote

An epoch without a score is left out, as in inspect_ai's own reducers. An answer that is scored wrong and
could not be read (no `answer`) casts no vote.
"""

from collections import Counter

from inspect_ai.scorer import Score, ScoreReducer, score_reducer, value_to_float

from harness.imports.inspect_ai_log import normal
from results import majority_curve


@score_reducer(name="tts/vote")
def vote(k: int | None = None) -> ScoreReducer:
    """The probability that a majority vote over `k` of the epochs is right, with ties sharing the credit.

    It is the mean over all subsets of that size; k: by default all epochs that have a score. With fewer
    than k of them the reduced score is NaN.
    """
    number = value_to_float()

    def reduce(scores: list[Score]) -> Score:
        values = [(score, number(score.value)) for score in scores]
        votes = [(value >= 1, normal(score.answer)) for score, value in values if value == value]
        size = k or len(votes)
        if not 0 < size <= len(votes):
            return Score(value=float("nan"))
        right = sum(correct for correct, _ in votes)
        wrong = Counter(answer for correct, answer in votes if not correct and answer)
        nulls = len(votes) - right - wrong.total()
        return Score(
            value=float(majority_curve(right, list(wrong.values()), nulls)[size - 1]),
            metadata={"right": right, "wrong": dict(wrong), "unreadable": nulls},
        )

    return reduce
