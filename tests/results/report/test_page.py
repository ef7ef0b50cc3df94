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
from results.tables.money import Price
from tests.results.made_tables import DIFFERENCE, PLAN, curves, forecast_table, twin

MADE = datetime(2024, 5, 17, 9, 30, tzinfo=UTC)


@pytest.fixture
def tables(tmp_path):
    """A function that writes tables to files and returns their paths."""

    def write(**frames):
        for name, frame in frames.items():
            keep = write_forecast if "predictor" in frame else write_curves
            keep = pd.DataFrame.to_csv if "claim" in frame else keep
            keep(frame, tmp_path / f"{name}.csv")
        return [tmp_path / f"{name}.csv" for name in frames]

    return write


class Page(HTMLParser):
    """A parsed page: tags with their attributes, the text of each script, and all other text."""

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
    """Make picture files that hold only their first bytes: drawing is tested with the figures."""
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


def test_names_out_of_the_tables_are_escaped_everywhere(tables, tmp_path):
    """Names in plans and comparisons also appear in the opening sentences, in captions and above tables."""
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'`{{7*7}}"
    frame = curves(model=evil, dataset=evil).assign(setting=lambda table: table["setting"] + evil)
    rows = [{**row, "model": evil, "setting": evil, "target_accuracy": 0.7} for row in PLAN]
    other = [{**row, "model": f"other {evil}"} for row in rows]
    pd.DataFrame(rows + other).to_csv(tmp_path / "plan.csv", index=False)
    pair = DIFFERENCE | {"a": evil, "b": f"b{evil}", "cost_unit": evil, "level": 0.95}
    pair |= {"questions_needed_at_cost": 10.0}
    pd.DataFrame([pair, pair | {"N": 8, "cost": 80.0}]).to_csv(tmp_path / "compare.csv", index=False)
    files = tables(llm=frame, twin=twin(dataset=evil, model=evil))
    _, page = made([*files, tmp_path / "plan.csv", tmp_path / "compare.csv"])
    assert [tag for tag, _ in page.tags].count("script") == 5
    assert not any("onerror" in attributes for _, attributes in page.tags)
    assert page.text.count(evil) > 30
    assert evil in json.dumps(page.specs(), ensure_ascii=False).replace('\\"', '"')


def test_endless_names_are_cut_and_told_apart(tables):
    files = tables(llm=pd.concat(curves(model="x" * 100_000 + end) for end in "ab"))
    read = read_tables(files)
    assert read.curves["model"].nunique() == 2
    assert read.curves["model"].str.len().max() <= 200
    with pytest.raises(BadInput, match="gpt"):
        read_tables(files, prices={"gpt": Price(1.0)})


def test_without_inputs_the_projects_own_tables_are_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(report_module, "CACHED", tmp_path)
    write_curves(curves(), tmp_path / "sums.csv")
    (tmp_path / "README.md").write_text("Sums: CC BY 4.0, <their author>")
    result = CliRunner().invoke(report_command, ["--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    page = Page((tmp_path / "out" / "index.html").read_text(encoding="utf-8"))
    assert "sums.csv: curves, 4 rows" in page.text
    assert "Sums: CC BY 4.0, <their author>" in page.text
