"""The templates are as intended, word for word, and filling them leaves the problem unchanged."""

import hashlib
from pathlib import Path

import pytest

import prompts

# A change to a template changes every result made with it: these digests make it a deliberate decision. The
# words are those of the paper, of Wei et al. and of lm-eval: compare with them before keeping a new digest.
DIGESTS = {
    "gsm8k-budget": "0472592d84184dae1ea305b7d39ac0da997073e22b76d53fc35e884b2bda2706",
    "tiny-budget": "8bb6f0d4c218de682a74d70fbf4302c717eb0d0a6737ce21c81d99a9d48e9991",
    "math-budget": "a1c454c898756baa9ef680e07de87abca8b348e718aafd714c222b7902cd26ca",
    "judge-yes-no": "5e1283c96ab2049c373cdbc3db94df034c96fbdeebba46666401de69f5304833",
    "gsm8k-cot": "90c37ccc42801e8924e0acde880bf0d87b021de9dbd863de53a64889b6b67270",
    "boxed": "1a0796c08f1175730c3dde6a9e7d38312904f985853cb2ad46d594a90dd2319d",
}


@pytest.mark.parametrize("name", DIGESTS)
def test_templates_have_not_changed(name: str) -> None:
    assert prompts.digest(name) == DIGESTS[name]
    assert prompts.digest(name) == hashlib.sha256(prompts.template(name).encode()).hexdigest()


def test_the_papers_own_math_prompt_is_the_gsm8k_one_with_the_name_replaced() -> None:
    gsm8k = prompts.template("gsm8k-budget")
    replaced = gsm8k.replace("Grade School Math 8K dataset (GSM8K)", "MATH")
    assert prompts.template("math-budget-paper") == replaced != gsm8k


@pytest.mark.parametrize(
    "problem",
    [
        "Is {token_limit} or {problem} bigger?",
        "{} {0} {x!r} %s %(a)s $x $$ ${y}",
        r"Find $\frac{1}{2}$ of \boxed{4}. \1 \g<0> \n",
    ],
)
def test_braces_dollars_and_backslashes_are_just_text(problem: str) -> None:
    assert f"\n\n{problem}\n\n" in prompts.fill("gsm8k-budget", problem=problem, token_limit=20)


def test_a_judge_is_shown_question_and_answer_as_they_are() -> None:
    filled = prompts.fill("judge-yes-no", problem="{answer} or {problem}?", answer="{problem} \\1 {}")
    assert "\n{answer} or {problem}?\n" in filled
    assert "\n{problem} \\1 {}\n" in filled


def test_a_template_of_one_s_own_lacks_the_newline_of_its_file_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("{problem}\n \n\n", encoding="utf-8")
    assert prompts.template(str(tmp_path / "mine.txt")) == "{problem}\n \n"


KNOWN = "gsm8k-budget, gsm8k-cot, judge-yes-no, math-budget"


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("judge-yes-no", ValueError, "tts judge"),
        ("gsm8k-budget", ValueError, "gsm8k-budget"),
        ("gsm9k", FileNotFoundError, rf"gsm9k.*{KNOWN}"),
        ("../pyproject", FileNotFoundError, rf"../pyproject.*{KNOWN}"),
    ],
)
def test_what_cannot_be_filled_is_named(name: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        prompts.fill(name, problem="x", token_limit=None)
