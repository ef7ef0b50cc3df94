"""What the figures show: settings in order, trends, frontiers, forecasts, and files with readable text."""

import re
import struct
import warnings

import numpy as np
import pandas as pd
import pytest
import vl_convert
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from results.figures.along_n import answers_figure
from results.figures.axes import (
    MOST_HUES,
    OTHERS,
    apart,
    axis_range,
    counts_to_show,
    short_names,
    spread_out,
    value_range,
    with_hues,
)
from results.figures.buying import plan_figure
from results.figures.forecasts import forecast_figure
from results.figures.length import length_figure
from results.figures.theme import printed_spec, rendered
from results.normal import Z90
from results.summary.buying import measured
from results.summary.forecasts import make_forecasts
from results.summary.panels import make_panels, order_settings, unique_slug
from results.words.values import value_table
from tests.results.figures.made import curves, rows_of
from tests.results.made_tables import forecast_table


def test_settings_go_from_cheap_to_dear_by_length_then_by_number_then_as_they_come():
    table = pd.DataFrame({"setting": ["100", "20", "9"], "length": [1.0, 3.0, 2.0]})
    assert order_settings(table) == ["100", "9", "20"]
    assert order_settings(table.assign(length=np.nan)) == ["9", "20", "100"]
    words = pd.DataFrame({"setting": ["low", "high", "low"], "length": np.nan})
    assert order_settings(words) == ["low", "high"]


@given(st.integers(1, 60), st.integers(2, 12))
def test_spread_out_keeps_the_ends_the_order_and_the_limit(length, most):
    kept = spread_out(list(range(length)), most)
    assert kept == sorted(set(kept))
    assert (kept[0], kept[-1]) == (0, length - 1)
    assert len(kept) <= most
    assert length > most or kept == list(range(length))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_labels_at_the_ends_of_lines_have_a_line_each_and_stay_in_order(values):
    heights = apart(sorted(values), (0.0, 1.0))
    assert (np.diff(heights) > 0.0479).all()
    assert heights[0] >= 0
    assert heights[-1] <= 1
    assert apart([0.2, 0.6], (0.0, 1.0)) == [0.2, 0.6]
    assert apart([0.5, 0.5, 0.5, 0.9], (0.0, 1.0)) == pytest.approx([0.452, 0.5, 0.548, 0.9])


def test_labels_leave_out_what_all_names_begin_with():
    assert short_names(["cap=100", "cap=400"]) == {"cap=100": "100", "cap=400": "400"}
    assert short_names(["low", "cap=400"]) == {"low": "low", "cap=400": "cap=400"}


def test_counts_to_show_prefers_powers_of_two_and_keeps_the_pool():
    assert counts_to_show([1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 45], 6) == [1, 4, 16, 45]
    assert counts_to_show([1, 2, 4, 8, 16, 32, 64, 128, 256], 6) == [1, 4, 16, 64, 256]
    assert counts_to_show([3], 6) == [3]
    assert counts_to_show([3, 4, 6, 8, 9], 6) == [3, 4, 8, 9]


@pytest.mark.parametrize(
    ("values", "metric", "expected"),
    [
        ((0.52, 0.71), "accuracy", (0.5, 0.75)),
        ((0.12, 0.71), "accuracy", (0.1, 0.8)),
        ((0.1, 4.1), "risk", (0, 4.3)),
    ],
)
def test_an_axis_ends_at_round_numbers(values, metric, expected):
    assert value_range(pd.Series(values), metric) == pytest.approx(expected)


def test_without_exact_rows_the_mean_of_the_random_orders_stands_in():
    table = curves()
    table.loc[table["permutation"] == "1", "accuracy"] += 0.1
    (panel,) = make_panels(table[table["permutation"] != "exact"])
    assert panel.exact.set_index(["setting", "N"])["value"].loc[("10", 1)] == pytest.approx(0.35)


