"""results.arguments: the library refuses what a command refuses, and no option is silently ignored."""

from collections.abc import Callable
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner

import predict
from results import BadInput, all_of_n, best_of_n, build_curves, compare, majority_curve, reading, vote_curve
from results import arguments as declared
from results.library import as_frame
from results.read_options import CHOSEN
from results.stopping import RULES, named

ANSWERS, GOLD = [["1", "1", "2"], ["5", None, "6"], ["7", "8", "7"]] * 10, ["1", "5", "7"] * 10
TABLE = as_frame(ANSWERS, GOLD).assign(tokens=10)


def compared(**asked: Any) -> object:
    return compare(ANSWERS, ANSWERS, GOLD, **asked)


def curves(**asked: Any) -> object:
    return build_curves(TABLE, **{"permutations": 0, **asked})


def forecast(**asked: Any) -> object:
    return predict.forecast(TABLE, **{"at_n": [2], "replicates": 2, **asked})


def plan(**asked: Any) -> object:
    return predict.plan(TABLE, **{"replicates": 2, **asked})


def read_as(**asked: Any) -> None:
    with reading(**asked):
        pass


BAD: dict[Callable[..., object], dict[str, tuple[Any, ...]]] = {
    vote_curve: {"ns": (2, [float("nan")], [0], [1.5], ["2"], [10**22], [])},
    compared: {
        "at": (0, -1, 1.5, "x", float("nan"), True),
        "level": (0, 1, 0.1, 95, float("nan"), "0.95"),
        "methods": ([], ["greedy"], 5, [None]),
        "score": (1, ["x"]),
    },
    curves: {
        "ns": ([0], [-4], [2, 1.5], []),
        "permutations": (-1, 1.5, None),
        "seed": (-1, "x", 10**22),
        "methods": ([], "vote", ["majority", "greedy"]),
        "score": ("rm", 5),  # no method uses it
    },
    read_as: {"as_written": ("no", 1), "unreadable": (None, 5, [1]), "cluster": (5, "")},
    forecast: {
        "at_n": (8, [0], [8.5], [-4], [float("nan")], ["8"], [10**9]),
        "fit_max_n": (0, -1, 2.5),
        "level": (0, 90, 1e-9),
        "replicates": (-1, 1.5, 10**6),
        "seed": (-1, "a"),
        "method": ("best of n", "", "greedy", "best_by_score"),
        "predictor": ("mix", None, ""),
        "target": ("pop",),
        "at_settings": ([800], 800),
        "fit_cap": (0, -5, 150.5),
        "at_caps": (300, [0]),
    },
    plan: {
        "target_accuracy": (2, -1, 90, float("nan")),
        "token_budget": (0, -10, float("nan")),
        "max_n": (0, -4, 6.5, 10**6),
        "replicates": (0,),
        "at_settings": ([5],),
    },
}


@pytest.mark.parametrize(
    ("call", "name", "value"),
    [(call, name, value) for call, bad in BAD.items() for name, values in bad.items() for value in values],
)
def test_what_makes_no_sense_is_refused_by_name(call: Callable[..., object], name: str, value: Any) -> None:
    given = (ANSWERS, GOLD) if call is vote_curve else ()

    with pytest.raises(BadInput, match=f"^{name.removesuffix('s')}") as refused:
        call(*given, **{name: value})

    assert "\n" not in refused.value.message


@pytest.mark.parametrize("name", ["AT", "AT_N", "LEVELS", "MARGIN", "TOKEN_BUDGET", "TARGET", "METHOD"])
@pytest.mark.parametrize("text", ["0", "-1", "0.5", "nan", "x", "", "1" * 22, "population", "majority"])
def test_an_option_refuses_what_the_library_refuses(name: str, text: str) -> None:
    argument = getattr(declared, name)
    command = click.Command("c", params=[], callback=lambda value: click.echo(repr(value)))
    command = argument.option("--value")(command)

    ended = CliRunner().invoke(command, ["--value", text])

    given = declared.number_of(text) if isinstance(argument, declared.Number) else text
    if ended.exit_code == 0:
        assert ended.output.strip() == repr(argument.of(given))
        return
    with pytest.raises(BadInput) as refused:
        argument.of(given)
    assert ended.exit_code == 2
    assert refused.value.message.removeprefix(f"{argument.name}: ") in ended.output


@pytest.mark.parametrize("rule", RULES)
def test_a_stop_rule_says_which_thresholds_it_has(rule: str) -> None:
    for threshold in (RULES[rule].usual, *RULES[rule].thresholds):
        assert named(f"{rule}:{threshold!r}")[1] == threshold
    with pytest.raises(BadInput, match=f"{rule}:.*expected"):
        named(f"{rule}:1e300")
    for text in ("", "x", "nan", "inf"):
        with pytest.raises(BadInput, match="expected"):
            named(f"{rule}:{text}")


@pytest.mark.parametrize(
    "text", ["sprt:0", "fixed:2.5", "asc-beta:2", "asc-beta:0", "lead:-1", "lead:0.5", "certain:5"]
)
def test_a_threshold_out_of_range_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match=text):
        named(text)


@pytest.mark.parametrize("call", [best_of_n, all_of_n])
def test_counts_that_are_not_whole_are_refused(call: Callable[..., object]) -> None:
    for counts in ((4.5, 2, 2), (4, 2, 2.5), (float("nan"), 1, 2), (4, float("nan"), 2)):
        with pytest.raises(ValueError, match="whole"):
            call(*counts)
    small = [np.array([count], np.uint8) for count in (4, 1, 3)]
    assert call(*small) == call(4, 1, 3)


@pytest.mark.parametrize("wrong", [[1.5], None, 3, [-1], ["x"], [None]])
def test_counts_of_wrong_answers_that_make_no_sense_are_refused(wrong: object) -> None:
    with pytest.raises(BadInput, match="wrong"):
        majority_curve(2, wrong)  # type: ignore[arg-type]


def test_words_that_come_one_by_one_are_all_taken() -> None:
    with reading(unreadable=(word for word in ("NA", "-"))):
        assert CHOSEN.get().unreadable == ("NA", "-")
