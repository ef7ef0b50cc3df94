"""A page of figures carries its scripts, its palettes, and a policy under which nothing else runs."""

import base64
import hashlib

from markupsafe import Markup

from results.figures.offline import draw_script, figures_page, in_script, policy, style, vega
from results.figures.theme import PALETTES


def test_scripts_can_stand_inside_a_page():
    for script in (vega(), draw_script()):
        assert "</script" not in script.lower()
        assert "<!--" not in script
    assert "vegaEmbed" in vega()


def test_data_cannot_break_out_of_its_element():
    assert in_script({"a</script><script>": "<!--"}) == '{"a\\u003c/script>\\u003cscript>":"\\u003c!--"}'


def test_policy_names_the_hash_of_each_text_and_nothing_unsafe():
    text = Markup("let π = 1;")
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    rules = dict(rule.strip().split(" ", 1) for rule in policy([text], [Markup("p {}")]).split(";"))
    assert rules["script-src"] == f"'sha256-{digest}'"
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in str(rules)


def test_both_palettes_are_on_the_page():
    page = figures_page("", []).decode()
    looks = page[page.index('id="looks">') :].partition("</script>")[0]
    assert "@" not in looks  # every colour of the theme is named in both palettes
    light, dark = style("").split("@media")
    for sheet, palette in ((light, "light"), (dark, "dark")):
        assert f"--ink:{PALETTES[palette]['ink']};" in sheet
