"""From samples to curves: accuracy against N, for each method and setting.

    source,dataset,model,method,setting,T,tokens_per_answer,N,permutation,accuracy,stderr,questions, …
    llm,gsm8k,Llama-3.1-8B,majority,100,115016.8,87.2,8,exact,0.712,0.0119,1319, …

T and tokens_per_answer are defined in `results.votes.tokens`; the other columns, shares and
paired standard errors, are described in docs/tables.md. Greedy answers do not vote; they have
rows of their own, with method "greedy".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pandas as pd

from results.arguments import NS, PERMUTATIONS, SEED, names_of
from results.commandline import BadInput, progress
from results.methods import COMPUTED, CREDIT, EVERY_METHOD, FORECAST, METHODS, SCORED
from results.tables.contract import as_samples
from results.tables.files import give_back_memory
from results.tables.key import ANSWERS, WHOSE, Key, groups
from results.tables.schemas import CHEAP, CURVES
from results.votes.clusters import Clusters, cluster_sizes, mean_accuracy, standard_error
from results.votes.exact import Floats, Ints
from results.votes.permutations import prefix_accuracy, random_orders
from results.votes.scored import accuracy_by, check_weights, score_column
from results.votes.setting import (
    Setting,
    beyond,
    feasible,
    settings_in_order,
    settings_of,
    warn_of_clusters,
    warn_of_gaps,
)
from results.votes.tokens import prefix_tokens, reasoning_length

COLUMNS = [name for name in CURVES.columns if name not in ("risk", *CHEAP)]
"""Columns of the curves of answers: all but risk, which only the twin has, and those of a cheap side."""


def methods_of(given: str | Sequence[str]) -> tuple[str, ...]:
    """The methods in a list or text ("majority,best_of_n"), each once. Raises BadInput for others or none."""
    methods = names_of("method", given, COMPUTED)
    if not methods:
        raise BadInput(f"method: found none, expected some of {', '.join(COMPUTED)}")
    return methods


def usual_methods(samples: pd.DataFrame) -> dict[Key, tuple[str, ...]]:
    """The default methods for each model on each data set of checked samples.

    If a model's answers are mere verdicts, which cannot vote, these are best_of_n and all_of_n. If `correct`
    is a threshold on scores from 0 to 1, some of them in between, highest_score is added.
    """
    told = samples[[name for name in (*WHOSE, "answer", "gold", "correct", "score") if name in samples]]
    credit = CREDIT if _partial_credit(told) else ()
    judged = tuple(name for name in EVERY_METHOD if not METHODS[name].votes)
    return {
        key: (*(judged if _verdicts_alone(rows) else FORECAST), *credit) for key, rows in groups(told, WHOSE)
    }


_VERDICTS = re.compile(r"[01]|true|false|yes|no|pass(ed)?|fail(ed)?|(in)?correct|right|wrong", re.IGNORECASE)


def _verdicts_alone(samples: pd.DataFrame) -> bool:
    """Whether there are no golds and each answer is merely a word for right or wrong, or its score."""
    if "gold" in samples and samples["gold"].notna().any():
        return False
    pairs = samples[["answer", "correct"]].dropna().drop_duplicates()
    if pairs.empty or not pairs["answer"].map(lambda answer: bool(_VERDICTS.fullmatch(answer))).all():
        numbers = pd.to_numeric(samples["answer"], errors="coerce")
        return "score" in samples and bool(numbers.notna().any() and (numbers == samples["score"]).all())
    return bool(pairs["answer"].is_unique)


def _partial_credit(samples: pd.DataFrame) -> bool:
    """Whether scores are partial credit, from 0 to 1, with `correct` a threshold."""
    if "score" not in samples or ("gold" in samples and samples["gold"].notna().any()):
        return False
    scores, right = samples["score"], samples["correct"]
    if not scores.between(0, 1).all() or scores.isin([0, 1]).all():
        return False
    return bool(scores[right].min() > scores[~right].max()) or not right.any() or bool(right.all())


@dataclass(frozen=True)
class Exact:
    """The exact accuracy of each question, (Q, len(ns)), for one setting and method."""

    group: Setting
    key: Key
    ns: Ints
    accuracy: Floats


def build_curves(
    samples: pd.DataFrame,
    methods: str | Sequence[str] | None = None,
    ns: Sequence[int] | None = None,
    permutations: int = 10,
    seed: int = 0,
    score: str = "score",
    weights: str | None = None,
) -> pd.DataFrame:
    """The curves table of a samples table, which may be any DataFrame that has its columns.

    methods: "majority", "best_of_n", "all_of_n" and, for answers with scores, "best_by_score" and
    "weighted_majority", which have exact rows only; by default each model's `usual_methods`.
    score: the column of scores: "score", "logprob" or the NAME of a "score_NAME"
    (`results.votes.scored` explains scores). weights: "softmax" or "sigmoid", to make weights
    of scores that are rewards of any size. ns: the N to compute, by default the powers of two up
    to the pool size, and that size. permutations: the number of random orders drawn in addition
    to the exact value (0: none). An N above a setting's smallest pool is computed from the
    questions with that many answers if these are most of them, else left out; a UserWarning says
    which. Raises BadInput if the table breaks the contract, or no setting has enough answers for
    any N.
    """
    samples = as_samples(samples)
    return curves_and_votes(samples, methods, ns, permutations, seed, score, weights, most=True)[0]


_VOTED = (
    *ANSWERS,
    *("question_id", "sample", "answer", "correct", "tokens", "finish_reason", "stop_rule", "cluster"),
)
"""Columns of samples that are needed."""


def curves_and_votes(
    samples: pd.DataFrame,
    methods: str | Sequence[str] | None = None,
    ns: Sequence[int] | None = None,
    permutations: int = 10,
    seed: int = 0,
    score: str = "score",
    weights: str | None = None,
    most: bool = False,
) -> tuple[pd.DataFrame, list[Exact]]:
    """The curves table of checked samples, and the exact accuracies by question behind it.

    most: include N that most questions reach, and not only N that all do; the accuracies leave
    them out.
    """
    usual = usual_methods(samples) if methods is None else {}
    every = methods_of([*chain(*usual.values())] if methods is None else methods)
    ns = None if ns is None else NS.of(ns)
    if ns == ():
        raise BadInput(f"ns: found no number, expected {NS.expected}")
    permutations, seed = PERMUTATIONS.of(permutations), SEED.of(seed)
    check_weights(weights, every, score)
    column, logs = None, False
    if set(every) & set(SCORED):
        samples, column, logs = score_column(samples, score, weights)
    elif score != "score":
        raise BadInput(f"score: found {score!r:.40}, which none of {', '.join(every)} goes by")
    settings = settings_in_order(samples)
    greedy, sampled = _greedy_and_sampled(samples, column, logs, settings)
    give_back_memory()
    warn_of_gaps(sampled)
    warn_of_clusters(sampled)
    voted = [(group, feasible(group, ns)) for group in sampled]
    larger = [part for group in sampled for part in beyond(group, ns, most)]
    if sampled and not (larger or any(possible.size for _, possible in voted)):
        asked, pool = ", ".join(map(str, ns or [])), max(int(group.pools.sizes.min()) for group in sampled)
        raise BadInput(f"N = {asked}: no setting has that many answers per question, expected at most {pool}")

    def methods_for(group: Setting) -> tuple[str, ...]:
        return usual.get(group.key.whose, every)

    votes: list[Exact] = []
    for group, possible in progress(" settings", voted):
        votes += _exact(group, possible, methods_for(group))
    rows = [_greedy_rows(group) for group in greedy]
    rows += [_exact_rows(curve, votes) for curve in votes]
    for part, possible in larger:
        alone = [_exact_rows(curve, [curve]) for curve in _exact(part, possible, methods_for(part))]
        rows += [of_fewer.assign(stderr_vs_first_n=np.nan) for of_fewer in alone]  # first N: all questions
    for group, possible in [*voted, *larger] if permutations else []:
        rows += _permutation_rows(group, methods_for(group), possible, permutations, seed)
    table = pd.concat(rows, ignore_index=True).reindex(columns=COLUMNS)
    if table["clusters"].isna().all():
        table = table.drop(columns="clusters")
    return _ordered(table, samples, settings), votes


def _greedy_and_sampled(
    samples: pd.DataFrame, column: str | None, logs: bool, settings: list[str]
) -> tuple[list[Setting], ...]:
    """Each setting's greedy answers, and its sampled ones, which vote, in the order of `settings`."""
    needed = samples[[name for name in (*_VOTED, column) if name in samples]]
    greedy = samples["decoding"] == "greedy"
    drawn = needed[~greedy] if greedy.any() else needed  # do not copy millions of rows for nothing
    sampled = sorted(settings_of(drawn, column, logs), key=lambda group: settings.index(group.key.setting))
    return list(settings_of(needed[greedy])), sampled


