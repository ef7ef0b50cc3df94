"""Utilization and speed of an SGLang server for several ways to request answers of uneven lengths.

    $ OMP_NUM_THREADS=1 python -m studies.benchmarks.bench_full
    | way | places at work | tokens/s | tokens per processor second of the server | of the bare loop |

The server runs the tiny model on this machine's CPU with PLACES slots. Each answer has the length of one in a
real run, divided by SHORTER. The ways take turns, and the server's cache is flushed before each.
"""

import asyncio
import json
import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import click
import psutil
import pyarrow.parquet

from harness.engines.sglang import SGLangEngine
from harness.experiment import Experiment, model_location, read_experiment
from harness.gpu_check import REAL_RUN, DrawnLengths, look
from harness.http.connection import Connection
from harness.questions.load import load_questions
from harness.run.queries import remaining
from harness.run.sampler import sample
from studies.benchmarks.bare_loop import post_all, write_requests
from studies.benchmarks.measured import flush_cache, sglang_server

PLACES = 64
SHORTER = 4
TOGETHER = 16
"""The number of answers per request in an earlier version: the next began when the longest had ended."""
ENDLESS = {"ignore_eos": True}
WAYS = {f"bare loop, {TOGETHER} answers a request": TOGETHER, "bare loop": 1, "`harness sample`": 0}


class Turn(NamedTuple):
    """`at_work`: the mean number of busy slots, without the first and the last round."""

    tokens: float
    seconds: float
    at_work: float
    processor: float = 0.0
    """Processor seconds of the server."""


class Bodies:
    """The harness's requests, each with its own length; `begun` counts those already taken."""

    def __init__(self, experiment: Experiment, lengths: Sequence[int], file: Path) -> None:
        questions = load_questions("tiny")[: experiment.limit]
        write_requests(experiment, questions, file)
        self.begun, self.all = 0, list[bytes]()
        for line, query in zip(
            file.open(encoding="utf-8"), remaining(experiment, questions, {}), strict=True
        ):
            body = json.loads(line)
            drawn = random.Random(query.seed(experiment.seed)).choice(lengths)
            body["sampling_params"] |= ENDLESS | {"max_new_tokens": drawn}
            self.all.append(json.dumps(body).encode())

    def __iter__(self) -> Iterator[bytes]:
        self.begun = 0
        for body in self.all:
            self.begun += 1
            yield body


async def turn(
    url: str, experiment: Experiment, bodies: Bodies, lengths: Sequence[int], together: int, folder: Path
) -> Turn:
    """Run one turn of one way."""
    model, looks = model_location("tiny"), list[float]()
    fields = {"sampling_params": ENDLESS}
    steady = range(2 * PLACES, len(bodies.all))
    async with (
        Connection(url) as watched,
        SGLangEngine(url, model, revision=None, chat=True, fields=fields) as server,
    ):
        engine = DrawnLengths(server, lengths)
        begun = (lambda: bodies.begun) if together else (lambda: engine.begun)
        looking = asyncio.create_task(look(watched, begun, steady, looks))
        if together:
            found = await post_all(url, bodies, PLACES, together)
        else:
            outcome = await sample(experiment, load_questions("tiny"), folder, lambda: nullcontext(engine))
            session = json.loads((folder / "run.json").read_text(encoding="utf-8"))["sessions"][0]
            found = {"tokens": outcome.tally.tokens, "seconds": session["seconds"]}
        looking.cancel()
    return Turn(found["tokens"], found["seconds"], mean(looks))


def processor_seconds(pid: int) -> float:
    """The processor seconds of a process and all its descendants."""
    process = psutil.Process(pid)
    times = [one.cpu_times() for one in (process, *process.children(recursive=True))]
    return float(sum(one.user + one.system for one in times))


def compare(url: str, pid: int, questions: int, samples: int, rounds: int, folder: Path) -> None:
    """Print a table of the ways."""
    drawn = pyarrow.parquet.read_table(REAL_RUN, columns=["tokens"])["tokens"].to_pylist()
    lengths = [max(1, length // SHORTER) for length in drawn]
    keys = {"engine": "sglang", "url": url, "limit": questions, "samples": samples, "budgets": "60"}
    keys |= {"stop": "[]", "concurrency": PLACES, "tokens_extra": max(lengths)}
    experiment = read_experiment("tiny", {key: str(value) for key, value in keys.items()})
    bodies = Bodies(experiment, lengths, folder / "requests.jsonl")
    found: dict[str, list[Turn]] = {way: [] for way in WAYS}
    for number in range(rounds):
        for way, together in WAYS.items():
            flush_cache(url)
            out, before = folder / f"{number}-{together}", processor_seconds(pid)
            one = asyncio.run(turn(url, experiment, bodies, lengths, together, out))
            found[way].append(one._replace(processor=processor_seconds(pid) - before))
            click.echo(f"{way}: {found[way][-1]}", err=True)
    each = {
        way: sum(one.tokens for one in turns) / sum(one.processor for one in turns)
        for way, turns in found.items()
    }
    click.echo(
        f"{questions} questions x {samples} answers of {mean(lengths):.0f} tokens, {rounds} turns each\n"
    )
    click.echo("| way | places at work | tokens/s | per processor second of the server | of the bare loop |")
    click.echo("|---|---:|---:|---:|---:|")
    for way, turns in found.items():
        share = mean(one.at_work for one in turns) / PLACES
        rate = sum(one.tokens for one in turns) / sum(one.seconds for one in turns)
        cells = f"{share:.1%} | {rate:,.0f} | {each[way]:,.0f} | {each[way] / each['bare loop']:.3f}"
        click.echo(f"| {way} | {cells} |")


@click.command()
@click.option("--questions", default=16, show_default=True, help="Of the tiny model's.")
@click.option("--samples", default=32, show_default=True, help="Answers to each of them.")
@click.option("--rounds", default=2, show_default=True, help="Turns of each way.")
def main(questions: int, samples: int, rounds: int) -> None:
    """Print a table."""
    extra = ("--max-running-requests", str(PLACES), "--enable-metrics")
    with tempfile.TemporaryDirectory() as folder, sglang_server(*extra) as (url, pid):
        compare(url, pid, questions, samples, rounds, Path(folder))


if __name__ == "__main__":
    main()
