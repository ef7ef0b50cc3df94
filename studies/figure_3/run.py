"""The tables and figures of studies/figure_3: when does Low-Cost-to-High work?

    python -m studies.figure_3.run --data ../shared/data/samples --jobs 2      (a quarter of an hour)

Measures what protocols.csv lacks (evidence.py), writes the tables between the markers of the page, and draws
figure-3.png, forecasts along T by the algorithm and by its repair, and causes.png.
"""

from dataclasses import replace
from pathlib import Path

import click
import numpy as np
import pandas as pd
import vl_convert

from predict.curves.algorithm_3 import low_cost_to_high
from predict.estimate import Options
from predict.evidence.request import Request
from predict.forecast_table import forecast
from results.figures.forecasts import forecast_figure
from results.figures.theme import Figure, combined_spec
from results.summary.forecasts import make_forecasts
from studies.figure_3 import causes
from studies.figure_3.evidence import (
    ALGORITHM_3,
    CHOICES,
    LAW,
    PROTOCOLS,
    cases,
    group_of,
    measure,
)
from studies.figure_3.fresh_lines import fresh_lines
from studies.figure_3.from_curves import SEEN, short
from studies.forecasts.page import insert
from studies.pages import markdown
from synthetic import BinarySetting

HERE = Path(__file__).resolve().parent

SETS = {
    "fig2e 1": "twin, fig2e",
    "fig2f 1": "twin, fig2f",
    "fig2h 2": "twin, fig2h, step 1/5",
    "fig2g 1": "twin, fig2g",
    "fig2h 1": "twin, fig2h, step 1",
    "fig1-binary 1": "twin, fig1, step 1/4",
    "fig1-binary 2": "twin, fig1, step 1/16",
    "tiny": "small model, asked for lengths",
    "tiny-forced": "small model, cut off at lengths",
    "qwen-forced": "Qwen 1.5B on GSM8K, cut off at lengths",
}
"""The names of sets on the page; the others are real runs with caps, and the fresh lines."""

KINDS = {
    "rising": "twin, rising",
    "flat": "twin, flat",
    "tiny": "small model",
    "forced": "ended",
    "caps": "caps",
    "all": "all of these",
    "fresh": "fresh",
}
"""Kinds of sets and their names on the page; "all" are those that the repair was developed on."""

STEPS = {
    ALGORITHM_3: "Algorithm 3",
    "one fit": "two 2 × 2 systems → one fit within bounds",
    "one question": "Δ²/2 → the exact vote",
    "many questions": "one question → many",
    LAW: "one exponential in T → averaged laws: `question-law`",
}
"""The steps of the repair and their names on the page."""

SHOWN = {ALGORITHM_3: "Algorithm 3", LAW: "repaired", "flat": "flat"}
DRAWN = (
    ("rising", "fig2h 2", "fig2h", "longer", 6),
    ("rising", "fig2h 2", "fig2h", "longer and more", 6),
    ("forced", "qwen-forced", "results/cached/int8-gsm8k-forced.csv", "longer", 5),
)
"""The rows of the figure: a set, its protocol, and the number of lengths seen."""

CONDITIONS = (10, 30, 100, 1000, np.inf)


@click.command()
@click.option("--data", type=click.Path(path_type=Path), help="Folder of the boinf files, for caps.")
@click.option("--jobs", default=1, show_default=True)
def main(data: Path | None, jobs: int) -> None:
    """Measure what is missing; write the tables and the pictures."""
    table = measure(data, jobs)
    made = table["kind"] != "fresh"
    insert("figure-3", errors(table[made]))
    insert("fresh", errors(table[~made]))
    insert("nearer", nearer(table))
    insert("choices", choices(table))
    insert("trust", trust(table))
    insert("steps", steps(table))
    off = conditions()
    insert("conditioning", conditioning(off))
    figures = [drawn(*row) for row in DRAWN]
    (HERE / "figure-3.png").write_bytes(vl_convert.vegalite_to_png(combined_spec(figures), scale=1.6))
    causes.draw(off[off["protocol"] == "longer"])


def errors(table: pd.DataFrame) -> str:
    """A row per set: mean errors in points by protocol, with 3, 4 and 6 settings seen."""
    heads = [f"{protocol}: {name}" for protocol in PROTOCOLS for name in SHOWN.values()]
    lines = []
    known = [name for name in SETS if name in set(table["set"])]
    for name in dict.fromkeys([*known, *table["set"]]):
        own = table[table["set"] == name].set_index(["protocol", "way", "settings"])["error"]
        settings = own.index.unique("settings")
        counts = [count for count in SEEN if count in settings] or list(settings)
        cells = [
            " / ".join(short(own.loc[protocol, way, count]) for count in counts)
            for protocol in PROTOCOLS
            for way in SHOWN
        ]
        lines.append([called(name), *cells])
    return markdown(["set", *heads], lines)


def called(name: str) -> str:
    """The name of a set on the page."""
    for line in fresh_lines().variants:
        if line.label == name:
            one = line.setting
            assert isinstance(one, BinarySetting)
            return f"d = {one.d}, n = {one.n}, k = {one.k}, σ_ε = {one.sigma_eps}, step {one.eta}/n"
    return SETS.get(name, f"caps, {name}")


def of_kind(table: pd.DataFrame, kind: str) -> pd.DataFrame:
    """The rows for one kind of sets."""
    return table[table["kind"] != "fresh"] if kind == "all" else table[table["kind"] == kind]


