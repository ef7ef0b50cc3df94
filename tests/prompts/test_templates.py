"""The templates are as intended, word for word, and filling them leaves the problem unchanged."""

import hashlib
import re
from pathlib import Path

import pytest

import prompts

# A change to a template changes every result made with it: these digests make it a deliberate decision.
DIGESTS = {
    "gsm8k-budget": "0472592d84184dae1ea305b7d39ac0da997073e22b76d53fc35e884b2bda2706",
    "tiny-budget": "8bb6f0d4c218de682a74d70fbf4302c717eb0d0a6737ce21c81d99a9d48e9991",
    "math-budget": "a1c454c898756baa9ef680e07de87abca8b348e718aafd714c222b7902cd26ca",
    "judge-yes-no": "5e1283c96ab2049c373cdbc3db94df034c96fbdeebba46666401de69f5304833",
    "gsm8k-cot": "90c37ccc42801e8924e0acde880bf0d87b021de9dbd863de53a64889b6b67270",
    "boxed": "1a0796c08f1175730c3dde6a9e7d38312904f985853cb2ad46d594a90dd2319d",
}

PAPER = [
    "I will give you a problem from the Grade School Math 8K dataset (GSM8K). At the end, provide the",
    "Answer (You should choose different reasoning method based on different tokens limit):",
    "Case 1 (low token budgets, for example 20): We have token limits 20.  The answer is ##6##. [END]",
    "Case 2 (medium token budgets, for example 100): We have token limits 100. 21 - 15 = 6. The answer is",
    "So there must have been 21 - 15 = 6. The answer is ##6##. [END]",
    "[...(more thoughts such as check answer to satisfy tokens limit)]  The answer is ##6##. [END]",
    "Important: You should try your best to use around {token_limit} tokens in your reasoning steps.",
    "spend the extra tokens trying to double check your work until you are absolutely sure",
    "Here's the problem:\n\n{problem}\n\nSolve this problem, use around  {token_limit} tokens in your",
    "in this format: \"The answer is ##your answer##.\", and end this chat with '[END]'",
]


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


def test_the_8_shot_prompt_has_wei_et_als_eight_answers() -> None:
    text = prompts.template("gsm8k-cot")
    assert re.findall(r"The answer is (\d+)\.", text) == ["6", "5", "39", "8", "9", "29", "33", "8"]
    filled = prompts.fill("gsm8k-cot", problem="How many?", token_limit=None)
    assert filled.endswith("\n\nQ: How many?\nA:")


def test_gsm8k_prompt_has_the_papers_sentences_in_order() -> None:
    text = prompts.template("gsm8k-budget")
    places = [text.find(sentence) for sentence in PAPER]
    assert -1 not in places
    assert places == sorted(places)


def test_the_example_in_the_math_prompt_is_right() -> None:
    text = prompts.template("math-budget")
    assert "$2x + 7 = 3(x - 4) + 5$" in text
    roots = [x for x in range(-1000, 1000) if 2 * x + 7 == 3 * (x - 4) + 5]
    assert [x * x for x in roots] == [196]
    assert re.findall(r"The answer is ##(\d+)##\. \[END\]", text) == ["196"] * 4
