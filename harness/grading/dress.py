r"""Removes styling around a value, and turns the many ways of writing one thing into plain LaTeX.

\textcolor{red}{5}   \boldsymbol{5}   {\large 5}   \underline{5}    {5}
\mathsf{B}   \textrm{B}                                             \text{B}
2½   √3   x²   -∞ < x ≤ 3                                           2\frac{1}{2}   \sqrt{3}   x^{2} …
1 234 567   2 1/2   0.1\overline{6}                                 1234567   2\frac{1}{2}   \frac{15}{90}
"""

import re
import unicodedata

_STYLE = re.compile(
    r"\\(?:(?:text)?color(?:box)?\s*+\{[^{}]*+\}|underline|boldsymbol|bm|pmb|displaystyle|textstyle|limits"
    r"|(?:math|text)bf(?=\s*+\{\s*+[-+]?\\[a-zA-Z])"
    r"|(?:tiny|small|normalsize|large|Large|LARGE|huge|Huge|rm|bf|it|sf|tt|bfseries|itshape|[bB]igg?[lmr]?)(?![a-zA-Z]))\s*+"
)
_ORDINAL = re.compile(
    r"(?<=\d)\s?\^\s?\{?\s?(?:\\(?:text|mathrm|mbox)\s?\{\s?)?(?:st|nd|rd|th)(?![a-z])\s?\}{0,2}"
)
_LETTERS = re.compile(r"\\(?:math(?:sf|tt|it|normal|bfit)|text(?:rm|sf|tt|up|normal|sc|md))(?=\s*+\{)")
_MODULO = re.compile(r"\s?(?:\(\s?\\?|\\[bp]?)mod(?![a-zA-Z])\s*+\{?(-?\w++)\}?\s?\)?")

_NAMES = {
    **{"π": r"\pi ", "∞": r"\infty ", "≤": r"\le ", "≥": r"\ge ", "≠": r"\ne ", "×": r"\times "},
    **{"·": r"\cdot ", "⋅": r"\cdot ", "÷": r"\div ", "∪": r"\cup ", "∩": r"\cap ", "∅": r"\emptyset "},
    **{"∈": r"\in ", "±": r"\pm ", "≈": r"\approx ", "⟨": r"\langle ", "⟩": r"\rangle "},
}
_CHARACTERS = str.maketrans(_NAMES)
_ROOT = re.compile(r"√\s*+(?:[({]([^(){}]*+)[)}]|(\d++|\w))")
_RAISED = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]++")
_ONE_CHARACTER = re.compile(r"[¼-¾⅐-⅞]")

_SPELLINGS = (
    (re.compile(r"\\varnothing(?![a-zA-Z])|\\\{\s*+\\\}"), r"\\emptyset "),
    (re.compile(r"\\[lr]brace(?![a-zA-Z])"), lambda found: rf"\{'{' if found[0][1] == 'l' else '}'}"),
    (re.compile(r"\\(?:s|nice)frac(?![a-zA-Z])"), r"\\frac"),
    (re.compile(r"\\colon(?![a-zA-Z])"), ":"),
    (re.compile(r"\\mathbb\s*+([A-Z])"), r"\\mathbb{\1}"),
    (re.compile(r"(?<![a-zA-Z\\])[Ii]nfinity(?![a-zA-Z])"), r"\\infty "),
    (re.compile(r"\A\\\{\s*+\w\s*+(?:\\mid|[|:])(?![a-zA-Z])((?:[^\\{}]|\\(?!\}))*+)\\\}\Z"), r"\1"),
    (re.compile(r"(?<!\\)~"), " "),
    (re.compile(r"(?<!\\)\{(\d{1,3}(?:,\d{3})++)\}"), lambda found: f"{{{found[1].replace(',', '')}}}"),
    (re.compile(r"\A([-+]?)(\d++) (\d++)/(\d++)\Z"), r"\1\2\\frac{\3}{\4}"),
    (re.compile(r"(?<![\d.\w}])(\d++)/(\d++)\s?i(?![a-zA-Z])"), r"\\frac{\1}{\2}i"),
    (re.compile(r"\[[^][]*+\]|([][])([^][,;]++)[,;]([^][,;]++)([][])"), lambda found: _interval(found)),
)
_BEFORE = re.compile(
    r"\A[\s*_`$]*+([-+]?+)(?:\\(?:approx|simeq|sim)(?![a-zA-Z])|[=≈~]"
    r"|(?:\\(?:text|mbox|mathrm)\s*+\{\s*+)?+(?:Rs\.|(?:US|USD|EUR|GBP|Rs|[AC](?=\$))(?!\w)))"
    r"[\s}$]*+(?=[-+]?+\s?(?:\\?[$€£¥])?+\s?\.?+[\d\\√π])",
)
"""What may precede a number without changing its value."""
_GROUPED = re.compile(
    r"(?<![\d.,^])(?<!\d )\d{1,3}(?:(?: \d{3})++|(?:_\d{3})++|(?:\.\d{3}){2}+(?!\.))(?![\d/]|\.\d{3})"
)
_REPEATING = re.compile(r"(\d*+)\.(\d*+)\\(?:overline|bar|dot)\s*+\{?(\d++)\}?")


