"""Remake every table and the figure of the README, from the data to the Markdown.

$ DATA_DIR=../shared/data python -m studies.stopping.run        a minute of processor time

Replays every rule on the sets of `sets.py` (40 answers at most, 100 orders) and writes costs at equal
agreement to rules.csv, the figure to stopping.png, and the tables between the markers of the page. Results
for *counts* come from counts.csv, written by fit_counts.py.
"""

import warnings
from functools import partial
from pathlib import Path

import click
import pandas as pd
import vl_convert

from results.figures.theme import combined_spec
from results.report.selectors import stopping_choices
from results.stopping import arena
from results.stopping.advice import LOST, advice, at_equal_agreement, one_by_one
from results.stopping.arena import CLAIRVOYANT
from results.words.names import points
from results.words.stopping import sentences
from studies.options import DATA
from studies.pages import insert_into, markdown
from studies.stopping.rules import LITERATURE
from studies.stopping.sets import load

HERE = Path(__file__).resolve().parent
PAGE = HERE / "README.md"
insert = partial(insert_into, (PAGE,))
SHOWN = {
    "boinf-qwen3-14b-aime2425-80": "AIME, qwen3-14b",
    "boinf-nemotron-9b-v2-aime2425-80": "AIME, nemotron-9b",
    "boinf-nemotron-9b-v2-gpqa-80": "GPQA, nemotron-9b",
    "boinf-nemotron-9b-v2-math500-80": "MATH-500, nemotron-9b",
    "rgeval-llama32-3b-rgmath-amc23-50, step800": "AMC, a 3B Llama",
    "qwen-gsm8k, 500": "GSM8K, a 1.5B Qwen",
}
"""The sets of the table by set."""
PICTURED = ("boinf-qwen3-14b-aime2425-80", "boinf-nemotron-9b-v2-gpqa-80")
LINES = [
    "fixed:9",
    "doubling",
    "lead:3",
    "counts",
    "lead:4",
    "asc-crp",
    "boinf",
    "asc-beta",
    "esc",
    "ppr",
    "certain",
]
CLAIMS = {
    "asc-beta": "up to 7.9 times fewer answers",
    "esc": "34 % (MATH) to 84 % fewer answers",
    "lead": "up to 89 % fewer tokens (ConSol, whose test is lead:3)",
    "boinf": "2 to 5 times fewer answers",
}
"""The savings claimed by the sources, mostly against a fixed number of 40."""


@click.command()
@DATA
def main(data: Path) -> None:
    """Remake the tables and the picture of the README."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {name: arena(samples, list(LITERATURE.values())) for name, (_, samples) in load(data).items()}
    table = pd.concat(rows.assign(set=name) for name, rows in found.items())
    costs = pd.concat(at_equal_agreement(rows).assign(set=name) for name, rows in found.items())
    costs[["set", "rule", "share", "vs_lead"]].round(4).to_csv(HERE / "rules.csv", index=False)
    usual = pd.concat(
        one_by_one(table)[
            lambda rows, n=name, rule=rule: (rows["rule"] == n) & (rows["threshold"] == rule.usual)
        ]
        for name, rule in LITERATURE.items()
    )
    insert("rules", rules_table())
    insert("equal", equal_table(costs))
    insert("sets", sets_table(one_by_one(table)))
    insert("claims", claims_table(one_by_one(table)))
    insert("accuracy", accuracy_text(usual))
    insert("blocks", blocks_table(table))
    insert("delta", delta_table(usual))
    insert("left", left_text(costs))
    insert("counts", counts_text())
    insert("advice", " ".join(sentences(advice(pd.concat(found.values())))))
    choices = stopping_choices(pd.concat(found[name] for name in PICTURED))
    figures = [figure for choice in choices for figure in choice.every_figure]
    png = bytes(vl_convert.vegalite_to_png(combined_spec([figures]), scale=1.2))
    (HERE / "stopping.png").write_bytes(png)


def percent(value: float, digits: int = 1) -> str:
    """A share in per cent, without the sign."""
    return "–" if value != value else f"{100 * value:.{digits}f}"


def rules_table() -> str:
    """The table of rules, from the code."""
    rows = [[f"`{name}:{r.usual:g}`", r.formula, r.source] for name, r in LITERATURE.items()]
    return markdown(["rule", "ends a vote when", "source"], rows)


def equal_table(costs: pd.DataFrame) -> str:
    """Each rule's cost at equal agreement relative to a lead, averaged over the sets where it reaches it."""
    sets = costs["set"].nunique()
    rows = []
    for rule, of in costs.groupby("rule"):
        known = of.dropna(subset=["vs_lead"])
        ratio = known["vs_lead"]
        span = f"{ratio.min():.2f} … {ratio.max():.2f}" if len(known) else "–"
        reached = f"{len(known)} of {sets}"
        rows.append(
            (ratio.mean(), [str(rule), f"{ratio.mean():.2f}", span, percent(known["share"].mean()), reached])
        )
    cheapest_first = [cells for _, cells in sorted(rows, key=lambda row: row[0])]
    titles = ["rule", "cost, lead = 1", "set by set", "% of all answers' tokens", "sets where it gets there"]
    return markdown(titles, cheapest_first)


