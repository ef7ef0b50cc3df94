"""Lines and tables as the commands print them, in the words that the report's page has for them."""

from collections.abc import Iterable, Mapping

import click
import numpy as np
import pandas as pd

from predict.evidence.groups import Group
from results.terminal import aligned, visible
from results.words.cells import Columns
from results.words.names import METHOD_NAMES, NBSP

TEXT = ("set", "along", "predictor", "setting", "run", "rule", "status", "problem")
"""Columns aligned to the left; the others hold numbers."""


def say(text: str, err: bool = False) -> None:
    """Print `text`; names of models, datasets and settings may hold anything, so nothing in it is obeyed."""
    click.echo(visible(text.replace(NBSP, " "), keep="\n"), err=err)


def warn(group_name: str, sentences: Iterable[str]) -> None:
    """Print what a reader must be told of a group on stderr."""
    for sentence in sentences:
        say(f"warning: {group_name}: {sentence}", err=True)


def title(group: Group) -> str:
    """ "Llama-3.1-8B on gsm8k, majority vote", of a run with the cap at which it is looked at."""
    at = f", setting {group.run.setting}, stopped at {group.run.cap:,} tokens" if group.run else ""
    return f"{group.called}, {METHOD_NAMES[group.method]}{at}"


def spread(rows: pd.DataFrame, most: int) -> pd.DataFrame:
    """At most `most` or so rows of a table: of every setting the same few N, evenly chosen."""
    if len(rows) <= most:
        return rows
    each, ns = max(2, most // rows["setting"].nunique()), np.unique(rows["N"])
    kept = np.linspace(0, len(ns) - 1, min(each, len(ns))).round().astype(np.int64)
    return rows[rows["N"].isin(ns[kept])]


def table(columns: Mapping[str, Iterable[str]]) -> str:
    """Columns of cells under their heads as aligned lines."""
    rows = zip(*columns.values(), strict=True)
    left = [index for index, head in enumerate(columns) if head in TEXT]
    return "\n".join(aligned([list(columns), *map(list, rows)], left))


def described(rows: pd.DataFrame, columns: Columns) -> str:
    """Rows of a table as aligned lines, in the words that the report's page has for them."""
    return table({head: [tell(row) for _, row in rows.iterrows()] for head, tell in columns.items()})
