"""What a user asks for: which part of a table is fitted, and which points are forecast.

    --fit-max-n 8            settings 10 … 500, N = 1 … 8 are observed; N = 16 32 64 are held out
    (nothing named)          the cheaper half of the settings is observed, the others are held out

Without any --fit-… or --at-… option the split is: of four settings or more with known T the cheapest half,
rounded up and at least three, with every N; otherwise every setting, with N up to half the largest one.
A limit on one axis leaves the other one whole. Unless named, the targets are all points of the table.

The data of several inputs: named files and runs, then tables in folders of runs, then further files.

    runs/gsm8k/samples.jsonl  runs/gsm8k/curves.csv  runs/old/samples.jsonl     then: tiny.csv
    ->  gsm8k (its curves add nothing), old, tiny;   no set is read twice

Named files must be readable. A file found in a folder, or a further one, is passed over with a message if it
cannot be forecast.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from predict.evidence.capped import capped
from predict.evidence.groups import Group, groups_of_curves, groups_of_samples
from results import BadInput, kind_of, read_curves, read_samples
from results.arguments import AT_CAPS, AT_N, FIT_CAP, FIT_MAX_N, FIT_MAX_TOKENS, METHOD, names_of
from results.methods import FORECAST, METHODS
from results.tables.contract import sample_files
from results.tables.files import SUFFIXES

ENOUGH = 4
"""Settings of known length needed to forecast the longest: three to fit, and one to forecast."""


@dataclass(frozen=True)
class Request:
    """The options that the user gave; empty or None: not given. Raises BadInput if they make no sense."""

    fit_max_n: int | None = None
    fit_max_tokens: float | None = None
    fit_settings: tuple[str, ...] = ()
    at_n: tuple[int, ...] = ()
    at_settings: tuple[str, ...] = ()
    fit_cap: int | None = None
    at_caps: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        fields = vars(self).copy()
        for limit in (FIT_MAX_N, FIT_MAX_TOKENS, FIT_CAP):
            fields[limit.name] = limit.if_any(fields[limit.name])
        for several in (AT_N, AT_CAPS):
            fields[several.name] = several.of(fields[several.name])
        for name in ("fit_settings", "at_settings"):
            fields[name] = names_of(name, fields[name] if fields[name] is not None else ())
        vars(self).update(fields)


NOTHING = Request()
"""The request with no option given."""


def read_asked(paths: Sequence[Path], method: str | None, request: Request = NOTHING) -> list[Group]:
    """The groups in the files, samples first: one per model and dataset or, with --fit-cap, per run.

    Raises BadInput if a file is neither samples nor curves, or both have the same model and dataset.
    """
    kinds = {path: _checked(kind_of(path), str(path)) for path in paths}
    read: list[Group] = []
    for kind in sorted(set(kinds.values()), reverse=True):  # samples, curves
        own = [path for path in paths if kinds[path] == kind]
        table = read_samples(*own, texts=False) if kind == "samples" else read_curves(*own)
        read += groups_asked(table, kind, method, request, ", ".join(map(str, own)))
    of_each = {group.identity: group for group in read}
    if twice := [group.name for group in read if of_each[group.identity] is not group]:
        files = ", ".join(map(str, paths))
        raise BadInput(
            f"{files}: answers and curves of {twice[0]}; give only the answers, which contain more"
        )
    return read


def groups_asked(
    table: pd.DataFrame, kind: str, method: str | None, request: Request, name: str = "DataFrame"
) -> list[Group]:
    """The groups in a checked table of that kind, which messages call `name`. Raises BadInput."""
    method = None if method is None else METHOD.of(method)
    cap = _cap(request, method)
    kind = _checked(kind, name)
    if cap is not None and kind == "curves":
        raise BadInput(f"{name}: --fit-cap needs samples with tokens, not curves")
    if cap is not None:
        try:
            return capped(table, method, cap, request.at_caps, request.at_n)
        except BadInput as error:
            raise BadInput(f"{name}: {error}") from None
    if kind == "samples":
        groups = groups_of_samples(table, method, request.at_n)
    else:
        groups = groups_of_curves(table, method)
    if not groups:
        known = ", permutation exact, with an accuracy" if kind == "curves" else ""
        raise BadInput(f"{name}: no rows of method {method or ' or '.join(FORECAST)}{known}")
    return groups


def _checked(kind: str, name: str) -> str:
    """The kind of the table, samples or curves. Raises BadInput for another."""
    if kind not in ("samples", "curves"):
        raise BadInput(f"{name}: a {kind} table, expected one of samples or of curves")
    return kind


def _cap(request: Request, method: str | None) -> int | None:
    """The cap at which runs are stopped, if any. Raises BadInput if other options conflict with it."""
    if request.fit_cap is None and not request.at_caps:
        return None
    if request.fit_cap is None or not request.at_caps:
        raise BadInput("--fit-cap (where the run is stopped) and --at-caps (to forecast) go together")
    if request.fit_settings or request.at_settings or request.fit_max_tokens:
        raise BadInput("--fit-settings, --fit-max-tokens and --at-settings do not go with --fit-cap")
    if method and METHODS[method].opposite:
        raise BadInput(f"--method {method} does not go with --fit-cap: an answer cut off is not a right one")
    return request.fit_cap


def fitted(group: Group, request: Request) -> tuple[list[str], int]:
    """The observed settings and the largest observed N. Raises BadInput if nothing is observed."""
    lengths = dict(group.points.settings())
    names = list(lengths)
    largest = int(group.points.N.max())
    if group.run:
        names = names[:1]
    elif request == NOTHING:
        if len(names) >= ENOUGH and np.isfinite(list(lengths.values())).all():
            return names[: max(3, (len(names) + 1) // 2)], largest
        return names, max(int(group.points.N.min()), largest // 2)
    if request.fit_settings:
        for name in request.fit_settings:
            if name not in names:
                raise BadInput(f"{group.name}: no setting {name!r} to fit; it has {', '.join(names)}")
        names = [name for name in names if name in request.fit_settings]
    if request.fit_max_tokens is not None:
        for name in names:
            if not (group.priced and np.isfinite(lengths[name])):
                raise BadInput(f"{group.name}: --fit-max-tokens: setting {name!r} has no token counts")
        shortest = min(lengths[name] for name in names)
        names = [name for name in names if lengths[name] <= request.fit_max_tokens]
        if not names:
            raise BadInput(
                f"{group.name}: no setting takes {request.fit_max_tokens:g} {group.unit} an answer or fewer; "
                f"the shortest takes {shortest:.4g}"
            )
    max_n = request.fit_max_n or largest
    smallest = int(group.points.N[np.isin(group.points.setting, names)].min())
    if smallest > max_n:
        raise BadInput(f"{group.name}: no point with N up to {max_n}; the smallest N is {smallest}")
    return names, max_n


def opened(inputs: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The files and runs among the inputs, and the tables in the folders of runs among them."""
    folders = [path for path in inputs if _holds_runs(path)]
    named = [path for path in inputs if path not in folders]
    return named, [file for folder in folders for file in tables_in(folder)]


