"""Time and memory of the commands that read a whole run folder, on a simulated run of 2.7 million answers.

    $ python -m studies.benchmarks.bench_large [--questions 132]
    | command | processor s | wall s | most memory |

The run has the answers of `bench_votes` with texts of about 60 words, 1,319 questions × 8 budgets × 256.
"""

import json
import multiprocessing
import random
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import click

from harness.experiment import Experiment, read_experiment
from harness.questions.load import load_questions
from harness.store.record import Record
from harness.store.samples_file import SAMPLES
from studies.benchmarks.bench_votes import drawn_samples
from studies.benchmarks.instant_responder import WORDS
from studies.benchmarks.measured import cost_of

BUDGETS = range(25, 225, 25)
"""The settings of `drawn_samples`."""


def made_up(folder: Path, questions: int, answers: int) -> list[str]:
    """Write a complete run into `folder`; return the arguments with which `harness sample` resumes it."""
    table = drawn_samples(questions, len(BUDGETS), answers)
    golds = table.drop_duplicates("question_id").set_index("question_id")["gold"]
    file = folder / "questions.jsonl"
    asked = [
        {"question_id": name, "problem": f"Problem {name}?", "gold": gold} for name, gold in golds.items()
    ]
    file.write_text("".join(json.dumps(one) + "\n" for one in asked), encoding="utf-8")
    keys = {
        **{"dataset": str(file), "model": "drawn", "samples": str(answers), "seed": "1"},
        "budgets": ",".join(map(str, BUDGETS)),
    }
    given = [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]
    if (folder / SAMPLES).exists():
        return given
    experiment = read_experiment("gsm8k-budgets", keys)
    Record(folder, experiment, load_questions(str(file))).begin({"name": "made up"}, planned=len(table))
    columns = [
        table[name].tolist() for name in ("question_id", "setting", "sample", "answer", "gold", "tokens")
    ]
    with (folder / SAMPLES).open("w", encoding="utf-8") as rows:
        for row in _rows(experiment, columns):
            rows.write(json.dumps(row, ensure_ascii=False) + "\n")
    return given


def _rows(experiment: Experiment, columns: list[list[Any]]) -> Iterator[dict[str, Any]]:
    rng = random.Random(0)
    for question, setting, sample, answer, gold, tokens in zip(*columns, strict=True):
        said = answer if isinstance(answer, str) else None
        words = " ".join(rng.choices(WORDS, k=60))
        text = f" {words}. " + ("I do not know." if said is None else f"The answer is ##{said}##.")
        yield {
            "question_id": question,
            "setting": setting,
            "sample": sample,
            "gold": gold,
            **{"answer": said, "correct": said == gold, "reader": said and "hashes"},
            **{"tokens": tokens, "finish_reason": "stop", "prompt_tokens": 512, "seed": None, "text": text},
            **{"dataset": experiment.name, "model": experiment.model, "decoding": "sample"},
        }


@click.command()
@click.option("--questions", default=1319, show_default=True)
@click.option("--answers", default=256, show_default=True, help="To each question in each setting.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Keep the run here, or take the one that is there."
)
def main(questions: int, answers: int, out: Path | None) -> None:
    """Print a table of the commands."""
    with tempfile.TemporaryDirectory() as name:
        folder = (out or Path(name)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        # In a separate process: the peak memory of a command includes what its parent held when it started.
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as maker:
            sets = maker.submit(made_up, folder, questions, answers).result()
        commands: dict[str, tuple[object, ...]] = {
            "resume (`harness sample`)": ("harness", "sample", "gsm8k-budgets", *sets, "--out", folder),
            "`harness inspect`": ("harness", "inspect", folder),
            "`harness regrade`": ("harness", "regrade", folder, "--reader", "hashes,boxed,answer-is"),
            "`results curves`": ("results", "curves", folder, "--out", Path(name) / "curves.csv"),
            "`results report`": ("results", "report", folder, "--out", Path(name) / "page"),
        }
        click.echo("| command | processor s | wall s | most memory |\n|---|---:|---:|---:|")
        for label, command in commands.items():
            cost = cost_of(*command)
            click.echo(f"| {label} | {cost.processor:.1f} | {cost.wall:.1f} | {cost.memory:,.0f} MB |")


if __name__ == "__main__":
    main()
