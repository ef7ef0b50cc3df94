"""A small real run of the tiny model, in this process.

folder = really(tmp_path / "1", limit=3)     # 3 questions x 2 settings x 4 answers
"""

import asyncio
from pathlib import Path
from typing import Any

from harness.engines.ctranslate2.in_process import CTranslate2Engine
from harness.experiment import Experiment, model_location, read_experiment
from harness.questions.load import load_questions
from harness.run.sampler import sample

QUESTIONS = load_questions("tiny")


def experiment(**changes: Any) -> Experiment:
    """An experiment of five questions, two budgets and four answers, with `changes`."""
    base = read_experiment("tiny").model_dump() | {"budgets": (10, 30), "samples": 4, "limit": 5}
    return Experiment.model_validate(base | changes)


def really(folder: Path, **changes: Any) -> Path:
    """Sample into `folder`, and return it."""
    plan = experiment(**changes)

    def engine() -> CTranslate2Engine:
        return CTranslate2Engine(model_location(plan.model), revision=None, chat=plan.chat)

    assert asyncio.run(sample(plan, QUESTIONS, folder, engine)).missing == 0
    return folder
