"""Options for reading samples, which every command that reads samples has.

    $ tts curves samples.csv --as-written --unreadable "n/a" --out curves.csv

    with reading(as_written=True, unreadable=["n/a"]):
        curves = build_curves(read_samples("samples.csv"))

The options apply to every samples table that is read or checked in the block.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click

from results.command_help import CHANCE, INPUT, about
from results.commandline import BadInput


@dataclass(frozen=True)
class Reading:
    """as_written: answers spelt differently are different; unreadable: words that mean "no answer"; cluster:
    the column of the questions' clusters, None for `cluster`, if there is one."""

    as_written: bool = False
    unreadable: tuple[str, ...] = ()
    cluster: str | None = None

    @property
    def named(self) -> str:
        """The options that were given, in words."""
        given = {"--as-written": self.as_written, "--unreadable": self.unreadable, "--cluster": self.cluster}
        return " and ".join(option for option, value in given.items() if value)


_PLAIN = Reading()
CHOSEN = ContextVar("CHOSEN", default=_PLAIN)


@contextmanager
def reading(
    as_written: bool = False, unreadable: Collection[str] = (), cluster: str | None = None
) -> Iterator[None]:
    """Read samples with these options within the block.

    as_written: do not apply `results.canonical`, so that 13, 13.0 and $13 are three answers. unreadable: one
    or several answers that mean "no answer"; they become null and cast no vote. Raises BadInput if one is
    not a text, or not an answer in the tables read. cluster: the column of questions that belong together,
    instead of `cluster`; standard errors are then by cluster (`results.votes.clusters`).
    """
    given = (unreadable,) if isinstance(unreadable, str) else unreadable
    words = tuple(given) if isinstance(given, Iterable) else (given,)
    if not all(isinstance(word, str) for word in words):
        raise BadInput(f"unreadable: found {unreadable!r:.40}, expected texts")
    if not isinstance(as_written, bool):
        raise BadInput(f"as_written: found {as_written!r:.40}, expected True or False")
    if cluster is not None and not (isinstance(cluster, str) and cluster):
        raise BadInput(f"cluster: found {cluster!r:.40}, expected the name of a column")
    token = CHOSEN.set(Reading(as_written, words, cluster))
    try:
        yield
    finally:
        CHOSEN.reset(token)


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a Reading, which apply while the command runs and are not passed to it."""

    @wraps(command)
    def told(
        *args: Any, as_written: bool, unreadable: tuple[str, ...], cluster: str | None, **options: Any
    ) -> Any:
        with reading(as_written, unreadable, cluster):
            return command(*args, **options)

    spelling = click.option(
        "--as-written",
        is_flag=True,
        help="Compare answers exactly as written: 13, 13.0 and $13 are three answers, not one.",
    )
    nothing = click.option(
        "--unreadable",
        multiple=True,
        metavar="WORD",
        help="An answer with this text is unreadable and casts no vote. May be repeated.",
    )
    together = click.option(
        "--cluster",
        metavar="COLUMN",
        help="Column that groups related questions, such as those on one passage; standard errors are "
        "clustered by it.  [default: cluster, if there is one]",
    )
    optioned: Callable[..., Any] = about(INPUT, spelling, nothing)(about(CHANCE, together)(told))
    return optioned
