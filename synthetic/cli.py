"""Commands of the theory twin.

$ tts twin run fig2f --out runs/twin
fig2f: 285 rows of 200 tasks, exact, 1.8 s -> runs/twin/fig2f.csv
"""

from pathlib import Path
from time import perf_counter
from typing import Any

import click

from results.arguments import NS, SEED
from results.cli.options import out_option, table_out
from results.command_help import ASKED, CHANCE, DRAWN, HOW, Command, about
from results.terminal import plural


@click.group(context_settings={"show_default": True})
def cli() -> None:
    """The synthetic twin: exact curves, sampled paths, claims.

    The paper's transformer on in-context linear regression, solved exactly.
    """


@cli.command("list", cls=Command, epilog="Example: tts twin list")
def list_() -> None:
    """List the experiments and the settings of their lines."""
    from dataclasses import asdict

    from synthetic.panels.experiments import EXPERIMENTS

    for name, experiment in EXPERIMENTS.items():
        click.echo(f"{name:16} {experiment.title}")
        first, *others = experiment.variants
        fields = " ".join(f"{name}={value}" for name, value in asdict(first.setting).items())
        click.echo(f"{'':16}   {fields}")
        for line in others:
            click.echo(f"{'':16}   - {line.label}")


_STEPS = about(
    ASKED, NS.option("--steps", "Values of t, separated by commas.  [default: NAME's own]", metavar="T,…")
)
_VOTES = about(ASKED, NS.option("--n", f"{NS.meaning}  [default: NAME's own]"))
_CHANGES = about(
    DRAWN,
    click.option(
        "--set",
        "changes",
        multiple=True,
        metavar="FIELD=VALUE[,VALUE…]",
        help="Change a field of the setting, e.g. step_rule=eta/n; `list` shows all fields. With "
        "several values, every line of the experiment is run at each.",
    ),
)
SEED_OPTION = about(CHANCE, SEED.option("--seed", default=0))
JOBS_OPTION = about(HOW, click.option("--jobs", default=1, help="Processes to use."))


@cli.command(cls=Command, epilog="Example: tts twin run fig1-binary --out runs/twin")
@click.argument("name")
@about(
    DRAWN,
    click.option(
        "--solver",
        type=click.Choice(["exact", "monte-carlo", "transformer"]),
        default="exact",
        help="exact: closed form where there is one; monte-carlo: sampled paths, many at once; transformer: "
        "the paper's loop verbatim, slow (seconds per path at t=950).",
    ),
    click.option("--repeats", default=5, help="Repeats of the experiment."),
    click.option("--tasks", type=int, help="Tasks per repeat.  [default: NAME's own]"),
    click.option("--paths", type=int, help="Sampled paths per task.  [default: 256; transformer: 16]"),
)
@_CHANGES
@_STEPS
@_VOTES
@SEED_OPTION
@JOBS_OPTION
@out_option("Folder to write to.", folder=True)
def run(
    name: str, out: Path, changes: tuple[str, ...], steps: tuple[int, ...], n: tuple[int, ...], **options: Any
) -> None:
    """Run experiment NAME, or `all`, and write its curves.

    OUT/NAME.csv is a curves table. In the binary case, a sampling solver also writes its answers to
    OUT/NAME.samples.parquet.
    """
    from results import BadInput, write_curves, write_samples
    from results.commandline import warnings_last
    from results.tables.files import check_place
    from synthetic.panels.experiments import find_experiments, read_at, with_changes
    from synthetic.panels.running import PATHS, run_experiment, samples_anyway

    check_place(out, folder=True)
    experiments = find_experiments(name).items()
    panels = {key: with_changes(read_at(experiment, steps, n), changes) for key, experiment in experiments}
    if options["paths"] and options["solver"] == "exact" and not any(map(samples_anyway, panels.values())):
        raise BadInput("--paths: the exact solver samples nothing here: leave it out, or give --solver")
    for key, changed in panels.items():
        start = perf_counter()
        with warnings_last():
            curves, samples = run_experiment(key, changed, **options)
        write_curves(curves, out / f"{key}.csv")
        if samples is not None:
            write_samples(samples, out / f"{key}.samples.parquet")
        count, seconds = int(curves["questions"].max()), perf_counter() - start
        how = options["solver"]
        if how == "exact" and samples_anyway(changed):
            how = f"sampled where there is no formula, {options['paths'] or PATHS['exact']} paths per task"
        done = f"{plural(len(curves), 'row')} of {plural(count, 'task')}, {how}, {seconds:.1f} s"
        click.echo(f"{key}: {done} -> {out / key}.csv")


@cli.command(cls=Command, epilog="Example: tts twin check fig2h")
@click.argument("name")
@about(
    DRAWN,
    click.option("--tasks", default=2, help="Tasks in each of 5 repeats."),
    click.option("--paths", default=16, help="Sampled paths per task."),
)
@about(
    ASKED,
    NS.option("--n", "Values of N for a vote or an average.  [default: 1, one path]"),
)
@_CHANGES
@_STEPS
@SEED_OPTION
def check(
    name: str,
    tasks: int,
    paths: int,
    seed: int,
    changes: tuple[str, ...],
    steps: tuple[int, ...],
    n: tuple[int, ...],
) -> None:
    """Compare NAME's literal transformer with its exact solution."""
    from synthetic.continuous.risk import needs_sampling
    from synthetic.panels.checking import STAND_IN, verdict
    from synthetic.panels.checking import check as checked
    from synthetic.panels.experiments import find_experiments, read_at, with_changes

    for key, experiment in find_experiments(name).items():
        changed = with_changes(read_at(experiment, steps), changes)
        table = checked(changed, tasks, paths, seed, votes=tuple(sorted(set(n))) or (1,))
        if any(needs_sampling(line.setting, ("ensemble",)) for line in changed.variants):
            table = table.rename(columns={"exact": f"sampled, {STAND_IN} paths"})
        click.echo(table.to_string(index=False, float_format=lambda value: f"{value:.3f}"))
        click.echo(f"{key}: {verdict(table, tasks)}")


@cli.command(
    cls=Command,
    epilog="Example: tts twin claims fig2h --set sigma_eps=1 --out runs/mine.csv",
)
@click.argument("name", required=False)
@about(
    DRAWN,
    click.option("--tasks", type=int, help="Tasks in each of 5 repeats.  [default: NAME's own]"),
)
@_CHANGES
@_STEPS
@_VOTES
@SEED_OPTION
@table_out()
def claims(name: str | None, seed: int, out: Path, **own: Any) -> None:
    """Measure the paper's claims and write the verdicts.

    With NAME, an experiment from `list`: only the claims that apply to any setting, at its lines, t and N,
    with your changes. Where a setting does not meet a claim's assumptions, the claim is left out.
    """
    from results.commandline import warnings_last
    from results.tables.contract import check_out
    from results.tables.files import write_raw
    from synthetic.theory.claims.claims_table import CLAIMS, claims_at, evaluate

    check_out(out, ())
    if name is None and any(value not in (None, ()) for value in own.values()):
        raise click.UsageError("--tasks, --set, --steps and --n change an experiment: give its NAME")
    with warnings_last():
        table = evaluate(CLAIMS if name is None else claims_at(name, **own), seed)
    write_raw(table, out)
    for claim, verdict in table.groupby("claim", sort=False)["verdict"].first().items():
        click.echo(f"{claim}: {verdict}")
    rows = ", ".join(f"{count} {word}" for word, count in table["outcome"].value_counts().items())
    click.echo(f"{plural(table['claim'].nunique(), 'claim')}, {plural(len(table), 'row')} ({rows}) -> {out}")
