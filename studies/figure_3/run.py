"""The tables and the picture of docs/figure-3.md: when does Low-Cost-to-High work?

    python -m studies.figure_3.run            (after from_curves.py, whose CSV it reads)

Writes, between the markers of the page, the errors of each set, what held and was ok, and how far the
forecasts are off by the condition number of the paper's 2 × 2 systems; and figure-3.png: forecasts along T,
those of the algorithm and of its repair.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import vl_convert

from predict.curves.low_cost_to_high import low_cost_to_high
from predict.estimate import Options
from predict.evidence.groups import groups_of_curves
from predict.evidence.hidden import observe
from predict.evidence.request import Request
from predict.table import forecast
from results.figures.forecast import forecast_figure, make_forecasts
from results.figures.theme import Figure, combined_spec
from studies.figure_3.from_curves import SEEN, by_case, curves_of, short
from studies.forecasts.page import insert

HERE = Path(__file__).resolve().parent

NAMES = {"low-cost-to-high": "Algorithm 3", "joint": "one fit", "question-law": "repaired", "flat": "flat"}
SETS = {
    "fig2e 1": "twin, fig2e",
    "fig2f 1": "twin, fig2f",
    "fig2h 2": "twin, fig2h, step 1/5",
    "fig2g 1": "twin, fig2g",
    "fig2h 1": "twin, fig2h, step 1",
    "fig1-binary 1": "twin, fig1, step 1/4",
    "fig1-binary 2": "twin, fig1, step 1/16",
    "tiny": "small model, asked for lengths",
    "tiny-forced": "small model, ended at lengths",
    "qwen-forced": "Qwen 1.5B on GSM8K, ended at lengths",
}
"""What the page calls a set; the others are real runs looked at by caps."""

UP_TO = 16
DRAWN = {"fig2h 2": 4, "qwen-forced": 5}
"""The sets of the picture, and how many lengths are seen of each."""

LINES = {"fig2h 2": ("rising", "fig2h"), "qwen-forced": ("forced", "results/cached/int8-gsm8k-forced.csv")}
CONDITIONS = (10, 30, 100, 1000, np.inf)


def main() -> None:
    """Write the tables and the picture."""
    table = pd.read_csv(HERE / "from_curves.csv")
    insert("figure-3", errors(by_case(table).query("N == @UP_TO")))
    insert("trust", trust(table))
    insert("conditioning", conditioning())
    figures = [drawn(name, count) for name, count in DRAWN.items()]
    (HERE / "figure-3.png").write_bytes(vl_convert.vegalite_to_png(combined_spec(figures), scale=1.6))


def errors(cases: pd.DataFrame) -> str:
    """A row a set: mean errors in points at 3, 4 and 6 settings seen, side by side."""
    head = " | ".join(NAMES.values())
    lines = [f"| set | {head} |", "|---" * (len(NAMES) + 1) + "|"]
    error = cases["error"].reset_index()
    names = [*SETS, *sorted(set(error["set"]) - set(SETS))]
    for name in names:
        own = error[error["set"] == name].set_index(["predictor", "settings"])["error"]
        settings = [count for count in SEEN if count in own["flat"].index] or list(own["flat"].index)
        cells = [
            " / ".join(short(own[predictor].get(count, np.nan)) for count in settings) for predictor in NAMES
        ]
        lines.append(f"| {SETS.get(name, f'caps, {name}')} | {' | '.join(cells)} |")
    return "\n".join(lines)


def trust(table: pd.DataFrame) -> str:
    """A row a set: how many intervals of 90 % hold, and what is ok, from four settings at N ≤ 16."""
    names = ["low-cost-to-high", "question-law"]
    heads = [f"{NAMES[name]}: {what}" for name in names for what in ("held", "ok", "error of ok")]
    lines = [f"| set | forecasts | {' | '.join(heads)} |", "|---" * (len(heads) + 2) + "|"]
    seen = table[(table["settings"] == 4) & (table["N"] == UP_TO)]
    for set_name in [*SETS, *sorted(set(seen["set"]) - set(SETS))]:
        rows = seen[seen["set"] == set_name]
        cells = []
        for predictor in names:
            own = rows[rows["predictor"] == predictor]
            total, trusted = own["targets"].sum(), own[(own["status"] == "ok") & (own["given"] > 0)]
            count = trusted["given"].sum()
            error = (trusted["error"] * trusted["given"]).sum() / count if count else np.nan
            cells += [f"{own['held'].sum() / total:.0%}", f"{count:.0f}", short(error)]
        label = SETS.get(set_name, f"caps, {set_name}")
        lines.append(f"| {label} | {total:.0f} | {' | '.join(cells)} |")
    return "\n".join(lines)


def conditions() -> pd.DataFrame:
    """The algorithm's forecasts on the twin and the small model: `off`, in points, and the larger `condition`
    number of the two systems."""
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
        (group,) = groups_of_curves(curves_of(kind, name, source), "majority")
        settings = [setting for setting, _ in group.points.settings()]
        for count in (min(seen, len(settings) - 1) for seen in SEEN):
            hidden = ~np.isin(group.points.setting, settings[:count])
            observed = observe(group, settings[:count], UP_TO)
            paper = low_cost_to_high(observed.points, observed.accuracy[None], group.points[hidden])
            off = 100 * np.abs(paper.mean[0] - group.accuracy[hidden])
            found.append(pd.DataFrame({"off": off, "condition": paper.condition}))
    return pd.concat(found).dropna()


def conditioning() -> str:
    """How far off the algorithm is, by its condition number."""
    table = conditions()
    lines = ["| condition number | forecasts | median error, points | off by at most 3.5 |", "|---" * 4 + "|"]
    least = 0.0
    for most in CONDITIONS:
        own = table.loc[(table["condition"] > least) & (table["condition"] <= most), "off"]
        label = f"above {least:,.0f}" if np.isinf(most) else f"{least:,.0f} to {most:,.0f}"
        lines.append(f"| {label} | {len(own)} | {short(own.median())} | {(own <= 3.5).mean():.0%} |")
        least = most
    return "\n".join(lines)


def drawn(name: str, seen: int) -> list[Figure]:
    """The forecasts from the `seen` cheapest settings at N ≤ 16, by the algorithm and by its repair."""
    kind, source = LINES[name]
    (group,) = groups_of_curves(curves_of(kind, name, source), "majority")
    settings = [setting for setting, _ in group.points.settings()]
    request = Request(fit_settings=tuple(settings[:seen]), fit_max_n=UP_TO)
    table, _ = forecast(group, request, ["low-cost-to-high", "question-law"], Options(replicates=200))
    return [forecast_figure(one) for one in make_forecasts({f"{name}.csv": table})]


if __name__ == "__main__":
    main()