LONGEST = 500
"""Most characters of an expression; a longer one is kept and compared as written."""


def without_style(text: str) -> str:
    """`text` without colours, sizes and the like; any text font becomes `\\text`, any modulo ` mod 7`."""
    text = _MODULO.sub(r" mod \1", text)
    text = _ORDINAL.sub("", text)
    return _LETTERS.sub(r"\\text", _STYLE.sub("", text)) if "\\" in text else text


def without_lead(text: str) -> str:
    """`text` without what precedes its number: 18 for `≈ 18`, `= 18` and `US$18`."""
    return _BEFORE.sub(r"\1", text, count=1)


def in_latex(text: str) -> str:
    """`text`, a whole answer, with Unicode symbols, spaced thousands and mixed numbers written as LaTeX."""
    if len(text) > LONGEST:
        return text
    if not text.isascii():
        text = _ROOT.sub(lambda found: rf"\sqrt{{{found[1] or found[2]}}}", text)
        text = _RAISED.sub(lambda found: f"^{{{unicodedata.normalize('NFKC', found[0])}}}", text)
        text = _ONE_CHARACTER.sub(_fraction, text).translate(_CHARACTERS).replace("\u2212", "-")
    for pattern, plain in _SPELLINGS:
        text = pattern.sub(plain, text)
    return _REPEATING.sub(_repeated, without_groups(" ".join(text.split())))


def without_groups(text: str) -> str:
    """`text` with `1 234 567`, `1_234_567`, `1.234.567` as 1234567; 1.234 stays a decimal."""
    return _GROUPED.sub(lambda found: re.sub(r"[ _.]", "", found[0]), text)


def _interval(match: re.Match[str]) -> str:
    """`]-2, 5]` as (-2,5]; properly paired brackets stay."""
    opening, low, high, closing = match.groups()
    if not opening:
        return match[0]
    left = "(" if opening == "]" else "["
    right = ")" if closing == "[" else "]"
    return f"{left}{low},{high}{right}"


def _fraction(match: re.Match[str]) -> str:
    """`½` as \\frac{1}{2}, which after a number makes a mixed number."""
    above, below = unicodedata.normalize("NFKC", match[0]).split("\u2044")
    return rf"\frac{{{above}}}{{{below}}}"


def _repeated(match: re.Match[str]) -> str:
    """A repeating decimal as a fraction: 0.1666… is (16 − 1) / 90."""
    whole, first, period = match.groups()
    value = int(f"{whole}{first}{period}") - int(f"0{whole}{first}")
    return rf"\frac{{{value}}}{{{'9' * len(period)}{'0' * len(first)}}}"
