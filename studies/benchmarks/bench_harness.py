"""The harness against a bare loop and lm-eval on one SGLang server, and on a server that answers instantly.

    $ OMP_NUM_THREADS=1 python -m studies.benchmarks.bench_harness      # seven minutes on two quiet cores
    | SGLang, tiny model, 1,920 answers | tokens/s | answers/s | of the bare loop |

The first part starts a server on the CPU. The ways to sample take turns, so that a change of the machine's
speed affects all of them, and the server's cache is flushed before every run. The second part samples
GSM8K-sized questions from a responder that answers at once (instant_responder.py).
"""

import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import astuple, dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

import click

from harness.engines.token_ids import PromptTokens
from harness.experiment import model_location, read_experiment
from harness.questions.load import TINY_FILE, load_questions
from studies.benchmarks.bare_loop import write_requests
from studies.benchmarks.measured import ROOT, Cost, cost_of, flush_cache, sglang_server
from tests.integration import lm_eval_task

BUDGET = 40
BARE_IN_FLIGHT = (512, 1024)
"""The bare loop runs with each; the better result counts."""
LM_EVAL_IN_FLIGHT = (32, 512)
"""Few answers in flight, and half as many as the harness has."""
GSM8K_QUESTIONS = 1319


@dataclass
class Speed:
    """The totals of one way of sampling over all its turns."""

    answers: float = 0
    tokens: float = 0
    seconds: float = 0
    whole: float = 0
    """Seconds of the whole command, including its start."""

    @property
    def rate(self) -> float:
        """Tokens per second."""
        return self.tokens / self.seconds


def sample(folder: Path, url: str, experiment: str, **keys: object) -> tuple[Speed, Cost]:
    """Run `harness sample` into a new folder; return its speed and cost."""
    sets = [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]
    cost = cost_of("harness", "sample", experiment, "--url", url, "--out", folder, *sets)
    (session,) = json.loads((folder / "run.json").read_text(encoding="utf-8"))["sessions"]
    return Speed(session["answers"], session["tokens"], session["seconds"], cost.wall), cost


def bare(url: str, requests: Path, in_flight: int) -> Speed:
    command = [
        sys.executable,
        str(ROOT / "studies/benchmarks/bare_loop.py"),
        url,
        str(requests),
        str(in_flight),
    ]
    start = time.perf_counter()
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return Speed(**found, whole=time.perf_counter() - start)


def lm_eval(url: str, task: Path, out: Path, in_flight: int) -> Speed:
    """Run lm-eval; it logs no tokens, so they are counted from its texts, plus one for the stop string."""
    command = lm_eval_task.command(task, out, url, in_flight)
    start = time.perf_counter()
    done = subprocess.run(
        command, env=lm_eval_task.environment(task), capture_output=True, text=True, check=True
    )
    whole = time.perf_counter() - start
    rows = [row for row in lm_eval_task.logged(out) if row["filter"] == "marked"]
    texts = [text for row in rows for text in row["resps"][0]]
    prompts = PromptTokens(model_location("tiny"), None, chat=False)
    tokens = sum(len(prompts.plain(text)) + 1 for text in texts)
    number, unit = re.findall(r"Requesting API: 100%.*?([0-9.]+)(it/s|s/it)", done.stderr)[-1]
    return Speed(len(texts), tokens, len(texts) / float(number) ** (1 if unit == "it/s" else -1), whole)


