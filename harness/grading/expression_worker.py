r"""Parses and compares expressions with math-verify, in a separate process that may be killed.

    ["form", "\\dfrac{2}{6}"]                  ->  "\\frac{1}{3}"
    ["same", "\\frac{1}{3}", "0.333333"]       ->  true

Each request and each reply is one line of JSON. A request that takes more than SECONDS of processor time ends
the process: SIGPROF, which Python does not handle, stops even a power tower in the middle of one
multiplication. Without this, text from a model could block a run for ever.
"""

import json
import logging
import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from typing import Any, TextIO

import math_verify
import sympy

SECONDS = 3.0
"""Processor time allowed for one request."""
MEMORY = 4 << 30
"""Bytes of address space, above which Python raises MemoryError."""
_ROUNDS = 3
_DIGITS = 30
_EXACT = 1e-25
"""The relative error of a value evaluated to _DIGITS digits."""
_SIGNIFICANT = 4
"""Fewest digits of a rounded number; math-verify allows 5e-7, whatever the number's size."""


def form(text: str) -> str | None:
    """LaTeX of the expression in `text`, the same for many ways of writing it; None if it is not parsed.

    Finite decimals stay decimals; other numbers and terms are expanded and put over one denominator. The form
    of a form is the form itself.
    """
    for _ in range(_ROUNDS):
        again = _form_once(text)
        if again is None or again == text:
            return again
        text = again
    return None


def same(gold: str, text: str) -> bool:
    """Whether math-verify finds two expressions equal, and not just by rounding their numbers.

    The interval (-1, infinity) equals -1 < x; the numbers 3 and 5 do not equal 3 < x < 5.
    """
    right, answer = _parsed(gold), _parsed(text)
    is_finite = any(isinstance(parsed[0], sympy.FiniteSet) for parsed in (right, answer))
    options = {"timeout_seconds": None, "allow_set_relation_comp": not is_finite}
    pairs = [(right, answer)] if is_finite else [(right, answer), (answer, right)]
    verified = any(math_verify.verify(*pair, **options) for pair in pairs)
    return verified and not _apart(right[0], answer[0])


def _apart(first: Any, second: Any) -> bool:
    """Whether two numbers, or two lists in any place, differ by more than rounding."""
    numbers, others = _numbers(first), _numbers(second)
    if numbers is None or others is None or len(numbers) != len(others):
        return False
    return any(map(_differ, numbers, others))


def _differ(first: Any, second: Any) -> bool:
    """Whether they differ by more than one in a decimal's last digit, or at all if neither is a decimal."""
    values = [part.evalf(_DIGITS) for part in (first, second)]
    allowed = max(map(abs, values)) * _EXACT
    if not (first.is_Integer or second.is_Integer):
        allowed = max(allowed, *map(_last_digit, (first, second)))
    return bool(abs(values[0] - values[1]) > allowed)


def _last_digit(number: Any) -> float:
    """The value of a unit in the last place of a decimal; 0 if it is too short to be a rounded number."""
    if not number.is_Float:
        return 0.0
    digits = f"{Decimal(str(number)):f}".rstrip("0").partition(".")
    return 10.0 ** -len(digits[2]) if len((digits[0] + digits[2]).lstrip("-0")) >= _SIGNIFICANT else 0.0


def _numbers(parsed: Any) -> list[Any] | None:
    """The numbers in a tuple or a set (sorted), or one number; None for anything else."""
    parts = parsed.args if isinstance(parsed, (sympy.FiniteSet, sympy.Tuple)) else (parsed,)
    for part in parts:
        if not isinstance(part, sympy.Expr) or part.free_symbols or part.has(sympy.UnevaluatedExpr):
            return None  # a letter, an equation, or percent
    if not isinstance(parsed, sympy.FiniteSet):
        return list(parts)
    if not all(part.is_real for part in parts):
        return None
    return sorted(parts, key=lambda part: float(part.evalf(_DIGITS)))


def _form_once(text: str) -> str | None:
    parsed = next(iter(_parsed(text)), None)
    if not isinstance(parsed, (sympy.Basic, sympy.MatrixBase)):
        return None
    if system := _system(parsed):
        return system
    plain = _simplest(parsed)
    if isinstance(plain, sympy.core.relational.Relational):
        plain = plain.canonical  # 5 < x is x > 5
    if plain in (sympy.true, sympy.false) or plain.has(sympy.nan, sympy.zoo):
        return None  # 2 + 2 = 5 is not the answer "false", and 1/0 is not a number
    return _decimal(plain) or str(sympy.latex(plain))


