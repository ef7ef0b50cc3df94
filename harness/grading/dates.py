r"""Numbers joined by signs that are not arithmetic: dates, times of day, addresses, scores.

2020-01-02   1/2/2020   192.168.0.10   1.2.3   4:2:1      never evaluated
3:05   3:05 \text{ PM}   10 a.m.           3:05   3:05 pm   10 am: compared with 6:10, 3:05 is not a ratio
3-2   555-1234                             as written compared with 2-1, but 1 compared with 1
"""

import re

_TEXT = re.compile(r"\\(?:text|mathrm|mbox)\s*+\{([^{}]*+)\}|\\[ ,;:!]|[$~]")
_COLON = re.compile(r" ?(?:\\colon(?![a-z])|:) ?")
_NEVER_A_SUM = re.compile(
    r"\d{4}([-/.])\d{1,2}\1\d{1,2}"  # 2020-01-02
    r"|\d{1,2}([-/.])\d{1,2}\2\d{2,4}"  # 1/2/2020
    r"|(?!\d+(?:\.\d{3}){2}\Z)\d{1,3}(?:\.\d{1,3}){2,3}"  # 1.2.3, 192.168.0.10; 1.234.567 is one number
    r"|(?!\d{1,2}(?::[0-5]\d){2}\Z)\d[\d.]*+(?::\d[\d.]*+){2,}"  # 4:2:1; 3:05:10 is a time
)
_TIME = re.compile(r"(\d{1,2}(?::[0-5]\d){0,2})\s?([ap])\.?\s?m\.?|\d{1,2}(?::[0-5]\d){1,2}", re.IGNORECASE)
_SCORE = re.compile(r"\d+-\d+")
_LONGEST = 40


def as_said(text: str) -> str | None:
    """A date, time, address or score in one spelling; None for any other text."""
    if len(text) > _LONGEST or (not text[:1].isdigit() and not text.startswith(("\\", "$"))):
        return None
    plain = _COLON.sub(":", " ".join(_TEXT.sub(r"\1 ", text).split()).rstrip(" ."))
    if time := _TIME.fullmatch(plain):
        return f"{time[1]} {time[2].lower()}m" if time[2] else plain
    return plain if _NEVER_A_SUM.fullmatch(plain) or _SCORE.fullmatch(plain) else None


def decided(right: str, answer: str) -> bool | None:
    """Whether two forms written differently are equal; None if they must be evaluated to tell."""
    kinds = [as_said(form) == form for form in (right, answer)]
    if not any(kinds):
        return None
    if any(_NEVER_A_SUM.fullmatch(form) for form in (right, answer)):
        return False
    bare = [form.removesuffix(" am").removesuffix(" pm") for form in (right, answer)]
    halves_told = (bare[0] != right) + (bare[1] != answer)
    if bare[0] == bare[1] and halves_told == 1:
        return True
    return False if all(kinds) else None
