"""How values and money are written, and their axes, ticks and tooltips."""

import pytest

from results.figures.axes import log_axis, n_axis, tooltips
from results.tables.key import Key
from results.words import names as words
from results.words.buying import dollars

NBSP = "\N{NO-BREAK SPACE}"


def test_values_are_told_in_per_cent_points_and_lists():
    values = words.show(0.6456), words.show(-0.5), words.show(31.4159, "risk")
    assert values == (f"64.6{NBSP}%", f"−50.0{NBSP}%", "31.4")
    told = words.points(0.036), words.points(-0.006), words.setting_name("synthetic", "1")
    assert told == ("+3.6", "−0.6", "1 step")
    ties = [0.4375 - 1e-16, 0.4375, 0.3125, -0.3125]  # rounded as d3 rounds shares in figures
    assert [words.percent(tie) for tie in ties] == ["43.8", "43.8", "31.3", "−31.3"]
    assert [words.listed(list("abc")[:n]) for n in (1, 2, 3)] == ["a", "a and b", "a, b and c"]
    runs = [Key("llm", "sums", *run) for run in ("a1", "a2", "b1")]
    assert words.run_names(runs) == ["a, 1", "a, 2", "b, 1"]
    assert [words.some_of(8, 15, "N"), words.some_of(8, 8, "N")] == [["8 of 15 N"], []]


def test_axes_and_tooltips_that_shipped_data_do_not_ask_for():
    cost, n = log_axis("cost", [30.0, 7.0, 90.0], "").to_dict(), n_axis([3, 6]).to_dict()
    assert (cost["axis"]["values"], n["axis"]["values"]) == ([10, 20, 50, 100], [3, 6])
    ends = [*cost["scale"]["domain"], *n["scale"]["domain"]]
    assert ends == pytest.approx([7 / 1.12, 90 * 1.12, 3 / 1.15, 6 * 1.15])
    assert log_axis("cost", [80.0, 159.0], "").to_dict()["axis"]["values"] == [80, 100, 150]
    assert log_axis("cost", [10.5, 13.0], "").to_dict()["axis"]["tickCount"] == 6  # 10 alone is in range
    tips = [tip.to_dict() for tip in tooltips(["usd", "high"], metric="risk")]
    told = [(tip["title"], tip["format"]) for tip in tips]
    assert told == [("US$ per 1,000 questions", "$,.2f"), ("interval to", ".3f")]


def test_money_is_written_as_money():
    """0.1 dollars used to be "100m", with the SI prefix milli."""
    for values, number in (([0.1, 3.0], "$,.2f"), ([20.0, 900.0], "$,.0f")):
        assert log_axis("usd", values, "").to_dict()["axis"]["format"] == number
    told = [dollars(amount) for amount in (0.1, 1234.5, 0.00321, 0)]
    assert told == ["$0.10", "$1,234.50", "$0.0032", "$0.00"]
