"""The study's page: its rules and weights match the code, and its tables match the files."""

import pandas as pd
import pytest

from studies.stopping.rules import COUNTS, LITERATURE
from tests.conftest import ROOT

PAGE = (ROOT / "studies" / "stopping" / "README.md").read_text(encoding="utf-8")


def section(name: str) -> str:
    return PAGE.partition(f"<!-- begin {name} -->")[2].partition(f"<!-- end {name} -->")[0]


def test_every_rule_is_listed_with_its_usual_threshold_and_source():
    listed = section("rules")
    for name, rule in LITERATURE.items():
        assert f"`{name}:{rule.usual:g}`" in listed
        assert rule.source in listed


def test_the_weights_of_counts_are_those_that_were_fitted():
    fitted = pd.read_csv(ROOT / "studies/stopping/counts.csv").set_index("left_out")
    assert fitted.loc["nothing", ["w1", "w2", "w3", "w4"]].tolist() == pytest.approx(COUNTS)


def test_costs_at_equal_agreement_are_those_of_the_file():
    costs = pd.read_csv(ROOT / "studies/stopping/rules.csv")
    means = costs.groupby("rule")["vs_lead"].mean()
    for rule, mean in means.items():
        assert f"| {rule} | {mean:.2f} |" in section("equal")
