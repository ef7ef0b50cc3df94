"""How the answers of a run folder were sampled, from its run.json and its samples.

model              Qwen/Qwen2.5-Coder-1.5B-Instruct
prompt             gsm8k-budget (0472592d…)
answers            6,412 of 7,680 planned

setting  answers  tokens used  90 % below  unreadable  cut off
100      1,920    87           143         1.2 %       0.0 %
"""

from typing import Any

import pandas as pd

from results.figures.words import settings_title, show
from results.report.tables import Table, number
from results.visible import visible


def run_tables(record: dict[str, Any], samples: pd.DataFrame) -> list[Table]:
    """The facts of one run, and its answers by setting."""
    experiment = record["experiment"]
    own = samples[
        (samples["dataset"] == str(experiment.get("dataset")))
        & (samples["model"] == str(experiment.get("model")))
    ]
    return [fact_table(record, own), *([answer_table(own)] if len(own) else [])]


def fact_table(record: dict[str, Any], samples: pd.DataFrame) -> Table:
    """What the answers of a run depend on; only what its record knows."""
    experiment = record["experiment"]
    session = (record.get("sessions") or [{}])[-1]
    engine = session.get("engine") or {}
    prompt, planned = experiment.get("prompt"), record.get("planned")
    facts = {
        "model": experiment.get("model"),
        "revision": experiment.get("revision"),
        "prompt": f"{prompt} (SHA-256 {str(record.get('prompt_sha256'))[:12]}…)" if prompt else None,
        "engine": f"{engine.get('name', '')} {engine.get('version') or ''}".strip(),
        "temperature": experiment.get("temperature"),
        "top-p": experiment.get("top_p"),
        "questions": f"{samples['question_id'].nunique():,}",
        "answers": f"{len(samples):,} of {planned:,} planned" if planned else f"{len(samples):,}",
        "started": session.get("started"),
        "commit": session.get("git_commit"),
    }
    told = [[name, visible(str(value))] for name, value in facts.items() if value not in (None, "")]
    title = visible(f"{experiment.get('model')} on {experiment.get('dataset')}")
    return Table(f"{title}: how it was sampled", ["fact", "value"], told)


def answer_table(samples: pd.DataFrame) -> Table:
    """Answers by setting: how many, how long, how many unreadable and cut off."""
    settings = list(samples["setting"].unique())
    numeric = all(name.isdecimal() for name in settings)
    body = []
    for setting in sorted(settings, key=float) if numeric else settings:
        rows = samples[samples["setting"] == setting]
        tokens = rows["tokens"].astype("float64") if "tokens" in rows else pd.Series(dtype="float64")
        unread = rows["answer"].isna().mean() if "answer" in rows else float("nan")
        cut = (rows["finish_reason"] == "length").mean() if "finish_reason" in rows else float("nan")
        shares = ["–" if pd.isna(share) else show(share) for share in (unread, cut)]
        long = (number(float(tokens.mean()), ",.0f"), number(float(tokens.quantile(0.9)), ",.0f"))
        body.append([visible(setting), f"{len(rows):,}", *long, *shares])
    head = [settings_title("llm", settings), "answers", "tokens used", "90 % use at most", "unreadable"]
    return Table("Answers by setting", [*head, "cut off"], body)
