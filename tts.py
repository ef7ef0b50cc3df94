"""`tts`: what the packages offer, under one name and in the order in which a person needs it.

    $ tts page answers.csv --map answer=final --gold target --out boss
    $ tts curves answers.csv --out curves.csv

Each command is that of `python -m harness`, `results`, `predict` or `synthetic`. Only `page`, which runs
several of them, stands here. No package imports this file.
"""

import os
import re
import shlex
import shutil
import signal
import warnings

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C while packages are loaded: no traceback

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from harness.cli import cli as harness
from predict.cli import main as predict
from results import BadInput, run
from results.arguments import TARGET_ACCURACY
from results.cli import cli as results
from results.cli.options import out_option, price_option
from results.command_help import ASKED, CHANCE, INPUT, Command, about
from results.tables.files import check_place, column_names
from results.terminal import visible
from synthetic.cli import cli as synthetic

JOBS = {
    "Answers in, a page out": ["page"],
    "Sample a model": ["sample", "force", "judge", "serve", "gateway", "gpu-check", "questions"],
    "Stored answers": ["import", "inspect", "regrade", "export"],
    "Measure and compare": ["curves", "compare", "stop"],
    "Forecast and plan": ["forecast", "plan", "precision", "backtest", "fits"],
    "Report": ["report"],
    "The synthetic twin": ["twin"],
}
"""The jobs in the order in which a person does them, and their commands."""

_SAYING = (
    *("--map", "--drop", "--gold", "--setting", "--correct-if", "--unreadable"),
    *("--grade", "--grader", "--dataset"),
)
_COLUMNS = [
    option
    for option in harness.commands["import"].params
    if isinstance(option, click.Option) and option.opts[0] in _SAYING
]
"""The options of `import` that say what the columns of a file are. `page` hands them on as they are given."""


class Jobs(click.Group):
    """A group whose help lists the commands job by job."""

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """A section a job, each command with its first sentence."""
        width = formatter.width - 6 - max(map(len, self.commands))
        for job, names in JOBS.items():
            with formatter.section(job):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(width)) for name in names])


@click.group(cls=Jobs, epilog="Example: tts page answers.csv --out page")
@click.version_option(package_name="test-time-scaling", prog_name="tts")
def cli() -> None:
    """How much better does a model get with more answers and longer thinking, and what does it cost?

    `tts COMMAND --help` explains a command and gives an example; `tts twin --help` lists the twin's commands.
    """


def _column_options() -> Callable[..., Any]:
    """The options of _COLUMNS as texts, which `import` will read."""
    options = []
    for option in _COLUMNS:
        words = (option.help or "").rpartition("Tables: ")[2]
        as_text = click.option(
            option.opts[0],
            option.name,
            multiple=option.multiple,
            metavar=option.metavar or "NAME",
            help=words[0].upper() + words[1:],
        )
        options.append(as_text)
    return about(INPUT, *options)


def _as_given(columns: dict[str, Any]) -> Iterator[str]:
    """The words of the options of _COLUMNS that were given."""
    for option in _COLUMNS:
        value = columns[str(option.name)]
        for text in [value] if isinstance(value, str) else value or ():
            yield from (option.opts[0], text)


@cli.command(
    cls=Command, epilog="Example: tts page small.csv large.csv --map answer=final --gold target --out page"
)
@click.argument("answers", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="ANSWERS...")
@out_option("A new folder for the page.")
@about(
    ASKED,
    TARGET_ACCURACY.option(
        "--target-accuracy", "Plan for this accuracy.  [default: close to the best possible]"
    ),
)
@about(
    CHANCE,
    click.option("--cluster", metavar="COLUMN", help="Column that groups related questions."),
)
@_column_options()
@price_option()
def page(
    answers: tuple[Path, ...],
    out: Path,
    prices: dict[str, Any],
    target_accuracy: float | None,
    cluster: str | None,
    **columns: Any,
) -> None:
    """Turn answers into a page: curves, comparison, forecast, plan.

    ANSWERS are run folders, or tables (.csv, .jsonl, .parquet) with one answer per row. A table needs the
    columns question_id, answer, and gold or correct; if yours have other names, the options below say so,
    for all tables at once. If a table has no `model` column, the model is named after its file, or after its
    folder if two files share a name. Each step is printed as the command that runs it alone. The page is
    OUT/index.html; OUT/tables holds the data behind it.
    """
    check_place(out, folder=True)
    if out.exists() and any(out.iterdir()):
        raise BadInput(f"{out}: exists already and is not an empty folder: give another --out")
    of_prices = [word for name, price in prices.items() for word in ("--price", f"{name}={price}")]
    goal = [] if target_accuracy is None else ["--target-accuracy", f"{target_accuracy!r}"]
    try:
        samples = _imported(answers, out / "tables", list(_as_given(columns)))
        _check_prices(prices, samples)
        _make(samples, out, of_prices, goal, ["--cluster", cluster] if cluster else [])
    except BaseException:
        shutil.rmtree(out, ignore_errors=True)  # so that the same command can be given again
        raise


