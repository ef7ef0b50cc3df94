"""Settings changed from the command line."""

from dataclasses import replace

import pytest

from results import BadInput
from synthetic import run_panel
from synthetic.panels.experiments import EXPERIMENTS
from synthetic.panels.overrides import with_changes


def test_changes_reach_every_line_and_its_label():
    changed = with_changes(EXPERIMENTS["fig2b"], ["step_rule=eta/n", "decay=1", "n=40"])
    assert len(changed.variants) == len(EXPERIMENTS["fig2b"].variants) - 1  # one had that step before
    for line in changed.variants:
        assert (line.setting.step_rule, line.setting.decay, line.setting.n) == ("eta/n", 1.0, 40)
        assert line.label.endswith("step_rule=eta/n decay=1 n=40")
    assert with_changes(changed, ["decay=none"]).variants[0].setting.decay is None


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
        ("fig2h", ["n=10"], ["step=1 n=10", "step=1/10 n=10"]),
        ("fig2h", ["step_rule=eta/n"], ["step=1/5 step_rule=eta/n"]),
        ("fig1-binary", ["eta=1"], ["eta=1", "step=1/4 eta=1"]),
        ("fig1-continuous", ["noise=linear"], ["linear noise", "linear noise, step=eta/n"]),
        ("judges", ["n=4", "d=10"], ["n=4 d=10 eta=0.25", "n=4 d=10 eta=0.2", "n=4 d=10 k=3"]),
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


def test_rewards_are_asked_for_by_name_and_the_oracle_is_best_of_n():
    assert with_changes(EXPERIMENTS["fig2a"], ["reward=oracle"]).methods == (
        "ensemble",
        "gradient_descent",
        "best_of_n",
    )
    assert with_changes(EXPERIMENTS["judges"], ["reward=verdict"]).methods == (
        "majority",
        "best_of_n",
        "verdict",
    )


def test_a_panel_has_best_of_n_by_the_reward_that_is_asked_for():
    """Of one answer there is nothing to choose, and of four the prompt's check finds a better one."""
    curves = run_panel("fig2h", tasks=2, repeats=1, ns=[1, 4], steps=[4], reward="context", step_rule="eta")
    judged = curves[curves["method"] == "best_by_score"]
    assert judged["model"].str.endswith("context reward").all()
    one, four = (judged.loc[judged["N"] == n, "accuracy"].mean() for n in (1, 4))
    assert four > one


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("reward=bogus", "'bogus': expected one of oracle, context"),
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


def test_a_reward_of_the_other_case_is_refused():
    with pytest.raises(BadInput, match=r"'biased': expected one of oracle$"):
        with_changes(EXPERIMENTS["fig2a"], ["reward=biased"])
