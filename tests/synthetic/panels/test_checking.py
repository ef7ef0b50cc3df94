"""`check`: the literal transformer agrees with the exact solution, and the difference is reported."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.special import stdtrit

from results import BadInput
from synthetic.cli import cli
from synthetic.model.noise import NOISE_LAWS, NoiseLaw, constant_noise
from synthetic.panels import checking
from synthetic.panels.checking import check
from synthetic.panels.experiments import EXPERIMENTS, with_changes


def small(name):
    """The experiment with few t, and 12 dimensions instead of 72 if continuous: the literal loop is slow."""
    sizes = {"n": 6, "d": 12} if name == "fig2b" else {}
    lines = [replace(line, setting=replace(line.setting, **sizes)) for line in EXPERIMENTS[name].variants]
    return replace(EXPERIMENTS[name], variants=tuple(lines), steps=(1, 3, 8, 9))


@pytest.mark.parametrize("name", ["fig2h", "fig2e", "fig2b"])
def test_the_literal_transformer_is_the_exact_solution(name, monkeypatch):
    monkeypatch.setattr(checking, "LONGEST", 8)
    table = check(small(name), tasks=2, paths=32, seed=1, votes=(1, 4, 16))
    lines = [line.label for line in EXPERIMENTS[name].variants]
    assert list(table["t"]) == [t for t in (1, 3, 8) for _ in range(3)] * len(lines)  # not the longest
    assert list(table["N"]) == [1, 4, 16] * 3 * len(lines)
    assert set(table["line"]) == set(lines)
    np.testing.assert_allclose(table["difference"], table["transformer"] - table["exact"], atol=1e-12)
    assert (abs(table["difference"]) < 4.5 * table["stderr"]).all()
    one, most = (table.loc[table["N"] == n, "exact"].to_numpy() for n in (1, 16))
    assert (most != one).all()
    again = check(small(name), tasks=2, paths=32, seed=1)
    np.testing.assert_array_equal(again["transformer"], table.loc[table["N"] == 1, "transformer"])


def test_more_votes_than_paths_are_refused(monkeypatch):
    with pytest.raises(BadInput, match="N=32"):
        check(small("fig2h"), tasks=1, paths=16, seed=1, votes=(32,))
    monkeypatch.setitem(NOISE_LAWS, "bare", NoiseLaw("bare", constant_noise))  # no moments: 256 paths sampled
    with pytest.raises(BadInput, match="N=257"):
        check(with_changes(small("fig2b"), ["noise=bare"]), tasks=1, paths=300, seed=1, votes=(257,))


def test_the_standard_error_is_that_of_the_sampled_paths():
    table = check(small("fig2h"), tasks=12, paths=16, seed=1)  # sorted by name, 0-10 precedes 0-2
    most = (table["exact"] * (1 - table["exact"]) / (5 * 12 * 16)) ** 0.5  # tasks differ: less than binomial
    assert (table["stderr"] / most).between(0.5, 1.2).all()


def test_the_command_says_how_far_apart_they_are(monkeypatch):
    """The largest difference of either sign is shown; a column is called `exact` only if all lines are."""
    table = pd.DataFrame({"exact": 0.5, "difference": [0.02, -0.03], "stderr": [0.02, 0.01]})
    asked = []
    monkeypatch.setattr(checking, "check", lambda *_, votes: asked.append(votes) or table)
    first = EXPERIMENTS["fig2h"].variants[0].setting
    monkeypatch.setattr("synthetic.continuous.risk.needs_sampling", lambda setting, _: setting == first)
    result = CliRunner().invoke(cli, ["check", "fig2h", "--n", "4,1,4"], standalone_mode=False)
    assert asked == [(1, 4)]
    assert "fig2h: they agree" in result.output
    assert "-0.030" in result.output
    assert "sampled, 256 paths" in result.output


@pytest.mark.parametrize(("chance", "told"), [(0.011, "they agree"), (0.009, "they differ")])
@pytest.mark.parametrize("rows", [1, 7])
def test_two_that_are_the_same_differ_once_in_a_hundred_checks(chance, told, rows):
    """The worst row, of either sign, is tested at a level of 1 % for all rows together."""
    worst = stdtrit(5 * 4 - 1, chance / rows / 2)
    table = pd.DataFrame({"difference": [worst, *[0.1] * (rows - 1)], "stderr": 1.0})
    assert checking.verdict(table, 4).startswith(told)
    sure = pd.DataFrame({"difference": [0.0, 1e-16], "stderr": 0.0})
    assert checking.verdict(sure, 4).startswith("they agree: of 2 rows the worst is 0.0 ")


def test_another_step_is_seen(monkeypatch):
    exact = checking.law_of_paths
    monkeypatch.setattr(
        checking, "law_of_paths", lambda tasks, s, steps: exact(tasks, replace(s, eta=0.2), steps)
    )
    table = check(small("fig2h"), tasks=8, paths=16, seed=1)
    assert checking.verdict(table, 8).startswith("they differ")
    assert (abs(table["difference"]) > 4.5 * table["stderr"]).any()
