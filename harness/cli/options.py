"""Options shared by commands: `--reader hashes,boxed --match last`, `--set limit=5`."""

import re
from collections.abc import Callable, Sequence
from typing import Any, get_args

import click

from harness.grader import AUTO, DEFAULT_READERS, GRADERS, NAMED, Match
from harness.grading.places import is_reader
from results.cli.options import out_option
from results.command_help import DRAWN, HOW, about, together


class KeyValue(click.ParamType):  # type: ignore[type-arg]  # older click takes no argument here
    """KEY=TEXT, split at the first `=`; with `signs`, KEY>=NUMBER and the like, as (key, ">=NUMBER")."""

    name = "pair"

    def __init__(self, signs: bool = False) -> None:
        name, sign = (r"[^=<>]", ">=|<=|>|<|=") if signs else ("[^=]", "=")
        self._form = re.compile(rf"\s*({name}*{name[:-1]}\s])\s*({sign})(.*)", re.DOTALL)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """The key, and its text or comparison."""
        match = self._form.fullmatch(value)
        if not match:
            self.fail(f"{value!r} is not of the form {getattr(param, 'metavar', None)}.", param, ctx)
        sign = match[2].removeprefix("=")
        return match[1], f"{sign}{match[3].strip() if sign else match[3]}"


def readers(_context: click.Context, _option: click.Parameter, text: str | None) -> tuple[str, ...] | None:
    """The readers in a list such as `hashes,boxed`; None stays None."""
    if text is None:
        return None
    names = tuple(name.strip() for name in text.split(","))
    if names == (AUTO,):
        return names
    for name in names:
        if not is_reader(name):
            raise click.BadParameter(f"{name!r} is not a reader; the readers are {NAMED}.")
    return names


reader_option = click.option(
    "--reader",
    "readers",
    default=",".join(DEFAULT_READERS),
    show_default=True,
    metavar="LIST",
    callback=readers,
    help=f"Readers to try, in this order: {NAMED}; auto picks those that find answers.",
)

match_option = click.option(
    "--match",
    default="first",
    show_default=True,
    type=click.Choice(get_args(Match)),
    help="Which answer counts if a text has several.",
)

grader_option = click.option(
    "--grader",
    type=click.Choice(GRADERS),
    help="Kind of answer: integer, choice (the label of one) or math (an expression).",
)


def run_options(out: str, url: str) -> Callable[[Any], Any]:
    """Options that `sample` and `force` share; `out`, `url`: help texts for the folder and the server."""
    words = "Ask only the first K questions; same as --set limit=K."
    return together(
        out_option(out, folder=True),
        about(DRAWN, click.option("--limit", metavar="K", help=words)),
        about(
            HOW,
            click.option("--url", help=url),
            click.option(
                "--restart",
                is_flag=True,
                help="Rename the run's existing files in --out and start over.",
            ),
        ),
    )


def set_option(help_text: str) -> Callable[[Any], Any]:
    """The option `--set KEY=VALUE`, which may be repeated."""
    return click.option(
        "--set", "overrides", type=KeyValue(), multiple=True, metavar="KEY=VALUE", help=help_text
    )


def keys_given(overrides: Sequence[tuple[str, str]], **own: str | None) -> dict[str, str]:
    """The keys of an experiment that `--set` or options of their `own` replace; the latter win."""
    return {**dict(overrides), **{key: text for key, text in own.items() if text is not None}}
