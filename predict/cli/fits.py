"""`tts fits`: the fits of the paper's appendix as a table, with the problem of each, if any.

along                  α      β   rate    gap  misfit  status  problem
N, at setting 120  0.961  0.113  0.352  0.839  0.0073  ok
"""

from pathlib import Path

import numpy as np
import pandas as pd

from predict.evidence.groups import Group
from predict.evidence.request import read_asked
from results.commandline import say
from results.paper_fits import along_gap, along_n, along_t
from results.tables.contract import check_out
from results.tables.files import write_raw
from results.terminal import plural
from results.words.cells import described
from results.words.values import FIT_COLUMNS


def run(inputs: tuple[Path, ...], out: Path, method: str | None) -> None:
    """Fit every group in the inputs, print the fits and write all of them."""
    check_out(out, inputs)
    groups = read_asked(inputs, method)
    tables = [appendix_fits(group) for group in groups]
    for group, fits in zip(groups, tables, strict=True):
        unit = f"{group.unit} per answer" if group.priced else "the table's unit"
        say(f"\n{group.title}, the paper's fits; x is N, T in {unit}, or Δ²")
        say(described(fits, FIT_COLUMNS))
    write_raw(pd.concat(tables, ignore_index=True), out)
    say(f"\n{plural(sum(map(len, tables)), 'row')} in {out}")


def appendix_fits(group: Group) -> pd.DataFrame:
    """All fits of `group`, one row each: along_n by setting, along_t, along_gap by N > 1.

    If a fit is impossible, its row has status not_identifiable, empty parameters and the reason.
    """
    setting, T, N, accuracy = group.points.setting, group.points.T, group.points.N, group.accuracy
    single = along_t(T[N == 1], accuracy[N == 1])
    fits = [
        along_n(name, N[setting == name], accuracy[setting == name], votes=group.method == "majority")
        for name, _ in group.points.settings()
    ]
    fits.append(single)
    fits += [along_gap(int(n), T[n == N], accuracy[n == N], single) for n in np.unique(N[N > 1])]
    return pd.DataFrame([group.key.cells | fit.row() for fit in fits])
