"""results.canonical: which texts are the same answer, which are not, and properties for any text."""

import random
from decimal import Decimal

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.canonical import LONGEST, canonical, canonical_texts
from results.tables.columns import TEXT


def listed(texts: str) -> list[str]:
    return texts.split("|")


THIRTEEN = [
    *listed("13| 13 |13.|13.0|13.000|013|+13|$13|$ 13|13 €|£13.00|+$13|₹13"),
    *listed("1.3e1|1.3E+01|130e-1|１３|１３．０|𝟏𝟑|\u200b13"),
    *listed('**13**|*13*|_13_|**13|`13`|"13"|“13”'),
    *listed(r"$13$|$$13$$|\(13\)|\[ 13 \]|\$13|$\$13$"),
    *listed(r"\text{13}|$\text{13.}$|\boxed{13}|\boxed{\text{13.0}}"),
]

ONE_EACH = {
    "0": "0|-0|+0.00|0e7|-0.0|00|$0",
    "0.5": "0.5|.5|0.50|+.5|5e-1|$.50",
    "-7": "-7|\u22127|–7|-7.0|- 7|-$7|$-7|－７",
    "1234": "1234|1,234|1,234.00|1{,}234|1\\,234|1,\\!234|1\u202f234|1\u00a0234|$1,234",
    "1234567.5": "1234567.5|1,234,567.50|1\u2009234\u2009567.5",
    "50%": "50%|50 %|50.0%|50\\%|50.%|５０％",
    "x = 3": "x = 3|x  =\n3|$x = 3$|\\(x = 3\\)|**x = 3**|\\text{x = 3}",
    "yes": 'yes| yes |*yes*|"yes"|\\textbf{yes}|ｙｅｓ',
    "5 cm": r"5 cm|5\ \text{cm}|5\,\text{cm}",
}

AS_WRITTEN = [
    *listed("12 dozen|12 over five|12 lakh|12 below zero|12.5 apples|13 USD|5'|5\""),
    *listed("1,23|1,2345|12,34|0,123|1,000,00|(1,2)|(1, 2)|1 234|1 000 000"),
    *listed("1/2|3½|10²|x²|H₂O|٣|①|13¢|13%%|$50%|$13€|--5|+-5"),
    *listed("13..|1.2.3|18:30|1e|e5|1d5|0x1f|inf|nan|None|.|-|$|%|**|****"),
    *listed("A|a|A.|$5 or $6|*a* *b*|__init__|\\frac{1}{2}"),
    '"a" or "b"',
    f"1e{'9' * 30}",
]


@pytest.mark.parametrize("text", THIRTEEN)
def test_every_spelling_of_a_number_is_one_answer(text):
    assert canonical(text) == "13"


@pytest.mark.parametrize(("expected", "texts"), ONE_EACH.items())
def test_spellings_that_say_the_same(expected, texts):
    found = {text: canonical(text) for text in listed(texts)}
    assert found == dict.fromkeys(found, expected)


@pytest.mark.parametrize("text", AS_WRITTEN)
def test_anything_else_stays_as_written(text):
    assert canonical(text) == text


def test_what_says_nothing_is_empty():
    assert {canonical(text) for text in ("", "  ", "\n", "\u200b", r"\text{}", r"\!")} == {""}


def test_no_digit_of_a_long_number_is_lost():
    digits = "7" + "0123456789" * 500
    assert canonical(f"{digits}.0") == digits
    assert canonical(f"0.{digits}") == f"0.{digits.rstrip('0')}"
    assert canonical("9007199254740993.0") == "9007199254740993"


def test_a_huge_exponent_fills_no_memory_and_still_compares():
    assert canonical("1e999999") == canonical("10.0e999998") == "1e999999"
    assert canonical("-25e-99999") == "-2.5e-99998"
    assert canonical(f"1e{LONGEST - 1}") == "1" + "0" * (LONGEST - 1)
    assert canonical(f"1{'0' * LONGEST}") == canonical(f"1e{LONGEST}") == f"1e{LONGEST}"


@given(st.decimals(allow_nan=False, allow_infinity=False), st.sampled_from(["{}", "**{}**", "$ {}", "{:e}"]))
def test_a_number_keeps_its_value(number, form):
    found = canonical(form.format(number))
    if abs(number.adjusted()) < 1000:
        assert Decimal(found) == number
        assert "e" not in found.lower()


pieces = st.sampled_from(
    [
        *'0123456789.,-+$€%*_`"“”{}()[]\\ eE½²⁄①\u00a0\u2009\u200b\u0301\u2212–￥８ａé',
        *listed(r"\text{|\boxed{|\(|\)|\[|\]|\,|\!|{,}|\$|\%|1,234|dozen"),
    ]
)


@given(st.lists(pieces, max_size=14).map("".join) | st.text())
def test_the_rule_is_idempotent(text):
    once = canonical(text)
    assert canonical(once) == once
    assert once == " ".join(once.split())


@pytest.mark.parametrize("layer", ["\\text{{{}}}", "\\boxed{{{}}}", "\\({}\\)", '*"{}"*'])
def test_markup_nested_without_end_is_left_and_costs_no_time(layer):
    start, end = layer.format(" ").split(" ")
    text = start * 20_000 + "13" + end * 20_000
    assert canonical(text) == text
    assert canonical("*" * 20_000 + "13" + "*" * 20_000) == "13"


def test_a_column_is_read_as_its_cells_are():
    texts = [*THIRTEEN, *AS_WRITTEN, None]
    random.Random(0).shuffle(texts)
    column = pd.Series(texts * 2, index=range(7, 7 + 2 * len(texts)), name="answer", dtype=TEXT)
    found = canonical_texts(column)
    assert found.index.equals(column.index)
    assert (found.name, found.dtype) == ("answer", column.dtype)
    expected = [None if text is None else canonical(text) for text in texts] * 2
    assert [None if pd.isna(cell) else cell for cell in found] == expected
