"""From samples to curves: the accuracy of a vote and of best-of-N at every N, for each setting.

    source,dataset,model,method,setting,T,tokens_per_answer,N,permutation,accuracy,stderr,questions
    llm,gsm8k,Llama-3.1-8B,majority,100,115016.8,87.2,8,exact,0.712,0.0119,1319

T and tokens_per_answer are defined in `results.votes.tokens`. Greedy answers do not vote; they make rows of
their own, with method "greedy".
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from tqdm import tqdm

from results.commandline import BadInput
from results.tables.contract import as_samples
from results.votes.exact import AnswerPools, Floats, Ints, accuracy_by_question, answer_pools
from results.votes.permutations import prefix_accuracy, random_orders
from results.votes.tokens import prefix_tokens, reasoning_length, tokens_per_answer

METHODS = ("majority", "best_of_n")
GROUP = ["source", "dataset", "model", "setting"]
COLUMNS = [
    *["source", "dataset", "model", "method", "setting", "T", "tokens_per_answer"],
    *["N", "permutation", "accuracy", "stderr", "questions"],
]


@dataclass(frozen=True)
class Group:
    """The answers of one setting: `names` are its source, dataset, model and setting."""

    names: tuple[str, str, str, str]
    pools: AnswerPools

    def __str__(self) -> str:
        return "/".join(self.names[1:])


def build_curves(
    samples: pd.DataFrame,
    methods: Sequence[str] = METHODS,
    ns: Sequence[int] | None = None,
    permutations: int = 10,
    seed: int = 0,
    progress: bool = False,
) -> pd.DataFrame:
    """The curves table of a samples table: any DataFrame with its columns, checked as a file would be.

    methods: "majority", "best_of_n". ns: the N to compute, by default the powers of two up to the pool and
    the pool itself. permutations: random orders drawn beside the exact value (0: none). An N above the
    smallest pool of a group is left out with a UserWarning. Raises BadInput for a table that breaks the
    contract, and where no setting has as many answers as the N asked for.
    """
    samples = as_samples(samples)
    _check_request(methods, ns, permutations, seed)
    methods = list(dict.fromkeys(methods))
    samples = samples.assign(source=samples["source"].fillna("llm") if "source" in samples else "llm")
    greedy = samples["decoding"] == "greedy"
    groups = list(_groups(samples[~greedy]))
    _warn_of_gaps(groups)
    plan = [(group, _feasible(group, ns)) for group in groups]
    if groups and not any(possible.size for _, possible in plan):
        pool = max(int(group.pools.sizes.min()) for group in groups)
        raise BadInput(
            f"N = {_listed(ns or [])}: no setting has that many answers per question, expected at most {pool}"
        )
    rows = [row for group in _groups(samples[greedy]) for row in _greedy_rows(group)]
    answers = sum(len(group.pools.votes) for group in groups)
    with tqdm(
        total=answers, unit=" answers", unit_scale=True, delay=2, disable=None if progress else True
    ) as bar:
        for group, possible in plan:
            if possible.size:
                rows += _exact_rows(group, methods, possible)
                rows += _permutation_rows(group, methods, possible, permutations, seed)
            bar.update(len(group.pools.votes))
    return _ordered(pd.DataFrame(rows, columns=COLUMNS), samples)


def _check_request(methods: Sequence[str], ns: Sequence[int] | None, permutations: int, seed: int) -> None:
    unknown = [method for method in methods if method not in METHODS]
    if unknown or not methods:
        raise BadInput(f"method {_listed(unknown)}: expected one or both of {', '.join(METHODS)}")
    if ns is not None and (len(ns) == 0 or any(n != int(n) or n < 1 for n in ns)):
        raise BadInput(f"N = {_listed(ns)}: expected whole numbers of at least 1")
    if permutations < 0 or seed < 0:
        raise BadInput("permutations and seed: expected whole numbers of at least 0")


def _groups(samples: pd.DataFrame) -> Iterator[Group]:
    for names, rows in samples.groupby(GROUP, sort=False, observed=True):
        source, dataset, model, setting = map(str, names)
        yield Group((source, dataset, model, setting), answer_pools(rows))


def _feasible(group: Group, ns: Sequence[int] | None) -> Ints:
    """The N for which every question has enough answers; a warning names those left out."""
    sizes = group.pools.sizes
    smallest, largest = int(sizes.min()), int(sizes.max())
    wanted = {2**k for k in range(largest.bit_length())} | {smallest, largest} if ns is None else set(ns)
    left_out = sorted(n for n in wanted if n > smallest)
    if left_out:
        short = int((sizes < left_out[0]).sum())
        warnings.warn(
            f"{group}: N = {_listed(left_out)} left out: {short} of {sizes.size} questions have fewer than "
            f"{left_out[0]} answers (the smallest pool has {smallest})",
            stacklevel=3,
        )
    return np.array(sorted(n for n in wanted if n <= smallest), np.int64)


def _warn_of_gaps(groups: list[Group]) -> None:
    """Warn where a setting lacks questions that others of its dataset have, or token counts."""
    everyone: dict[tuple[str, str], set[str]] = {}
    for group in groups:
        everyone.setdefault(group.names[:2], set()).update(group.pools.question_ids)
    for group in groups:
        expected = len(everyone[group.names[:2]])
        absent = expected - len(group.pools.question_ids)
        if absent:
            warnings.warn(f"{group}: {absent} of {expected} questions have no answer", stacklevel=3)
        unknown = np.isnan(group.pools.tokens)
        if unknown.any() and not unknown.all():
            warnings.warn(
                f"{group}: no T: {unknown.sum()} of {unknown.size} answers have no token count", stacklevel=3
            )


def _exact_rows(group: Group, methods: Sequence[str], ns: Ints) -> Iterator[tuple[object, ...]]:
    pools = group.pools
    counts = pools.counts()
    tokens = np.full(ns.size, tokens_per_answer(pools))
    for method in methods:
        accuracy = accuracy_by_question(counts, method, ns)
        yield from _rows(group, method, "exact", ns, accuracy, tokens)


def _permutation_rows(
    group: Group, methods: Sequence[str], ns: Ints, permutations: int, seed: int
) -> Iterator[tuple[object, ...]]:
    if permutations == 0:
        return
    orders = random_orders(group.pools, permutations, seed, group.names)
    accuracy = prefix_accuracy(group.pools, orders, ns)
    tokens = prefix_tokens(group.pools, orders, ns)
    for method in methods:
        for p in range(permutations):
            yield from _rows(group, method, str(p), ns, accuracy[method][p], tokens[p])


def _greedy_rows(group: Group) -> Iterator[tuple[object, ...]]:
    """One row for the temperature-0 answers; a question with several counts with their mean."""
    counts = group.pools.counts()
    accuracy = (counts.correct / counts.pools)[:, None]
    tokens = np.array([tokens_per_answer(group.pools)])
    yield from _rows(group, "greedy", "exact", np.array([1]), accuracy, tokens)


def _rows(
    group: Group, method: str, permutation: str, ns: Ints, accuracy: Floats, tokens: Floats
) -> Iterator[tuple[object, ...]]:
    """Rows of the curves table from accuracies (Q, len(ns)) and tokens per answer (len(ns),)."""
    source, dataset, model, setting = group.names
    questions = len(accuracy)
    spread = accuracy.std(axis=0, ddof=1) / np.sqrt(questions) if questions > 1 else np.full(ns.size, np.nan)
    mean = accuracy.mean(axis=0)
    for k, n in enumerate(ns):
        length = (reasoning_length(float(tokens[k]), questions, source), float(tokens[k]))
        value = (float(mean[k]), float(spread[k]))
        yield (source, dataset, model, method, setting, *length, int(n), permutation, *value, questions)


def _ordered(curves: pd.DataFrame, samples: pd.DataFrame) -> pd.DataFrame:
    """Sort for readers: settings by size where they are numbers, else in the order of the samples."""
    settings = list(samples["setting"].unique())
    sizes = pd.to_numeric(pd.Series(settings), errors="coerce")
    if sizes.notna().all():
        settings = [settings[i] for i in np.argsort(sizes.to_numpy(), kind="stable")]
    orders = {name: list(samples[name].unique()) for name in ("source", "dataset", "model")}
    orders |= {"method": [*METHODS, "greedy"], "setting": settings}
    keys = pd.DataFrame({name: pd.Categorical(curves[name], order).codes for name, order in orders.items()})
    keys = keys.assign(N=curves["N"], permutation=curves["permutation"].replace("exact", "-1").astype(int))
    rows = keys.sort_values([*orders, "N", "permutation"]).index.to_numpy()
    return curves.astype({"N": "Int64", "questions": "Int64"}).take(rows).reset_index(drop=True)


def _listed(values: Sequence[object]) -> str:
    return ", ".join(map(str, values))