def _check_prices(prices: Mapping[str, Any], samples: Sequence[Path]) -> None:
    """Raise BadInput, before anything is computed, for a price of a model or prompts that are not there."""
    from results import read_samples
    from results.tables.money import Money

    with warnings.catch_warnings(action="ignore"):  # each step tells them
        table = read_samples(*samples, texts=False)
    whose = table[["dataset", "model"]].drop_duplicates().to_numpy()
    Money.of(prices, table).check(table["model"].unique(), whose)


def _make(
    samples: Sequence[Path],
    out: Path,
    prices: Sequence[str],
    goal: Sequence[str],
    read: Sequence[str],
) -> None:
    """The steps of `page` after those that import; those that these answers do not allow are left out."""
    tables = out / "tables"
    _step("curves", *samples, *read, "--out", tables / "curves.csv")
    made, notes = list[Path](), list[str]()
    steps: list[tuple[str, Sequence[str]]] = [("compare", prices)] if prices else []
    steps += [("compare", ()), ("forecast", ()), ("plan", [*goal, *prices])]
    for name, words in steps:
        table = tables / f"{name}.csv"
        if table in made:  # compared by price
            continue
        try:
            _step(name, *samples, *read, *words, "--out", table)
            made.append(table)
        except BadInput as error:
            how = f"{name} by price" if name == "compare" and words else name
            lacking = f"without {how}: {error.format_message()}"
            click.echo(visible(lacking), err=True)
            notes += ["--note", lacking]
    _step("report", *samples, *made, *read, *prices, *notes, "--out", out)


def _imported(paths: Sequence[Path], folder: Path, columns: list[str]) -> list[Path]:
    """The run folders among `paths`, and those that its tables are imported to. Raises BadInput."""
    runs = []
    for path, name in zip(paths, _names(paths), strict=True):
        if path.is_dir():
            runs.append(path)
            continue
        kind = path.suffix.removeprefix(".")
        own = []
        if kind in ("csv", "jsonl", "parquet"):
            own = column_names(path)
        else:  # packed, or a JSON array
            kind = "csv" if ".csv" in path.suffixes else "jsonl"
        named = "model" in own or any(word.startswith("model=") for word in columns)
        model = [] if named else ["--model", name]
        _step("import", kind, path, *columns, *model, "--out", folder / name)
        runs.append(folder / name)
    return runs


def _names(paths: Sequence[Path]) -> list[str]:
    """What each table is called: as its file, or its folder where files share a name, else by a number."""
    names = [re.sub(r"\.(csv|jsonl?|parquet)$", "", path.stem) for path in paths]  # mini.csv.gz, too
    folders = [path.resolve().parent.name for path in paths]
    if len(set(names)) < len(names) == len(set(folders)):
        return folders
    numbered = enumerate(names, start=1)
    return [f"{name}-{number}" if names.count(name) > 1 else name for number, name in numbered]


def _step(name: str, *words: object) -> None:
    """Print a command and run it."""
    arguments = [str(word) for word in words]
    click.echo(f"\n$ {visible(shlex.join(['tts', name, *arguments]))}")
    cli.commands[name].main(arguments, prog_name=f"tts {name}", standalone_mode=False)


for group in (harness, results, predict):
    for name, command in group.commands.items():
        cli.add_command(command, name)
cli.add_command(synthetic, "twin")


if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # `run` tells of it


def main() -> None:
    """The program `tts`."""
    if "_TTS_COMPLETE" in os.environ:
        cli.main(prog_name="tts")
    run(cli, "tts")


if __name__ == "__main__":
    main()
