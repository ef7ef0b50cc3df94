"""tts import: turn answers that another tool sampled into a run folder."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from harness.cli.options import KeyValue, grader_option, match_option, readers
from harness.grader import NAMED, Grader, GraderName
from results.cli.options import out_option
from results.command_help import INPUT, Command, about

_TOOLS = (
    *("nemo-skills", "sgl-eval", "boinf", "every-eval-ever", "evalscope", "lighteval", "opencompass"),
    *("harbor", "terminal-bench", "tau-bench", "verifiers", "swe-bench"),
)
_TABLES = ("csv", "jsonl", "parquet", *_TOOLS)
_BELONGS = {
    "columns": ("--map", (*_TABLES, "inspect")),
    "drop": ("--drop", _TABLES),
    "gold": ("--gold", _TABLES),
    "correct_if": ("--correct-if", (*_TABLES, "inspect")),
    "unreadable": ("--unreadable", _TABLES),
    "filter_name": ("--filter", ("lm-eval",)),
    "scorer": ("--scorer", ("inspect",)),
    "tokenizer": ("--tokenizer", ("lm-eval",)),
}
"""The option of each argument, and the kinds of files that it applies to."""


@click.command(
    "import",
    cls=Command,
    epilog="Examples: tts import csv aime.csv --setting effort --map tokens=out_tokens"
    " --drop error=1 --out runs/aime; "
    "tts import lm-eval out/samples_gsm8k_….jsonl --filter strict-match --out runs/g; "
    "tts import inspect logs/….eval --setting reasoning_effort --out runs/high",
)
@click.argument("kind", type=click.Choice(["lm-eval", "inspect", *_TABLES]))
@click.argument("file", type=click.Path(path_type=Path))
@out_option("Folder to write samples.jsonl to.")
@about(
    INPUT,
    click.option(
        "--map",
        "columns",
        type=KeyValue(),
        multiple=True,
        metavar="COLUMN=SOURCE",
        help="inspect: read score or score_NAME from the scorer SOURCE. "
        "Tables: read COLUMN of the samples table from the file's column SOURCE. May be repeated.",
    ),
    click.option(
        "--drop",
        type=KeyValue(),
        multiple=True,
        metavar="COLUMN=VALUE",
        help="Tables: skip rows with this value, such as failed requests. May be repeated.",
    ),
    click.option(
        "--gold",
        metavar="COLUMN|VALUE",
        help="Tables: the column of correct answers, or one correct answer for all rows.",
    ),
    click.option(
        "--correct-if",
        type=KeyValue(signs=True),
        multiple=True,
        metavar="COLUMN=VALUE",
        help="inspect: the same as for tables, with a scorer as COLUMN. "
        "Tables: an answer is correct if this column has this value or, with COLUMN>=NUMBER, at least that "
        "number (also >, <, <=). May be repeated: one match is enough.",
    ),
    click.option(
        "--unreadable",
        multiple=True,
        metavar="VALUE",
        help="Tables: an answer with this text is unreadable and casts no vote. May be repeated.",
    ),
    click.option(
        "--setting",
        metavar="FIELD|VALUE",
        help="lm-eval, inspect: the generation or task setting to use as the column `setting`. "
        "Tables: the column to use as `setting`, or one value for all rows.",
    ),
    click.option(
        "--grade",
        metavar="LIST",
        callback=readers,
        help=f"Extract the answers from the texts with these readers, tried in this order: {NAMED}; "
        "auto picks those that find answers. A table needs the columns text and gold.",
    ),
    grader_option,
    match_option,
    click.option("--filter", "filter_name", metavar="NAME", help="lm-eval: the filter whose answers to use."),
    click.option("--scorer", metavar="NAME", help="inspect: the scorer whose verdicts and answers to use."),
    click.option(
        "--tokenizer",
        metavar="MODEL",
        help="lm-eval: count tokens with this model's tokenizer; the logs have no counts.",
    ),
    click.option("--dataset", help="Name of the data set; overrides the file's."),
    click.option("--model", help="Name of the model; overrides the file's."),
)
def import_samples(kind: str, file: Path, out: Path, **options: Any) -> None:
    """Import answers that another tool sampled.

    OUT becomes a run folder for the other commands. FILE is: for lm-eval, a file written by --log_samples, or
    the output folder; for inspect, an inspect_ai log; for csv, jsonl and parquet, a table with one answer per
    row; for a tool's name, a file that the tool writes, or a folder of them. A table needs the columns
    question_id, answer, and gold or correct (with --grade: question_id, text and gold). It may also have
    sample, setting, tokens, dataset, model, finish_reason and prompt_tokens; other columns are kept.
    """
    from harness.grader import AUTO, readers_that_read
    from harness.imports.reading import unread_note
    from harness.store.row import rows_of
    from harness.tally.answer_groups import COUNTED, WHOSE, groups_of
    from harness.tally.counts import Tallies, Tally
    from results import BadInput
    from results.tables.files import write_raw
    from results.terminal import plural, visible

    for name, (option, kinds) in _BELONGS.items():
        if options[name] and kind not in kinds:
            raise BadInput(f"{option} is for {', '.join(kinds)}, not for {kind}")
    for name in ("scorer", "unreadable", "correct_if"):
        if options["grade"] and options[name]:
            raise BadInput(f"{_BELONGS[name][0]} and --grade both say how answers are read: give only one")
    target = out / "samples.jsonl"
    if target.exists():
        raise BadInput(f"{target}: this file exists already: give another --out")
    for name, usual in (("match", "first"), ("grader", None)):
        if options[name] != usual and not options["grade"]:
            raise BadInput(f"--{name} is for --grade: give both or neither")
    kind_of_answer: GraderName = options["grader"] or "integer"
    grader = Grader(options["grade"], options["match"], kind_of_answer) if options["grade"] else None
    imported = _import(kind, file, grader, options)
    if grader and grader.readers == (AUTO,):
        readers, reads = readers_that_read(imported.table, grader)
        grader = replace(grader, readers=readers)
        imported = imported._replace(notes=(*imported.notes, reads))
    elif not grader:
        imported = imported._replace(notes=(*imported.notes, *unread_note(imported.table)))
    write_raw(imported.table, target)
    table = imported.table
    tallies = Tallies(lambda *_: Tally(grader=grader))
    tallies.add(groups_of(rows_of(table, (*WHOSE, *COUNTED))))
    notes = [f"note: {note}" for note in imported.notes]
    for line in (*notes, *(f"warning: {warning}" for warning in tallies.warnings(out))):
        click.echo(visible(line), err=True)
    answered = len(table[["dataset", "question_id"]].drop_duplicates())
    counts = f"{plural(len(table), 'answer')} to {plural(answered, 'question')}"
    click.echo(f"{counts}, {plural(imported.left_out, 'row')} left out -> {target}")


def _import(kind: str, file: Path, grader: Grader | None, options: dict[str, Any]) -> Any:
    from harness.imports.foreign_columns import import_table
    from harness.imports.inspect_ai_log import import_inspect_ai
    from harness.imports.lm_eval import import_lm_eval
    from harness.imports.reading import with_tokens
    from results import BadInput

    names = {name: text for name in ("dataset", "model") if (text := options[name])}
    given = names | {name: text for name in ("gold", "setting") if (text := options[name])}
    columns = dict(options["columns"])
    if len(columns) < len(options["columns"]) or columns.keys() & given.keys():
        raise BadInput("--map: a column is named twice")
    if kind in _TABLES:
        cells = (columns, options["drop"], given, options["correct_if"], options["unreadable"])
        return import_table(file, *cells, grader=grader, kind=kind)
    if kind == "lm-eval":
        imported = import_lm_eval(file, options["filter_name"], grader, options["setting"])
    else:
        if others := [name for name in columns if name != "score" and not name.startswith("score_")]:
            raise BadInput(f"--map {others[0]}: a log of inspect maps only to score and score_NAME")
        asked = (options["setting"], columns, options["correct_if"])
        imported = import_inspect_ai(file, options["scorer"], grader, *asked)
    table = imported.table.assign(**names)
    if options["tokenizer"]:
        table = with_tokens(table, options["tokenizer"])
    notes = imported.notes
    if "tokens" not in table:
        notes += ("the log has no tokens, so curves will have no T: count them with --tokenizer MODEL",)
    return imported._replace(table=table, notes=notes)