def test_band_is_a_ninety_percent_interval_within_zero_and_one():
    (panel,) = make_panels(curves(stderr=0.3, ns=(1, 256)))
    row = panel.exact[(panel.exact["setting"] == "100") & (panel.exact["N"] == 256)].iloc[0]
    assert row["value"] == pytest.approx(0.8)
    assert (row["low"], row["high"]) == (pytest.approx(0.8 - Z90 * 0.3), 1.0)


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("questions", [10, 200])
def test_answers_that_are_all_right_or_all_wrong_leave_room_for_a_question_that_was_missed(value, questions):
    table = curves(accuracy=value, stderr=0.0, questions=questions)
    (panel,) = make_panels(table)
    widths = panel.exact["high"] - panel.exact["low"]
    quantile = stdtrit(9, 0.95) if questions == 10 else Z90
    assert widths.tolist() == pytest.approx([(1 + (value == 0.5)) * quantile / questions] * len(widths))
    assert all("± 0.0" not in cell for row in value_table(panel).rows for cell in row)
    (passages,) = make_panels(table.assign(clusters=5))  # half of one of them may have been missed
    halves = (passages.margin / stdtrit(4, 0.95)).tolist()
    assert halves == pytest.approx([max(1 / 10, 1 / questions)] * len(halves))
    (risks,) = make_panels(table.assign(risk=value, accuracy=np.nan))
    assert (risks.exact["high"] == risks.exact["low"]).all()


def test_what_a_chart_leaves_out_is_told():
    table = curves([str(i) for i in range(1, 16)], (1, 2, 4, 8, 16, 32, 64, 128, 256), 0)
    (panel,) = make_panels(table)
    for draw, words in ((answers_figure, "8 of 15 settings"), (length_figure, "5 of 9 N")):
        assert words in draw(panel, (0, 1)).subtitle[-1]


def test_prediction_outside_the_range_stands_at_the_edge_with_its_number_kept():
    (forecast,) = make_forecasts({"f": forecast_table("flat", [1.2, -0.4])})
    marks = rows_of(forecast_figure(forecast), "point").set_index("kind")
    assert marks.loc["above 100 %", ["value", "accuracy"]].tolist() == [1.0, 1.2]
    assert marks.loc["below 0 %", ["value", "accuracy"]].tolist() == [0.0, -0.4]
    (at_ends,) = make_forecasts({"f": forecast_table("flat", [1.0, 0.0])})
    assert set(rows_of(forecast_figure(at_ends), "point")["kind"]) == {"fitted", "measured", "forecast"}
    (without,) = make_forecasts({"f": forecast_table("flat", np.nan, "not_identifiable")})
    kinds = rows_of(forecast_figure(without), "point")["kind"]
    assert [(kinds == kind).sum() for kind in ("fitted", "measured", "forecast")] == [2, 2, 0]


def test_forecast_of_new_settings_is_drawn_against_length():
    table = forecast_table("flat", 0.4)
    (by_n,) = make_forecasts({"f": table})
    new = np.where(table["setting"] == "high", "held_out", "used")
    (by_length,) = make_forecasts({"f": table.assign(role=new)})
    assert (by_n.over_length, by_length.over_length) == (False, True)
    more = table.assign(role=new, N=table["N"].mask((table["setting"] == "high") & (table["N"] == 16), 64))
    assert (by_length.question, make_forecasts({"f": more})[0].question) == ("longer", "longer and more")
    (unknown,) = make_forecasts({"f": table.assign(role=new, tokens_per_answer=None, T=None)})
    assert not unknown.over_length
    assert forecast_figure(by_length).page_spec()["layer"][-1]["encoding"]["x"]["field"] == "length"
    caps = table.assign(role=new, setting=table["setting"].map({"low": "cap=100", "high": "cap=400"}))
    (by_cap,) = make_forecasts({"f": caps})
    assert forecast_figure(by_cap).page_spec()["layer"][-1]["encoding"]["x"]["field"] == "cap"
    (in_part,) = make_forecasts({"f": caps.replace({"setting": {"cap=400": "no cap"}})})
    assert forecast_figure(in_part).page_spec()["layer"][-1]["encoding"]["x"]["field"] == "length"


def test_a_value_without_a_standard_error_has_no_band():
    """It used to have a band of zero width, as if the value were exact."""
    (panel,) = make_panels(curves(stderr=None))
    spec = answers_figure(panel, axis_range(panel)).page_spec()
    assert "area" not in {layer["mark"]["type"] for layer in spec["layer"]}
    assert panel.exact["low"].isna().all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not any("±" in cell for row in value_table(panel).rows for cell in row)
    assert axis_range(panel) == axis_range(make_panels(curves(stderr=0))[0])
    (panel,) = make_panels(curves().query("setting == '100' or N == 1"))  # nor has a single point
    assert "interval" in {layer["mark"]["style"] for layer in answers_figure(panel, (0, 1)).spec["layer"]}


