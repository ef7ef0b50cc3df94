"""The 8-shot prompt is put together from lm-eval's file; without it an error says what to install."""

import importlib.util
import re
import subprocess
import sys

import pytest

import prompts
from prompts.fewshot import gsm8k_cot


@pytest.mark.skipif(importlib.util.find_spec("lm_eval") is None, reason="lm-eval is not installed")
def test_another_number_of_shots_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prompts.fewshot.SHOTS", 9)
    with pytest.raises(ValueError, match=r"gsm8k-cot.yaml: 8 examples, expected 9"):
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
