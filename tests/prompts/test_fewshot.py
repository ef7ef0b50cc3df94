"""The 8-shot prompt is put together from lm-eval's file; without it an error says what to install."""

import importlib.util
import re
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

import prompts
from prompts.fewshot import gsm8k_cot

TASK = """\
fewshot_config:
  samples:
"""
SHOT = """\
  - question: What is {n}
      plus 1?
    target: It is {n} + 1. The answer is {answer}.
"""


@pytest.fixture
def fake_lm_eval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package lm_eval in an empty folder; the test writes its task file."""
    package = tmp_path / "lm_eval"
    (package / "tasks" / "gsm8k").mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    spec = ModuleSpec("lm_eval", None, origin=str(package / "__init__.py"))
    monkeypatch.setattr("prompts.fewshot.find_spec", lambda name: spec if name == "lm_eval" else None)
    return package / "tasks" / "gsm8k" / "gsm8k-cot.yaml"


def test_shots_are_joined_as_questions_and_answers(fake_lm_eval: Path) -> None:
    fake_lm_eval.write_text(TASK + "".join(SHOT.format(n=n, answer=n + 1) for n in range(8)))
    text = gsm8k_cot()
    assert text.startswith(
        "Q: What is 0 plus 1?\nA: It is 0 + 1. The answer is 1.\n\nQ: What is 1 plus 1?\nA: "
    )
    assert text.endswith("The answer is 8.\n\nQ: {problem}\nA:")


def test_another_number_of_shots_is_refused(fake_lm_eval: Path) -> None:
    fake_lm_eval.write_text(TASK + SHOT.format(n=1, answer=2))
    with pytest.raises(ValueError, match=r"gsm8k-cot.yaml: 1 examples, expected 8"):
        gsm8k_cot()


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prompts.fewshot.find_spec", lambda _name: None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install lm-eval==0\.4\.13"):
        gsm8k_cot()


@pytest.mark.skipif(importlib.util.find_spec("lm_eval") is None, reason="lm-eval is not installed")
def test_the_installed_prompt_has_wei_et_als_eight_answers() -> None:
    text = prompts.template("gsm8k-cot")
    assert re.findall(r"The answer is (\d+)\.", text) == ["6", "5", "39", "8", "9", "29", "33", "8"]
    assert text.count("Q: ") == text.count("A:") == 9
    assert prompts.digest("gsm8k-cot") == "90c37ccc42801e8924e0acde880bf0d87b021de9dbd863de53a64889b6b67270"
    filled = prompts.fill("gsm8k-cot", problem="How many?", token_limit=None)
    assert filled.endswith("\n\nQ: How many?\nA:")


@pytest.mark.skipif(importlib.util.find_spec("lm_eval") is None, reason="lm-eval is not installed")
def test_the_package_with_the_prompt_is_not_imported() -> None:
    program = "import sys, prompts; prompts.template('gsm8k-cot'); sys.exit('lm_eval' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
