"""The layout of a command's help: its example first, then what it does, then its options by subject.

Usage: tts forecast [OPTIONS] INPUT...

  Example: tts forecast results/cached/tiny.csv --out forecast.csv

  Forecast the accuracy of more answers and of other settings.

Output:
  --out PATH  Forecast table to write.  [required]

Data to fit:
  --fit-max-n N  Fit only N up to this; with samples, that many answers per question.
"""

from collections.abc import Callable
from functools import reduce
from typing import Any

import click

Decorator = Callable[[Any], Any]
"""A decorator that adds options to a function."""

OUTPUT = "Output"
INPUT = "Input"
SEEN = "Data to fit"
ASKED = "What to compute"
DRAWN = "Sampling"
HOW = "How it runs"
VERDICT = "Verdict"
CHANCE = "Intervals and randomness"
OTHER = "Other options"
SUBJECTS = (OUTPUT, INPUT, SEEN, ASKED, DRAWN, HOW, VERDICT, CHANCE, OTHER)
"""The subjects of options, in the order in which people ask."""

FEW = 6
"""Up to this many options are read at a glance and not grouped."""

WHOLE = type(click.INT)
NUMBERS = (WHOLE, type(click.FLOAT))


class Command(click.Command):
    """A command whose help begins with its example, the `epilog`, and groups its options."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        for option in self.params:
            if option.metavar is None and isinstance(option.type, NUMBERS):
                option.metavar = "N" if isinstance(option.type, WHOLE) else "X"

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write usage, example, description and options."""
        self.format_usage(ctx, formatter)
        self.format_epilog(ctx, formatter)
        self.format_help_text(ctx, formatter)
        self.format_options(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a section for each subject that has options."""
        options = [one for one in self.get_params(ctx) if isinstance(one, click.Option) and not one.hidden]
        for subject, members in by_subject(options).items():
            with formatter.section(subject):
                formatter.write_dl([_described(option, ctx) for option in members])


def by_subject(options: list[click.Option]) -> dict[str, list[click.Option]]:
    """The options by subject; all together if they are few, or none has a subject."""
    subjects = [getattr(option, "subject", OTHER) for option in options]
    if len(options) <= FEW or {*subjects} == {OTHER}:
        return {"Options": options}
    return {
        subject: [option for option, its in zip(options, subjects, strict=True) if its == subject]
        for subject in SUBJECTS
        if subject in subjects
    }


def together(*options: Decorator) -> Decorator:
    """One decorator for several options, in this order."""
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


def about(subject: str, *options: Decorator) -> Decorator:
    """One decorator for options of one subject, under which the help lists them."""

    def declared(command: Any) -> Any:
        before = len(_parameters(command))
        command = together(*options)(command)
        for parameter in _parameters(command)[before:]:
            parameter.subject = subject  # type: ignore[attr-defined]
        return command

    return declared


def _parameters(command: Any) -> list[click.Parameter]:
    """The parameters that a function has so far; click stores them on it."""
    return getattr(command, "__click_params__", [])


def _described(option: click.Option, ctx: click.Context) -> tuple[str, str]:
    """The option's names, and its help without a number's bounds, which errors give."""
    names, text = option.get_help_record(ctx) or ("", "")
    bounds = option.get_help_extra(ctx).get("range")
    if bounds:
        text = text.replace(f"; {bounds}]", "]").replace(f"[{bounds}]", "").rstrip()
    return names, text
