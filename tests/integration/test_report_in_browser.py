"""The report in a real browser, offline and from a file: every chart is drawn, without errors.

Skips where no Chromium is installed (CHROMIUM names one that is not on the PATH).
"""

import base64
import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from results import write_curves, write_forecast
from results.cli.report import report_command
from results.figures.theme import PALETTES
from results.pictures import Picture
from results.report.selectors import plan_choices
from tests.results.figures import made
from tests.results.figures.test_buying_figures import view
from tests.results.report.test_inputs import samples

pytestmark = pytest.mark.integration

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--enable-logging=stderr",
    "--virtual-time-budget=20000",
]

SHOW_ALL = """
for (const choice of document.querySelectorAll("[data-choice-of]")) choice.hidden = false;
drawVisible();
document.body.dataset.wide = document.documentElement.scrollWidth > innerWidth;
"""

EVIL = "<script>document.body.dataset.hacked = 1</script>\"'\u202e\x00\x1b[2J<img src=x onerror=alert(1)>"


def with_script(page: Path, name: str, script: str, allowed: bool = True) -> Path:
    """A copy of the page with another script at its end, which its content security policy allows or not."""
    text = page.read_text(encoding="utf-8")
    if allowed:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        text = text.replace("script-src ", f"script-src &#39;sha256-{digest}&#39; ", 1)
    before, _, after = text.rpartition("</body>")
    copy = page.with_name(name)
    copy.write_text(f"{before}<script>{script}</script></body>{after}", encoding="utf-8")
    return copy


