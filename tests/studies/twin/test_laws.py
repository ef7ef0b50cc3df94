"""The recipes of studies/twin/laws.md: a noise law or a sampling rule takes a function and one line.

The code blocks of the page are run verbatim, so the page cannot become outdated.
"""

import re

import numpy as np
import pytest

from results import BadInput
from synthetic import run_panel
from synthetic.continuous.descent import sample_paths
from synthetic.continuous.moments import path_moments
from synthetic.continuous.risk import transformer_paths
from synthetic.model import noise, sampling
from synthetic.model.noise import NOISE_LAWS
from synthetic.model.sampling import SAMPLING_RULES
from synthetic.model.settings import BinarySetting, ContinuousSetting
from synthetic.model.tasks import draw_tasks, task_keys
from synthetic.panels.checking import check
from synthetic.panels.experiments import EXPERIMENTS, read_at, with_changes
from tests.conftest import ROOT
from tests.synthetic.binary.test_chain import check_the_chain
from tests.synthetic.model.test_sampling import check_without_a_dial

PAGE = (ROOT / "studies" / "twin" / "laws.md").read_text(encoding="utf-8")
SMALL = {"n": 5, "d": 6, "eta": 0.02, "sigma_eps": 0.5, "sigma": 1.5}
STEPS = (1, 7, 30)


@pytest.fixture(autouse=True)
def laws_of_the_page(monkeypatch):
    """Register what the page's code blocks define, as its one line for each does."""
    found = {**vars(noise), **vars(sampling)}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(block, found)
    monkeypatch.setitem(NOISE_LAWS, "gain", found["GAIN"])
    monkeypatch.setitem(NOISE_LAWS, "forgetting", found["FORGETTING"])
    monkeypatch.setitem(SAMPLING_RULES, "min-p", found["MIN_P"])


@pytest.mark.parametrize("law", ["gain", "forgetting"])
def test_the_literal_transformer_walks_the_same_paths(law):
    setting = ContinuousSetting(**SMALL, noise=law)
    tasks = draw_tasks(setting, task_keys(2, 1), seed=2)
    fast, slow = sample_paths([(tasks, setting)], 5, STEPS)[0], transformer_paths(tasks, setting, 5, STEPS)
    np.testing.assert_allclose(fast.errors, slow.errors, rtol=1e-8)


def test_a_stated_rule_gives_the_moments_of_the_sampled_paths():
    """4,000 paths of 6 tasks: each mean error is within 4.5 of its standard errors."""
    setting = ContinuousSetting(**SMALL, noise="forgetting")
    tasks = draw_tasks(setting, task_keys(2, 3), seed=3)
    drawn, exact = sample_paths([(tasks, setting)], 4000, STEPS)[0], path_moments(tasks, setting, STEPS)
    stderr = drawn.errors.std(axis=2, ddof=1) / np.sqrt(4000)
    apart = drawn.errors.mean(axis=2) - (exact.bias + exact.variance)
    assert (abs(apart) < 4.5 * stderr).all()


def test_a_law_without_a_rule_is_sampled_and_says_so():
    given = {"tasks": 2, "repeats": 1, "paths": 8, "n": 5, "d": 6, "steps": [3, 9]}
    with pytest.warns(UserWarning, match="gain"):
        curves = run_panel("fig2a", noise="gain", **given)
    ensemble = curves[curves["method"] == "ensemble"]
    assert ensemble["N"].max() == 8
    assert ensemble["risk"].notna().all()
    setting = ContinuousSetting(**SMALL, noise="gain")
    with pytest.raises(BadInput, match="noise=gain"):
        path_moments(draw_tasks(setting, task_keys(1, 1), 0), setting, (3,))


def test_a_law_without_a_rule_is_checked_beside_sampled_paths():
    """The gain of the page, small enough to stay near the mean, agrees within 4.5 standard errors."""
    experiment = with_changes(EXPERIMENTS["fig2a"], ["noise=gain", "n=5", "d=6", "sigma=1"])
    with pytest.warns(UserWarning, match="gain"):
        table = check(read_at(experiment, (1, 8)), tasks=4, paths=32, seed=1)
    assert len(table) == 2 * len(experiment.variants)
    assert (table["stderr"] > 0).all()
    assert (abs(table["difference"]) < 4.5 * table["stderr"]).all()


@pytest.mark.parametrize("k", [1, 2])
def test_the_chain_of_a_rule_is_that_of_its_sampled_paths(k):
    check_the_chain(BinarySetting(n=3, d=5, k=k, eta=0.4, sigma_eps=0.3, sampler="min-p", dial=0.3))


def test_without_a_dial_the_rule_is_the_papers():
    check_without_a_dial("min-p")
