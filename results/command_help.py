"""How the help of a command reads: its example first, then what it does, then its options by subject.

Usage: tts forecast [OPTIONS] INPUT...

  Example: tts forecast results/cached/tiny.csv --out forecast.csv

  Forecast the accuracy of more answers and of other settings.

Output:
  --out PATH  Forecast table to write.  [required]

What is seen:
  --fit-max-n N  Fit N up to this; of samples, so many answers a question.
"""

from typing import Any

import click

SUBJECTS = {
    "Output": ["--out", "--plot", "--width", "--bare", "--curves"],
    "Input": [
        "--then",
        *("--map", "--drop", "--gold", "--correct-if", "--unreadable", "--setting", "--as-written"),
        *("--grade", "--grader", "--match", "--filter", "--scorer", "--tokenizer", "--price"),
        *("--dataset", "--model"),
    ],
    "What is seen": ["--fit-max-n", "--fit-max-tokens", "--fit-settings", "--fit-cap", "--splits"],
    "What is asked": [
        *("--at", "--at-n", "--at-settings", "--at-caps", "--steps", "--n", "--caps", "--questions"),
        *("--answers", "--compare", "--method", "--predictor", "--score", "--score-cost", "--weights"),
        *("--target-accuracy", "--token-budget", "--max-n", "--gate", "--margin", "--every-question"),
        *("--sequential", "--planned", "--looks", "--rule"),
    ],
    "What is drawn": [
        *("--set", "--solver", "--repeats", "--tasks", "--paths", "--limit", "--n-max", "--orders"),
    ],
    "How it runs": [
        *("--url", "--dry-run", "--rate", "--price-per-hour", "--resume", "--quarantine", "--jobs"),
    ],
    "Intervals and chance": ["--level", "--target", "--bootstrap", "--permutations", "--cluster", "--seed"],
}
"""What options are about, and in which order a person asks. Other options come last."""

FEW = 6
"""So many options are read at a glance, and are not grouped."""

WHOLE = type(click.INT)
NUMBERS = (WHOLE, type(click.FLOAT))


class Command(click.Command):
    """A command whose help begins with its example, the `epilog`, and has its options in groups."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        for option in self.params:
            if option.metavar is None and isinstance(option.type, NUMBERS):
                option.metavar = "N" if isinstance(option.type, WHOLE) else "X"

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Usage, example, what it does, options."""
        self.format_usage(ctx, formatter)
        self.format_epilog(ctx, formatter)
        self.format_help_text(ctx, formatter)
        self.format_options(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """A section for each subject that has options here."""
        options = [one for one in self.get_params(ctx) if isinstance(one, click.Option) and not one.hidden]
        for subject, members in by_subject(options).items():
            with formatter.section(subject):
                formatter.write_dl([_described(option, ctx) for option in members])


def by_subject(options: list[click.Option]) -> dict[str, list[click.Option]]:
    """The options under their subjects, in the order of SUBJECTS."""
    if len(options) <= FEW:
        return {"Options": options}
    by_flag = {option.opts[0]: option for option in options}
    grouped = {}
    for subject, flags in SUBJECTS.items():
        grouped[subject] = [by_flag.pop(flag) for flag in flags if flag in by_flag]
    grouped["Other options"] = list(by_flag.values())
    if 2 * len(by_flag) > len(options):  # most are about something else: groups would only scatter them
        return {"Options": options}
    return {subject: members for subject, members in grouped.items() if members}


def _described(option: click.Option, ctx: click.Context) -> tuple[str, str]:
    """The option's names, and its help without the bounds of a number: a number outside them is told."""
    names, text = option.get_help_record(ctx) or ("", "")
    bounds = option.get_help_extra(ctx).get("range")
    if bounds:
        text = text.replace(f"; {bounds}]", "]").replace(f"[{bounds}]", "").rstrip()
    return names, text
