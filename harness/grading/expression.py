r"""Grades answers to questions whose right answer is an expression, compared by math-verify.

    \dfrac{1}{2}    1/2    0.50    x = 0.5             0.5
    \frac{2}{6}    1/3                                 \frac{1}{3}
    (x+1)^2    1+2x+x^2                                x^{2} + 2 x + 1
    12 dozen    \text{east}                            as written

An answer's vote is its form, which depends neither on the right answer nor on the order of the answers. An
answer that math-verify finds equal to the gold gets the gold's text, so all right answers share one vote.
"""

import atexit
import json
import re
import subprocess
import sys
import threading
from fractions import Fraction
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from harness.grading import dates, integer
from harness.grading.dress import LONGEST, in_latex, without_lead, without_style
from harness.grading.marks import last_box, says_something, without_introduction
from harness.grading.places import FORMULA, Place, sentence, without_reason
from harness.grading.value_words import STATING_WORDS, VALUE_WORDS
from results import BadInput
from results.canonical import canonical

_ROUNDS = 4
"""Levels of nested markup that are removed."""
_LEAD = re.compile(r"\A(?:[\s~=]|\\[ ,;:!]|\\q?quad(?![a-zA-Z]))++(?=.)")
_STOP = re.compile(r"(?<=[\d})\]])[.,;]\Z")
_MARKED = re.compile(r"\A(\*{1,3}|`)([^*`]++)\1\Z")
_OPTION = re.compile(
    r"\A(?:\\(?:text(?:bf|it)?|math(?:bf|rm)|mbox)\s*+\{\s*+(?:\([A-E]\)|[A-E][).:])\s*+\}|\([A-E]\)(?=[\s~\\]))"
    r"(?:[\s~]|\\[ ,;:!]|\\q?quad(?![a-z]))*+(?=[-$.\d]|\\(?:[dt]?frac|sqrt|pi|text)(?![a-z]))"
)
"""The label of a choice before its value, as contests print it: `\\textbf{(B)}\\ 12` is 12."""
_WHOLE = re.compile(
    r"(?:\\(?:boxed|fbox|framebox|text(?:bf|it)?|math(?:bf|rm)|mbox)\s*+)?+\{(.*)\}", re.DOTALL
)
_BRACE = re.compile(r"(?<!\\)[{}]")
_TAIL = 300
"""Number of characters at the end of a text that are searched for its unit."""

