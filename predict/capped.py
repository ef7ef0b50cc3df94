"""Forecasts beyond a hard cap: one run looked at as if it had been stopped at C, dearer caps asked.

    run              fit at    asked                  predictor  predicted  low   high  tokens
    qwen3 on aime    cap=8000  cap=16000, N = 8       survival   0.61       0.55  0.67  9,700

A run whose answers have tokens holds every cap up to its longest answer. What lies within the cap is all that
a forecast sees. `survival` goes by the answers; the curve predictors are its rivals: they see the curve at
eight caps up to C, in equal steps of the share of answers that ended.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from predict.curves.intervals import replicate_samples
from predict.groups import chosen_answers, first_answers, group_of_pools, make_pool, question_accuracy
from predict.predictors import CURVE_ONLY, PREDICTORS
from predict.protocol import Floats, Observed, Options, Points, Pool, Prediction, Status, everywhere
from predict.survival.forecast import Ahead, ahead_of
from predict.survival.seen import stopped
from results import BadInput, kind_of, read_samples
from results.figures.words import METHOD_NAMES, curves_name
from results.votes.caps import cap_name, check_tokens
from results.votes.exact import AnswerPools, answer_pools
from results.votes.tokens import reasoning_length

SURVIVAL = "survival"
CAP_PREDICTORS = (SURVIVAL, *CURVE_ONLY)
RIVAL_CAPS = 8


@dataclass(frozen=True)
class Run:
    """The answers of one setting of one model on one dataset, uncut.

    `several`: whether the model has other settings there, so that a cap's name must tell which.
    `cut_off`: tokens of the answers that the run itself cut off, before they ended.
    """

    source: str
    dataset: str
    model: str
    setting: str
    several: bool
    answers: AnswerPools
    cut_off: Floats

    @property
    def name(self) -> str:
        """What the run is called in messages."""
        return f"{curves_name(self.source, self.dataset, self.model)}, setting {self.setting}"

    def title(self, method: str) -> str:
        """What its forecasts are headed with."""
        return f"{self.name}, {METHOD_NAMES[method]}"

    def at(self, cap: int) -> str:
        """The name of the setting "stopped at `cap`"."""
        return cap_name(cap, self.setting if self.several else None)


@dataclass(frozen=True)
class CapRequest:
    """See what a run stopped at `fit_cap` shows of `fit_max_n` answers a question (None: all); forecast
    `at_caps` at `at_n`."""

    fit_cap: int
    at_caps: tuple[int, ...]
    fit_max_n: int | None = None
    at_n: tuple[int, ...] = ()


def read_runs(paths: Sequence[Path]) -> list[Run]:
    """The runs in files of samples. Raises BadInput for curves, and where answers have no tokens."""
    for path in paths:
        if kind_of(path) != "samples":
            raise BadInput(f"{path}: --fit-cap needs samples with tokens, not {kind_of(path)}")
    try:
        return runs_of(read_samples(*paths, texts=False))
    except BadInput as error:
        raise BadInput(f"{', '.join(map(str, paths))}: {error}") from None


def runs_of(samples: pd.DataFrame) -> list[Run]:
    """The runs in a checked samples table, greedy answers left out. Raises BadInput without token counts."""
    rows = samples[samples["decoding"] == "sample"]
    if rows.empty:
        raise BadInput("no sampled answers to forecast from")
    check_tokens(rows)
    rows = rows.assign(source=rows["source"].fillna("llm") if "source" in rows else "llm")
    runs = []
    for key, part in rows.groupby(["source", "dataset", "model"], sort=False):
        source, dataset, model = map(str, key)
        settings = list(part.groupby("setting", sort=False))
        for setting, one in settings:
            cut = one["finish_reason"].eq("length").fillna(False) if "finish_reason" in one else False
            tokens = one["tokens"][np.broadcast_to(cut, len(one)).astype(bool)].to_numpy(np.float64)
            several = len(settings) > 1
            runs.append(Run(source, dataset, model, str(setting), several, answer_pools(one), tokens))
    return runs


def check(run: Run, request: CapRequest) -> None:
    """Raise BadInput where `request` makes no sense for `run`."""
    cap = request.fit_cap
    if not request.at_caps:
        raise BadInput("--fit-cap needs --at-caps: the caps to forecast")
    for dearer in request.at_caps:
        if dearer <= cap:
            raise BadInput(f"--at-caps {dearer}: give caps above --fit-cap {cap}")
    if not (run.answers.tokens <= cap).any():
        raise BadInput(
            f"{run.name}: --fit-cap {cap}: every answer is longer, the shortest has "
            f"{run.answers.tokens.min():.0f} tokens"
        )
    early = run.cut_off[run.cut_off < cap]
    if early.size:
        raise BadInput(
            f"{run.name}: --fit-cap {cap}: the run itself cut {early.size} answers off before that; give at "
            f"most {early.min():.0f}"
        )


def forecast_run(
    run: Run, request: CapRequest, predictors: Sequence[str], method: str, options: Options,
    with_own: bool = False,
) -> tuple[pd.DataFrame, list[str]]:  # fmt: skip
    """Rows of the forecast table, and what a reader must be told. Raises BadInput.

    Extra columns `tokens_low` and `tokens_high`: the interval of tokens_per_answer, a forecast; `new_low` and
    `new_high`: the interval for new questions. Where the run
    went on beyond a cap, its accuracy there is in `accuracy` (role held_out). `with_own`: the cap that was
    seen is forecast too.
    """
    check(run, request)
    caps, ns = _caps_and_ns(run, request)
    caps = [request.fit_cap, *caps] if with_own else caps
    pool = Pool(run.setting, np.nan, run.answers)
    shown = pool if request.fit_max_n is None else first_answers(pool, request.fit_max_n)
    options = replace(options, pool=max(*ns, int(run.answers.sizes.min())))
    answers = stopped(shown.answers, request.fit_cap)
    ahead = ahead_of(answers, request.fit_cap, caps, options)
    asked = run, answers, ahead, request.fit_cap, caps, ns, predictors, method
    new = _predicted(*asked, replace(options, target="population"))
    table = _predicted(*asked, options).assign(new_low=new["low"], new_high=new["high"])
    truth = _truth(run, request.fit_cap, caps, ns, method)
    table = table.merge(truth.drop(columns="tokens"), on=["setting", "N"], how="left")
    questions = len(run.answers.question_ids)
    table = table.assign(
        source=run.source, dataset=run.dataset, model=run.model, method=method, permutation="exact",
        role=np.where(table["accuracy"].notna(), "held_out", "forecast"), questions=questions,
        tokens_per_answer=table["tokens_predicted"],
        T=[reasoning_length(t, questions, run.source) for t in table["tokens_predicted"]],
        condition=np.nan,
    ).drop(columns="tokens_predicted")  # fmt: skip
    table = table.astype({"questions": "Int64", "N": "Int64"})
    return table, _notes(request, shown.answers, table)


def backtest_run(
    run: Run, request: CapRequest, predictors: Sequence[str], methods: Sequence[str], splits: int,
    options: Options, tick: Callable[[], object] = lambda: None,
) -> pd.DataFrame:  # fmt: skip
    """One row per method, predictor, split, cap and N, with the truth of all answers.

    Raises BadInput where there is no truth.
    Columns tokens, tokens_predicted, tokens_low, tokens_high: the mean tokens of an answer, and the forecast.
    """
    check(run, request)
    caps, ns = _caps_and_ns(run, request)
    cap, smallest = request.fit_cap, int(run.answers.sizes.min())
    if ns[-1] > smallest:
        raise BadInput(f"{run.name}: --at-n {ns[-1]} has no truth; a question has {smallest} answers")
    truths = {method: _truth(run, cap, caps, ns, method) for method in methods}
    lengths = truths[methods[0]].drop_duplicates("setting")["tokens"].to_numpy()
    if np.isnan(lengths).any():
        known = (
            f"{run.answers.tokens.max():.0f} tokens" if not run.cut_off.size else f"{run.cut_off.min():.0f}"
        )
        raise BadInput(f"{run.name}: --at-caps {caps[-1]} has no truth: the run went to {known}")
    seen = request.fit_max_n or smallest
    tables = []
    for split in range(splits if seen < smallest else 1):
        order = np.random.default_rng([options.seed, split]).permutation(len(run.answers.votes))
        shown = stopped(chosen_answers(Pool(run.setting, np.nan, run.answers), order, seen).answers, cap)
        seeded = replace(options, seed=options.seed + split, pool=smallest)
        ahead = ahead_of(shown, cap, caps, seeded)
        for method in methods:
            found = _predicted(run, shown, ahead, cap, caps, ns, predictors, method, seeded, lengths)
            found = found.merge(truths[method].drop(columns="stderr"), on=["setting", "N"])
            tables.append(found.assign(split=split, dataset=run.dataset, model=run.model, method=method))
        tick()
    first = ["predictor", "split", "dataset", "model", "method", "setting", "N", "accuracy", "predicted"]
    table = pd.concat(tables, ignore_index=True)
    return table[[*first, *(name for name in table if name not in first)]]


def _predicted(
    run: Run, answers: AnswerPools, ahead: Ahead | None, cap: int, caps: Sequence[int], ns: Sequence[int],
    predictors: Sequence[str], method: str, options: Options, lengths: Floats | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Every predictor's forecasts from `answers`, stopped at `cap`, and what lies `ahead` of them.

    `lengths` (C,): tokens per answer at which the curve predictors are asked; None: those forecast.
    """
    size = len(caps) * len(ns)
    nothing = np.full(size, np.nan)
    if ahead is None:
        tokens = low = high = np.full(len(caps), np.nan)
    else:
        tokens, low, high = ahead.tokens(options.level)
    settings, N = np.repeat([run.at(one) for one in caps], len(ns)), np.tile(ns, len(caps)).astype(np.int64)
    targets = Points(settings, np.repeat(tokens if lengths is None else lengths, len(ns)), N)
    parts = []
    for name in predictors:
        if name != SURVIVAL:
            found = PREDICTORS[name](_curve(run, answers, cap, method, options), targets, options)
        elif ahead is None:
            found = Prediction(nothing, nothing, nothing, everywhere(Status.NOT_IDENTIFIABLE, size), nothing)
        else:
            found = ahead.accuracy(ns, method, options)
        columns = {
            "predictor": name, "setting": settings, "N": N,
            "predicted": found.mean, "low": found.low, "high": found.high,
            "status": found.status.astype(str), "tokens_predicted": np.repeat(tokens, len(ns)),
            "tokens_low": np.repeat(low, len(ns)), "tokens_high": np.repeat(high, len(ns)),
        }  # fmt: skip
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def _curve(run: Run, answers: AnswerPools, cap: int, method: str, options: Options) -> Observed:
    """What a curve predictor sees: the curve at `RIVAL_CAPS` caps, the last of them `cap`."""
    ended = answers.tokens[answers.tokens <= cap]
    shares = np.arange(1, RIVAL_CAPS) / RIVAL_CAPS
    caps = np.unique([*np.quantile(ended, shares, method="higher"), cap])
    pools = [make_pool(f"{one:.0f}", _spent(answers, one)) for one in caps]
    group = group_of_pools(run.source, run.dataset, run.model, method, pools)
    copies = replicate_samples(group.points, group.pools, method, options.replicates, options.seed)
    return Observed(group.points, group.accuracy, group.stderr, copies, group.pools, method)


