"""How the answers of samples are read: the two choices that every command that reads samples gives.

    $ tts curves samples.csv --as-written --unreadable "n/a" --out curves.csv

    with reading(as_written=True, unreadable=["n/a"]):
        curves = build_curves(read_samples("samples.csv"))

The choice holds for the block, for every samples table that is read or checked in it.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click


@dataclass(frozen=True)
class Reading:
    """as_written: answers that are spelt differently are different; unreadable: what stands for no answer."""

    as_written: bool = False
    unreadable: tuple[str, ...] = ()


_PLAIN = Reading()
CHOSEN = ContextVar("CHOSEN", default=_PLAIN)


@contextmanager
def reading(as_written: bool = False, unreadable: Collection[str] = ()) -> Iterator[None]:
    """Read samples in this way for the length of the block.

    as_written: `results.canonical` is left out, and 13, 13.0 and $13 are three answers. unreadable: answers
    that mean that nothing was read; they become null and cast no vote. One that no answer of a table is, is
    refused with BadInput.
    """
    token = CHOSEN.set(Reading(as_written, tuple(unreadable)))
    try:
        yield
    finally:
        CHOSEN.reset(token)


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options --as-written and --unreadable, which hold while the command runs; it is not passed them."""

    @wraps(command)
    def told(*args: Any, as_written: bool, unreadable: tuple[str, ...], **options: Any) -> Any:
        with reading(as_written, unreadable):
            return command(*args, **options)

    spelling = click.option(
        "--as-written",
        is_flag=True,
        help="Take answers as they are spelt: 13, 13.0 and $13 are three answers, not one.",
    )
    nothing = click.option(
        "--unreadable",
        multiple=True,
        metavar="WORD",
        help="A word that stands for an unreadable answer; once for each word.",
    )
    return spelling(nothing(told))
