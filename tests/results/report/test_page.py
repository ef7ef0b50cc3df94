"""The report's page, its escaping, and the command."""

import json
from datetime import UTC, datetime
from html.parser import HTMLParser

import pandas as pd
import pytest
from click.testing import CliRunner

import results.cli.report as report_module
from results import BadInput, write_curves, write_forecast
from results.cli.report import report_command
from results.report.inputs import read_tables
from results.report.page import build_report
from results.words.values import measurement_table, verdict_tables
from tests.results.made_tables import DIFFERENCE, PLAN, curves, forecast_table, twin

MADE = datetime(2024, 5, 17, 9, 30, tzinfo=UTC)


@pytest.fixture
def tables(tmp_path):
    """Writes tables into files and reads them as the report does."""

    def write(**frames):
        for name, frame in frames.items():
            keep = write_forecast if "predictor" in frame else write_curves
            keep = pd.DataFrame.to_csv if "claim" in frame else keep
            keep(frame, tmp_path / f"{name}.csv")
        return [tmp_path / f"{name}.csv" for name in frames]

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


@pytest.fixture(autouse=True)
def bare_pictures(monkeypatch):
    """Files of pictures that hold nothing but how they begin: drawing them is tested with the figures."""
    starts = {".png": b"\x89PNG", ".svg": b"<svg", ".pdf": b"%PDF"}
    monkeypatch.setattr("results.report.page.rendered", lambda _: starts)


def made(paths):
    files = build_report(read_tables(paths), MADE)
    return files, Page(files["index.html"].decode())


def test_every_figure_is_on_the_page_in_the_data_and_beside_it(tables):
    files, page = made(tables(llm=curves(), twin=twin(), forecast=forecast_table("flat", [0.6, 0.7])))
    on_page = [attributes for tag, attributes in page.tags if "data-figure" in attributes]
    names = [attributes["data-figure"] for attributes in on_page]
    assert len(names) == len(set(names)) == 6  # two each for model and twin, cost, forecast
    assert set(names) == set(page.specs())
    pictures = {f"{name}.{kind}" for name in names for kind in ("png", "svg", "pdf")}
    assert set(files) == {"index.html", *pictures}
    links = {attributes["href"] for tag, attributes in page.tags if tag == "a"}
    assert {link for link in links if not link.startswith("#")} == pictures
    sections = {attributes.get("id") for tag, attributes in page.tags if tag == "section"}
    assert {link[1:] for link in links if link.startswith("#")} <= sections
    assert all(attributes["role"] == "img" and len(attributes["aria-label"]) > 40 for attributes in on_page)
    assert all(files[name].startswith(b"\x89PNG") for name in pictures if name.endswith("png"))
    assert not {"link", "iframe", "object", "embed"} & {tag for tag, _ in page.tags}  # it loads nothing
    assert not any("src" in attributes for tag, attributes in page.tags if tag == "script")
    assert not any("/" in attributes.get(name, "") for _, attributes in page.tags for name in ("src", "href"))
    assert files["index.html"].count(b"window.vegaEmbed=") == 1
    assert len(files["index.html"]) < 1_500_000


def test_names_out_of_the_tables_are_escaped_everywhere(tables):
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'`{{7*7}}"
    frame = curves(model=evil, dataset=evil).assign(setting=lambda table: table["setting"] + evil)
    _, page = made(tables(llm=frame, twin=twin(dataset=evil, model=evil)))
    assert [tag for tag, _ in page.tags].count("script") == 5
    assert "img" not in {tag for tag, attributes in page.tags if "onerror" in attributes}
    assert evil in page.text
    assert evil in json.dumps(page.specs(), ensure_ascii=False).replace('\\"', '"')


def test_names_in_plans_and_comparisons_are_escaped(tmp_path):
    """They stand in the page's first sentences, in captions, and above tables as what every row says."""
    evil = "</script><img src=x onerror=alert(2)>"
    rows = [{**row, "model": evil, "setting": evil, "target_accuracy": 0.7} for row in PLAN]
    other = [{**row, "model": f"other {evil}"} for row in rows]
    pd.DataFrame(rows + other).to_csv(tmp_path / "plan.csv", index=False)
    pair = DIFFERENCE | {"a": evil, "b": f"b{evil}", "cost_unit": evil, "level": 0.95}
    pair |= {"questions_needed_at_cost": 10.0}
    pd.DataFrame([pair, pair | {"N": 8, "cost": 80.0}]).to_csv(tmp_path / "compare.csv", index=False)
    _, page = made([tmp_path / "plan.csv", tmp_path / "compare.csv"])
    assert [tag for tag, _ in page.tags].count("script") == 5
    assert not any("onerror" in attributes for _, attributes in page.tags)
    assert page.text.count(evil) > 10


