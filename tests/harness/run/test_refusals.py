"""Answers that decline, and those that only sound like it."""

import pytest

from harness.run.refusals import is_refusal


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, I can’t assist with that request.",
        "I am very sorry, but as a language model I cannot answer.",
        "\n I cannot provide an answer to this question.",
        "I can't fulfill that request.",
        "Unfortunately, I am unable to answer this.",
        "Sorry, but I won't do that.",
        "I apologize, but I cannot solve this problem.",
        "I'm sorry, but I'm not able to do that.",
        "As an AI language model, I am not able to do this.",
        '"I cannot directly answer that."',
    ],
)
def test_answers_that_decline(text: str) -> None:
    assert is_refusal(text, None)
    assert not is_refusal(text, "18")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "18",
        "Sorry, I made a mistake. 3 + 4 = 7. I can't count",
        "I'm sorry for the confusion. Anna has 7 apples, I cannot say more.",
        "I cannot be sure, but 3 + 4 = 7, so",
        "Anna says: I can't help you. She has 12",
        "I can help with that! First, 3 + 4",
        "The answer cannot be an integer.",
        "I can't find 7 in the list, so I add",
    ],
)
def test_answers_that_do_not(text: str) -> None:
    assert not is_refusal(text, None)


def test_no_text_is_no_refusal() -> None:
    assert not is_refusal(None, None)
