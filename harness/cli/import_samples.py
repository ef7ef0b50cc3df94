"""python -m harness import: turn answers that another tool sampled into a run folder.

$ python -m harness import csv aime.csv --map setting=effort --map tokens=out_tokens --out runs/aime
3240 answers to 45 questions, 0 rows left out -> runs/aime/samples.jsonl
"""

from pathlib import Path
from typing import Any

import click

from harness.cli.readers import match_option, readers
from harness.grader import READERS, Grader

Pairs = tuple[tuple[str, str], ...]

_BELONGS = {
    "columns": ("--map", ("csv", "jsonl")),
    "drop": ("--drop", ("csv", "jsonl")),
    "filter_name": ("--filter", ("lm-eval",)),
    "scorer": ("--scorer", ("inspect",)),
    "setting": ("--setting", ("lm-eval", "inspect")),
    "tokenizer": ("--tokenizer", ("lm-eval",)),
}
"""The option for each argument, and the kinds of file it is for."""


def _pairs(_context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> Pairs:
    """COLUMN=TEXT of a repeated option, split at the first `=`."""
    for value in values:
        if "=" not in value or value.startswith("="):
            raise click.BadParameter(f"{value!r} is not of the form {option.make_metavar(_context)}.")
    return tuple((column, text) for column, _, text in (value.partition("=") for value in values))


@click.command(
    "import",
    epilog="Examples: python -m harness import csv aime.csv --map setting=effort --map tokens=out_tokens"
    " --drop error=1 --out results/runs/aime; "
    "python -m harness import lm-eval out/samples_gsm8k_….jsonl --filter strict-match --out results/runs/g; "
    "python -m harness import inspect logs/….eval --setting reasoning_effort --out results/runs/high",
)
@click.argument("kind", type=click.Choice(["lm-eval", "inspect", "csv", "jsonl"]))
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The folder for samples.jsonl.")
@click.option(
    "--map",
    "columns",
    multiple=True,
    metavar="COLUMN=SOURCE",
    callback=_pairs,
    help="csv, jsonl: take a column of the samples table from the file's column SOURCE. May be repeated.",
)
@click.option(
    "--drop",
    multiple=True,
    metavar="COLUMN=VALUE",
    callback=_pairs,
    help="csv, jsonl: leave out the rows with this value, such as failed requests. May be repeated.",
)
@click.option("--filter", "filter_name", metavar="NAME", help="lm-eval: the filter that reads the answers.")
@click.option("--scorer", metavar="NAME", help="inspect: the scorer whose verdicts and answers count.")
@click.option(
    "--grade",
    metavar="LIST",
    callback=readers,
    help=f"Read the answers in the texts with these readers, in this order: {', '.join(READERS)}. A csv or "
    "jsonl needs the columns text and gold.",
)
@match_option
@click.option(
    "--setting",
    metavar="FIELD",
    help="lm-eval, inspect: the generation or task setting that becomes the column `setting`.",
)
@click.option(
    "--tokenizer",
    metavar="MODEL",
    help="lm-eval: count tokens with this model's tokenizer, as its logs have none.",
)
@click.option("--dataset", help="The data set's name; replaces that of a log (lm-eval, inspect).")
@click.option("--model", help="The model's name; replaces that of a log (lm-eval, inspect).")
def import_samples(kind: str, file: Path, out: Path, **options: Any) -> None:
    """Import answers that another tool sampled.

    OUT becomes a run folder for other commands. FILE is, for lm-eval, a file of its --log_samples or the
    output folder; for inspect, a log of inspect_ai; for csv and jsonl, a table with an answer per row. The
    columns question_id, answer, and gold or correct are needed (with --grade: question_id, text and gold);
    sample, setting, tokens, dataset, model, finish_reason and prompt_tokens are used; others are kept.
    """
    from harness.imports import unreadable_notes
    from results import BadInput, write_samples

    for name, (option, kinds) in _BELONGS.items():
        if options[name] and kind not in kinds:
            raise BadInput(f"{option} is for {' and '.join(kinds)}, not for {kind}")
    for name in ("filter_name", "scorer"):
        if options["grade"] and options[name]:
            raise BadInput(f"{_BELONGS[name][0]} and --grade both say how answers are read: give only one")
    if options["match"] != "first" and not options["grade"]:
        raise BadInput("--match is for --grade: give both or neither")
    target = out / "samples.jsonl"
    if target.exists():
        raise BadInput(f"{target}: this file exists already: give another --out")
    grader = Grader(options["grade"], options["match"]) if options["grade"] else None
    imported = _import(kind, file, grader, options)
    write_samples(imported.table, target)
    unread = unreadable_notes(imported.table, grader, out) if grader else ()
    for note in (*imported.notes, *unread):
        click.echo(f"note: {note}", err=True)
    answers, answered = len(imported.table), imported.table["question_id"].nunique()
    click.echo(f"{answers} answers to {answered} questions, {imported.left_out} rows left out -> {target}")


def _import(kind: str, file: Path, grader: Grader | None, options: dict[str, Any]) -> Any:
    from harness.imports import import_inspect_ai, import_lm_eval, import_table, repeat_notes, with_tokens
    from results import BadInput

    names = {name: text for name in ("dataset", "model") if (text := options[name])}
    if kind in ("csv", "jsonl"):
        if file.suffix != f".{kind}":
            packed = file.suffix in (".gz", ".zip", ".xz", ".bz2", ".zst")
            raise BadInput(f"{file}: not a .{kind} file{', unpack it first' if packed else ''}")
        columns = dict(options["columns"])
        if len(columns) < len(options["columns"]):
            raise BadInput("--map names the same column twice")
        return import_table(file, columns, options["drop"], names, grader)
    if kind == "lm-eval":
        imported = import_lm_eval(file, options["filter_name"], grader, options["setting"])
    else:
        imported = import_inspect_ai(file, options["scorer"], grader, options["setting"])
    table = imported.table.assign(**names)
    if options["tokenizer"]:
        table = with_tokens(table, options["tokenizer"])
    notes = (*imported.notes, *repeat_notes(table))
    if "tokens" not in table:
        notes += ("the log has no tokens, so curves will have no T: count them with --tokenizer MODEL",)
    return imported._replace(table=table, notes=notes)
