"""The panels have the paper's settings, and every line is what its label says."""

import re
from fractions import Fraction

import pytest

from synthetic.model.settings import ContinuousSetting
from synthetic.panels.experiments import EXPERIMENTS, find_experiments


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
