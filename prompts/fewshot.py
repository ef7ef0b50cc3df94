"""The 8-shot chain-of-thought prompt for GSM8K of Wei et al. (2022), read from the installed lm-eval package.

    Q: There are 15 trees in the grove. ...
    A: There are 15 trees originally. ... The answer is 6.
    (seven more)
    Q: {problem}
    A:

The eight examples are data of lm-eval's task `gsm8k_cot`; they are joined here as lm-eval joins them.
"""

from importlib.util import find_spec
from pathlib import Path

SHOTS = 8


def gsm8k_cot() -> str:
    """The template, with `{problem}` after the last `Q: `. Raises ModuleNotFoundError without lm-eval."""
    import yaml

    spec = find_spec("lm_eval")  # looked up, not imported: the import takes seconds and needs torch
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("prompt gsm8k-cot needs the package lm-eval: pip install lm-eval==0.4.13")
    file = Path(spec.origin).parent / "tasks" / "gsm8k" / "gsm8k-cot.yaml"
    task = yaml.safe_load(file.read_text(encoding="utf-8"))
    shots = task["fewshot_config"]["samples"]
    if len(shots) != SHOTS:
        raise ValueError(f"{file}: {len(shots)} examples, expected {SHOTS} (as in lm-eval 0.4.13)")
    parts = [f"Q: {shot['question']}\nA: {shot['target']}" for shot in shots]
    return "\n\n".join([*parts, "Q: {problem}\nA:"])
