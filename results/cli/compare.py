"""`tts compare`: two or more runs on the same questions, their paired differences, a verdict.

$ tts compare small large --at 8 --gate
b − a in points; the 95 % intervals hold together:
a      b      answer                at            b − a                b is    better, worse  to decide it
small  large  majority vote, N = 8  equal N       +8.0 (+3.0 … +13.0)  better  60, 12
small  large  majority vote, N = 8  equal tokens  +6.1 (+1.0 … +11.2)  better
verdict: better
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from results.arguments import AT, LEVELS, LOOKS, MARGIN, PLANNED, SCORE_COST, WEIGHTS
from results.cli.every_question import look_at_every_question
from results.cli.options import SAMPLES, picture_options, price_option, rows_written, table_out
from results.command_help import ASKED, CHANCE, INPUT, VERDICT, Command, about
from results.commandline import BadInput, warnings_last
from results.methods import BY_SCORE, FORECAST, LISTED, SCORED
from results.normal import LEVEL
from results.read_options import CHOSEN, reading_options
from results.terminal import aligned, visible

if TYPE_CHECKING:
    import pandas as pd

    from results.paired.every_question import OfQuestions
    from results.paired.runs import Pair
    from results.paired.sequential import Sequence, Word
    from results.pictures import Picture
    from results.words.cells import Table


@click.command(
    "compare",
    cls=Command,
    epilog="Example: tts compare runs/small runs/large --out compare.csv",
)
@SAMPLES
@about(
    ASKED,
    AT.option("--at"),
    click.option(
        "--method",
        "methods",
        metavar="LIST",
        help=f"{LISTED}  [default: majority,best_of_n; with --at: majority; with --score: "
        f"{','.join(BY_SCORE)}]",
    ),
    click.option(
        "--score",
        metavar="NAME",
        help="The scores that the last three methods go by: column NAME or score_NAME, or logprob. "
        "Of one run, each method is compared with the plain vote of the same answers.",
    ),
    WEIGHTS.option("--weights"),
    SCORE_COST.option("--score-cost"),
)
@about(
    INPUT,
    click.option(
        "--model",
        "models",
        multiple=True,
        metavar="NAME",
        help="Compare the runs of these models alone; give it once for each.",
    ),
)
@about(
    CHANCE,
    LEVELS.option(
        "--level",
        "How often all intervals hold together. At 0.95 two equal models are called different in "
        "at most 5 of 100 comparisons.",
        default=LEVEL,
    ),
)
@about(
    VERDICT,
    click.option(
        "--gate",
        is_flag=True,
        help="Exit with the verdict on the second run: 0 better or holds, 1 worse or fails, 3 undecided, "
        "4 go on (--sequential).",
    ),
    MARGIN.option("--margin", default=0.0, show_default=False),
    click.option(
        "--every-question",
        is_flag=True,
        help="Look at each question instead of the mean: of two runs none may fall, of one run each is to be "
        "right always, less --margin. Of many questions some fall by luck: that is allowed for.",
    ),
    click.option(
        "--sequential",
        is_flag=True,
        help="With --at: look while questions come in, in a random order, as often as you like or "
        "as is planned. The interval holds at all looks together.",
    ),
    PLANNED.option("--planned"),
    LOOKS.option("--looks"),
)
@table_out(required=False)
@price_option()
@picture_options
@reading_options
def compare_command(
    samples: tuple[Path, ...],
    out: Path | None,
    at: tuple[int, ...],
    methods: str | None,
    models: tuple[str, ...],
    score: str | None,
    weights: str | None,
    score_cost: float | None,
    level: float,
    gate: bool,
    margin: float,
    every_question: bool,
    sequential: bool,
    planned: int | None,
    looks: int | None,
    prices: dict[str, Any],
    plot: Picture | None,
) -> None:
    """Compare runs on the questions they share.

    SAMPLES are files or run folders. Two or more runs are compared at each setting they have in common; one
    run is compared across its settings, two models of one folder with each other. Each row is accuracy of B −
    accuracy of A by majority vote, best-of-N or (asked for) all of N, at equal N and at equal cost (tokens
    per question, or with --price US dollars), with its interval for new questions of the kind, and what it
    says of B: better, worse or undecided. The intervals of all rows hold together, and so do the ranks that
    three or more runs may have.

    With --score, of one run: does the choice by score beat the plain vote of the same answers, at equal N and
    for the same cost?
    """
    from results.paired.runs import compare_runs, pairs_looked_at
    from results.tables.contract import check_out, write_table
    from results.tables.files import write_raw
    from results.votes.curves import methods_of

    if margin and not (every_question or (gate and at)):
        raise click.UsageError("--margin is for --gate with --at: name the numbers of answers it is about")
    others = (at, methods, score, weights, sequential, out, plot, prices, CHOSEN.get().cluster)
    if every_question and (any(others) or score_cost is not None):
        raise click.UsageError("--every-question counts single answers: give only --margin, --level, --gate")
    if sequential and (len(at) != 1 or out or plot or prices or score_cost is not None):
        raise click.UsageError("--sequential is about one N: give one --at, no prices, --out and --plot")
    if planned is not None and not sequential:
        raise click.UsageError("--planned is for --sequential")
    if looks is not None and planned is None:
        raise click.UsageError("--looks is for --planned: without a plan it may be looked at at any time")
    usual = BY_SCORE if score else FORECAST[:1] if at else FORECAST
    compared = methods_of(methods or usual)
    by_score = bool(set(compared) & set(SCORED))
    if score and not by_score:
        raise click.UsageError(f"--score is for {' and '.join(SCORED)}: name one of them in --method")
    if score_cost is not None and not by_score:
        raise click.UsageError("--score-cost is for --score")
    score = score or ("score" if by_score else None)
    if out is not None:
        check_out(out, samples)
    _check_each_once(samples)
    per_token = {name: price.per_token for name, price in prices.items()} or None
    with warnings_last():
        tables = _read(samples, score)
        tables = _of_models(tables, models)
        if every_question:
            lines, word = look_at_every_question(tables, margin / 100, level)
            click.echo("\n".join(lines))
            _exit_with(word, gate)
            return
        if sequential:
            looked_at = pairs_looked_at(tables, per_token, at, compared, score, score_cost, weights)
            _exit_with(_look(looked_at, level, planned, looks, margin / 100), gate, margin)
            return
        rows = compare_runs(tables, per_token, at, compared, level, score, score_cost, weights)
    if gate:
        _check_one(rows, ["dataset", "a", "b"], "--gate gives one verdict, on two runs of one data set")
    if margin:
        _check_one(rows, ["setting_a", "method"], "--margin is about one method at one setting")
    printed = _printed(rows, every=len(at) > 1)
    click.echo("\n".join(_summary(rows, printed)))
    if out is not None:
        written = rows
        if out.suffix == ".tex":  # no command reads it again
            written = _for_a_paper(printed)
            write_raw(written, out)
        else:
            write_table(rows, out, "comparison")
        click.echo(rows_written(samples, len(written), out))
    if plot is not None:
        from results.pictures import draw
        from results.report.selectors import comparison_choices

        click.echo("\n".join(draw("Runs compared", comparison_choices(rows), plot)))
    if gate:
        _exit_with_verdict(rows, margin / 100)


def _check_one(rows: pd.DataFrame, columns: list[str], only: str) -> None:
    """Raise BadInput where the rows are of several; it names them."""
    there = [", ".join(map(str, one)) for one in rows[columns].drop_duplicates().to_numpy()]
    if len(there) > 1:
        raise BadInput(visible(f"{only}; here are {len(there)}: {'; '.join(there)}"))


def _look(pairs: list[Pair], level: float, planned: int | None, looks: int | None, margin: float) -> Word:
    """Print what a comparison that grows says by now; the word on b."""
    from results.paired.sequential import USUAL_LOOKS, Open, Planned, replayed
    from results.words.compared import look_in_words, replay_in_words

    if len(pairs) > 1:
        there = "; ".join(f"{pair.names[0]} and {pair.names[1]}, {pair.method}" for pair in pairs)
        raise BadInput(
            visible(f"--sequential is about two runs, one method and one setting; here are {there}")
        )
    (pair,) = pairs
    if pair.clusters is not None:
        raise BadInput("--sequential takes independent questions; these come in clusters")
    differences = (pair.other - pair.one)[:, 0]
    questions = len(differences)
    if planned is not None and questions > planned:
        raise BadInput(f"--planned {planned}: there are {questions} questions: the plan was spent before")
    sequence: Sequence = Open(level)
    if planned is not None:
        sequence = Planned(planned, looks or USUAL_LOOKS, level)
        places = sequence.places(planned)
        if questions not in places:
            warnings.warn(
                f"{questions} questions are no planned look ({', '.join(map(str, places))}): look only once "
                "between two planned ones, or the interval promises too much",
                stacklevel=2,
            )
    look = sequence.look(differences, margin)
    click.echo(look_in_words(pair, look, planned, margin))
    if planned in (None, questions):
        click.echo(replay_in_words(replayed(differences, sequence, margin), questions))
    return look.word


def _exit_with(word: Word | OfQuestions, gate: bool, margin: float = 0.0) -> None:
    """Print the word on b and, as a gate, leave with its exit status. Within a margin nothing is "better"."""
    from results.paired.verdict import GATE

    beside = {"better": f"not worse by {margin:g} points", "worse": f"worse by more than {margin:g} points"}
    click.echo(f"verdict: {beside.get(word, word) if margin else word}")
    if gate:
        click.get_current_context().exit(GATE[word])


def _read(paths: tuple[Path, ...], score: str | None) -> dict[str, pd.DataFrame]:
    """The samples of each input by its name."""
    from results.tables.contract import read_samples
    from results.tables.doubts import say_same_answers
    from results.tables.money import columns_of_score

    also = columns_of_score(score) if score else ()
    named = zip(_names(paths), paths, strict=True)
    tables = {name: read_samples(path, texts=False, also=also) for name, path in named}
    say_same_answers(tables)
    return tables


def _of_models(tables: dict[str, pd.DataFrame], models: tuple[str, ...]) -> dict[str, pd.DataFrame]:
    """The answers of these models, of all without any. Raises BadInput for one that is nowhere."""
    there = {str(model) for table in tables.values() for model in table["model"].unique()}
    if unknown := [model for model in models if model not in there]:
        raise BadInput(visible(f"--model {unknown[0]}: no such model; there are {', '.join(sorted(there))}"))
    chosen = {name: table[table["model"].isin(models or there)] for name, table in tables.items()}
    return {name: table for name, table in chosen.items() if len(table)}


def _exit_with_verdict(rows: pd.DataFrame, margin: float) -> None:
    """Print the verdict on b and leave with its exit status; not worse by a margin it is at every N."""
    from results.paired.verdict import overall, verdict

    ends = zip(rows["low"], rows["high"], strict=True)
    word = overall((verdict(low, high, margin) for low, high in ends), everywhere=margin > 0)
    if margin:
        click.echo("\n".join(_beside_margin(row, margin) for _, row in rows.iterrows()))
    _exit_with(word, gate=True, margin=100 * margin)


def _beside_margin(row: Any, margin: float) -> str:
    """Where an interval lies beside the margin: the table above goes by 0, the verdict by the margin."""
    from results.paired.verdict import verdict
    from results.words.names import points

    places = {"better": "lies above", "worse": "lies below", "undecided": "contains"}
    place = places[verdict(row["low"], row["high"], margin)]
    interval = f"{points(row['low'])} … {points(row['high'])}"
    percent = f"{100 * margin:g}"
    return f"N = {row['N']}, with a margin of {percent} points: the interval {interval} {place} −{percent}"


def _check_each_once(paths: tuple[Path, ...]) -> None:
    """Raise BadInput where an input is given twice: nothing would be left to compare it with."""
    from results.tables.contract import sample_files

    files = [file.resolve() for file in sample_files(*paths)]
    for place, file in enumerate(files):
        if file in files[:place]:
            raise BadInput(f"{paths[place]}: given twice; give two runs, or one run once for its settings")


def _names(paths: tuple[Path, ...]) -> list[str]:
    """What each input is called: its folder or file; the whole path where two would share a name."""
    names = []
    for path in map(Path.resolve, paths):
        run = path.parent if path.stem == "samples" else path
        names.append(run.name if run.is_dir() else run.stem)
    return names if len(set(names)) == len(names) else [str(path) for path in paths]


def _printed(rows: pd.DataFrame, every: bool) -> Table:
    """Single answers, the most answers by each method and what the sentences tell, or every row, in words."""
    from results.words.cells import tabled
    from results.words.compared import COLUMNS, PAIR_AT, both_ways, in_clusters, level_of, pairs_of, quoted

    most = rows.groupby([*PAIR_AT, "method"])["N"].transform("max")
    of_most = (rows["N"] > 1) & (rows["N"] == most)
    single = (rows["N"] == 1) & (rows["method"] == rows["method"].iloc[0])
    quoted_rows = rows.index.isin([place for pair in pairs_of(rows) for place in quoted(pair)])
    columns = {"a": lambda row: str(row["a"]), "b": lambda row: str(row["b"])}
    if len(set(rows["setting_a"])) > 1 and (rows["a"] != rows["setting_a"]).any():
        columns["setting"] = lambda row: str(row["setting_a"])
    clusters = in_clusters(rows)
    of_questions = f", of questions{clusters}" if clusters else ""
    title = f"b − a in points; the {level_of(rows)} intervals hold together{of_questions}"
    return tabled(title, both_ways(rows[single | of_most | quoted_rows | every]), columns | COLUMNS)


def _summary(rows: pd.DataFrame, table: Table) -> list[str]:
    """The table, and a sentence for each pair."""
    from results.words.compared import pairs_of, verdict

    names = table.head.index("answer")
    left = [*range(names + 2), names + 3, len(table.head) - 1]
    sentences = [visible(verdict(pair)) for pair in pairs_of(rows)]
    return [f"{table.title}:", *aligned([table.head, *table.rows], left), *sentences, *_ranks(rows)]


def _for_a_paper(table: Table) -> pd.DataFrame:
    """The table, and its title as a column, which is a comment; with minus signs that every LaTeX knows."""
    import pandas as pd

    plain = [[cell.replace("−", "-") for cell in row] for row in [table.head, *table.rows]]
    return pd.DataFrame(plain[1:], columns=plain[0]).assign(table=table.title)


def _ranks(rows: pd.DataFrame) -> list[str]:
    """Which of three or more runs may rank where, by the most answers at each setting."""
    from results.words.cells import cells_of
    from results.words.compared import RANK_COLUMNS, rankings, ranks_sentence
    from results.words.names import NBSP

    lines = []
    most_answers = {tuple(runs[["dataset", "setting"]].iloc[0]): runs for runs in rankings(rows)}
    for (_, setting), runs in most_answers.items():
        title = f"At setting {setting}: " if len(most_answers) > 1 else ""
        table = aligned([[*RANK_COLUMNS], *cells_of(runs, RANK_COLUMNS)])
        lines += ["", visible(title + ranks_sentence(runs)), *table]
    return [line.replace(NBSP, " ") for line in lines]
