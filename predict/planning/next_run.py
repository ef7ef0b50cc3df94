"""Which cheap run to make next: what it costs and how much it is expected to narrow a forecast's interval.

    setting  now           then          tokens     width_now  width_then
    medium   8 answers     16 answers    4,061,000  0.112      0.079        of these questions
    medium   45 questions  90 questions  4,061,000  0.181      0.128        of new questions

From samples only. More answers are judged by the interval of these questions. The answers that a run would
bring are drawn from what is forecast of them (`imagine`), the forecast is made again with them among the
data, and the widths of its intervals are averaged over a few draws. That is the expected width before the
run, with nothing assumed of the predictor's formula. More questions are judged by the interval of new ones:
the forecast is made again as if each question had a twin.

Only for predictors that go by the answers: those of `CURVE_ONLY` count the largest N of any setting as seen
at every one, so that a run which raises it at one setting would seem to narrow the forecasts at the others.

Answers that have not been sampled yet, drawn from what the sampled ones say.

    question  seen: 3 right, "17" twice, one unreadable   ->   4 more: right, right, "17", a new wrong one

Each question's rate of unreadable and of right answers is drawn from its beta posterior (both beta laws
fitted to all questions); a wrong answer repeats one given c times with chance c/(θ + m) after m wrong ones,
else it is new: the Chinese restaurant process (Ewens' law), θ by maximum likelihood. Drawing with the
posterior, not with the observed frequencies, keeps the surprises that more answers bring.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import gammaln

from predict.answers.beta_binomial import fit_beta
from predict.estimate import Options
from predict.estimators import ESTIMATORS, estimator_of
from predict.evidence.capped import observe
from predict.evidence.groups import Group
from predict.evidence.points import Floats, Ints, Points, renumbered
from results.votes.exact import AnswerPools, VoteCounts


def imagine(answers: AnswerPools, more: int, rng: np.random.Generator) -> AnswerPools:
    """The pools with `more` drawn answers appended to every question, of the mean number of tokens."""
    counts = answers.counts()
    cast = counts.pools - counts.nulls
    shape = (len(cast), more)
    votes = _wrong_answers(counts, more, rng)
    right, blank = _rates(counts.correct, cast, rng), _rates(counts.nulls, counts.pools, rng)
    votes[rng.random(shape) < right[:, None]] = 0
    votes[rng.random(shape) < blank[:, None]] = -1
    known = answers.tokens[np.isfinite(answers.tokens)]
    new_tokens = np.full(votes.size, known.mean() if known.size else np.nan)
    place = np.repeat(answers.starts[1:], more)
    starts = answers.starts + more * np.arange(len(answers.starts))
    question = np.repeat(np.arange(len(cast)), np.diff(starts))
    return replace(
        answers,
        starts=starts,
        votes=renumbered(question, np.insert(answers.votes, place, votes.ravel())),
        tokens=np.insert(answers.tokens, place, new_tokens),
        scores=None,
    )


def with_twins(answers: AnswerPools) -> AnswerPools:
    """The pools with each question twice: what as many more questions of the kind may look like."""
    Q, sizes = len(answers.question_ids), answers.sizes
    names, clusters = _twice(answers.question_ids), _twice(answers.clusters or [])
    order = np.argsort(names, kind="stable")
    of = order % Q
    starts = np.concatenate([[0], np.cumsum(sizes[of])])
    kept = np.concatenate([np.arange(answers.starts[q], answers.starts[q + 1]) for q in of])
    return AnswerPools(
        question_ids=[names[i] for i in order],
        starts=starts,
        votes=answers.votes[kept],
        tokens=answers.tokens[kept],
        clusters=[clusters[i] for i in order] if clusters else None,
    )


def _twice(names: Sequence[str]) -> list[str]:
    """The names, and as many others like them."""
    return [*names, *(f"{name}, again" for name in names)]


def _rates(successes: Ints, trials: Ints, rng: np.random.Generator) -> Floats:
    """One draw of each question's rate from its beta posterior, shape (Q,); 0 without any success."""
    if not successes.any():
        return np.zeros(len(successes))
    a, b = fit_beta(successes, trials)
    return np.asarray(rng.beta(a + successes, b + trials - successes))