def test_endless_names_are_cut_and_told_apart(tables):
    read = read_tables(tables(llm=pd.concat(curves(model="x" * 100_000 + end) for end in "ab")))
    assert read.curves["model"].nunique() == 2
    assert read.curves["model"].str.len().max() <= 200
    with pytest.raises(BadInput, match="gpt"):
        build_report(read, MADE, prices={"gpt": 1.0})


def test_parts_that_are_missing_say_how_to_make_them(tables):
    """At the end, and nowhere else: sections without content are left out."""
    _, page = made(tables(llm=curves().drop(columns=["T", "tokens_per_answer"])))
    before, after = page.text.split("What this page could also show")
    for command in ("tts twin run all", "tts forecast", "tts compare", "column tokens"):
        assert command in after
        assert command not in before
    sections = {attributes.get("id") for tag, attributes in page.tags if tag == "section"}
    assert sections == {"growth", "findings", "numbers", "terms"}
    _, page = made(tables(forecast=forecast_table("flat", [0.6, 0.7])))
    assert "tts sample" in page.text


def test_a_setting_that_every_row_shares_is_said_once_and_copied_with_the_rest(tables):
    files, _ = made(tables(llm=curves({("100", 1): 0.5, ("100", 4): 0.6})))
    page = files["index.html"].decode()
    table = page[page.index("The frontier") :]
    table = table[: table.index("</table>")]
    assert "setting 100" in table.split("<tbody>")[0]
    assert table.count("<td hidden>100</td>") == 2


def test_claims_are_counted_by_verdict(tables):
    row = {"where": "5", "quantity": "P ≤ 0.2", "measured": 0.21, "low": 0.19, "high": 0.23, "holds": True}
    claims = pd.DataFrame(
        {**row, "claim": name, "setting": setting, "verdict": verdict, "holds": verdict != "fails"}
        for name, setting, verdict in (
            ("greedy-stays-near-2/d", "t=1", "holds"),
            ("vote-of-n-answers", "t=1", "holds only at t=9"),
            ("vote-of-n-answers", "t=9", "holds only at t=9"),
            ("greedy", "sigma_eps=1", "holds"),
            ("never", "t=1", "fails"),
            ("mine", "t=1", "holds"),
        )
    ).assign(low=[*[0.19] * 3, 0.21, *[0.19] * 2], high=[*[0.23] * 3, 0.21, *[0.23] * 2])
    claims.loc[5, "where"] = "ours, Definition 2"
    claims["sentence"] = ["greedy stays", *[None] * 5]
    _, page = made(tables(twin=twin(), claims=claims))
    assert "4 claims of the paper (hold: 2, hold in part: 1, fail: 1)" in page.text
    assert "Greedy stays near 2/d" in page.text
    assert "1 claim of our own (hold: 1)" in page.text
    theirs, ours = verdict_tables(claims)
    assert theirs.rows[0][2:4] == ["5", "“greedy stays”"]
    assert theirs.rows[1] == ["Vote of N answers", "holds only at t=9", "5", "–", "2"]
    assert ours.rows == [["Mine", "holds", "Definition 2", "1"]]
    assert "2508.07571" in page.text
    measured = measurement_table(claims).rows
    one = "0.19\N{NO-BREAK SPACE}… 0.23"
    assert measured[0] == ["Greedy stays near 2/d", "t=1", "P ≤ 0.2", "0.21", one, "holds"]
    assert measured[3][1:5] == ["σ_ε=1", "P ≤ 0.2", "0.21", "–"]  # an extreme over tasks has no interval
    assert measured[4][5] == "fails"
    open_ = claims[:5].assign(outcome="undecided", verdict="undecided", holds=False)
    assert "(undecided: 4)" in verdict_tables(open_)[0].title
    assert measurement_table(open_).rows[0][5] == "undecided"
    with pytest.raises(BadInput, match="no column 'low'"):
        read_tables(tables(claims=claims.drop(columns="low")))


def test_without_inputs_the_projects_own_tables_are_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(report_module, "CACHED", tmp_path)
    write_curves(curves(), tmp_path / "sums.csv")
    (tmp_path / "README.md").write_text("Sums: CC BY 4.0, <their author>")
    result = CliRunner().invoke(report_command, ["--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    page = Page((tmp_path / "out" / "index.html").read_text(encoding="utf-8"))
    assert "sums.csv: curves, 4 rows" in page.text
    assert "Sums: CC BY 4.0, <their author>" in page.text