def _spent(answers: AnswerPools, cap: float) -> AnswerPools:
    """The answers stopped at `cap`, each with the tokens it then takes."""
    cut = stopped(answers, cap)
    return replace(cut, tokens=np.minimum(cut.tokens, cap))


def _truth(run: Run, fit_cap: int, caps: Sequence[int], ns: Sequence[int], method: str) -> pd.DataFrame:
    """Accuracy, its standard error and tokens per answer of all answers at each cap and N; NaN where the run
    stopped earlier or has too few answers."""
    smallest = int(run.answers.sizes.min())
    known = [n for n in ns if n <= smallest]
    stop = run.cut_off.min() if run.cut_off.size else np.inf
    if not (run.answers.tokens > fit_cap).any():
        stop = fit_cap  # the run may have been stopped there
    table = pd.DataFrame(
        {"setting": np.repeat([run.at(cap) for cap in caps], len(ns)), "N": [*ns] * len(caps)}
    )
    table = table.assign(tokens=np.nan, accuracy=np.nan, stderr=np.nan)
    for i, cap in enumerate(caps):
        if cap > stop:
            continue
        pool = make_pool(run.at(cap), _spent(run.answers, cap))
        each = pd.DataFrame(question_accuracy(pool.answers, np.array(known), method))
        first = i * len(ns)
        table.loc[first : first + len(ns) - 1, "tokens"] = pool.T
        table.loc[first : first + len(known) - 1, ["accuracy", "stderr"]] = np.stack(
            [each.mean(), each.sem()], 1
        )
    return table


def _caps_and_ns(run: Run, request: CapRequest) -> tuple[list[int], list[int]]:
    powers = [2**k for k in range(int(run.answers.sizes.min()).bit_length())]
    return sorted(set(request.at_caps)), sorted(set(request.at_n or powers))


def _notes(request: CapRequest, answers: AnswerPools, table: pd.DataFrame) -> list[str]:
    ended = (stopped(answers, request.fit_cap).tokens <= request.fit_cap).mean()
    notes = [f"{100 * ended:.0f} % of the answers ended within {request.fit_cap} tokens"]
    if (table["status"] == Status.NOT_IDENTIFIABLE).any():
        notes.append("too few to forecast dearer caps: give a larger --fit-cap or more answers")
    return notes
