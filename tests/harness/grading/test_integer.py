"""Words that change a number's value make it another answer; units do not; wrong numbers vote as numbers."""

import pytest

from harness.grader import Grader
from harness.grading.integer import read_value

CHANGED = """
12 dozen | 12 score | 12 hundred | 12 thousand | 12 million | 12 grand
12 k | 12 K | 12k | 12 M | 12 bn | 12 lakh
12 crore | 12 over five | 12 below zero | 12 squared | 12 cubed | 12 minus | 12 to the power of two
12 in thousands | 12 and one | 12 cups and a half | 12 over a third
12 divided by three | 12 and a half | 12 or thirteen | 12 thirds
12 one-third | 12 three quarters | 12 pi | 12x
12 times ten | 12 out of twenty | 12 ½ | 12½
12 1/2 | 12 dollars and 50 cents | 12 percent of 50 | 12‰ | 12 permille
half of 12 | twelve hundred | minus 12 | about 12 | 12 factorial | 12 halved | 12 twice
12 Dutzend | 12 Tausend | 12 Millionen | 12 Milliarden
12 durch fünf | 12 unter null | 12 und ein halb | 12 hoch zwei
12 douzaines | 12 mille | 12 milliards | 12 et demi | 12 sur cinq | 12 au carré | 12 tiers
12 docenas | 12 mil | 12 millones | 12 y medio | 12 entre cinco | 12 bajo cero | 12 mil millones
12 mila | 12 milioni | 12 miliardi | 12 e mezzo
12 dozzine e mezza | 12 milhões | 12 dúzias | 12 abaixo de zero
12 duizend | 12 miljoen | 12 tusen | 12 miljoner | 12 tysięcy
12 bin | 12 milyon | 12 ribu | 12 juta | 12 nghìn
12 тысяч | 12 млн | 12 миллионов | 12 с половиной | 12 минус | 12 ألف | 12 مليون | 12 हज़ार | 12 लाख
12万 | 12 万 | 12億円 | 12 千 | 12 百万 | 12 半 | 3分の12 | 12 천 | 12만 원 | 12 억
"""

SAME = """
6 cups and plates | 6 pencils in three boxes | 6 over the week | 6 left over
6 on the third day | 6 in Farm X
6 apples | 6 dollars | $6 | €6 | 6 € | 6, in total
6. | 6 more | 6 cents | 6 quarts | 6 pairs | 6 points | 6 times
6 percent | 6% | 6 per cent | 6 km/h | 6 cm^2 | 6 m² | 6 square feet | 6 p.m. | 6 people, as said | 6 Äpfel
6 Stück | 6 pommes | 6 manzanas | 6 яблок | 6 個 | 6 千米 | 6 千克 | 6 개 | +6 | 6.00 | ６ | **6** apples
"""


def examples(table: str) -> list[str]:
    """The cells of a table above."""
    return [text.strip() for line in table.strip().splitlines() for text in line.split("|")]


@pytest.mark.parametrize("text", examples(CHANGED))
def test_a_word_that_changes_the_value_makes_another_answer(text: str) -> None:
    answer = Grader(("hashes",)).read(f"##{text}##").value
    assert answer is not None
    assert answer not in ("12", "6", "3")
    assert read_value(answer) == answer


@pytest.mark.parametrize("text", examples(SAME))
def test_a_unit_does_not(text: str) -> None:
    assert Grader(("hashes",)).read(f"##{text}##").value == "6"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12.5", "12.5"),
        ("$12.50", "12.5"),
        ("12.50 metres", "12.5"),
        ("-0.0", "0"),
        (".5", "0.5"),
        (".5 cups", "0.5"),
        ("1,234.5", "1234.5"),
        ("12.5%", "12.5"),
        ("1e3", "1000"),
        ("1/2", "1/2"),
        ("6:30", "6:30"),
        ("x = 5", "x = 5"),
        ("1,23", "1,23"),
        ("no  solution", "no solution"),
        (r"\text{No solution}", "No solution"),
    ],
)
def test_what_is_no_integer_is_said_too(text: str, value: str) -> None:
    assert read_value(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "##answer##",
        "##your answer##",
        "##Your final answer here##",
        "##Final answer:##",
        "## Step 1 ##",
        "### Solution ###",
        "## Case 2: 3 + 3 = 6 ##",
        "##...##",
        "##?##",
        r"\boxed{}",
        r"\boxed{\text{answer}}",
        "The answer is not clear.",
        "The answer is correct.",
        "The answer is below.",
        "I cannot tell.",
        "",
    ],
)
def test_null_is_only_where_nothing_was_said(text: str) -> None:
    assert Grader().read(text) == (None, None)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("##Final answer: 6##", "6"),
        ("##the answer is 6##", "6"),
        ("##x##", "x"),
        ("##No solution##", "No solution"),
        ("The answer is twelve hundred.", "twelve hundred"),
        ("#### B", "B"),
        ("#### A sum of 6", None),
    ],
)
def test_letters_and_words_between_marks_are_said(text: str, value: str | None) -> None:
    assert Grader().read(text).value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The answer is 18 mill", None),
        ("The answer is 18 d", None),
        ("The answer is 18 egg", "18"),
        ("The answer is 18 million. So", "18 million"),
    ],
)
def test_a_word_at_the_token_limit_may_become_one_that_changes_the_value(
    text: str, value: str | None
) -> None:
    assert Grader().read(text, cut_off=True).value == value
