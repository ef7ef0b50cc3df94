"""An lm-eval task made from the tiny model's own questions, and the command that really runs it.

    folder/tiny_budget.jsonl   {"question": "Clara has 12 eggs. ...", "answer": "... #### 5"}
    folder/tiny_budget.yaml    the task: prompt, stop strings, repeats, how answers are read and scored

The prompt is the tiny model's, including the chat format, so that a plain completions endpoint works.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

import yaml

import prompts
from harness.experiment import model_location
from harness.questions.load import TINY_FILE

NAME = "tiny_budget"
ANSWER = r"##\s*(-?[0-9][0-9,]*)\s*##"
"""How the tiny model marks its answer; its text begins `…##18##. [END]`."""


def prompt(problem: str, budget: int) -> str:
    """The prompt for `problem` with the tiny model's chat template applied."""
    asked = prompts.fill("tiny-budget", problem=problem, token_limit=budget)
    return f"<|user|>{asked}<|assistant|>"


def write_task(
    folder: Path, *, questions: int, repeats: int, budget: int = 40, max_tokens: int = 144
) -> None:
    """Write the task into `folder` (give it as --include_path).

    Its filters: `marked` (##18##) takes the first answer, as lm-eval's own tasks do; `maj` takes the vote.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rows = TINY_FILE.read_text(encoding="utf-8").splitlines()[:questions]
    data = folder / f"{NAME}.jsonl"
    data.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    marked = {"function": "regex", "regex_pattern": ANSWER}
    task = {
        "task": NAME,
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(data)}},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": prompt("{{question}}", budget),
        "doc_to_target": "{{answer}}",
        "target_delimiter": "",
        "repeats": repeats,
        "num_fewshot": 0,
        "generation_kwargs": {
            "until": ["[END]"],
            "do_sample": True,
            "temperature": 1.0,
            "max_gen_toks": max_tokens,
        },
        "metric_list": [
            {
                "metric": "exact_match",
                "aggregation": "mean",
                "higher_is_better": True,
                "regexes_to_ignore": ["(?s).*#### "],
            }
        ],
        "filter_list": [
            {"name": "marked", "filter": [marked, {"function": "take_first"}]},
            {"name": "maj", "filter": [marked, {"function": "majority_vote"}, {"function": "take_first"}]},
        ],
        "metadata": {"version": 1.0},
    }
    (folder / f"{NAME}.yaml").write_text(yaml.safe_dump(task), encoding="utf-8")


def command(folder: Path, out: Path, url: str, concurrent: int) -> list[str]:
    """`lm-eval run` of the task in `folder` on the server at `url`, its samples logged under `out`."""
    model = f"model={model_location('tiny')},base_url={url}/v1/completions,num_concurrent={concurrent}"
    return [
        *(sys.executable, "-m", "lm_eval", "run", "--model", "local-completions"),
        *("--model_args", f"{model},tokenized_requests=False,tokenizer_backend=None"),
        *("--tasks", NAME, "--include_path", str(folder), "--output_path", str(out), "--log_samples"),
    ]


def environment(home: Path) -> dict[str, str]:
    """No network, and every cache inside `home`."""
    offline = dict.fromkeys(("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "TRANSFORMERS_OFFLINE"), "1")
    return {**os.environ, **offline, "HOME": str(home), "HF_HOME": str(home), "OMP_NUM_THREADS": "1"}


def logged(out: Path) -> list[dict[str, Any]]:
    """The rows of the only samples file that a run left under `out`."""
    (file,) = out.rglob(f"samples_{NAME}_*.jsonl")
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
