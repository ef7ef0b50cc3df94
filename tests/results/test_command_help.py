"""The help of every command: its example first, each option once, under what it is about."""

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

import tts
from results.command_help import SUBJECTS, Command, by_subject


def commands(group: click.Group, path: str) -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


EVERY = dict(commands(tts.cli, "tts"))


@pytest.mark.parametrize("path", EVERY)
def test_the_example_comes_before_the_options(path: str) -> None:
    said = CliRunner().invoke(EVERY[path], ["--help"], terminal_width=200).output

    assert isinstance(EVERY[path], Command)
    usage, example = said.split("\n\n")[:2]
    assert usage.startswith("Usage:")
    assert example.strip().startswith("Example")
    assert said.count("Example") == 1


@pytest.mark.parametrize("path", EVERY)
def test_every_option_is_listed_once(path: str) -> None:
    context = click.Context(EVERY[path])
    options = [one for one in EVERY[path].get_params(context) if isinstance(one, click.Option)]

    said = CliRunner().invoke(EVERY[path], ["--help"], terminal_width=200).output

    starts = [line.split()[0].rstrip(",") for line in said.splitlines() if line.startswith("  --")]
    assert sorted(starts) == sorted(option.opts[0] for option in options)


def test_options_are_grouped_where_there_are_many() -> None:
    few = [click.Option(["--seed"]), click.Option(["--out"])]
    known = [click.Option([flag]) for flags in list(SUBJECTS.values())[1:4] for flag in flags[:2]]
    others = [click.Option([f"--other-{i}"]) for i in range(7)]

    assert list(by_subject(few)) == ["Options"]
    found = by_subject([*few, *others[:5], *known])
    assert list(found) == ["Output", *list(SUBJECTS)[1:4], "Intervals and chance", "Other options"]
    assert found["Other options"] == others[:5]
    assert list(by_subject([*few, *others])) == ["Options"]


def test_every_option_with_a_subject_exists() -> None:
    known = {option.opts[0] for command in EVERY.values() for option in command.params}

    named = [flag for flags in SUBJECTS.values() for flag in flags]
    assert len(named) == len(set(named))
    assert set(named) <= known


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