def read_found(
    named: Sequence[Path], others: Sequence[Path], method: str | None, request: Request
) -> tuple[list[Group], list[tuple[str, str]]]:
    """All groups in the files and runs `named`, and those in `others` that were not read before.

    Also returns the files passed over, with the reasons. Raises BadInput if a named one cannot be read, and
    if there is no group at all.
    """
    found = read_asked(named, method, request)
    passed_over = []
    seen = {group.identity: named[0] for group in found}
    for file in others:
        try:
            groups = read_asked([file], method, request)
        except BadInput as error:
            passed_over.append((str(file), str(error).removeprefix(f"{file}: ")))
            continue
        for group in groups:
            before = seen.get(group.identity)
            if before is None:
                found.append(group)
                seen[group.identity] = file
            elif before.parent != file.parent:
                passed_over.append((str(file), f"{group.called} is in {before}, too"))
    if not found:
        raise BadInput("nothing to forecast: neither a run nor curves of that method in the folders given")
    return found, passed_over


def tables_in(folder: Path) -> list[Path]:
    """The samples and curves under a folder, newest first; curves come after the samples beside them."""
    kinds: dict[Path, str] = {}
    for file in folder.rglob("*"):
        if file.suffix in SUFFIXES and file.is_file():
            try:
                kinds[file] = kind_of(file)
            except BadInput:  # a table of something else
                continue
    runs = {file.parent: file for file in kinds if kinds[file] == "samples"}

    def rank(file: Path) -> tuple[float, bool, str]:
        own_run = runs.get(file.parent, file)
        return -own_run.stat().st_mtime, kinds[file] == "curves", str(file)

    return sorted((file for file in kinds if kinds[file] in ("samples", "curves")), key=rank)


def _holds_runs(path: Path) -> bool:
    """Whether `path` is a folder that is not itself a run."""
    if not path.is_dir():
        return False
    try:
        sample_files(path)
    except BadInput:
        return True
    return False
