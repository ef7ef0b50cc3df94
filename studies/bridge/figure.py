"""The figure: Δ along the lengths, with a thin line for each question, and the laws of the mean.

save_picture(tokens, gaps, sure, curve, path)
"""

from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd
import vl_convert

from results.figures.theme import Figure, combined_spec
from studies.bridge.answers import Floats

BEHIND, CROSSES, OTHER = (
    "a wrong answer leads at every length",
    "the lead changes",
    "the right one leads, or unclear",
)
COLOURS = {BEHIND: "#c4453c", CROSSES: "#2c728e", OTHER: "#b8bfcc"}
MEAN, PAPER = "#14181f", "#f08a24"


def changes(tokens: Floats, gaps: Floats) -> pd.DataFrame:
    """Where each question's line (questions, lengths) crosses zero: columns question, T, Δ."""
    rows = []
    for question, gap in enumerate(gaps):
        for at in np.flatnonzero(gap[:-1] * gap[1:] < 0):
            part = gap[at] / (gap[at] - gap[at + 1])
            rows.append((question, tokens[at] + part * (tokens[at + 1] - tokens[at]), 0.0))
    return pd.DataFrame(rows, columns=["question", "T", "gap"])


def kind_of(chance_behind: Floats, chance_changes: Floats) -> list[str]:
    """Each question's kind, by the larger of its posterior probabilities; unclear if neither reaches 1/2."""
    names = []
    for behind, change in zip(chance_behind, chance_changes, strict=True):
        likely = BEHIND if behind > change else CROSSES
        names.append(likely if max(behind, change) > 0.5 else OTHER)
    return names


def picture(tokens: Floats, gaps: Floats, kinds: list[str], laws: dict[str, Floats], title: str) -> Figure:
    """The figure; `laws` name the heavy lines, each (lengths,), the mean first."""
    questions, lengths = gaps.shape
    table = pd.DataFrame(
        {
            "question": np.repeat(np.arange(questions), lengths),
            "T": np.tile(tokens, questions),
            "gap": gaps.ravel(),
            "kind": np.repeat(kinds, lengths),
        }
    )
    heavy = pd.concat(pd.DataFrame({"T": tokens, "gap": line, "law": name}) for name, line in laws.items())
    x = alt.X("T:Q", title="tokens an answer, T", scale=alt.Scale(domain=[0, float(tokens[-1]) * 1.02]))
    y = alt.Y("gap:Q", title="gap Δ", scale=alt.Scale(domain=[-0.5, 0.8]))
    scale = alt.Scale(domain=list(COLOURS), range=list(COLOURS.values()))
    stroke = alt.Legend(symbolType="stroke")
    colour = alt.Color("kind:N", title=None, scale=scale, legend=stroke)
    dashes = alt.Scale(domain=list(laws), range=[[1, 0], [6, 4]])
    dash = alt.StrokeDash("law:N", title=None, scale=dashes, legend=stroke)
    thin = alt.Chart(table).mark_line(strokeWidth=0.8, opacity=0.6)
    zero = pd.DataFrame({"gap": [0.0]})
    return Figure(
        "bridge",
        title,
        ("thin: a question, the posterior mean of its gap; circles: the lead changes; heavy: all",),
        (
            alt.Chart(zero).mark_rule(color=MEAN, opacity=0.5).encode(y),
            thin.encode(x, y, colour, alt.Detail("question:N")),
            alt.Chart(changes(tokens, gaps)).mark_point(size=14, color=COLOURS[CROSSES]).encode(x, y),
            alt.Chart(heavy).mark_line(strokeWidth=3, color=MEAN).encode(x, y, dash),
        ),
    )


def save_picture(figure: Figure, path: Path) -> None:
    """Write it to a .png."""
    path.write_bytes(bytes(vl_convert.vegalite_to_png(combined_spec([[figure]]), scale=1.2)))
