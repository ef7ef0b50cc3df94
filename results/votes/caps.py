"""Hard caps on the length of an answer: what a run would have given had every answer been stopped there.

    setting  tokens  answer      caps 2000, 4000  ->  cap=2000  2000  null
    default  3602    18                               cap=4000  3602  18

One run whose answers have token counts gives a whole T axis: at cap C, an answer of more than C
tokens is unfinished. It casts no vote, is wrong, scores 0 and costs C tokens. An answer that
the run itself cut off (`finish_reason` length) is unfinished at every cap, even if it can be
read. All other answers are unchanged.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import pandas as pd

from results.arguments import CAPS
from results.commandline import BadInput
from results.tables.columns import TEXT
from results.tables.key import ANSWERS, WHOSE, keys


def endings(samples: pd.DataFrame) -> pd.Series[str]:
    """How each answer ended: stop, length, …; null if the samples do not say."""
    return samples.get("finish_reason", pd.Series(index=samples.index, dtype=TEXT))


def cap_name(cap: int, setting: str | None = None) -> str:
    """The name of a capped setting: "cap=2000", or "high cap=2000" if there are several settings to cap."""
    return f"cap={cap}" if setting is None else f"{setting} cap={cap}"


def cap_samples(samples: pd.DataFrame, caps: Sequence[int]) -> pd.DataFrame:
    """The samples table with each setting replaced by one setting per cap, cheapest first.

    Settings are named "cap=2000"; if a model has several on one data set, each is capped separately:
    "high cap=2000". Issues a UserWarning if the run itself cut answers off at fewer tokens than a cap: they
    count as unfinished, though a longer run would have continued them.
    Raises BadInput if an answer has no token count or a cap is not a whole number of at least 1.
    """
    caps = sorted(set(CAPS.of(caps)))
    if not caps:
        raise BadInput(f"caps: found none, expected {CAPS.expected}")
    check_tokens(samples)
    settings = samples["setting"].groupby(keys(samples, WHOSE), sort=False).transform("nunique")
    prefix = pd.Series(np.where(settings > 1, samples["setting"] + " ", ""), index=samples.index)
    ended = endings(samples)
    unfinished = ended.eq("length").fillna(False).to_numpy(bool)
    scores = [name for name in map(str, samples) if name.partition("_")[0] == "score"]
    tables = []
    for cap in caps:
        longer = unfinished | (samples["tokens"] > cap).to_numpy(bool)
        capped = samples.assign(
            setting=prefix + cap_name(cap),
            tokens=samples["tokens"].clip(upper=cap),
            correct=samples["correct"] & ~longer,
            answer=samples["answer"].mask(longer),
            finish_reason=ended.mask(longer, "length"),
            **{name: samples[name].astype(object).mask(longer, 0) for name in scores},
        )
        tables.append(capped)
        cut = unfinished & (samples["tokens"] < cap).to_numpy(bool)
        if cut.any():
            warnings.warn(
                f"cap={cap}: the run itself cut off {cut.sum()} answers after fewer tokens; they "
                "count as unfinished",
                stacklevel=2,
            )
    return pd.concat(tables, ignore_index=True)


def check_tokens(samples: pd.DataFrame) -> None:
    """Raise BadInput, naming the first answer without a token count, unless every answer has one.

    If all counts of a setting are 0, they are taken as unknown, as in `votes.exact.counted`.
    """
    if "tokens" not in samples:
        raise BadInput("no column 'tokens': a cap needs the completion tokens of every answer")
    most = samples["tokens"].groupby(keys(samples, ANSWERS)).transform("max")
    unknown = (samples["tokens"].isna() | most.eq(0)).fillna(True).to_numpy(bool)
    if unknown.any():
        first = samples.iloc[int(unknown.argmax())]
        raise BadInput(
            f"{unknown.sum()} of {len(samples)} answers have no tokens, the first of them question "
            f"{first['question_id']}, sample {first['sample']}: a cap needs the tokens of every answer"
        )
