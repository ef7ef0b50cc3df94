"""The commands and their options. The code of a command is imported when it runs, not for its --help."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from results.arguments import (
    ANSWER_COUNTS,
    AT_CAPS,
    AT_N,
    FIT_CAP,
    FIT_MAX_N,
    FIT_MAX_TOKENS,
    LEVELS,
    MAX_N,
    METHOD,
    PLAN_METHOD,
    PLAN_REPLICATES,
    QUESTION_COUNTS,
    REPLICATES,
    SCORE_COST,
    SEED,
    SPLITS,
    TARGET,
    TARGET_ACCURACY,
    TOKEN_BUDGET,
)
from results.cli.options import cheap_option, picture_options, price_option, refuse_given, table_out
from results.command_help import ASKED, CHANCE, INPUT, SEEN, Command, about, together
from results.normal import FORECAST_LEVEL, LEVEL
from results.read_options import reading_options

PREDICTORS = {
    "default": "mixture for samples, question-law for curves, survival beyond a cap",
    "mixture": "how hard questions are, from how often each is answered right",
    "question-law": "one distribution of questions for the curves of all settings",
    "survival": "how many answers finish by each length, beyond --fit-cap",
    "low-cost-to-high": "the paper's Algorithm 3",
    "flat": "no gain",
    "exponential": "a curve that approaches its limit as e^−νN",
    "power-law": "a curve that approaches its limit as N^−c",
}
"""The predictors by name, and what each is based on."""


def at_settings(help_: str) -> Callable[[Any], Any]:
    """--at-settings: the settings to forecast."""
    return click.option("--at-settings", metavar="NAME,…", help=help_)


def inputs(command: Callable[..., Any]) -> Callable[..., Any]:
    """The argument INPUT..., and the options for reading answers."""
    argument = click.argument(
        "inputs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="INPUT..."
    )
    return argument(reading_options(command))


BY_DEFAULT = f"{METHOD.meaning}  [default: majority; with verdicts only, best_of_n]"
seed = SEED.option("--seed", default=0)
fit_max_n = FIT_MAX_N.option("--fit-max-n")
fit_settings = click.option(
    "--fit-settings", metavar="NAME,…", help="Fit only these settings, such as low,medium."
)
at_n = AT_N.option("--at-n")


def sampled(predictor: str, replicates: int, one: bool = False) -> Callable[[Any], Any]:
    """Options of forecast, backtest and plan: inputs, `one` predictor or several, method, caps and draws."""
    which = "One of" if one else "Some of these, or all:"
    listed = "; ".join(f"{name} ({meaning})" for name, meaning in PREDICTORS.items())
    predictors = click.option(
        "--predictor",
        metavar="NAME" if one else "NAME,…",
        default=predictor,
        show_default=True,
        help=f"{which} {listed}.",
    )
    method = (PLAN_METHOD if one else METHOD).option("--method", BY_DEFAULT)
    draws = (PLAN_REPLICATES if one else REPLICATES).option("--bootstrap", default=replicates)
    return together(
        inputs,
        about(ASKED, predictors, method, AT_CAPS.option("--at-caps")),
        about(SEEN, FIT_CAP.option("--fit-cap")),
        about(CHANCE, draws, LEVELS.option("--level", default=FORECAST_LEVEL), seed),
    )


OF_FORECASTS = ("predictor", "method", "fit_cap", "at_caps", "bootstrap", "seed", "at_settings", "prices")
"""The options of `tts plan` that have no effect with `--score`."""


def _refuse_without_intervals(bootstrap: int) -> None:
    if not bootstrap:
        refuse_given(("level", "target"), "is of intervals, and --bootstrap 0 draws none")


@click.group(name="predict")
def main() -> None:
    """Forecast the accuracy of more answers and longer reasoning from a cheap sample of both."""


@main.command(cls=Command, epilog="Example: tts forecast results/cached/tiny.csv --out forecast.csv")
@sampled("default", 1000)
@table_out()
@about(
    INPUT,
    click.option(
        "--then",
        multiple=True,
        metavar="TABLE",
        type=click.Path(path_type=Path),
        help="Also forecast this table, except models and datasets in INPUT. May be repeated.",
    ),
)
@about(
    SEEN,
    fit_max_n,
    FIT_MAX_TOKENS.option("--fit-max-tokens"),
    fit_settings,
)
@about(
    ASKED,
    at_n,
    at_settings(
        "Settings to forecast. NAME=LENGTH adds one with LENGTH tokens (steps) per answer; a new number, "
        "such as 400, adds a budget, whose tokens are extrapolated from those seen."
    ),
)
@about(
    CHANCE,
    TARGET.option("--target", default="these-questions"),
)
@picture_options
def forecast(**asked: Any) -> None:
    """Forecast the accuracy of more answers and of other settings.

    INPUT is samples, curves tables, or a folder of runs and tables; every model and dataset in it is
    forecast. Without any --fit-… or --at-… option, the cheaper half of the data is fitted and the rest held
    out for comparison: with four or more settings, the cheapest half of them (at least three) at every N;
    otherwise every setting at N up to half the largest. For more than three models and datasets, prints only
    a summary table and a sentence on each; the file has everything. Each forecast has two intervals: for more
    answers to these questions, and for new questions of the same kind.
    """
    _refuse_without_intervals(asked["bootstrap"])
    from predict.cli.forecast import run

    run(**asked)


@main.command(
    cls=Command,
    epilog="Example: tts backtest samples.jsonl --out backtest.csv --fit-max-n 4 --at-n 8,16",
)
@sampled("all", 200)
@table_out()
@about(
    SEEN,
    fit_max_n,
    fit_settings,
    SPLITS.option("--splits", default=20),
)
@about(
    ASKED,
    at_n,
    at_settings("Forecast these settings instead of the hidden ones."),
)
def backtest(**asked: Any) -> None:
    """Hide answers that you have, forecast them, and compare.

    Each split reveals --fit-max-n random answers per question of INPUT (samples or curves tables) at
    --fit-settings; a curves table is split once. For each model, dataset and predictor, prints in percentage
    points the mean absolute error (against all answers, and against the hidden ones), the bias (forecast −
    truth), the largest error, the share of intervals that contain the truth, their width, and their interval
    score: the width plus the miss times 2 / (1 − level), which is 20 at a level of 90 %.
    """
    _refuse_without_intervals(asked["bootstrap"])
    from predict.cli.backtest import run

    run(**asked)


@main.command(cls=Command, epilog="Example: tts plan samples.jsonl --target-accuracy 0.8")
@sampled("default", 300, one=True)
@table_out(required=False)
@about(
    ASKED,
    TARGET_ACCURACY.option("--target-accuracy"),
    TOKEN_BUDGET.option("--token-budget"),
    MAX_N.option("--max-n", default=64),
    at_settings("New settings to consider too: NAME=LENGTH, in tokens per answer."),
    click.option(
        "--score",
        metavar="NAME",
        help="Compare votes with choices by this score (column NAME or score_NAME, or logprob) at equal "
        "cost, as measured.",
    ),
    SCORE_COST.option("--score-cost"),
)
@price_option()
@picture_options
def plan(**asked: Any) -> None:
    """Choose a setting and N for a target accuracy or a token budget.

    Finds the cheapest choice that reaches the accuracy, or the best one within the budget; with neither goal,
    the cheapest one close to the best. Prints the Pareto frontier, every choice that beats all cheaper ones,
    with two intervals: for more answers to these questions, and for new questions of the same kind. The
    advice uses the second.

    With --score, the choices are those measured, by the vote and by that score; an answer costs its own
    tokens plus those for its score.
    """
    if asked["score"] is None and asked["score_cost"] is not None:
        raise click.UsageError("--score-cost is for --score")
    if asked["score"] is not None:
        refuse_given(OF_FORECASTS, "does not go with --score, which goes by what was measured")
    from predict.cli.plan import run

    run(**asked)


@main.command(cls=Command, epilog="Example: tts precision pilot.csv --answers 4,16")
@inputs
@table_out(required=False)
@about(
    ASKED,
    QUESTION_COUNTS.option("--questions"),
    ANSWER_COUNTS.option("--answers"),
    click.option(
        "--compare",
        is_flag=True,
        help="Predict how likely such runs are to decide between the pilots by `tts compare --at N`.",
    ),
)
@about(
    CHANCE,
    LEVELS.option("--level", show_default=f"{FORECAST_LEVEL}; with --compare {LEVEL}"),
    seed,
)
@cheap_option("how many questions of each give the same ± for the least cost.")
@price_option()
def precision(**asked: Any) -> None:
    """Plan the number of questions and answers from a pilot.

    INPUT is the samples of a small pilot. Predicts the ± (half an interval) that a run would have for the
    accuracy of one answer, of a vote and of best-of-N: for new questions of the same kind, and for these
    questions asked again. Also says how many questions, or answers per question, would halve the first ±.

    With --compare, INPUT is pilots on the same questions: two models at each setting they share, or the
    settings of one model. Predicts the difference and its ±, the chance of a verdict, and how many questions
    raise that chance to 80 %.

    With --with, also says how many questions of INPUT and of CHEAP give the same ± for new questions at the
    least cost, in tokens or by --price. CHEAP must have answered the pilot's questions; its answers to
    further questions are already paid for.
    """
    from predict.cli.precision import run

    run(**asked)


@main.command(cls=Command, epilog="Example: tts fits results/cached/tiny.csv --out fits.csv")
@inputs
@table_out()
@METHOD.option("--method", BY_DEFAULT)
def fits(**asked: Any) -> None:
    """Fit the paper's own curves, and show which fits to trust.

    Fits the three curves of the paper's appendix to INPUT (samples or curves tables):

    \b
    along_n    at each setting  Acc(T, N) = α − β e^(−rate·N), gap Δ = √(2·rate)
    along_t    at N = 1         Acc(T, 1) = α − β e^(−rate·T)
    along_gap  at each N > 1    Acc(T, N) = α − β e^(−rate·Δ²), Δ read from along_t

    T is in tokens per answer (for the twin: steps). Each fit needs three different N or T. An error of ε in
    the accuracies moves α by at most ε times the condition number; above 100, a fit is unstable. With an rms
    residual above 0.02, it is poor. Trust only fits whose reason is empty.
    """
    refuse_given(["cluster"], "is of standard errors, and fits have none")
    from predict.cli.fits import run

    run(**asked)
