"""How the answers of a run folder were sampled, from its run.json and its samples.

model              Qwen/Qwen2.5-Coder-1.5B-Instruct
prompt             gsm8k-budget (0472592d…)
answers            6,412
planned            7,680
"""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from results.figures.words import curves_name
from results.report.cells import Table, readable
from results.tables.shards import shard_in

Record = dict[str, Any]


def read_record(folder: Path) -> Record | None:
    """The run.json of a folder; None where there is none of the harness."""
    try:
        found = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("experiment"), dict) else None


def whole_runs(records: Sequence[Record]) -> list[Record]:
    """The records, the shards of one run as one: the first of them, with the answers that all planned."""
    whole: dict[object, Record] = {}
    for number, record in enumerate(records):
        shard = shard_in(str(record["experiment"].get("shard")))
        run = (names_of(record), shard.parts) if shard else number
        if run in whole and isinstance(asked := record.get("planned"), int):
            before = whole[run].get("planned") or 0
            whole[run] = {**whole[run], "planned": before + asked}
        whole.setdefault(run, record)
    return list(whole.values())


def unfinished(records: Sequence[Record], samples: pd.DataFrame) -> dict[str, str]:
    """What there is of the answers that runs planned, by name of their curves, where some are missing.

    Not of runs whose votes stop: their plan is a bound.
    """
    planned: Counter[tuple[str, str]] = Counter()
    for record in records:  # several may be of one model and dataset
        if record["experiment"].get("stop_rule"):
            continue
        asked = record.get("planned")
        planned[names_of(record)] += asked if isinstance(asked, int) else 0
    told = {}
    for names, asked in planned.items():
        own = _answers(names, samples)
        if len(own) < asked:
            questions = f"{own['question_id'].nunique():,} questions"
            told[curves_name("llm", *names)] = f"{len(own):,} of {asked:,} planned answers, to {questions}."
    return told


def names_of(record: Record) -> tuple[str, str]:
    """Data set and model of a run, as the page shows them."""
    return readable(str(record["experiment"].get("dataset"))), readable(
        str(record["experiment"].get("model"))
    )


def _answers(names: tuple[str, str], samples: pd.DataFrame) -> pd.DataFrame:
    return samples[(samples["dataset"] == names[0]) & (samples["model"] == names[1])]


def fact_table(record: Record, samples: pd.DataFrame) -> Table:
    """What the answers of a run depend on; only what its record knows."""
    own = _answers(names_of(record), samples)
    experiment, session = record["experiment"], (record.get("sessions") or [{}])[-1]
    engine, prompt = session.get("engine") or {}, experiment.get("prompt")
    facts = {
        "model": experiment.get("model"),
        "revision": experiment.get("revision"),
        "prompt": f"{prompt} (SHA-256 {str(record.get('prompt_sha256'))[:12]}…)" if prompt else None,
        "engine": f"{engine.get('name', '')} {engine.get('version') or ''}".strip(),
        "temperature": experiment.get("temperature"),
        "top-p": experiment.get("top_p"),
        "questions": f"{own['question_id'].nunique():,}",
        "answers": f"{len(own):,}",
        "planned": record.get("planned"),
        "stop rule": experiment.get("stop_rule"),
        "started": session.get("started"),
        "commit": session.get("git_commit"),
    }
    told = [[name, readable(str(value))] for name, value in facts.items() if value not in (None, "")]
    return Table(f"{curves_name('llm', *names_of(record))}: how it was sampled", ["fact", "value"], told)
