r"""Parses and compares expressions with math-verify, as a process of its own that may be killed.

    ["form", "\\dfrac{2}{6}"]                  ->  "\\frac{1}{3}"
    ["same", "\\frac{1}{3}", "0.333333"]       ->  true

One request a line and one reply a line, JSON. A request that takes more than SECONDS of processor time ends
the process: SIGPROF, which Python does not handle, stops even a power tower in the middle of one
multiplication. Without this, text from a model could hold up a run for ever.
"""

import json
import logging
import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any, TextIO

SECONDS = 3.0
"""Of processor time, for one request."""
MEMORY = 4 << 30
"""Bytes of address space, above which Python raises MemoryError."""
_ROUNDS = 3


def form(text: str) -> str | None:
    """LaTeX of the expression in `text`, the same for many ways of writing it; None where none is read.

    Finite decimals stay decimals; other numbers and terms are expanded and put over one denominator. Reading
    the form again gives itself.
    """
    for _ in range(_ROUNDS):
        again = _form_once(text)
        if again is None or again == text:
            return again
        text = again
    return None


def same(gold: str, text: str) -> bool:
    """math-verify's verdict on two expressions."""
    return bool(_math_verify().verify(_parsed(gold), _parsed(text), timeout_seconds=None))


def _form_once(text: str) -> str | None:
    sympy = _sympy()
    found = next(iter(_parsed(text)), None)
    if not isinstance(found, (sympy.Basic, sympy.MatrixBase)):
        return None
    plain = _simplest(found)
    if isinstance(plain, sympy.core.relational.Relational):
        plain = plain.canonical  # 5 < x is x > 5
    if plain in (sympy.true, sympy.false) or plain.has(sympy.nan, sympy.zoo):
        return None  # 2 + 2 = 5 is not the answer "false", and 1/0 no number
    return _decimal(plain) or str(sympy.latex(plain))


def _parsed(text: str) -> list[Any]:
    package = _math_verify()
    found: list[Any] = package.parse(f"${text}$", [package.LatexExtractionConfig()], parsing_timeout=None)
    return found


def _simplest(found: Any) -> Any:
    """The expression itself, the parts of a set or interval, or the right-hand side of `x = 5`."""
    sympy = _sympy()
    if isinstance(found, sympy.Eq) and isinstance(found.lhs, sympy.Symbol):
        return _simplest(found.rhs)
    if isinstance(found, sympy.MatrixBase):
        return found.applyfunc(_simplest).as_immutable()
    if isinstance(found, sympy.Symbol):
        return found
    if not isinstance(found, sympy.Expr):
        return found.func(*map(_simplest, found.args)) if found.args else found
    percent = sympy.UnevaluatedExpr(sympy.Rational(1, 100))
    if isinstance(found, sympy.Mul) and len(found.args) == 2 and found.args[1] == percent:
        found = found.args[0]  # the number that the percent sign follows
    exact = found.doit().replace(lambda part: part.is_Float, lambda part: sympy.Rational(str(part)))
    if exact.free_symbols:
        return sympy.cancel(sympy.together(exact))
    return sympy.expand(sympy.radsimp(sympy.expand(exact)))


def _decimal(number: Any) -> str | None:
    """A rational number as a decimal, if it has finitely many digits."""
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


def _math_verify() -> Any:
    return import_module("math_verify")


def _sympy() -> Any:
    return import_module("sympy")


def _stdout_for_replies_alone() -> TextIO:
    """Standard output; what a library prints goes nowhere, as it would be taken for a reply."""
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return replies


def _say(replies: TextIO, line: str) -> None:
    replies.write(line + "\n")
    replies.flush()


def main() -> None:
    """Answer requests until there are no more."""
    with suppress(ValueError, OSError):  # systems that have no such limit
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    logging.disable(logging.WARNING)  # of missing time limits, of which the process has its own
    replies = _stdout_for_replies_alone()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the run
    assert form("\\frac{2}{6}")  # loads the parser outside the time of a request
    _say(replies, "ready")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())  # nobody reads it from here on
    requests: dict[str, Callable[..., Any]] = {"form": form, "same": same}
    for line in sys.stdin:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        name, *texts = json.loads(line)
        reply = None
        with suppress(Exception):  # whatever a parser raises for hostile text: it is no expression then
            reply = requests[name](*texts)
        signal.setitimer(signal.ITIMER_PROF, 0)
        _say(replies, json.dumps(reply))


if __name__ == "__main__":
    main()
