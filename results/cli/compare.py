"""`tts compare`: two or more runs on the same questions, their paired differences, a verdict.

$ tts compare small large --at 8 --gate
b − a in points; the 95 % intervals hold together:
a      b      answer                at            b − a                b is    better, worse  to decide it
small  large  majority vote, N = 8  equal N       +8.0 (+3.0 … +13.0)  better  60, 12
small  large  majority vote, N = 8  equal tokens  +6.1 (+1.0 … +11.2)  better
verdict: better
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from results.aligned import aligned
from results.arguments import AT, LEVELS, MARGIN, SCORE_COST
from results.command_help import Command
from results.commandline import BadInput, warnings_last
from results.normal import LEVEL
from results.read_options import reading_options

if TYPE_CHECKING:
    import pandas as pd


def price_option() -> Callable[..., Any]:
    """The option --price MODEL=USD, as `prices`: a dictionary by the name of a model."""

    def read(
        _context: click.Context, _parameter: click.Parameter, given: tuple[str, ...]
    ) -> dict[str, float]:
        prices = {}
        for one in given:
            name, _, number = one.rpartition("=")
            try:
                prices[name] = float(number)
            except ValueError:
                prices[name] = 0.0
            if not (name and 0 < prices[name] < float("inf")):
                raise click.BadParameter(f"{one!r}: give MODEL=USD, a name and a number above 0.")
        return prices

    words = "US dollars for a million answer tokens of a model; once for each model. Cost is then money."
    return click.option("--price", "prices", multiple=True, metavar="MODEL=USD", callback=read, help=words)


@click.command(
    "compare",
    cls=Command,
    epilog="Example: tts compare runs/small runs/large --out compare.csv",
)
@click.argument("samples", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="File to write (.csv, .jsonl, .parquet).")
@AT.option("--at")
@click.option(
    "--method",
    "methods",
    metavar="LIST",
    help="Of majority, best_of_n, all_of_n, best_by_score, weighted_majority; separated by commas.  "
    "[default: majority,best_of_n; with --at: majority; with --score: the last two]",
)
@click.option(
    "--score",
    metavar="NAME",
    help="The scores that the last two methods go by: column NAME or score_NAME, or logprob. Of one run, "
    "each method is compared with the plain vote of the same answers.",
)
@LEVELS.option(
    "--level",
    "How often all intervals hold together. At 0.95 two equal models are called different in at most 5 of "
    "100 comparisons.",
    default=LEVEL,
)
@click.option(
    "--gate",
    is_flag=True,
    help="Exit with the verdict on the second run: 0 better, 1 worse, 3 undecided.",
)
@MARGIN.option("--margin", default=0.0, show_default=False)
@SCORE_COST.option("--score-cost")
@price_option()
@reading_options
def compare_command(
    samples: tuple[Path, ...],
    out: Path | None,
    at: int | None,
    methods: str | None,
    score: str | None,
    score_cost: float | None,
    level: float,
    gate: bool,
    margin: float,
    prices: dict[str, float],
) -> None:
    """Compare runs on the questions they share.

    SAMPLES are files or run folders. Two or more runs are compared at each setting they have in common; one
    run is compared across its settings, two models of one folder with each other. Each row is accuracy of B −
    accuracy of A by majority vote, best-of-N or (asked for) all of N, at equal N and at equal cost (tokens
    per question, or with --price US dollars), with its interval for new questions of the kind, and what it
    says of B: better, worse or undecided. The intervals of all rows hold together.

    With --score, of one run: does the choice by score beat the plain vote of the same answers, at equal N and
    for the same cost?
    """
    from results.paired.runs import COMPARED, compare_runs
    from results.tables.contract import check_out, read_samples, write_table
    from results.tables.schemas import BY_SCORE
    from results.tables.score_cost import score_cost as recorded
    from results.votes.curves import methods_of

    if margin and not (gate and at):
        raise click.UsageError("--margin is for --gate with --at: name the number of answers it is about")
    default = BY_SCORE if score else COMPARED[:1] if at else COMPARED
    asked = methods_of(methods or default)
    by_score = any(name in BY_SCORE for name in asked)
    if score and not by_score:
        raise click.UsageError(f"--score is for {' and '.join(BY_SCORE)}: name one of them in --method")
    if score_cost is not None and not by_score:
        raise click.UsageError("--score-cost is for --score")
    score = score or ("score" if by_score else None)
    if out is not None:
        check_out(out, samples)
    _check_each_once(samples)
    per_token = {name: price / 1e6 for name, price in prices.items()} or None
    also = (score, f"score_{score}") if score else ()
    with warnings_last():
        tables = {
            name: read_samples(path, texts=False, also=also)
            for name, path in zip(_names(samples), samples, strict=True)
        }
        costs = {
            name: recorded(path, score) if score_cost is None else score_cost
            for name, path in zip(tables, samples, strict=True)
            if score
        }
        compared = compare_runs(tables, per_token, at, asked, level, score, costs)
    if gate and len(compared[["dataset", "a", "b"]].drop_duplicates()) > 1:
        raise BadInput("--gate gives one verdict, on two runs of one data set; there are more here")
    if margin and len(compared) > 1:
        raise BadInput("--margin is about one method at one setting; there are more here: see --method")
    click.echo("\n".join(_summary(compared)))
    if out is not None:
        write_table(compared, out, "comparison")
        rows = "1 row" if len(compared) == 1 else f"{len(compared)} rows"
        click.echo(f"{', '.join(map(str, samples))} -> {out}: {rows}")
    if gate:
        _exit_with_verdict(compared, margin / 100)


def _exit_with_verdict(compared: pd.DataFrame, margin: float) -> None:
    """Print the verdict on b and leave with its exit status."""
    from results.paired.verdict import GATE, overall, verdict

    ends = zip(compared["low"], compared["high"], strict=True)
    word = overall(verdict(low, high, margin) for low, high in ends)
    if margin:
        click.echo(_of_margin(compared, margin))
    click.echo(f"verdict: {word}")
    click.get_current_context().exit(GATE[word])


def _of_margin(compared: pd.DataFrame, margin: float) -> str:
    """Where the one interval lies beside the margin: the table above goes by 0, the verdict by the margin."""
    from results.figures.words import points
    from results.paired.verdict import verdict

    row = compared.iloc[0]
    places = {"better": "lies above", "worse": "lies below", "undecided": "contains"}
    place = places[verdict(row["low"], row["high"], margin)]
    interval = f"{points(row['low'])} … {points(row['high'])}"
    return f"with a margin of {100 * margin:g} points: the interval {interval} {place} −{100 * margin:g}"


def _check_each_once(paths: tuple[Path, ...]) -> None:
    """Raise BadInput where an input is given twice: nothing would be left to compare it with."""
    from results.tables.contract import sample_files

    files = [file.resolve() for file in sample_files(*paths)]
    for i, file in enumerate(files):
        if file in files[:i]:
            raise BadInput(f"{paths[i]}: given twice; give two runs, or one run once for its settings")


def _names(paths: tuple[Path, ...]) -> list[str]:
    """What each input is called: its folder or file; the whole path where two would share a name."""
    inputs = [path.parent if path.stem == "samples" else path for path in map(Path.resolve, paths)]
    names = [one.name if one.is_dir() else one.stem for one in inputs]
    return names if len(set(names)) == len(names) else [str(path) for path in paths]


def _summary(compared: pd.DataFrame) -> list[str]:
    """Single answers, and the vote and best-of-N over the most answers, as a table; a sentence a pair."""
    from results.report.compared import COLUMNS, both_ways, level_of, verdict
    from results.visible import visible

    several = len(set(compared["setting_a"])) > 1 and (compared["a"] != compared["setting_a"]).any()
    names = ["a", "b", *(["setting_a"] if several else [])]
    most = compared.groupby(["a", "b", "setting_a", "setting_b", "method"])["N"].transform("max")
    once = (compared["N"] == 1) & (compared["method"] == compared["method"].iloc[0])
    rows = both_ways(compared[once | ((compared["N"] > 1) & (compared["N"] == most))])
    head = [*(name.removesuffix("_a") for name in names), *COLUMNS]
    body = [
        [*(str(row[name]) for name in names), *(tell(row) for tell in COLUMNS.values())]
        for _, row in rows.iterrows()
    ]
    title = f"b − a in points; the {level_of(compared)} intervals hold together:"
    left = [*range(len(names) + 2), len(names) + 3, len(head) - 1]
    sentences = [visible(verdict(pair)) for _, pair in compared.groupby(["dataset", "a", "b"], sort=False)]
    return [title, *aligned([head, *body], left), *sentences]