def _system(parsed: Any) -> str | None:
    """The values of several unknowns, sorted by name: `a = 1, b = 2`; None for anything else."""
    if not isinstance(parsed, sympy.FiniteSet):
        return None
    equations = [part for part in parsed.args if isinstance(part, sympy.Eq)]
    unknowns = {part.lhs for part in equations if isinstance(part.lhs, sympy.Symbol)}
    if not 1 < len(unknowns) == len(parsed.args):
        return None
    values = ((part.lhs, _simplest(part.rhs)) for part in equations)
    return ", ".join(
        sorted(f"{sympy.latex(name)} = {_decimal(value) or sympy.latex(value)}" for name, value in values)
    )


def _parsed(text: str) -> list[Any]:
    """What math-verify parses; for `x < 0 \\lor x > 1`, the union of both."""
    parts = text.split(r"\lor")
    if len(parts) > 1:
        either = [_parsed(part)[0] for part in parts]
        unknown = {name for one in either for name in one.free_symbols}
        if len(unknown) == 1:
            return [sympy.Union(*(one.as_set() for one in either))]
    listed = ",".join(parts)
    how = [math_verify.LatexExtractionConfig()]
    parsed: list[Any] = math_verify.parse(f"${listed}$", how, parsing_timeout=None)
    return _all_at_once(parsed)


def _all_at_once(parsed: list[Any]) -> list[Any]:
    """For `x \\ge 1, x < 2`, the x for which all hold, if there are any; otherwise `parsed`."""
    listed = parsed[0].args if parsed and isinstance(parsed[0], sympy.FiniteSet) else ()
    relations = [part for part in listed if isinstance(part, sympy.core.relational.Relational)]
    if len(relations) < max(2, len(listed)) or len(parsed[0].free_symbols) != 1:
        return parsed
    values = sympy.Intersection(*(part.as_set() for part in relations))
    return parsed if values is sympy.S.EmptySet else [values]


def _simplest(parsed: Any) -> Any:
    """The simplest form of an expression, a set or interval, or the right-hand side of `x = 5`."""
    if isinstance(parsed, sympy.Eq) and isinstance(parsed.lhs, sympy.Symbol):
        return _simplest(parsed.rhs)
    if isinstance(parsed, sympy.MatrixBase):
        return parsed.applyfunc(_simplest).as_immutable()
    if isinstance(parsed, sympy.Symbol):
        return parsed
    if not isinstance(parsed, sympy.Expr):
        return _with_simplest_parts(parsed)
    percent = sympy.UnevaluatedExpr(sympy.Rational(1, 100))
    if isinstance(parsed, sympy.Mul) and len(parsed.args) == 2 and parsed.args[1] == percent:
        parsed = parsed.args[0]  # the number that the percent sign follows
    exact = parsed.doit().replace(lambda part: part.is_Float, lambda part: sympy.Rational(str(part)))
    if exact.free_symbols:
        return sympy.cancel(sympy.together(exact))
    return sympy.expand(sympy.radsimp(sympy.expand(exact)))


def _with_simplest_parts(parsed: Any) -> Any:
    """A set, interval or tuple with its parts simplified; `0.5 or 1/2` becomes one number."""
    plain = parsed.func(*map(_simplest, parsed.args)) if parsed.args else parsed
    again = isinstance(parsed, sympy.FiniteSet) and len(plain.args) == 1 < len(parsed.args)
    return plain.args[0] if again else plain


def _decimal(number: Any) -> str | None:
    """A rational number as a decimal if it has finitely many digits; otherwise None."""
    if not number.is_Rational:
        return None
    digits, rest = 0, int(number.q)
    for prime in (2, 5):
        times = 0
        while rest % prime == 0:
            rest //= prime
            times += 1
        digits = max(digits, times)
    if rest != 1:
        return None
    scaled = str(abs(int(number.p * 10**digits // number.q))).rjust(digits + 1, "0")
    whole, fraction = scaled[: len(scaled) - digits], scaled[len(scaled) - digits :]
    return f"{'-' if number < 0 else ''}{whole}{'.' if fraction else ''}{fraction}"


def _stdout_for_replies_alone() -> TextIO:
    """Standard output, for replies only; library output is discarded, not to be read as a reply."""
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1, encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return replies


def main() -> None:
    """Answer requests until there are no more."""
    with suppress(ValueError, OSError):  # systems that have no such limit
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    logging.disable(logging.WARNING)  # warnings about missing time limits: this process has its own
    replies = _stdout_for_replies_alone()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the run
    assert form("\\frac{2}{6}")  # loads the parser before any request is timed
    replies.write("ready\n")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())  # nobody reads it from here on
    requests: dict[str, Callable[..., Any]] = {"form": form, "same": same}
    for line in sys.stdin:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        name, *texts = json.loads(line)
        reply = None
        with suppress(Exception):  # whatever a parser raises for hostile text: the reply is then null
            reply = requests[name](*texts)
        signal.setitimer(signal.ITIMER_PROF, 0)
        replies.write(json.dumps(reply) + "\n")


if __name__ == "__main__":
    main()