@pytest.fixture(scope="module")
def browser() -> str:
    """The path of a Chromium or Chrome."""
    names = [os.environ.get("CHROMIUM", "chromium"), "chromium-browser", "google-chrome"]
    found = next((path for name in names if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium found (install it, or set CHROMIUM)")
    return found


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Path:
    """A report on two models, a twin and two forecasts, one of them far out of range."""
    folder = tmp_path_factory.mktemp("report")
    names = ("llm", "sums", "a </script> b"), ("llm", "sums", "c"), ("synthetic", "fig2f", "linear")
    curves = pd.concat(
        made.curves(("1", "2", "4", "8"), method=method, source=source, dataset=dataset, model=model)
        for source, dataset, model in names
        for method in ("majority", "best_of_n")
    )
    write_curves(curves, folder / "curves.csv")
    some = curves[(curves["source"] == "llm") & (curves["permutation"] == "exact")]
    some = some[some["method"] == "majority"]
    role = some["N"].eq(4).map({True: "held_out", False: "used"})
    tables = [
        some.assign(predictor=name, role=role, predicted=value, low=value, high=value, status=status)
        for name, value, status in (("flat", 0.5, "ok"), ("wild", -19.0, "out_of_range"))
    ]
    write_forecast(pd.concat(tables), folder / "forecast.csv")
    samples("AAB", text=EVIL, reasoning=EVIL, questions=("one", EVIL)).to_json(
        folder / "s.jsonl", orient="records", lines=True
    )
    inputs = [str(folder / name) for name in ("curves.csv", "forecast.csv", "s.jsonl")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("results.report.page.rendered", lambda _: {})  # files the browser does not open
        result = CliRunner().invoke(report_command, [*inputs, "--out", str(folder / "out")])
    assert result.exit_code == 0, result.output
    return folder / "out" / "index.html"


def opened(browser: str, page: Path, profile: Path, width: int = 1280, *flags: str) -> tuple[str, str]:
    """The page's elements after its scripts have run, and what the browser's console said."""
    command = [browser, *FLAGS, *flags, f"--user-data-dir={profile}", f"--window-size={width},2000"]
    done = subprocess.run(
        [*command, "--dump-dom", page.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    return done.stdout, "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)


def charts(elements: str) -> list[str]:
    """The content of each chart's element, up to the fallback or caption of its figure."""
    body = elements.split('<script type="application/json"')[0]
    return re.findall(r'<div class="(chart[^"]*"[^>]*>.*?)<(?:noscript|figcaption)', body, flags=re.DOTALL)


@pytest.fixture(scope="module")
def plain(browser, page, tmp_path_factory) -> tuple[str, str]:
    """The page's elements as it first opens, and the console output."""
    return opened(browser, page, tmp_path_factory.mktemp("profile"))


@pytest.mark.parametrize("width", [1280, 390])
def test_every_chart_is_drawn_without_a_complaint_and_the_page_is_not_too_wide(
    browser, page, tmp_path, width
):
    elements, console = opened(browser, with_script(page, "every.html", SHOW_ALL), tmp_path, width)
    drawn = charts(elements)
    assert len(drawn) == 8 * 2 + 4 + 4 + 1 + 1  # rows of two, plans, forecasts, grid, question
    assert all("<svg" in chart and "failed" not in chart for chart in drawn)
    assert all("<path" in chart or "<circle" in chart for chart in drawn)
    assert all("Vega visualization" not in chart for chart in drawn)
    assert 'data-wide="false"' in elements
    assert console == ""


def test_one_choice_of_each_list_is_shown_first(plain):
    elements, console = plain
    drawn = [chart for chart in charts(elements) if "<svg" in chart]
    assert len(drawn) == 2 + 2 + 1 + 1 + 1 + 1  # model, twin, plan, forecast, grid, question
    assert console == ""


def test_what_a_model_wrote_is_shown_as_text_and_runs_nothing(plain):
    elements, _ = plain
    (texts,) = re.findall(r'id="texts-of-question">(.*?)</section>', elements, flags=re.DOTALL)
    assert "&lt;script&gt;document.body.dataset.hacked = 1&lt;/script&gt;" in texts
    shown = re.findall(r"<p[^>]*>(Thinking|Answer):</p><pre[^>]*>(.*?)</pre>", texts, flags=re.DOTALL)
    assert [place for place, _ in shown[:2]] == ["Thinking", "Answer"]
    assert shown[0][1] == shown[1][1]
    assert "\\u202e\\x00\\x1b[2J" in texts
    assert "<img" not in texts
    assert "data-hacked" not in elements.partition("<main>")[0]


def test_a_script_that_the_policy_does_not_name_is_refused_and_a_broken_figure_says_so(
    browser, page, tmp_path
):
    broken = page.with_name("broken.html")
    before, start, data = page.read_text(encoding="utf-8").rpartition('id="specs"')
    broken.write_text(before + start + data.replace('"layer":', '"no-layer":'), encoding="utf-8")
    script = "document.body.dataset.hacked = 1"
    elements, console = opened(browser, with_script(broken, "hacked.html", script, allowed=False), tmp_path)
    assert 'data-hacked="1"' not in elements
    assert "Content Security Policy" in console
    assert any("failed" in chart and "could not be drawn" in chart for chart in charts(elements))


def test_switches_and_pointing_at_a_mark_work(browser, page, plain, tmp_path):
    script = """
    const first = document.querySelector(".copy button[data-copy=latex]");
    document.body.dataset.latex = copied(first).split("\\n")[0];
    linear.click();
    setTimeout(() => {
      const mark = document.querySelectorAll("#growth .mark-symbol.role-mark")[1].lastElementChild;
      const { x, y } = mark.getBoundingClientRect();
      const at = { clientX: x + 2, clientY: y + 2, bubbles: true, view: window };
      for (const type of ["pointerover", "pointermove", "mousemove"])
        mark.dispatchEvent(new MouseEvent(type, at));
    }, 3000);
    """
    elements, console = opened(browser, with_script(page, "switched.html", script), tmp_path)
    assert 'data-latex="\\begin{tabular}{l' in elements
    assert console == ""
    assert elements.count("<svg") == plain[0].count("<svg")
    assert charts(elements)[0] != charts(plain[0])[0]
    (told,) = re.findall(r'<div id="vg-tooltip-element" class="[^"]*visible.*?</div>', elements)
    for word in ("answers N", "accuracy", "interval from", "questions"):
        assert word in told


def test_the_palette_is_the_readers(browser, page, plain, tmp_path):
    dark = opened(browser, page, tmp_path, 1280, "--blink-settings=preferredColorScheme=0")[0]
    paper = PALETTES["dark"]["paper"]
    assert (f'stroke="{paper}"' in plain[0], f'stroke="{paper}"' in dark) == (False, True)


def test_a_link_to_a_question_opens_it(browser, page, tmp_path):
    script = """
    setTimeout(() => {
      const cell = document.querySelectorAll(".low .mark-rect path")[2];
      const { x, y } = cell.getBoundingClientRect();
      const at = { clientX: x + 2, clientY: y + 2, bubbles: true, view: window };
      cell.dispatchEvent(new MouseEvent("click", at));
    }, 3000);
    setTimeout(() => {
      const picked = "#question=0:" + by("pick-question").value;
      document.body.dataset.picked = [decodeURIComponent(location.hash), picked];
    }, 5000);
    """
    elements, console = opened(browser, with_script(page, "linked.html", script), tmp_path)
    (told,) = re.findall('data-picked="(.*?)"', elements)
    assert told == "#question=0:one,#question=0:one"
    assert console == ""


def test_verdicts_do_not_vote(browser, tmp_path):
    verdicts = samples("AAB").assign(correct=lambda rows: rows["answer"] == "A")
    verdicts.drop(columns=["answer", "gold"]).to_csv(tmp_path / "v.csv", index=False)
    CliRunner().invoke(report_command, [str(tmp_path / "v.csv"), "--out", str(tmp_path)])
    elements, _ = opened(browser, tmp_path / "index.html", tmp_path / "profile")
    assert '<option value="gain">least gain</option>' in elements


def test_a_plan_opens_without_a_complaint(browser, tmp_path):
    Picture(tmp_path / "plan.html").draw("Plan", plan_choices([view(), view(target_accuracy=None)]))
    elements, console = opened(browser, tmp_path / "plan.html", tmp_path / "profile")
    assert "<svg" in elements
    assert console == ""
