"""Remake the tables, the figure and the table of questions of this page from the shipped answers.

$ python -m studies.bridge.run                 some five minutes of processor time
"""

import warnings
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

import click
import numpy as np
import pandas as pd

from harness.experiment import FORCED
from results.commandline import run
from results.normal import FORECAST_TAILS
from studies.bridge import borrowed, laws, mirror, signs
from studies.bridge.answers import WHOLE, Answers, Floats, read_answers
from studies.bridge.exponents import FROM, TO, Exponents, exponents
from studies.bridge.figure import kind_of, picture, save_picture
from studies.bridge.judged import PAPER, RISING, Judged, from_length, judge, judge_inner
from studies.bridge.posterior import draw_gaps, learn_prior
from studies.pages import insert_into, markdown
from synthetic.model.settings import BinarySetting

Counts: TypeAlias = dict[str, signs.Count]
Checks: TypeAlias = dict[str, signs.Check]
HERE = Path(__file__).resolve().parent
PAGE, PICTURE, TABLE = HERE / "README.md", HERE / "bridge.png", HERE / "questions.csv"
insert = partial(insert_into, (PAGE,))
CACHED = HERE.parents[1] / "results" / "cached"
SEEN = "forced=100"
"""The last length seen by forecasts along T; accuracy has hardly changed up to there."""
NS = (2, 4, 8)
RESAMPLES = 2000


@dataclass(frozen=True)
class Shipped:
    """The answers, and those of the same model to the problems of another set."""

    answers: Answers
    other: pd.DataFrame


def shipped() -> Shipped:
    """The answers in results/cached."""
    tables = [pd.read_parquet(CACHED / f"int8-{name}.parquet") for name in ("gsm8k-forced", "gsm8k", "math")]
    return Shipped(read_answers(*tables[:2]), tables[2])


def interval(values: Floats, seed: int = 0) -> tuple[float, float, float]:
    """The mean over questions (axis 0) and its 90 % interval over the draw of questions."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(len(values), size=(RESAMPLES, len(values)))
    low, high = np.quantile(values[drawn].mean(axis=1), FORECAST_TAILS)
    return float(values.mean()), float(low), float(high)


def told(values: Floats, digits: int = 3, scale: float = 1.0) -> str:
    """The mean and its interval in words."""
    mean, low, high = (scale * value for value in interval(values))
    return f"{mean:.{digits}f} ({low:.{digits}f} … {high:.{digits}f})"


@click.command()
def main() -> None:
    """Remake the tables and the picture of the README."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        own = shipped()
        answers, gaps = own.answers, draw_gaps(own.answers, draws=2000)
        insert("data", data_text(answers))
        insert("lengths", lengths_table(answers, gaps))
        seen, checked = signs.counts(gaps), signs.checks(answers)
        worlds = copies(answers)
        insert("signs", signs_table(gaps, seen, checked, worlds))
        halves = [draw_gaps(half, seed=at).mean(axis=0) for at, half in enumerate(answers.halves())]
        judged = judge(answers, halves)
        insert("laws", laws_table(judged))
        insert("inner", laws_table(judge_inner(answers, halves)))
        late = judge(*from_length(answers, halves, SEEN))
        insert("late", laws_table(late))
        places = exponents(answers, NS)
        insert("exponents", exponents_text(places))
        three = first_sentence(seen, checked, worlds), second_sentence(judged, late), third_sentence(places)
        insert("three", "\n".join(f"{at}. {text}" for at, text in enumerate(three, start=1)))
        insert("borrowed", borrowed_table(own))
        draw(answers, gaps)


def draw(answers: Answers, gaps: Floats) -> None:
    """Draw the figure, and write its table."""
    mean, tokens = gaps.mean(axis=0), answers.tokens
    half = laws.Half(mean, laws.RIDGE * np.eye(len(tokens)))
    fit = laws.fit_exponential(half, tokens, shared=True)
    curve = laws.basis(tokens, float(fit.rates[0])) @ fit.mean
    of = signs.kinds(gaps)
    crosses = np.logical_or(of[signs.UP], of[signs.DOWN])
    kinds = kind_of(of[signs.BEHIND].mean(axis=0), crosses.mean(axis=0))
    lines = {"mean of all questions": mean.mean(axis=0), "γ − κe^(−μT), the paper’s law": curve}
    title = "The right answer’s lead over its strongest rival"
    save_picture(picture(tokens, mean, kinds, lines, title), PICTURE)
    columns = {name: mean[:, at] for at, name in enumerate(answers.lengths)}
    table = pd.DataFrame({"question_id": answers.questions, **columns, "kind": kinds})
    table.round(4).to_csv(TABLE, index=False)


def data_text(answers: Answers) -> str:
    """The paragraph on the data."""
    questions, each, lengths = answers.shape
    return f"{questions} questions × {each} answers, each cut off at {lengths - 1} lengths, and whole."


