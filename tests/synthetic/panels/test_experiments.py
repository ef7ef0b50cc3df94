"""The panels have the paper's settings, and labels match their lines, even after changes."""

import re
from dataclasses import replace
from fractions import Fraction

import pytest

from results import BadInput
from synthetic.model.settings import ContinuousSetting
from synthetic.panels.experiments import EXPERIMENTS, find_experiments, with_changes


@pytest.mark.parametrize(
    ("name", "n", "d", "k", "steps", "sigma_eps", "longest", "tasks"),
    [
        ("fig1-binary", 4, 48, 1, [1 / 4, 1 / 16], 0.5, 50, 20),
        ("fig2e", 40, 30, 2, [1 / 40], 0.1, 16, 10),
        ("fig2f", 1, 10, 1, [1], 0, 200, 40),
        ("fig2g", 1, 2, 1, [1], 0.1, 50, 40),
        ("fig2h", 5, 10, 1, [1, 1 / 5], 0.1, 50, 40),
    ],
)
def test_binary_panels_have_the_sizes_that_the_paper_lists(name, n, d, k, steps, sigma_eps, longest, tasks):
    experiment = find_experiments(name)[name]
    settings = [line.setting for line in experiment.variants]
    assert {(one.n, one.d, one.k, one.sigma_eps) for one in settings} == {(n, d, k, sigma_eps)}
    assert [one.step for one in settings] == steps
    assert (experiment.steps[-1], experiment.tasks) == (longest, tasks)
    assert list(experiment.steps) == sorted(set(experiment.steps))
    assert experiment.votes == tuple(2**i for i in range(9))
    assert experiment.methods == ("majority", "best_of_n", "greedy")


@pytest.mark.parametrize(
    ("name", "noise", "methods", "tasks"),
    [
        ("fig1-continuous", {"constant", "linear"}, ("ensemble", "best_of_n"), 2),
        ("fig2a", {"constant"}, ("ensemble",), 20),
        ("fig2b", {"linear"}, ("ensemble",), 20),
        ("fig2c", {"constant"}, ("best_of_n",), 4),
        ("fig2d", {"linear"}, ("best_of_n",), 2),
    ],
)
def test_continuous_panels_have_the_papers_sizes_noise_and_methods(name, noise, methods, tasks):
    experiment = find_experiments("all")[name]
    settings = [line.setting for line in experiment.variants]
    assert {(one.n, one.d, one.eta) for one in settings} == {(36, 72, 1e-3)}
    assert {one.noise for one in settings} == noise
    grid = {(label, 2) for label in (0.5, 1, 2, 3)} | {(1, path) for path in (1, 4)}
    assert {(one.sigma_eps, one.sigma) for one in settings} == ({(1, 2)} if len(noise) == 2 else grid)
    assert experiment.methods == (*methods, "gradient_descent")
    assert (experiment.steps, experiment.tasks) == ((50, 100, 200, 400, 950), tasks)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_label_says_what_the_setting_is(name):
    labels = [line.label for line in EXPERIMENTS[name].variants]
    assert len(set(labels)) == len(labels)
    for line in EXPERIMENTS[name].variants:
        for field, value in re.findall(r"(\w+)=(\S+)", line.label):
            if value != "eta/n":
                assert getattr(line.setting, field) == pytest.approx(float(Fraction(value)))
        if isinstance(line.setting, ContinuousSetting):
            assert line.setting.step_rule == ("eta/n" if "step=eta/n" in line.label else "eta")
        for noise in re.findall(r"(\w+) noise", line.label):
            assert line.setting.noise == noise


def test_changes_reach_every_line_and_its_label():
    changed = with_changes(EXPERIMENTS["fig2b"], ["step_rule=eta/n", "decay=1", "n=40"])
    assert len(changed.variants) == len(EXPERIMENTS["fig2b"].variants) - 1  # one already had that step
    assert changed.variants[1].label == "sigma_eps=1 sigma=2 step_rule=eta/n decay=1 n=40"  # the first of two
    for line in changed.variants:
        assert (line.setting.step_rule, line.setting.decay, line.setting.n) == ("eta/n", 1.0, 40)
        assert line.label.endswith("step_rule=eta/n decay=1 n=40")
    for none in ("decay=none", "decay=None"):
        assert with_changes(changed, [none]).variants[0].setting.decay is None


def test_several_values_make_every_line_once_for_each():
    lines = with_changes(EXPERIMENTS["fig2h"], ["d=5, 10,5", "eta=0.5"]).variants
    assert [(line.setting.d, line.setting.step_rule) for line in lines] == [
        (5, "eta"),
        (10, "eta"),
        (5, "eta/n"),
        (10, "eta/n"),
    ]
    assert [line.model for line in lines[:2]] == [f"linear-attention step=1/2 d={d} eta=0.5" for d in (5, 10)]


@pytest.mark.parametrize(
    ("panel", "changes", "labels"),
    [
        ("fig2h", ["eta=.3"], ["step=3/10 eta=0.3", "step=3/50 eta=0.3"]),
        ("fig2h", ["eta=.005"], ["step=1/200 eta=0.005", "step=1/1000 eta=0.005"]),
        ("fig2h", ["n=10"], ["step=1 n=10", "step=1/10 n=10"]),
        ("fig2h", ["step_rule=eta/n"], ["step=1/5 step_rule=eta/n"]),
        ("fig1-binary", ["eta=1"], ["eta=1", "step=1/4 eta=1"]),
        ("fig1-continuous", ["noise=linear"], ["linear noise", "linear noise, step=eta/n"]),
        ("fig2b", ["n=40", "noise=constant", "sigma=2"], None),
        ("fig2h", ["dial=0.5,2", "sampler=temperature", "step_rule=eta"], None),
    ],
)
def test_a_label_says_what_its_line_is(panel, changes, labels):
    found = with_changes(EXPERIMENTS[panel], changes).variants
    assert len({line.setting for line in found}) == len(found) == len({line.label for line in found})
    if labels:
        assert [line.label for line in found] == labels


@pytest.mark.parametrize("steps", [(4, 4, 8), (0, 4), (8, 4), ()])
def test_an_experiment_is_read_at_rising_t(steps):
    with pytest.raises(BadInput, match="steps"):
        replace(EXPERIMENTS["fig2h"], steps=steps)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("dd=5", "FIELD one of n, d"),
        ("dial=0.5,1", "it has no dial"),
        ("d", "expected FIELD=VALUE"),
        ("d=five", "d=five: expected a whole number"),
        ("eta=fast", "eta=fast: expected a number"),
        ("k=10", "k=10"),
    ],
)
def test_senseless_changes_are_refused(change, message):
    with pytest.raises(BadInput, match=message):
        with_changes(EXPERIMENTS["fig2f"], [change])
