"""The report: its sentences against numbers worked out by hand, its escaping, and the command."""

import json
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import results.report_command as report_command
from results import BadInput, write_curves, write_forecast
from results.plots_data import make_panels
from results.plots_forecast import make_forecasts
from results.report import build_report, closest, read_tables
from results.report_command import report
from results.report_findings import answers_verdict, direction, findings, length_verdict
from results.report_tables import error_table, frontier_table, overview_table, trend_table, value_table

NBSP = "\N{NO-BREAK SPACE}"
MADE = datetime(2024, 5, 17, 9, 30, tzinfo=UTC)
ACCURACY = {("low", 1): 0.50, ("low", 16): 0.62, ("high", 1): 0.70, ("high", 16): 0.74}
"""Voted accuracy; tokens per answer are 100 at low and 400 at high."""


def curves(accuracy=ACCURACY, **columns):
    rows = [
        {
            "source": "llm", "dataset": "sums", "model": "m", "method": "majority", "setting": setting,
            "T": (100.0 if setting == "low" else 400.0) * 200,
            "tokens_per_answer": 100.0 if setting == "low" else 400.0,
            "N": n, "permutation": "exact", "accuracy": value, "stderr": 0.01, "questions": 200,
        }
        for (setting, n), value in accuracy.items()
    ]  # fmt: skip
    return pd.DataFrame(rows).assign(**columns)


def twin(**columns):
    return curves(**{"source": "synthetic", "dataset": "fig2b", "model": "linear", **columns})


def forecast_table(predictor, predicted, status="ok", low=None, high=None):
    """Used at N = 1, held out at N = 16 (measured 0.62 at low, 0.74 at high)."""
    table = curves()
    held = (table["N"] == 16).to_numpy()
    values = np.full(4, np.nan)
    values[held] = predicted
    return table.assign(
        predictor=predictor,
        role=np.where(held, "held_out", "used"),
        predicted=values,
        low=values - 0.03 if low is None else low,
        high=values + 0.03 if high is None else high,
        status=np.where(held, status, "ok"),
    )


@pytest.fixture
def tables(tmp_path):
    """Writes tables into files and reads them as the report does."""

    def write(**frames):
        paths = []
        for name, frame in frames.items():
            paths.append(tmp_path / f"{name}.csv")
            if "claim" in frame:
                frame.to_csv(paths[-1], index=False)
            else:
                (write_forecast if "predictor" in frame else write_curves)(frame, paths[-1])
        return paths

    return write