def nearer(table: pd.DataFrame) -> str:
    """A row per kind: in how many cases the algorithm beats its repair, and the median errors."""
    heads = [
        f"{protocol}: {what}"
        for protocol in PROTOCOLS
        for what in ("Algorithm 3 nearer", "Algorithm 3", "repaired", "flat")
    ]
    lines = []
    for kind, label in KINDS.items():
        cells = []
        for protocol in PROTOCOLS:
            own = of_kind(table[table["protocol"] == protocol], kind)
            error = own.pivot_table("error", ["set", "settings"], "way")
            medians = [short(error[way].median()) for way in SHOWN]
            cells += [str((error[ALGORITHM_3] < error[LAW]).sum()), *medians]
        lines.append([label, str(len(error)), *cells])
    return markdown(["sets", "cases", *heads], lines)


def choices(table: pd.DataFrame) -> str:
    """A row per choice that the paper leaves open: the median error in points by kind of sets."""
    usual = {ALGORITHM_3: "the shortest and the longest, D_N measured"}
    return medians(table, {way: usual.get(way, way) for way in CHOICES})


def steps(table: pd.DataFrame) -> str:
    """A row per step of the repair: the same."""
    return medians(table, STEPS)


def medians(table: pd.DataFrame, ways: dict[str, str]) -> str:
    """A row per way and protocol: the median over the cases of each kind."""
    lines = []
    for protocol in PROTOCOLS:
        for way, label in ways.items():
            own = table[(table["protocol"] == protocol) & (table["way"] == way)]
            cells = [short(of_kind(own, kind)["error"].median()) for kind in KINDS]
            lines.append([protocol, label, *cells])
    return markdown(["protocol", "way", *KINDS.values()], lines)


def trust(table: pd.DataFrame) -> str:
    """A row per kind and protocol: the forecasts that are ok, how many are near, and their mean error."""
    names = (ALGORITHM_3, LAW)
    told = ("ok", "within 3.5 points", "error of ok")
    heads = [f"{SHOWN[name]}: {what}" for name in names for what in told]
    lines = []
    for protocol in PROTOCOLS:
        for kind, label in KINDS.items():
            rows = of_kind(table[table["protocol"] == protocol], kind)
            cells = []
            for name in names:
                own = rows[rows["way"] == name]
                ok, near = own["ok"].sum(), own["ok_near"].sum()
                error = (own["ok_error"] * own["ok"]).sum() / ok if ok else np.nan
                cells += [f"{ok:,.0f}", f"{near / ok:.0%}" if ok else "–", short(error)]
            lines.append([protocol, label, f"{own['asked'].sum():,.0f}", *cells])
    return markdown(["protocol", "sets", "forecasts", *heads], lines)


def conditions() -> pd.DataFrame:
    """The algorithm's forecasts on the twin and the small model: `protocol`, `off`, in points, and the larger
    `condition` number of the two systems."""
    found = []
    for kind, name, source in (
        ("rising", "fig2e 1", "fig2e"),
        ("rising", "fig2f 1", "fig2f"),
        ("rising", "fig2h 2", "fig2h"),
        ("flat", "fig2g 1", "fig2g"),
        ("flat", "fig2h 1", "fig2h"),
        ("tiny", "tiny", "results/cached/tiny.csv"),
        ("forced", "tiny-forced", "studies/figure_3/tiny-forced.csv"),
    ):
        for one in cases(group_of(kind, name, source)):
            paper = low_cost_to_high(one.seen.points, one.seen.accuracy[None], one.targets)
            off = 100 * np.abs(paper.mean[0] - one.truth)
            rows = pd.DataFrame({"off": off, "condition": paper.condition})
            found.append(rows.assign(protocol=one.protocol))
    return pd.concat(found).dropna()


def conditioning(table: pd.DataFrame) -> str:
    """The table of the algorithm's error by its condition number."""
    told = ("forecasts", "median error, points", "off by at most 3.5")
    lines, least = [], 0.0
    for most in CONDITIONS:
        cells = []
        for protocol in PROTOCOLS:
            within = (table["condition"] > least) & (table["condition"] <= most)
            own = table.loc[within & (table["protocol"] == protocol), "off"]
            cells += [str(len(own)), short(own.median()), f"{(own <= 3.5).mean():.0%}"]
        label = f"above {least:,.0f}" if np.isinf(most) else f"{least:,.0f} to {most:,.0f}"
        lines.append([label, *cells])
        least = most
    heads = [f"{protocol}: {what}" for protocol in PROTOCOLS for what in told]
    return markdown(["condition number", *heads], lines)


def drawn(kind: str, name: str, source: str, protocol: str, seen: int) -> list[Figure]:
    """The forecasts from the `seen` cheapest settings, by the algorithm and by its repair."""
    group = group_of(kind, name, source)
    settings = [setting for setting, _ in group.points.settings()]
    request = Request(fit_settings=tuple(settings[:seen]), fit_max_n=PROTOCOLS[protocol])
    table, _ = forecast(group, request, ["low-cost-to-high", "question-law"], Options(replicates=200))
    return [
        forecast_figure(replace(one, slug=f"{one.slug}-{protocol.replace(' ', '-')}"))
        for one in make_forecasts({f"{name}.csv": table})
    ]


if __name__ == "__main__":
    main()
