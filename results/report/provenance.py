"""How a run folder's answers were sampled, from its run.json and its samples.

model              Qwen/Qwen2.5-Coder-1.5B-Instruct
prompt             gsm8k-budget (0472592d…)
answers            6,412
planned            7,680
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd

from results.tables.key import WHOSE, Key, keys
from results.tables.shards import shard_in
from results.words.cells import Table, readable
from results.words.names import curves_name

Record = dict[str, Any]


def key_of(record: Record) -> Key:
    """The key of a run's data set and model, with names as the page shows them."""
    experiment = record["experiment"]
    dataset, model = experiment.get("name", experiment.get("dataset")), experiment.get("model")
    return Key("llm", readable(str(dataset)), readable(str(model)))


def whole_runs(records: Sequence[Record]) -> list[Record]:
    """The records with the shards of a run merged: the first, with the planned answers of all."""
    whole: dict[object, Record] = {}
    for number, record in enumerate(records):
        shard = shard_in(str(record["experiment"].get("shard")))
        run = (key_of(record), shard.parts) if shard else number
        if run in whole and isinstance(planned := record.get("planned"), int):
            before = whole[run].get("planned") or 0
            whole[run] = {**whole[run], "planned": before + planned}
        whole.setdefault(run, record)
    return list(whole.values())


def unfinished(records: Sequence[Record], samples: pd.DataFrame) -> dict[Key, str]:
    """Messages about runs with fewer answers than planned, by key.

    Runs with a stop rule are left out: their plan is only an upper bound.
    """
    planned: Counter[Key] = Counter()
    for record in records:
        answers = record.get("planned")
        if not record["experiment"].get("stop_rule") and isinstance(answers, int):
            planned[key_of(record)] += answers
    lacking = {}
    for key, answers in planned.items():
        own = samples[keys(samples, WHOSE) == key]
        if len(own) < answers:
            questions = f"{own['question_id'].nunique():,} questions"
            lacking[key] = f"{len(own):,} of {answers:,} planned answers, to {questions}."
    return lacking


def longest_votes(records: Sequence[Record]) -> Counter[tuple[Key, str]]:
    """The maximum number of answers in a vote, by key and stop rule: that of the longest run."""
    most: Counter[tuple[Key, str]] = Counter()
    for record in records:
        rule, answers = (record["experiment"].get(name) for name in ("stop_rule", "samples"))
        if rule and isinstance(answers, int):
            most |= Counter({(key_of(record), rule): answers})
    return most


def fact_table(record: Record, samples: pd.DataFrame) -> Table:
    """What a run's answers depend on, as far as its record gives it."""
    key = key_of(record)
    own = samples[keys(samples, WHOSE) == key]
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
    known = {name: value for name, value in facts.items() if value not in (None, "")}
    rows = [[name, readable(str(value))] for name, value in known.items()]
    return Table(f"{curves_name(key)}: how it was sampled", ["fact", "value"], rows)