class Page(HTMLParser):
    """Tags with their attributes, the text of each script, and all other text."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.scripts, self.text = [], [], ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        last = self.tags[-1][0] if self.tags else ""
        if last == "script" and self.cdata_elem == "script":
            self.scripts.append(data)
        elif last != "style":
            self.text += data

    def specs(self):
        return json.loads(next(text for text in self.scripts if text.startswith("{")))


def made(paths):
    files = build_report(read_tables(paths), MADE)
    return files, Page(files["index.html"])


def test_card_numbers_are_those_of_the_table():
    best = curves({key: min(1, value + 0.2) for key, value in ACCURACY.items()}, method="best_of_n")
    (card,) = findings(make_panels(pd.concat([curves(), best])))
    assert card.title == "m on sums"
    assert card.about == "200 questions, 2 settings, up to 16 answers a question"
    assert [(tile.label, tile.value.replace(NBSP, " ")) for tile in card.tiles] == [
        ("One answer", "50.0 % → 70.0 %"),
        ("Vote over 16", "74.0 %"),
        ("Best of 16", "94.0 %"),
        ("Tokens per answer", "100 → 400"),
    ]
    assert card.tiles[1].note == "+4.0 points at setting “high”"
    assert card.headline == "Both pay, thinking longer more than voting."
    assert "adds 20.0 points for 4 times the tokens" in card.verdict
    # 0.70 for 400 tokens is more than a point below 0.74, the best: only N = 16 at high is near enough
    assert f"setting “high” with N{NBSP}={NBSP}16: 74.0{NBSP}% for 6,400 tokens a question" in card.verdict


@pytest.mark.parametrize(
    ("high_one", "high_many", "headline"),
    [
        (0.70, 0.71, "Thinking longer pays; voting makes no clear difference."),
        (0.51, 0.80, "Thinking longer makes no clear difference; voting pays."),
        (0.51, 0.52, "Neither voting nor thinking longer makes a clear difference."),
        (0.55, 0.80, "Both pay, voting more than thinking longer."),
        (0.40, 0.30, "Thinking longer hurts; voting hurts."),
    ],
)
def test_headline_follows_what_is_clearly_different(high_one, high_many, headline):
    accuracy = {("low", 1): 0.5, ("low", 16): 0.5, ("high", 1): high_one, ("high", 16): high_many}
    assert findings(make_panels(curves(accuracy)))[0].headline == headline


def test_a_difference_is_clear_beyond_its_ninety_percent_interval():
    """Standard errors of 0.03 and 0.04 make one of 0.05 for the difference: clear beyond 0.0822."""
    before = pd.Series({"value": 0.5, "stderr": 0.03})
    for gain, expected in ((0.082, 0), (0.083, 1), (-0.083, -1)):
        assert direction(before, pd.Series({"value": 0.5 + gain, "stderr": 0.04})) == expected


def test_risk_is_called_an_error_that_falls():
    table = twin(method="ensemble", risk=[60.0, 40.0, 50.0, 31.5]).drop(columns="accuracy")
    (panel,) = make_panels(table)
    assert answers_verdict(panel) == "Averaging 16 paths cuts the error from 50 to 31.5 at setting “high”."
    assert length_verdict(panel).startswith("Going from setting “low” to “high” cuts the error from 60 to 50")
    assert value_table(panel).rows[1][2:] == ["50.00 ± 0.02", "31.50 ± 0.02"]
    assert findings([panel]) == []


def test_values_frontier_and_trend_tables():
    (panel,) = make_panels(curves())
    assert value_table(panel).rows[0] == ["low", "100", "50.0 ± 1.6", "62.0 ± 1.6"]
    # (low, 16) costs 1,600 tokens for 0.62: dearer than (high, 1), 400 tokens for 0.70, and worse
    assert [row[:3] for row in frontier_table(panel).rows] == [
        ["100", "low", "1"],
        ["400", "high", "1"],
        ["6,400", "high", "16"],
    ]
    assert trend_table(panel) is None


def test_errors_of_forecasts_are_those_worked_out_by_hand():
    good = forecast_table("good", [0.63, 0.75])  # 1 point off twice, inside ± 3 points
    bad = forecast_table("bad", [0.52, 0.94])  # 10 and 20 points off, outside
    partial = forecast_table("partial", [0.62, np.nan], "not_identifiable")
    forecasts = make_forecasts({"f": pd.concat([bad, good, partial])})
    table = error_table(forecasts)
    assert table.rows == [
        ["partial", "0.00", "0.0", "1 of 1", "1 of 2"],
        ["good", "1.00", "1.0", "2 of 2", "2 of 2"],
        ["bad", "15.00", "20.0", "0 of 2", "2 of 2"],
    ]
    assert table.remarks == ("partial: 2 of 2 points: the data do not fix the parameters: no forecast.",)
    assert closest(forecasts).startswith("Closest over all 2 held-out points: good, 1.0 percentage points")
    assert overview_table({"a": table}).rows == [["a", "15.00", "1.00", "0.00"]]


def test_numbers_outside_the_range_are_told_with_their_status():
    (forecast,) = make_forecasts({"f": forecast_table("wild", [1.9, -0.5], "out_of_range")})
    (remark,) = error_table([forecast]).remarks
    assert f"190.0{NBSP}% at setting low, N = 16; −50.0{NBSP}% at setting high, N = 16" in remark


def test_page_loads_nothing_and_carries_vega_once(tables):
    files, page = made(tables(llm=curves(), twin=twin(), forecast=forecast_table("flat", [0.6, 0.7])))
    for tag, attributes in page.tags:
        assert tag not in ("link", "iframe", "object", "embed")
        if tag == "script":
            assert "src" not in attributes
        for name in ("src", "href"):
            assert attributes.get(name, "").removesuffix(".png").removesuffix(".svg").find("/") == -1
    assert files["index.html"].count("window.vegaEmbed=") == 1
    assert len(files["index.html"]) < 1_500_000


def test_every_figure_is_on_the_page_in_the_data_and_beside_it(tables):
    files, page = made(tables(llm=curves(), twin=twin(), forecast=forecast_table("flat", [0.6, 0.7])))
    on_page = [attributes for tag, attributes in page.tags if "data-figure" in attributes]
    names = [attributes["data-figure"] for attributes in on_page]
    assert len(names) == len(set(names)) == 6  # two for the model, two for the twin, cost, forecast
    assert set(names) == set(page.specs())
    pictures = {f"{name}.{kind}" for name in [*names, "side-by-side"] for kind in ("png", "svg")}
    assert set(files) == {"index.html", *pictures}
    assert {attributes["href"] for tag, attributes in page.tags if tag == "a"} == pictures
    assert all(attributes["role"] == "img" and len(attributes["aria-label"]) > 40 for attributes in on_page)
    assert all(files[name].startswith(b"\x89PNG") for name in pictures if name.endswith("png"))


def test_names_out_of_the_tables_are_escaped_everywhere(tables):
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'`{{7*7}}"
    frame = curves(model=evil, dataset=evil)
    frame["setting"] = frame["setting"] + evil
    _, page = made(tables(llm=frame, twin=twin(dataset=evil, model=evil)))
    assert [tag for tag, _ in page.tags].count("script") == 3
    assert "img" not in {tag for tag, attributes in page.tags if "onerror" in attributes}
    assert evil in page.text
    assert any(
        evil in json.dumps(spec, ensure_ascii=False).replace('\\"', '"') for spec in page.specs().values()
    )


def test_parts_that_are_missing_say_how_to_make_them(tables):
    _, page = made(tables(llm=curves().drop(columns=["T", "tokens_per_answer"])))
    for command in (
        "synthetic run all",
        "predict forecast",
        "No token counts",
        "Nothing to draw against length",
    ):
        assert command in page.text
    _, page = made(tables(forecast=forecast_table("flat", [0.6, 0.7])))
    assert "python -m harness sample" in page.text


def test_claims_are_counted_by_verdict(tables):
    row = {
        "where": "Sec. 5",
        "quantity": "P ≤ 0.2",
        "measured": 0.21,
        "low": 0.19,
        "high": 0.23,
        "holds": True,
    }
    claims = pd.DataFrame(
        {**row, "claim": name, "setting": setting, "verdict": verdict}
        for name, setting, verdict in (
            ("greedy-stays-near-2/d", "t=1", "holds"),
            ("vote-tends-to-one", "t=1", "holds only if t ≥ 9"),
            ("vote-tends-to-one", "t=9", "holds only if t ≥ 9"),
            ("never", "t=1", "fails"),
        )
    )
    _, page = made(tables(twin=twin(), claims=claims))
    assert "Of 3 claims of the paper checked here, 1 hold, 1 hold only in part, 1 fail." in page.text
    assert "Greedy stays near 2/d" in page.text
    with pytest.raises(BadInput, match="no column 'low'"):
        read_tables(tables(claims=claims.drop(columns="low")))
    for name, expected in (("low", "a number"), ("holds", "True or False"), ("where", "text")):
        with pytest.raises(BadInput, match=f"row 1, column '{name}': expected {expected}"):
            read_tables(
                tables(claims=claims.astype(object).assign(**{name: ["" if name == "where" else "x"] * 4}))
            )


def test_many_random_orders_are_thinned_and_said_so(tables):
    orders = pd.concat(curves(permutation=str(order)) for order in range(300))
    files, page = made(tables(llm=pd.concat([curves(), orders])))
    assert "The table holds 300; the first 250 are drawn." in page.text
    assert len(files["index.html"]) < 2_000_000


def test_the_same_point_in_two_files_is_refused(tables):
    with pytest.raises(BadInput, match=r"a\.csv and b\.csv: both hold source=llm, dataset=sums"):
        read_tables(tables(a=curves(), b=curves()))


def test_command_writes_page_and_pictures(tables, tmp_path):
    out = tmp_path / "deep" / "report"
    result = CliRunner().invoke(report, [*map(str, tables(llm=curves())), "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert "4 figures" in result.output
    names = {path.name for path in out.iterdir()}
    assert {"index.html", "side-by-side.png", "llm-sums-m-majority-answers.svg"} <= names
    assert "m on sums" in (out / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("question_id,sample,answer,gold\nq,0,1,1\n", "a samples table, expected curves or forecasts"),
        ("apples,pears\n1,2\n", "none of"),
        ("method,N,accuracy\nmajority,1,1.5\n", "from 0 to 1"),
        ("", "empty"),
    ],
)
def test_command_refuses_other_files_and_writes_nothing(text, message, tmp_path):
    path, out = tmp_path / "table.csv", tmp_path / "out"
    path.write_text(text)
    result = CliRunner().invoke(report, [str(path), "--out", str(out)])
    assert result.exit_code == 2
    assert message in result.output
    assert not out.exists()


def test_without_inputs_the_projects_own_tables_are_shown(tmp_path, monkeypatch):
    cached = tmp_path / "cached"
    cached.mkdir()
    monkeypatch.setattr(report_command, "CACHED", cached)
    result = CliRunner().invoke(report, ["--out", str(tmp_path / "out")])
    assert result.exit_code == 2
    assert "no tables given" in result.output

    write_curves(curves(), cached / "sums.csv")
    Path(cached / "other.csv").write_text("apples,pears\n1,2\n")
    Path(cached / "README.md").write_text("Sums: CC BY 4.0, <their author>")
    result = CliRunner().invoke(report, ["--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    page = Page((tmp_path / "out" / "index.html").read_text(encoding="utf-8"))
    assert "sums.csv: curves, 4 rows" in page.text
    assert "Sums: CC BY 4.0, <their author>" in page.text
