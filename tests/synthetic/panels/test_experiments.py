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


@pytest.mark.parametrize("name", ["fig1-continuous", "fig2a", "fig2b", "fig2c", "fig2d"])
def test_continuous_panels_share_their_sizes_and_end_at_950_steps(name):
    experiment = EXPERIMENTS[name]
    assert {(line.setting.n, line.setting.d, line.setting.eta) for line in experiment.variants} == {
        (36, 72, 1e-3)
    }
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
