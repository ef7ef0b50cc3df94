"""The runs that `predict plan` proposes next, and what each would narrow.

The next run, to narrow an interval at setting high, N = 4:
setting  run                   tokens in all  interval of      points
high     8 → 16 answers            7,864,798  these questions  ±1.5 → ±1.2
high     45 → 90 questions         7,864,798  new questions    ±5.5 → ±3.9
"""

from dataclasses import replace

import pandas as pd
from tqdm import tqdm

from predict.cli.wording import QUESTIONS, points, say, table, tokens
from predict.groups import Group
from predict.planning.next_run import advised, candidates, next_runs
from predict.planning.plan import place
from predict.predictors import CURVE_ONLY, DEFAULT
from predict.protocol import Options

NARROW = 0.002
"""An interval narrower than this is not worth a run."""

NOISE = 0.02
"""A narrowing below this share is noise of the imagined runs."""

ABOUT = {"answers": QUESTIONS["low"], "questions": QUESTIONS["new_low"]}
"""Whose interval a kind of run narrows."""


def propose(group: Group, predictor: str, row: pd.Series, max_n: int, options: Options) -> None:
    """Print the runs that would narrow the intervals of the choice `row`, or why none is proposed."""
    why_not = None
    if not group.pools:
        why_not = "curves do not tell the noise of the answers from that of the questions; give samples"
    elif predictor in CURVE_ONLY:
        why_not = f"{predictor} forecasts from curve points alone; give --predictor {DEFAULT}"
    elif row[["low", "high"]].isna().any():
        why_not = "the choice has no interval to narrow"
    elif row["new_high"] - row["new_low"] < NARROW:
        why_not = f"the interval is narrower than {points(NARROW)} points"
    if why_not:
        say(f"No next run is proposed: {why_not}.")
        return
    options = replace(options, pool=max(max_n, int(group.points.N.max())))
    at = place(row)
    with tqdm(total=len(candidates(group, at)), unit="run", disable=None, leave=False) as bar:
        found = next_runs(group, predictor, at, options, tick=bar.update)
    useful = [run for run in found if run.narrowing > NOISE and run.width_now > NARROW]
    if not useful:
        say("No next run is proposed: none that was considered would narrow the interval.")
        return
    say(f"\nThe next run, to narrow an interval at setting {row['setting']}, N = {row['N']}:")
    columns = {
        "setting": [run.setting for run in useful],
        "run": [f"{run.now} → {run.then} {run.kind}" for run in useful],
        f"{group.unit} in all": [tokens(run.tokens) for run in useful],
        "interval of": [ABOUT[run.kind] for run in useful],
        "points": [f"±{points(run.width_now / 2)} → ±{points(run.width_then / 2)}" for run in useful],
    }
    say(table(columns))
    for kind, about in ABOUT.items():
        best = advised([run for run in useful if run.kind == kind])
        if best:
            say(
                f"Best value for {about}: {best.now} → {best.then} {kind} at setting {best.setting}, "
                f"{tokens(best.tokens)} {group.unit} in all, to narrow ±{points(best.width_now / 2)} points "
                f"to ±{points(best.width_then / 2)} (expected)."
            )
