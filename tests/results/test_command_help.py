"""The help of every command: its example first, and each option once, under its topic."""

from collections.abc import Iterator
from typing import Any

import click
import pytest
from click.testing import CliRunner

import tts
from results.command_help import CHANCE, OTHER, OUTPUT, Command, about, by_subject, together


def commands(group: click.Group, path: str) -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


EVERY = dict(commands(tts.cli, "tts"))


@pytest.mark.parametrize("path", EVERY)
def test_the_example_comes_first_and_every_option_once(path: str) -> None:
    said = CliRunner().invoke(EVERY[path], ["--help"], terminal_width=200).output

    assert isinstance(EVERY[path], Command)
    usage, example = said.split("\n\n")[:2]
    assert usage.startswith("Usage:")
    assert example.strip().startswith("Example")
    assert said.count("Example") == 1
    options = EVERY[path].get_params(click.Context(EVERY[path]))
    listed = [one.opts[0] for one in options if isinstance(one, click.Option)]
    starts = [line.split()[0].rstrip(",") for line in said.splitlines() if line.startswith("  --")]
    assert sorted(starts) == sorted(listed)


def test_options_are_grouped_where_there_are_many() -> None:
    def flags(count: int) -> list[Any]:
        return [click.option(f"--flag-{i}") for i in range(count)]

    @click.command(cls=Command)
    @about(CHANCE, click.option("--seed"), click.option("--level"))
    @together(about(OUTPUT, click.option("--out")), *flags(5))
    @about(CHANCE, click.option("--draws"))
    def many() -> None: ...

    options = [one for one in many.params if isinstance(one, click.Option)]
    assert [(subject, [one.opts[0] for one in its]) for subject, its in by_subject(options).items()] == [
        (OUTPUT, ["--out"]),
        (CHANCE, ["--seed", "--level", "--draws"]),
        (OTHER, [f"--flag-{i}" for i in range(5)]),
    ]
    assert by_subject(options[:3]) == {"Options": options[:3]}
    plain = together(*flags(9))(lambda: None)
    assert list(by_subject(plain.__click_params__)) == ["Options"]


def test_numbers_are_named_and_their_bounds_left_to_the_message() -> None:
    command = Command(
        "measure",
        params=[
            click.Option(
                ["--answers"], type=click.IntRange(1), default=4, show_default=True, help="To each."
            ),
            click.Option(["--share"], type=click.FloatRange(0, 1), help="Of all."),
        ],
    )

    said = CliRunner().invoke(command, ["--help"]).output

    assert "--answers N  To each.  [default: 4]\n" in said
    assert "--share X    Of all.\n" in said