def _exact(group: Setting, ns: Ints, methods: Sequence[str]) -> list[Exact]:
    """The exact accuracies of one setting by each method; none if there is no N to compute."""
    if not ns.size:
        return []
    return [Exact(group, group.key.by(m), ns, accuracy_by(group.pools, m, ns)) for m in methods]


def _exact_rows(curve: Exact, curves: Sequence[Exact]) -> pd.DataFrame:
    """The rows of one setting and method; `curves` holds all curves, including this one."""
    group, ns = curve.group, curve.ns
    clusters = group.pools.clusters
    over_n = standard_error(curve.accuracy - curve.accuracy[:, :1], clusters)
    over_n[0] = np.nan
    own = [other for other in curves if other.key.at("") == curve.key.at("")]
    known = not np.isnan([other.group.tokens for other in own]).any()
    cheapest = min(own, key=lambda other: other.group.tokens) if known else own[0]
    over_cheapest = np.full(ns.size, np.nan)
    same_questions = cheapest.group.pools.question_ids == group.pools.question_ids
    if cheapest is not curve and same_questions:
        _, here, there = np.intersect1d(ns, cheapest.ns, return_indices=True)
        difference = curve.accuracy[:, here] - cheapest.accuracy[:, there]
        over_cheapest[here] = standard_error(difference, clusters)
    lengths = np.full((1, ns.size), group.tokens)
    rows = _rows(curve.key, ["exact"], ns, curve.accuracy[None], lengths, clusters)
    return rows.assign(stderr_vs_first_n=over_n, stderr_vs_cheapest=over_cheapest, **group.shares)