def _wrong_answers(counts: VoteCounts, more: int, rng: np.random.Generator) -> Ints:
    """`more` wrong answers for each question as their numbers 1, 2, …, shape (Q, more).

    Each repeats one of the wrong answers before it, or with weight θ is new. All of them continue the seen
    ones: those that turn out right or unreadable are overwritten later, which changes no law, since the
    process is exchangeable.
    """
    kinds, theta = np.diff(counts.starts), agreement(counts)
    given = counts.pools - counts.nulls - counts.correct
    rows, last = np.arange(len(kinds)), np.cumsum(given)
    votes = np.zeros((len(kinds), given.max(initial=0) + more), np.int64)
    first = np.repeat(counts.starts[:-1], kinds)
    seen = np.repeat(np.arange(len(counts.wrong)) - first + 1, counts.wrong)
    votes[np.repeat(rows, given), np.arange(len(seen)) - np.repeat(last - given, given)] = seen
    for i in range(more):
        drawn = (rng.random(len(kinds)) * (given + i + theta)).astype(np.int64)
        new = drawn >= given + i
        kinds = kinds + new
        votes[rows, given + i] = np.where(new, kinds, votes[rows, np.where(new, 0, drawn)])
    return np.asarray(votes[rows[:, None], given[:, None] + np.arange(more)])


def agreement(counts: VoteCounts) -> float:
    """θ of Ewens' law by maximum likelihood: small where wrong answers agree, within 0.01 … 10,000."""
    kinds = np.diff(counts.starts)
    totals = counts.pools - counts.nulls - counts.correct
    sizes, times = np.unique(totals[totals > 0], return_counts=True)
    if not len(sizes):
        return 1.0

    def loss(log_theta: float) -> float:
        theta = np.exp(log_theta)
        rising = gammaln(theta + sizes) - gammaln(theta)
        return float(times @ rising - kinds.sum() * log_theta)

    found = minimize_scalar(loss, bounds=(np.log(0.01), np.log(1e4)), method="bounded")
    return float(np.exp(found.x))


DRAWS = 4
"""Imagined runs averaged over: their widths differ by a few per cent only."""


@dataclass(frozen=True)
class NextRun:
    """A run at `setting`, its price in tokens, and the width of its 90 % interval without and with it.

    kind: "answers" to every question there, or "questions"; `now`, `then`: how many there are.
    """

    setting: str
    kind: str
    now: int
    then: int
    tokens: float
    width_now: float = np.nan
    width_then: float = np.nan


def next_runs(
    group: Group, predictor: str, place: Points, options: Options, draws: int = DRAWS
) -> Iterator[NextRun]:
    """Every candidate with its price and expected width.

    `place`: the one (setting, T, N) that is to be decided, of a group with pools. The interval is that of
    fresh answers, so that it is of the same quantity before and after.
    """
    now, now_new = widths(group, predictor, place, options)
    for run in candidates(group, place):
        if run.kind == "questions":
            then_new = widths(with_twice_the_questions(group, run), predictor, place, options)[1]
            yield replace(run, width_now=now_new, width_then=then_new)
        else:
            rngs = [np.random.default_rng([options.seed, draw]) for draw in range(draws)]
            then = [widths(after(group, run, rng), predictor, place, options)[0] for rng in rngs]
            yield replace(run, width_now=now, width_then=float(np.mean(then)))


def candidates(group: Group, place: Points) -> list[NextRun]:
    """The runs that are considered for the choice `place`.

    Twice the answers at each setting; at its own also four times as many, and twice the questions.
    """
    target, found = str(place.setting[0]), []
    for pool in group.pools:
        seen, questions = int(pool.answers.sizes.min()), len(pool.answers.question_ids)
        once = questions * seen * pool.T
        found.append(NextRun(pool.setting, "answers", seen, 2 * seen, once))
        if pool.setting == target:
            found.append(NextRun(target, "answers", seen, 4 * seen, 3 * once))
            found.append(NextRun(target, "questions", questions, 2 * questions, once))
    return found


def after(group: Group, run: NextRun, rng: np.random.Generator) -> Group:
    """The group as it may be after a run of more answers."""
    pools = [
        replace(pool, answers=imagine(pool.answers, run.then - run.now, rng))
        if pool.setting == run.setting
        else pool
        for pool in group.pools
    ]
    return group.with_pools(pools)


def with_twice_the_questions(group: Group, run: NextRun) -> Group:
    """The group as it may be after a run of as many new questions."""
    pools = [
        replace(pool, answers=with_twins(pool.answers)) if pool.setting == run.setting else pool
        for pool in group.pools
    ]
    return group.with_pools(pools)


def widths(group: Group, predictor: str, place: Points, options: Options) -> tuple[float, float]:
    """Widths of the intervals of these and of new questions at `place`, from all data of `group`."""
    names = [name for name, _ in group.points.settings()]
    evidence = observe(group, names, int(group.points.N.max()))
    fresh = tuple(replace(pool, whole=None) for pool in evidence.pools)
    evidence = replace(evidence, pools=fresh)
    found = ESTIMATORS[estimator_of(predictor, evidence)](evidence, place, options)
    these, new = (float(one.high[0] - one.low[0]) for one in (found.these, found.new))
    return these, new