def lengths_table(answers: Answers, gaps: Floats) -> str:
    """The table of accuracy and gap at every length."""
    rows = []
    ahead = (gaps > 0).mean(axis=0)
    for at, name in enumerate(answers.lengths):
        share = answers.right()[:, at]
        rows.append(
            [
                name.removeprefix(FORCED),
                f"{answers.tokens[at]:.0f}",
                told(share, 1, 100),
                told(gaps[:, :, at].mean(axis=0)),
                told(ahead[:, at], 0, 100),
            ]
        )
    head = ["cut off after", "T, tokens", "one answer right, %", "mean Δ", "questions with Δ > 0, %"]
    return markdown(head, rows)


@dataclass(frozen=True)
class Copy:
    """A world as accurate as the model, with its true gaps, their estimates, and counts of both."""

    gap: Floats
    draws: Floats

    @property
    def counts(self) -> Counts:
        """The counts of the estimates, as for the model."""
        return signs.counts(self.draws)

    def truly(self, name: str) -> int:
        """How many of its questions are truly of a kind."""
        return int(signs.kinds(self.gap[None])[name].sum())


def copies(answers: Answers) -> dict[str, Copy]:
    """The world without theory and every twin, each with as many answers as the model."""
    null = mirror.null_world(answers, learn_prior(answers), seed=0)
    twins = mirror.twin_worlds(answers.right().mean(axis=0), answers.shape[0], seed=0)
    worlds = {"any rising law": null, **{_family(setting): world for setting, world in twins.items()}}
    return {
        name: Copy(world.gap, draw_gaps(world.answers(answers, seed=1), draws=500))
        for name, world in worlds.items()
    }


def signs_table(gaps: Floats, seen: Counts, checked: Checks, worlds: dict[str, Copy]) -> str:
    """The numbers of questions of each kind, for the model and equally accurate worlds, and the check."""
    counts = {name: world.counts for name, world in worlds.items()}
    rows = []
    for name, count in seen.items():
        check = checked[name]
        agreed = f"{check.picked}: {_shares(check)}" if check.picked else "none"
        others = [f"{counts[world][name]}; truly {worlds[world].truly(name)}" for world in worlds]
        rows.append([name, str(count), agreed, f"{100 * check.base:.0f} %", *others])
    mean = gaps.mean(axis=(0, 1))
    off = [np.abs(world.draws.mean(axis=(0, 1)) - mean).mean() for world in worlds.values()]
    rows.append(["mean Δ, off the model’s", "", "", "", *(f"{value:.3f}" for value in off)])
    held = [_held(world.draws, world.gap) for world in worlds.values()]
    rows.append(["places where Δ is in its 90 % interval", "", "", "", *held])
    head = ["questions where", "the model", "picked by one half: so by the other", "any question"]
    return markdown([*head, *worlds], rows)


def _held(draws: Floats, truth: Floats) -> str:
    """The share of true gaps (questions, lengths) within the interval of their draws."""
    low, high = np.quantile(draws, FORECAST_TAILS, axis=0)
    inside = ((truth > low) & (truth < high)).mean(axis=0)
    return f"{100 * inside.mean():.0f} % (at a length at least {100 * inside.min():.0f} %)"


def _family(setting: BinarySetting) -> str:
    noise = f", σ_ε = {setting.sigma_eps:g}" if setting.sigma_eps else ""
    return f"twin, n = {setting.n}, d = {setting.d}, k = {setting.k}{noise}"


def laws_table(judged: Judged) -> str:
    """The table of laws, compared with the paper's."""
    rows = []
    for name, error in judged.errors.items():
        row = [name, told(1e4 * error, 0), told(1e4 * (error - judged.errors[PAPER]), 0)]
        if judged.scores:
            row.append(told(judged.scores[name] - judged.scores[PAPER], 1))
        rows.append(row)
    head = ["law", "squared error × 10⁴", "less the paper’s"]
    return markdown([*head, "log score over the paper’s"] if judged.scores else head, rows)


def first_sentence(seen: Counts, checked: Checks, worlds: dict[str, Copy]) -> str:
    """The sentence on signs."""
    up, behind = seen[signs.UP], seen[signs.BEHIND]
    off = [
        max(abs(world.counts[name].mean - world.truly(name)) for world in worlds.values())
        for name in (signs.UP, signs.BEHIND)
    ]
    return (
        f"**The lead changes.** In {up} of {up.of} questions a wrong answer leads at the shortest "
        f"length and the right one in the end, and in {behind} a wrong one leads at every length, so "
        "that many votes end wrong; those that one half of the answers picks are so by the other half "
        f"with a chance of {_shares(checked[signs.UP])} and {_shares(checked[signs.BEHIND])}, any "
        f"question with {100 * checked[signs.UP].base:.0f} and {100 * checked[signs.BEHIND].base:.0f} %; "
        f"in worlds whose truth is known such counts are up to {off[0]:.0f} and {off[1]:.0f} off."
    )