def _permutation_rows(
    group: Setting, methods: Sequence[str], ns: Ints, permutations: int, seed: int
) -> list[pd.DataFrame]:
    if not ns.size:
        return []
    orders = random_orders(group.pools, permutations, seed)
    accuracy = prefix_accuracy(group.pools, orders, ns)
    tokens = prefix_tokens(group.pools, orders, ns)
    numbers = [str(p) for p in range(permutations)]
    return [
        _rows(group.key.by(method), numbers, ns, accuracy[method], tokens, group.pools.clusters)
        for method in methods
        if method in accuracy
    ]


def _greedy_rows(group: Setting) -> pd.DataFrame:
    """One row for the greedy answers; if a question has several, their mean counts."""
    counts = group.pools.counts()
    accuracy = (counts.correct / counts.pools)[None, :, None]
    length = np.array([[group.tokens]])
    key, clusters = group.key.by("greedy"), group.pools.clusters
    rows = _rows(key, ["exact"], np.array([1]), accuracy, length, clusters)
    return rows.assign(**group.shares)


def _rows(
    key: Key,
    permutations: Sequence[str],
    ns: Ints,
    accuracy: Floats,
    tokens: Floats,
    clusters: Clusters,
) -> pd.DataFrame:
    """Rows of the curves table from accuracies (P, Q, len(ns)) and tokens per answer (P, len(ns))."""
    questions = accuracy.shape[1]
    draws = np.nan if clusters is None else len(cluster_sizes(questions, clusters))
    lengths = tokens.ravel()
    return pd.DataFrame(
        {
            **key.cells,
            "T": [reasoning_length(length, questions, key.source) for length in lengths],
            "tokens_per_answer": lengths,
            "N": np.tile(ns, len(permutations)),
            "permutation": np.repeat(permutations, ns.size),
            "accuracy": mean_accuracy(accuracy).ravel(),
            "stderr": standard_error(accuracy, clusters).ravel(),
            "questions": questions,
            "clusters": draws,
        }
    )


def _ordered(curves: pd.DataFrame, samples: pd.DataFrame, settings: list[str]) -> pd.DataFrame:
    """The rows sorted for readers: each column in the order of the samples, settings as given."""
    keys_of_samples = [key for key, _ in groups(samples, WHOSE)]
    orders = {name: list(dict.fromkeys(getattr(key, name) for key in keys_of_samples)) for name in WHOSE}
    orders |= {"method": list(METHODS), "setting": settings}
    places = {name: pd.Categorical(curves[name], order).codes for name, order in orders.items()}
    drawn = curves["permutation"].replace("exact", "-1").astype(int)
    by = pd.DataFrame(places).assign(N=curves["N"], permutation=drawn)
    rows = by.sort_values(list(by.columns)).index.to_numpy()
    whole = {name: "Int64" for name in ("N", "questions", "clusters") if name in curves}
    return curves.astype(whole).take(rows).reset_index(drop=True)
