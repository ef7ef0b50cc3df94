"""`tts`: what the packages offer, under one name and in the order in which a person needs it.

    $ tts page answers.csv --map answer=final --gold target --out boss
    $ tts curves answers.csv --out curves.csv

Each command is that of `python -m harness`, `results`, `predict` or `synthetic`. Only `page`, which runs
several of them, stands here. No package imports this file.
"""

import os
import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from harness.cli import cli as harness
from predict.cli import main as predict
from results import BadInput, run
from results.cli import cli as results
from results.cli.options import price_option
from results.command_help import Command
from results.tables.files import column_names
from results.visible import visible
from synthetic.cli import cli as synthetic

JOBS = {
    "Answers in, a page out": ["page"],
    "Sample a model": ["sample", "force", "judge", "serve", "gateway", "gpu-check", "questions"],
    "Answers you have": ["import", "inspect", "regrade", "export"],
    "Measure and compare": ["curves", "compare", "stop"],
    "Forecast and plan": ["forecast", "plan", "precision", "backtest", "fits"],
    "Show": ["report"],
    "The synthetic twin": ["twin"],
}
"""The jobs in the order in which a person does them, and their commands."""

_KNOWN = {option.opts[0]: option for option in harness.commands["import"].params}
_SAYING = (
    *("--map", "--drop", "--gold", "--setting", "--correct-if", "--unreadable"),
    *("--grade", "--grader", "--dataset"),
)
_OF_IMPORT = {name: option for name in _SAYING if isinstance(option := _KNOWN[name], click.Option)}
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
def cli() -> None:
    """How much better does a model get with more answers and longer thinking, and what does it cost?

    `tts COMMAND --help` shows an example of each. The twin has commands of its own: `tts twin --help`.
    """


def _import_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of _OF_IMPORT as texts, which `import` will read."""
    for name, option in reversed(_OF_IMPORT.items()):
        words = (option.help or "").rpartition("Tables: ")[2]
        command = click.option(
            name,
            option.name,
            multiple=option.multiple,
            metavar=option.metavar or "NAME",
            help=words[0].upper() + words[1:],
        )(command)
    return command


@cli.command(
    cls=Command, epilog="Example: tts page small.csv large.csv --map answer=final --gold target --out page"
)
@click.argument("answers", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="ANSWERS...")
@_import_options
@click.option(
    "--target-accuracy", metavar="A", help="Plan for this accuracy.  [default: nearly the best there is]"
)
@price_option()
@click.option("--out", required=True, type=click.Path(path_type=Path), help="A new folder for the page.")
def page(
    answers: tuple[Path, ...],
    out: Path,
    prices: dict[str, float],
    target_accuracy: str | None,
    **columns: Any,
) -> None:
    """Make a page of answers: curves, comparison, forecast, plan.

    ANSWERS are run folders, or tables (.csv, .jsonl, .parquet) with an answer a row. A table needs the
    columns question_id, answer, and gold or correct. Options name them where they are called otherwise, and
    hold for all tables. A table without a column `model` is of the model that its file is named after, or,
    where two files share a name, its folder. Each
    step is printed as the command that does it alone. OUT/index.html is the page; OUT/tables holds what it
    shows.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BadInput(f"{out}: exists already and is not an empty folder: give another --out")
    try:
        _make(answers, out, [word for option in _given(columns) for word in option], target_accuracy, prices)
    except BaseException:
        shutil.rmtree(out, ignore_errors=True)  # so that the same command can be given again
        raise


def _make(
    answers: Sequence[Path],
    out: Path,
    columns: list[str],
    target_accuracy: str | None,
    prices: dict[str, float],
) -> None:
    """The steps of `page`. Raises BadInput where the answers cannot be read."""
    tables = out / "tables"
    of_prices = [word for name, price in prices.items() for word in ("--price", f"{name}={price:g}")]
    goal = ["--target-accuracy", target_accuracy] if target_accuracy else []
    names = zip(answers, _names(answers), strict=True)
    samples = [_imported(path, tables / name, columns) for path, name in names]
    _step("curves", *samples, "--out", tables / "curves.csv")
    made = []
    for name, words in (("compare", of_prices), ("forecast", []), ("plan", goal)):
        table = tables / f"{name}.csv"
        try:
            _step(name, *samples, *words, "--out", table)
            made.append(table)
        except BadInput as error:
            click.echo(f"without {name}: {visible(error.format_message())}", err=True)
    _step("report", *samples, *made, *of_prices, "--out", out)


def _imported(path: Path, folder: Path, columns: list[str]) -> Path:
    """The run folder `path`, or the one that its table is imported to."""
    if path.is_dir():
        return path
    kind = path.suffix.removeprefix(".")
    if kind not in ("csv", "jsonl", "parquet"):  # packed, or a JSON array
        kind = "csv" if ".csv" in path.suffixes else "jsonl"
        own = []
    else:
        own = column_names(path)
    named = "model" in own or any(word.startswith("model=") for word in columns)
    model = [] if named else ["--model", folder.name]
    _step("import", kind, path, *columns, *model, "--out", folder)
    return folder


def _given(columns: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Each option of `import` that was given, with its value."""
    for name, option in _OF_IMPORT.items():
        value = columns[str(option.name)]
        for one in [value] if isinstance(value, str) else value or ():
            yield name, one


def _names(paths: Sequence[Path]) -> list[str]:
    """What each table is called: as its file, or its folder where files share a name, else by a number."""
    names = [path.stem for path in paths]
    folders = [path.resolve().parent.name for path in paths]
    if len(set(names)) < len(names) == len(set(folders)):
        return folders
    return [
        name if names.count(name) == 1 else f"{name}-{number}" for number, name in enumerate(names, start=1)
    ]


def _step(name: str, *words: object) -> None:
    """Print a command and run it."""
    told = [str(word) for word in words]
    click.echo(f"\n$ {visible(shlex.join(['tts', name, *told]))}")
    cli.commands[name].main(told, prog_name=f"tts {name}", standalone_mode=False)


for group in (harness, results, predict):
    for name, command in group.commands.items():
        cli.add_command(command, name)
cli.add_command(synthetic, "twin")


def main() -> None:
    """The program `tts`."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as `python -m predict` does, and why
    if "_TTS_COMPLETE" in os.environ:
        cli.main(prog_name="tts")
    run(cli, "tts")


if __name__ == "__main__":
    main()