def against_others(questions: int, samples: int, rounds: int, folder: Path) -> None:
    """Let all ways answer the same questions in turns, and print a table."""
    keys = {"budgets": str(BUDGET), "limit": str(questions), "samples": str(samples)}
    experiment = read_experiment("tiny", keys)
    requests, task = folder / "requests.jsonl", folder / "task"
    write_requests(experiment, load_questions("tiny")[:questions], requests)
    limit = experiment.max_new_tokens(BUDGET)
    lm_eval_task.write_task(task, questions=questions, repeats=samples, budget=BUDGET, max_tokens=limit)
    with sglang_server() as (url, _):
        bare(url, requests, BARE_IN_FLIGHT[0])  # warms the server up

        def ours(out: Path) -> Speed:
            return sample(out, url, "tiny", **keys)[0]

        def loop(in_flight: int, _: Path) -> Speed:
            return bare(url, requests, in_flight)

        def theirs(in_flight: int, out: Path) -> Speed:
            return lm_eval(url, task, out, in_flight)

        turns: dict[str, Callable[[Path], Speed]] = {"`harness sample`": ours}
        for k in BARE_IN_FLIGHT:
            turns[f"bare loop, {k} requests in flight"] = partial(loop, k)
        for k in LM_EVAL_IN_FLIGHT:
            turns[f"lm-eval, `num_concurrent={k}`"] = partial(theirs, k)
        found: dict[str, list[Speed]] = {name: [] for name in turns}
        for turn in range(rounds):
            for number, (name, run) in enumerate(turns.items()):
                flush_cache(url)
                found[name].append(run(folder / f"{turn}-{number}"))
    total = {
        name: Speed(*map(sum, zip(*map(astuple, speeds), strict=True))) for name, speeds in found.items()
    }
    best = max(speed.rate for name, speed in total.items() if name.startswith("bare"))
    click.echo(f"\n{questions} questions x {samples} answers, budget {BUDGET}, {rounds} turns each\n")
    click.echo("| way | answers | tokens/s | answers/s | of the bare loop | answers/s with its start |")
    click.echo("|---|---:|---:|---:|---:|---:|")
    for name, speed in total.items():
        rates = f"{speed.rate:,.0f} | {speed.answers / speed.seconds:.1f} | {speed.rate / best:.3f}"
        click.echo(f"| {name} | {speed.answers:,.0f} | {rates} | {speed.answers / speed.whole:.1f} |")


def against_the_responder(questions: int, samples: int, folder: Path) -> None:
    """Print a table of answers per second and memory with a server that takes no time."""
    problems = TINY_FILE.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(problems[i % len(problems)]) | {"question_id": f"q-{i}"} for i in range(questions)]
    file = folder / "questions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    keys = {"model": "tiny", "dataset": str(file), "samples": str(samples), "greedy": "false"}
    with subprocess.Popen(
        [sys.executable, str(ROOT / "studies/benchmarks/instant_responder.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as responder:
        assert responder.stdin is not None
        assert responder.stdout is not None
        try:
            url = responder.stdout.readline().strip()
            speed, cost = sample(folder / "instant", url, "gsm8k-256", **keys)
        finally:
            responder.stdin.close()
    click.echo(
        "\n| instant responder | answers/s | with its start | answers per processor second | most memory |"
    )
    click.echo("|---|---:|---:|---:|---:|")
    rates = " | ".join(f"{speed.answers / per:,.0f}" for per in (speed.seconds, speed.whole, cost.processor))
    what = f"{speed.answers:,.0f} answers of {speed.tokens / speed.answers:.0f} tokens"
    click.echo(f"| {what} | {rates} | {cost.memory:.0f} MB |")


def machine() -> str:
    """The machine and software versions in one line."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    cores = f"{len(os.sched_getaffinity(0))} cores ({found[1] if found else platform.machine()})"
    versions = ", ".join(f"{name} {version(name)}" for name in ("sglang", "lm-eval", "aiohttp"))
    load = f"load before the run {os.getloadavg()[0]:.1f}"
    return f"{cores}, {memory:.0f} GB, Python {platform.python_version()}, {versions}; {load}"


@click.command()
@click.option(
    "--questions", default=40, show_default=True, help="Of the tiny model's, for the SGLang server."
)
@click.option("--samples", default=48, show_default=True, help="Answers to each of them.")
@click.option("--rounds", default=2, show_default=True, help="Turns of each way to sample.")
@click.option("--instant", default=256, show_default=True, help="Answers a question from the responder.")
def main(questions: int, samples: int, rounds: int, instant: int) -> None:
    """Print two tables. 0 rounds or 0 instant answers leave one out."""
    click.echo(machine())
    with tempfile.TemporaryDirectory() as folder:
        if instant:
            against_the_responder(GSM8K_QUESTIONS, instant, Path(folder))
        if rounds:
            against_others(questions, samples, rounds, Path(folder))


if __name__ == "__main__":
    main()