def sets_table(table: pd.DataFrame) -> str:
    """Cost and agreement of rules at their usual thresholds, by set."""
    rows = []
    for line in LINES:
        name, _, number = line.partition(":")
        threshold = float(number or LITERATURE[name].usual)
        mine = table[(table["rule"] == name) & (table["threshold"] == threshold)].set_index("set")
        share, agreement = mine["share"], mine["agreement"]
        cells = [f"{percent(share[one])} / {percent(agreement[one])}" for one in SHOWN]
        rows.append([f"`{name}:{threshold:g}`", *cells])
    everything = table.drop_duplicates("set").set_index("set")["agreement_all"]
    rows.append(["all answers", *(f"100 / {percent(everything[one])}" for one in SHOWN)])
    return markdown(["cost / agreement, %", *SHOWN.values()], rows)


def claims_table(table: pd.DataFrame) -> str:
    """The savings claimed by sources, and those measured here."""
    rows = []
    for name, said in CLAIMS.items():
        threshold = 3.0 if name == "lead" else LITERATURE[name].usual
        mine = table[(table["rule"] == name) & (table["threshold"] == threshold) & (table["n_max"] == 40)]
        answers, tokens = 1 - mine["answers"] / 40, 1 - mine["share"]
        saved = [
            f"{percent(of.mean(), 0)} ({percent(of.min(), 0)} … {percent(of.max(), 0)})"
            for of in (answers, tokens)
        ]
        rows.append([f"`{name}:{threshold:g}`", said, *saved, percent(mine["agreement"].mean())])
    head = ["rule", "its source says", "answers saved here, %", "tokens saved here, %", "agreement, %"]
    return markdown(head, rows)


def accuracy_text(usual: pd.DataFrame) -> str:
    """The paragraph on the effect of rules on accuracy."""
    rules = usual[~usual["rule"].isin(["fixed", CLAIRVOYANT])]
    apart = rules[(rules["low_fixed"] > 0) | (rules["high_fixed"] < 0)]
    lost = rules[(rules["low"] > 0) | (rules["high"] < 0)]
    lead = rules[rules["rule"] == "lead"]
    gain, usual_lead = lead["difference_fixed"], f"lead:{LITERATURE['lead'].usual:g}"
    return (
        f"The accuracy of `{usual_lead}` less that of a fixed N of equal cost: {points(gain.mean())} points, "
        f"the mean of {len(lead)} sets ({points(gain.min())} … {points(gain.max())}). Over all rules at "
        f"their usual thresholds, intervals of this difference exclude 0 in {len(apart)} of {len(rules)} "
        "cases (a rule on a set). Compared with the vote of the whole pool the mean difference of "
        f"`{usual_lead}` is {points(lead['difference'].mean())} points, and {len(lost)} of {len(rules)} "
        "intervals exclude 0."
    )


def blocks_table(table: pd.DataFrame) -> str:
    """The default rule with several batch sizes: means over the sets with token counts."""
    lead = table[
        (table["rule"] == "lead") & (table["threshold"] == LITERATURE["lead"].usual) & table["tokens"].notna()
    ]
    names = {
        "1": "one at a time",
        "exact": "exact blocks",
        "4": "batches of 4",
        "16": "batches of 16",
        "all": "all at once, the rest stopped when settled",
    }
    rows = []
    for batch, said in names.items():
        of = lead[lead["batch"] == batch]
        rows.append(
            [said, *(percent(of[c].mean()) for c in ("share", "agreement")), f"{of['rounds'].mean():.1f}"]
        )
    return markdown(["asked for", "% of all tokens", "agreement, %", "rounds"], rows)


def delta_table(usual: pd.DataFrame) -> str:
    """False stops at the usual threshold, and the rate stated by the source."""
    rows = []
    for name, of in usual[usual["delta"].notna() & (usual["rule"] != "certain")].groupby("rule", sort=False):
        stops = of["false_stops"]
        more = int((stops > of["delta"]).sum())
        cells = [f"`{name}:{of['threshold'].iloc[0]:g}`", percent(of["delta"].iloc[0]), percent(stops.mean())]
        rows.append([*cells, percent(stops.max()), f"{more} of {len(of)}"])
    return markdown(["rule", "stated, %", "mean, %", "worst set, %", "sets with more than stated"], rows)


def left_text(costs: pd.DataFrame) -> str:
    """The sentence on the cost of a clairvoyant."""
    ratio = costs.loc[costs["rule"] == CLAIRVOYANT, "vs_lead"]
    return (
        f"The clairvoyant costs {ratio.mean():.2f} times as much as a lead ({ratio.min():.2f} … "
        f"{ratio.max():.2f} set by set), at an agreement {100 * LOST:g} point below that of all answers."
    )


def counts_text() -> str:
    """The table of weights and their costs, from counts.csv."""
    found = pd.read_csv(HERE / "counts.csv")
    weights = [f"w{i}" for i in range(1, 5)]
    rows = [
        [str(row["left_out"]), str(row["sets"]), f"{row['vs_lead']:.2f}", *(f"{row[w]:.2f}" for w in weights)]
        for _, row in found.iterrows()
    ]
    return markdown(["left out", "sets", "cost there, lead = 1", *weights], rows)


if __name__ == "__main__":
    main()
