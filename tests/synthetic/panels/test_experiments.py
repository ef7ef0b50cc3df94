"""The panels have the paper's settings, and every line is what its label says."""

import re
from fractions import Fraction

import pytest

from synthetic.panels.experiments import EXPERIMENTS


@pytest.mark.parametrize(
    ("name", "n", "d", "k", "eta", "sigma_eps"),
    [
        ("fig1-binary", 4, 48, 1, 1 / 4, 0.5),
        ("fig2e", 40, 30, 2, 1 / 40, 0.1),
        ("fig2f", 1, 10, 1, 1, 0),
        ("fig2g", 1, 2, 1, 1, 0.1),
        ("fig2h", 5, 10, 1, 1, 0.1),
    ],
)
def test_binary_panels_have_the_sizes_that_the_paper_lists(name, n, d, k, eta, sigma_eps):
    for line in EXPERIMENTS[name].variants:
        one = line.setting
        assert (one.n, one.d, one.k, one.eta, one.sigma_eps) == (n, d, k, eta, sigma_eps)


@pytest.mark.parametrize(
    ("name", "noise", "methods"),
    [
        ("fig1-continuous", {"constant", "linear"}, ("ensemble", "best_of_n")),
        ("fig2a", {"constant"}, ("ensemble",)),
        ("fig2b", {"linear"}, ("ensemble",)),
        ("fig2c", {"constant"}, ("best_of_n",)),
        ("fig2d", {"linear"}, ("best_of_n",)),
    ],
)
def test_continuous_panels_have_the_papers_sizes_noise_and_methods(name, noise, methods):
    experiment = EXPERIMENTS[name]
    settings = [line.setting for line in experiment.variants]
    assert {(one.n, one.d, one.eta) for one in settings} == {(36, 72, 1e-3)}
    assert {one.noise for one in settings} == noise
    if name != "fig1-continuous":
        grid = {(one.sigma_eps, one.sigma) for one in settings}
        assert grid == {(label, 2) for label in (0.5, 1, 2, 3)} | {(1, path) for path in (1, 2, 4)}
    assert experiment.methods == (*methods, "gradient_descent")
    assert experiment.steps[-1] == 950


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_label_says_what_the_setting_is(name):
    labels = [line.label for line in EXPERIMENTS[name].variants]
    assert len(set(labels)) == len(labels)
    for line in EXPERIMENTS[name].variants:
        for field, value in re.findall(r"(\w+)=(\S+)", line.label):
            if value == "eta/n":
                assert line.setting.step_rule == value
            else:
                assert getattr(line.setting, field) == pytest.approx(float(Fraction(value)))
        for noise in re.findall(r"(\w+) noise", line.label):
            assert line.setting.noise == noise