def second_sentence(judged: Judged, late: Judged) -> str:
    """The sentence on the law along T."""
    ratio, after = (resampled(one.errors[PAPER], one.errors[RISING]) for one in (judged, late))
    straight = max(judged.rates) <= min(laws.RATES)
    limit = "the smallest that was tried, a straight line" if straight else "an inner one"
    begun = SEEN.removeprefix(FORCED)
    return (
        "**γ − κe^(−μT) does not hold from the start.** The gap hardly moves for 100 tokens and rises "
        f"after that, where the formula rises fastest at first: its likeliest μ is {limit}, and on the "
        f"other half’s answers its squared error is {ratio} times that of a rising line for each question "
        f"by itself; from {begun} tokens on, when the rise has begun, it is {after} times."
    )


def third_sentence(places: list[Exponents]) -> str:
    """The sentence on the vote along N."""
    by_question = _by_question(places)
    chernoff, exact = (resampled(by_question[:, at], by_question[:, 0]) for at in (1, 2))
    most = len(NS) - 1
    errors = 100 * by_question[:, 3:].reshape(len(by_question), 4, len(NS))[:, :, most]
    return (
        "**Δ²/2 is a bound, not the rate.** Where the right answer leads, the exact vote’s error falls "
        f"{exact} times as fast as e^(−NΔ²/2), and Chernoff’s exponent is {chernoff} times as large; "
        f"at N = {NS[most]} votes of the other half err in {told(errors[:, 3], 0)} of 100, where e^(−NΔ²/2) "
        f"says {told(errors[:, 0], 0)} and the exact vote of the law that one half suggests "
        f"{told(errors[:, 2], 0)}."
    )


def _shares(check: signs.Check) -> str:
    return f"{100 * check.confirmed:.0f} % ({100 * check.low:.0f} … {100 * check.high:.0f})"


def resampled(above: Floats, below: Floats, digits: int = 1) -> str:
    """The ratio of two means over questions, with its 90 % interval over the draw of questions."""
    rng = np.random.default_rng(0)
    drawn = rng.integers(len(above), size=(RESAMPLES, len(above)))
    low, high = np.quantile(above[drawn].mean(axis=1) / below[drawn].mean(axis=1), FORECAST_TAILS)
    return f"{above.mean() / below.mean():.{digits}f} ({low:.{digits}f} … {high:.{digits}f})"


def exponents_text(found: list[Exponents]) -> str:
    """The paragraph on the three exponents and the votes of the other half of the answers."""
    by_question = _by_question(found)
    rows = []
    names = [
        "Hoeffding, Δ²/2 (the paper)",
        "Chernoff, the strongest rival",
        "exact vote of the law",
        "votes of the other half",
    ]
    errors = by_question[:, 3:].reshape(len(by_question), 4, len(NS))
    for at, name in enumerate(names):
        rate = told(by_question[:, at]) if at < 3 else "–"
        rows.append([name, rate, *(told(errors[:, at, n]) for n in range(len(NS)))])
    head = ["", "exponent", *(f"error at N = {n}" for n in NS)]
    exact = f"The exact vote's exponent is its error's fall from N = {FROM} to {TO}."
    places = f"{len(found)} places (a question at a length) of {len(by_question)} questions. {exact}"
    return f"{places}\n\n{markdown(head, rows)}"


def _by_question(found: list[Exponents]) -> Floats:
    """Means over each question's places: three exponents, and four errors at every N."""
    questions = sorted({one.question for one in found})
    return np.stack([np.mean([_row(one) for one in found if one.question == q], axis=0) for q in questions])


def _row(one: Exponents) -> Floats:
    rates = [one.hoeffding, one.chernoff, one.exact]
    return np.concatenate([rates, one.bounds.ravel(), one.seen])


def borrowed_table(own: Shipped) -> str:
    """Forecasts of later lengths, in points."""
    seen = own.answers.lengths.index(SEEN) + 1
    cuts = np.array(
        [np.inf if name == WHOLE else float(name.removeprefix(FORCED)) for name in own.answers.lengths]
    )
    table = borrowed.errors(own.answers, seen, own.other, cuts)
    rows = [
        [str(name), f"{row.error:.1f} ({row.low:.1f} … {row.high:.1f})"] for name, row in table.iterrows()
    ]
    return markdown(
        ["forecast of accuracy beyond " + SEEN.removeprefix(FORCED) + " tokens", "points off"], rows
    )


if __name__ == "__main__":
    run(main, "python -m studies.bridge.run")