_WORKER = Path(__file__).with_name("expression_worker.py")
_COMMAND = re.compile(r"\\(?:begin|end|operatorname)\s*+\{[a-zA-Z*]*+\}|\\[a-zA-Z]++")
# Words: three letters in a row. Two letters may be a product, so only listed units and words count.
_PROSE = re.compile(
    r"[^\W\d_]{3}|[^\W\d_a-zA-Zα-ωΑ-Ω]"
    r"|\b(?:[ckm]m|ft|in|kg|m[gl]|hr|mi|oz|lb|or|is|if|[Nn]o|of|to|by|vs|at|[ap]m|sq)\b"
)
_FUNCTION = re.compile(r"(?<![a-zA-Z\\])(pi|sin|cos|tan|log|ln|exp|infty)\b")
_ROOT = re.compile(r"(?<![a-zA-Z\\])\\?sqrt\s?\(([^()]*+)\)")
_FORMULA_LIKE = re.compile(r"[\d\\$]|\A\W*+\w\W*+\Z|(?<!\w)\w\s?[-+*/^=]\s?\w(?!\w)")
_POWER = re.compile(r"\*\*\s?(?:\((-?\w++)\)|(-?\w++))")
_AND = re.compile(r",?\s*+(?:\b(?:and|or)\b|(?<=[\d}\s])\\&|\\(?:land|wedge)(?![a-zA-Z]))")
_OR = re.compile(r",?\s*+(?:\\text\s*+\{\s*+or\s*+\}|\bor\b|\\(?:lor|vee)\b)")
_INEQUALITY = re.compile(r"[<>]|\\[lg](?:t|eq?)(?:slant)?+(?![a-z])")
_NAMED = re.compile(r"(?<=[a-z]{2})(?<!degree)(?<!degrees)\s++[A-Z](?![\w=^{(])")  # behind a word: a name
_DEGREE = re.compile(
    r"(?:(?:\\[ ,;!]){0,3}+\^\s*+\{?+(?:\\circ\b|\\(?:text|mathrm)\s*+\{o\}|(?<=\d\^)o\b|(?<=\d\^\{)o\b)\}?+"
    r"|\\degree\b|°)(?:(?:\s|\\[ ,;!])*+[CF](?![a-zA-Z]))?+|[℃℉]"
)
_SPACE = r"(?:\s|~|\\[ ,;:!]|\\q?quad\b)*+"
_UNIT = r"\\(?:text|mbox|mathrm|operatorname)\s*+\{([^{}]*+)\}(?:\s*+\^\s*+\{?+-?[1-3]\}?+)?+"
_UNIT_TEXT = re.compile(
    rf"{_SPACE}(?:\\[dt]?frac\s*+\{{{_SPACE}{_UNIT}\}}\s*+\{{{_SPACE}{_UNIT}\}}"
    rf"|{_UNIT}(?:{_SPACE}(?:\\cdot|\\times|/)?+{_SPACE}{_UNIT})?+)[\s.]*+\Z"
)
_PERCENT_WORD = re.compile(
    rf"{_SPACE}(?:\\(?:text|mbox|mathrm)\s*+\{{\s*+(?:percent|pct)\s*+\}}|\b(?:percent|pct))[\s.]*+\Z"
)
_NUMERIC = re.compile(r"\d|\\pi|\\sqrt")
_BACKSLASH = "\\ "
_RATIO = re.compile(r"(-?[0-9.]+)|-?\\frac\{([0-9]+)\}\{([0-9]+)\}")
_PLAIN = re.compile(r"-?[0-9]++(?:\.[0-9]++)?+%?+")
_BASE_WORDS = {
    **{"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9},
    **{"ten": 10, "eleven": 11, "twelve": 12, "sixteen": 16},
}
_IN_BASE = re.compile(
    r"\(?([0-9A-Fa-f]++)\)?\s*(?:_\s*\{?\s*(?:\\(?:text|mathrm|mbox)\s*\{)?\s*\(?(?:base\s*)?|base\s)"
    rf"([0-9]{{1,2}}|{'|'.join(_BASE_WORDS)})\)?\s*\}}{{0,2}}"
)
_WORKED = re.compile(r"([-+]?+[\d.,/]++)\s\(\d[^()a-zA-Z\\]*[-+*/×÷=][^()a-zA-Z\\]*\)")
"""A number followed by its working, `18 (9 + 9)`, which is not a product."""
_FORMULAS_GO_ON = re.compile(r"\s*+(?:,|;|and\b|or\b)[\s,]*+(?:and\b|or\b)?\s*+(?:\$|\\[(\[]|[-\d])")


def answer_in(place: Place) -> str | None:
    """The text of the answer at a place outside marks; None if there is none."""
    text = place.text
    if place.reader == "last-number":
        return None if place.cut_off else text
    bare = without_reason(sentence(text)).strip("*_` ")
    bare = worked[1] if (worked := _WORKED.fullmatch(bare)) else bare
    formula = FORMULA.match(text)
    if formula and not _FORMULAS_GO_ON.match(text, formula.end()):
        return next(part for part in formula.groups() if part is not None)
    if place.cut_off and bare == text.lstrip("*_` "):
        return None
    return bare if _FORMULA_LIKE.search(bare) or (place.states and says_something(bare)) else None


def gold(text: str) -> str | None:
    """The last box of a solution, or else an expression, after `####` if there is one."""
    box = last_box(text)
    written = without_introduction(text.rpartition("####")[2]) if box is None else box
    return as_written(written) or None


def as_written(text: str) -> str:
    """`text` in canonical form without its unit; the gold is stored so and parsed only for comparisons."""
    plain = _undressed(without_style(" ".join(text.split()).rstrip(_BACKSLASH) or text))
    if date := dates.as_said(plain):
        return date
    if percent := _PERCENT_WORD.search(plain, max(0, len(plain) - _TAIL)):
        plain = f"{plain[: percent.start()]}%"
    return canonical(_without_unit(plain))


def _undressed(text: str) -> str:
    """The body of a formula, box or bold text, without LaTeX spaces, a leading `=` and a final full stop."""
    for _ in range(_ROUNDS):
        plain = _STOP.sub("", _LEAD.sub("", text))
        formula = FORMULA.fullmatch(plain)
        if formula:
            plain = next(part for part in formula.groups() if part is not None)
        plain = without_lead(_held(_MARKED.sub(r"\2", _OPTION.sub("", plain))))
        if plain == text:
            break
        text = plain
    return text


def _held(text: str) -> str:
    """The body, if all of `text` is one box or text command; otherwise `text`."""
    whole = _WHOLE.fullmatch(text)
    depth = 0
    for brace in _BRACE.findall(whole[1]) if whole else ():
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return text
    return whole[1] if whole and not depth else text


def read_value(text: str) -> str:
    """The form of the expression in `text`, or the canonical text if math-verify cannot parse it."""
    return _value(" ".join(text.split()))


@lru_cache(maxsize=1 << 16)
def _value(text: str) -> str:
    written = as_written(text)
    if dates.as_said(written) == written:
        return written
    for number in (written, in_latex(written)):
        if _PLAIN.fullmatch(number):
            return number
    latex = _as_latex(written)
    if based := _in_base(written):
        return based
    if _is_prose(latex):
        plain = " ".join(written.replace("$", "").rstrip(". ").casefold().split())
        return plain if _states_more(written) else integer.read_value(plain).casefold()
    if latex.endswith("%"):
        return f"{_value(latex[:-1].rstrip(_BACKSLASH))}%"
    if repeated := _with_repeats(latex):
        return repeated
    form = _worker.ask("form", latex) if len(latex) <= LONGEST else None
    return canonical(form) if isinstance(form, str) else written


@lru_cache(maxsize=1 << 16)
def equal(gold: str, value: str) -> bool:
    """Whether math-verify finds an answer's form equal to the gold, and so do checks of what it overlooks.

    It rounds to 6 decimals, which makes small numbers equal, and drops the base of a number. Here, as in
    math-verify, 50% equals both 0.5 and 50.
    """
    right = read_value(gold)
    if right == value:
        return True
    if (said := dates.decided(right, value)) is not None:
        return said
    if right.endswith("%") or value.endswith("%"):
        return _equal_percent(right, value)
    if _PLAIN.fullmatch(right) and _PLAIN.fullmatch(value):
        rounded = len(value) < len(right)  # 0.007813 for 1/128, but not 0.64000001 for 16/25
        if _PLAIN.fullmatch(as_written(gold)) or not rounded:
            return False
    if (first := _IN_BASE.fullmatch(right)) or _IN_BASE.fullmatch(value):
        # Equal if only one of them gives its base; unequal if the bases differ.
        return (first[1] if first else right) == (value if first else value.partition("_")[0])
    latex = [_as_latex(text) for text in (gold, value)]
    if any(_is_prose(text) or len(text) > LONGEST for text in latex):
        return False
    if any(map(_with_repeats, latex)):
        return False
    return _worker.ask("same", *latex) is True


def _items(latex: str) -> list[str]:
    """The parts of a list, split at commas outside all brackets."""
    parts, depth = [""], 0
    for character in latex:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _with_repeats(latex: str) -> str | None:
    """A list with repeated items, sorted; None for others. To math-verify, `7, 7` is the set of 7."""
    parts = [part.strip() for part in _items(latex)] if len(latex) <= LONGEST else []
    if len(set(parts)) == len(parts):
        return None
    return ", ".join(sorted(map(_value, parts)))


def _is_prose(latex: str) -> bool:
    """Whether it has words: a number with its unit, or an answer kept as written."""
    return _PROSE.search(_COMMAND.sub(" ", latex)) is not None


def _equal_percent(right: str, value: str) -> bool:
    """Whether two values, at least one a percentage, are equal: 50% equals 0.5 and also 50.

    A number below one counts only as a share: 0.25 is not 0.25%.
    """
    bare, plain = right.removesuffix("%"), value.removesuffix("%")
    if right != bare and value != plain:
        return equal(bare, plain)
    share, other = (bare, plain) if right != bare else (plain, bare)
    match = _RATIO.fullmatch(other)
    small = match is not None and abs(Fraction(match[1] or match[2]) / int(match[3] or 1)) < 1
    hundredth = rf"\frac{{{share}}}{{100}}"
    if right != bare:
        return equal(hundredth, plain) or (not small and equal(bare, plain))
    return equal(bare, read_value(hundredth)) or (not small and equal(bare, plain))


def _in_base(text: str) -> str | None:
    """A number with its base in one spelling: 1011_{2}; None if no base is given."""
    match = _IN_BASE.fullmatch(text)
    return match and f"{match[1].upper()}_{{{_BASE_WORDS.get(match[2], match[2])}}}"


def _states_more(text: str) -> bool:
    """Whether words after a number say more than its unit: `1 and all odd primes`, `5 people like A`."""
    text = _COMMAND.sub(" ", text)
    stating = not STATING_WORDS.isdisjoint(re.findall(r"[a-z]+", text.casefold()))
    return stating or _NAMED.search(text) is not None


def _without_unit(text: str) -> str:
    """`text` without its unit: `90^\\circ` is 90, `\\frac{3}{4} \\text{ inches}` a fraction."""
    text = _DEGREE.sub("", text)
    unit = _UNIT_TEXT.search(text, max(0, len(text) - _TAIL))
    if unit is None or not _NUMERIC.search(text[: unit.start()]):
        return text
    words = " ".join(filter(None, unit.groups()))
    changed = not VALUE_WORDS.isdisjoint(words.casefold().split()) or _states_more(words)
    return text if changed else text[: unit.start()]


def _as_latex(text: str) -> str:
    """Typed functions, powers and `1 and 2` as LaTeX, without dollar signs, which would end the formula."""
    text = in_latex(text)
    text = _FUNCTION.sub(r"\\\1", _ROOT.sub(r"\\sqrt{\1}", text))
    if _INEQUALITY.search(text):
        text = _OR.sub(r" \\lor ", text)
    text = _AND.sub(",", _POWER.sub(r"^{\1\2}", text))
    return text.replace("\\$", "").replace("$", "").rstrip(". ")


class _Worker:
    """The process that parses, started when first needed and restarted after it was killed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._one_at_a_time = threading.Lock()
        atexit.register(self.stop)

    def ask(self, *request: str) -> Any:
        """The worker's reply; None if it gives none within its limits of time and memory.

        Raises ModuleNotFoundError if math-verify is not installed, BadInput if it does not start.
        """
        with self._one_at_a_time:
            if self._process is None:
                self._process = _started()
            try:
                reply = _exchange(self._process, json.dumps(request))
            except BrokenPipeError:
                reply = ""
            if not reply:
                self.stop()
                return None
            return json.loads(reply)

    def stop(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def require() -> None:
    """Raise ModuleNotFoundError if math-verify is not installed."""
    if find_spec("math_verify") is None:
        raise ModuleNotFoundError("grader math needs math-verify", name="math_verify")


def _started() -> "subprocess.Popen[str]":
    """A new worker that has reported that it is ready."""
    require()
    # -P: modules beside the worker must not stand in for installed ones.
    command = [sys.executable, "-P", str(_WORKER)]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process = subprocess.Popen(command, text=True, encoding="utf-8", errors="replace", **pipes)
    assert process.stdout is not None
    if process.stdout.readline():
        return process
    output = process.communicate()[1].strip().splitlines()
    raise BadInput(f"grader math: math-verify does not start: {output[-1] if output else 'no reason given'}")


def _exchange(process: "subprocess.Popen[str]", line: str) -> str:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line + "\n")
    process.stdin.flush()
    return process.stdout.readline()


_worker = _Worker()