def test_legends_show_plain_symbols():
    """A dashed layer that shares a legend would make the legend's symbols dashed, too."""
    names = ("thinks a little", "thinks a lot")
    greedy = curves(names, (1,), permutations=0, method="greedy", accuracy=0.9)
    (panel,) = make_panels(pd.concat([curves(names), greedy]))
    assert axis_range(panel)[1] >= 0.9
    spec = answers_figure(panel, (0, 1)).file_spec()
    assert "strokeDash" in str(spec["layer"])
    (legend,) = vl_convert.vegalite_to_vega(spec)["legends"]
    assert "strokeDash" not in str(legend)


def test_models_have_a_hue_each_as_far_as_hues_can_be_told_apart():
    names = [f"m{i}" for i in range(MOST_HUES + 3)]
    rows = pd.DataFrame({"model": names})
    assert with_hues(rows[:MOST_HUES], "model", names[:MOST_HUES], [])[1] == names[:MOST_HUES]
    found, hues = with_hues(rows, "model", names, names[-1:])
    assert hues == [names[-1], *names[: MOST_HUES - 1], OTHERS]
    assert set(found["hue"]) == set(hues)
    assert set(found.loc[found["hue"] != found["model"], "hue"]) == {OTHERS}


@pytest.mark.parametrize(
    ("settings", "known", "ordered"),
    [
        (("10", "100"), False, True),
        (("low", "mid", "high"), True, True),
        (("low", "mid", "high"), False, False),
        ([f"cap={i}00" for i in range(1, 8)], True, True),
    ],
)
def test_settings_go_along_a_ramp_and_few_have_intervals(settings, known, ordered):
    table = curves(settings)
    (panel,) = make_panels(table if known else table.assign(tokens_per_answer=None, T=None))
    figure = answers_figure(panel, axis_range(panel))
    layers = {layer["mark"]["style"]: layer for layer in figure.spec["layer"]}
    colour = layers["curve"]["encoding"]["color"]
    assert (colour["type"], colour["scale"].get("range")) == (
        ("ordinal", "ramp") if ordered else ("nominal", None)
    )
    few = len(settings) == 3
    assert ("band" in layers, "interval" in layers) == (not few, few)
    intervals = rows_of(figure, "rule" if few else "area")
    assert set(intervals["setting"]) == set(settings if len(settings) < 5 else settings[-1:])


def test_slugs_are_plain_and_never_the_same():
    taken: list[str] = []
    for name in ("Llama-3.1 8B/π", "llama 3.1-8b ", "算", "数"):
        taken.append(unique_slug([name], taken))
    assert taken == ["llama-3-1-8b", "llama-3-1-8b-2", "figure", "figure-2"]


def test_files_carry_title_and_text():
    hidden = "\x00\x1b\x0c\x85\u2028\ufffe"  # drawn raw, most of these crash the process
    (panel,) = make_panels(curves(model=f"Ünïcode-7B{hidden}", settings=(f"{hidden}1", f"{hidden}2")))
    figure = plan_figure(measured([panel]), "c")
    files = rendered(figure.file_spec())
    svg, png = files[".svg"], files[".png"]
    assert files[".pdf"].startswith(b"%PDF")
    assert r"Ünïcode-7B\x00\x1b\x0c\x85\u2028\ufffe on sums" in svg.decode()
    assert "tokens per question" in svg.decode()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    assert width > 900
    assert height > 700
    silent = rendered({**figure.file_spec(), "title": ""})[".png"]
    assert len(png) > len(silent) + 2_000  # the title is drawn, not dropped for lack of a font


@pytest.mark.parametrize(
    ("inches", "figures", "bare", "rows"), [(3.3, 2, True, [1, 1]), (3.3, 1, True, [1]), (6.9, 2, False, [2])]
)
def test_a_printed_picture_has_its_width_and_letters_that_can_be_read(inches, figures, bare, rows):
    panels = make_panels(pd.concat([curves(model="m-one"), curves(model="m-two")]))[:figures]
    spec = printed_spec([[answers_figure(panel, axis_range(panel)) for panel in panels]], inches, bare)
    assert [len(line["hconcat"]) for line in spec["vconcat"]] == rows
    files = rendered(spec, inches=inches)
    svg = files[".svg"].decode()
    width, box = (float(n) for n in re.search(r'width="([\d.]+)pt".*?viewBox="0 0 (\d+)', svg).groups())
    assert width == pytest.approx(72 * inches, rel=1e-3)
    smallest = min(float(size) for size in re.findall(r"font-size=.([\d.]+)px", svg))
    assert 7 < smallest * width / box < 9
    assert (">m-one" in svg) is not bare
    assert (">(2)" in svg) is (bare and figures == 2)
    assert struct.unpack(">I", files[".png"][16:20])[0] == pytest.approx(300 * inches, abs=2)
