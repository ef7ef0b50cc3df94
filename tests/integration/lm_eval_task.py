"""A task of lm-eval made from the tiny model's own questions, and the command that really runs it.

    folder/tiny_budget.jsonl   {"question": "Clara has 12 eggs. ...", "answer": "... #### 5"}
    folder/tiny_budget.yaml    the task: prompt, stop strings, repeats, how answers are read and scored

The prompt is the tiny model's, chat format included, so that a server's plain completions answer it.
"""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import yaml

import prompts
from harness.experiment import model_location
from harness.questions.load import TINY_FILE

NAME = "tiny_budget"
ANSWER = r"##\s*(-?[0-9][0-9,]*)\s*##"
"""How the tiny model marks its answer; its text begins `…##18##. [END]`."""


def prompt(problem: str, budget: int) -> str:
    """The text that asks the tiny model `problem`, as its chat template and prompt write it."""
    asked = prompts.fill("tiny-budget", problem=problem, token_limit=budget)
    return f"<|user|>{asked}<|assistant|>"


def write_task(
    folder: Path,
    *,
    questions: int,
    repeats: int,
    budget: int = 40,
    max_tokens: int = 144,
    temperature: float = 1.0,
) -> str:
    """Write the task into `folder` (give it as --include_path); returns its name.

    Its filters: `marked` (##18##) and `flexible` (the last number), each of the first answer as lm-eval's
    own tasks have it, and `maj`, the vote of all.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rows = TINY_FILE.read_text(encoding="utf-8").splitlines()[:questions]
    data = folder / f"{NAME}.jsonl"
    data.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    marked = {"function": "regex", "regex_pattern": ANSWER}
    number = {"function": "regex", "regex_pattern": "(-?[0-9]+)", "group_select": -1}
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
            "do_sample": temperature > 0,
            "temperature": temperature,
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
            {"name": "flexible", "filter": [number, {"function": "take_first"}]},
            {"name": "maj", "filter": [marked, {"function": "majority_vote"}, {"function": "take_first"}]},
        ],
        "metadata": {"version": 1.0},
    }
    (folder / f"{NAME}.yaml").write_text(yaml.safe_dump(task), encoding="utf-8")
    return NAME


def command(
    folder: Path, out: Path, model: str, model_args: dict[str, object], extra: Sequence[str] = ()
) -> list[str]:
    """`lm-eval run` of the task in `folder`, its samples logged under `out`."""
    arguments = ",".join(f"{name}={value}" for name, value in model_args.items())
    return [
        *(sys.executable, "-m", "lm_eval", "run", "--model", model, "--model_args", arguments),
        *("--tasks", NAME, "--include_path", str(folder), "--output_path", str(out), "--log_samples"),
        *extra,
    ]


def completions(url: str, concurrent: int = 1) -> dict[str, object]:
    """The arguments of lm-eval's model `local-completions` that ask the server at `url`."""
    return {
        "model": model_location("tiny"),
        "base_url": f"{url}/v1/completions",
        "num_concurrent": concurrent,
        "tokenized_requests": False,
        "tokenizer_backend": "None",
    }


def environment(home: Path) -> dict[str, str]:
    """No network, and every cache inside `home`."""
    offline = dict.fromkeys(("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "TRANSFORMERS_OFFLINE"), "1")
    return {**os.environ, **offline, "HOME": str(home), "HF_HOME": str(home), "OMP_NUM_THREADS": "1"}


def logged(out: Path) -> list[dict[str, object]]:
    """The rows of the one file of samples that a run left under `out`."""
    (file,) = out.rglob(f"samples_{NAME}_*.jsonl")
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
