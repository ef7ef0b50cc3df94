"""Every number on the default report, worked out again from the tables that ship, with plain pandas."""

import re
from collections import defaultdict
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from results.cli.report import CACHED
from results.figures.theme import Figure
from results.report.inputs import read_tables
from results.report.page import build_report

WORDS = {
    "majority": "majority vote",
    "best_of_n": "best of N",
    "best_by_score": "best by score",
    "weighted_majority": "weighted vote",
}
TITLES = {method: name[0].upper() + name[1:] for method, name in WORDS.items()}
BLOCK = r"<(h2|h3|h4|p|dt|dd|caption|tr|summary)([^>]*)>(.*?)</\1>"
BESIDE = '<section id="terms">.*'
NUMBER = r"[−+]?\d+(?:,\d{3})*(?:\.\d+)?"
SHARES = ["predicted", "low", "high", "new_low", "new_high", "accuracy"]
Z90 = 1.6448536


def numbers_of(paths, names):
    """The page's numbers by (heading of the card or list, title of the table), names taken out.

    Left out are heads and notes of tables, what stands below figures, and how to read the page.
    """
    page = build_report(read_tables(paths), datetime(2026, 1, 2, tzinfo=UTC))["index.html"].decode()
    found, heading, title = defaultdict(list), "", ""
    for tag, given, inside in re.findall(BLOCK, re.sub(BESIDE, "", page, flags=re.S), re.S):
        text = re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", inside)).strip()
        if tag in ("h2", "h3", "summary"):
            if not text.startswith("predictor: "):
                heading, title = "" if tag == "h2" else text.partition(": ")[2] or text, ""
        elif tag == "caption":
            title = re.sub("<span.*", "", inside)
        elif not ("<th" in inside or re.search("facts|copy|table-note", given)):
            for name in sorted(names, key=len, reverse=True):
                text = text.replace(name, "")
            told = re.findall(NUMBER, text.replace("90 % interval", ""))
            key = ("", "") if 'class="answer"' in given else (heading, title)
            found[key] += [float(one.replace(",", "").replace("−", "-")) for one in told]
    return {key: told for key, told in found.items() if told}


def asked(*settings):
    return [float(setting) for setting in settings if setting.isdecimal()]


def ends(rows):
    """First and last setting at the fewest answers, and the last at the most."""
    dear = rows[rows["setting"] == rows["setting"].iloc[-1]]
    return rows.iloc[0], dear.iloc[0], dear.iloc[-1]


def at_least(row):
    """A standard error, by which one question may have been missed."""
    return max(row["stderr"], 1 / row["questions"])


def gains(rows):
    """In points, with the half-width of their 95 % intervals: of the vote, and of longer answers."""
    cheap, dear, many = ends(rows)
    for before, after, paired in ((dear, many, "stderr_vs_first_n"), (cheap, dear, "stderr_vs_cheapest")):
        error = np.hypot(at_least(before), at_least(after)) if pd.isna(after[paired]) else after[paired]
        questions = min(before["questions"], after["questions"])
        error = max(error, 1 / questions)
        yield 100 * (after["accuracy"] - before["accuracy"]), 100 * t.ppf(0.975, questions - 1) * error


def ignored(rows):
    """Whether the tokens used grow to less than the square root of those asked for."""
    used = rows.groupby("setting", sort=False)["tokens_per_answer"].first()
    wanted = sorted(asked(*used.index)) if rows["source"].iloc[0] == "llm" else []
    return bool(wanted) and np.log(used.iloc[-1] / used.iloc[0]) < np.log(wanted[-1] / wanted[0]) / 2


def length(tokens):
    """As tables tell it: whole from 100 up."""
    return round(tokens) if tokens >= 100 else tokens


def given_all(rows):
    """The accuracies drawn to their mean over settings, at each N, as far as luck explains their scatter."""
    drawn = rows["accuracy"].astype(float).copy()
    for _, at in rows.groupby("N"):
        values, luck = at["accuracy"], (at["stderr_vs_cheapest"] ** 2).mean() / 2
        if luck > 0:
            square, less = ((values - values.mean()) ** 2).sum(), len(at) - 1
            tau = (np.arange(200) + 0.5) / 400
            variance = tau**2 + luck
            likelihood = np.exp(-square / 2 * (1 / variance - 1 / variance.max())) * variance ** (-less / 2)
            kept = (likelihood * tau**2 / variance).sum() / likelihood.sum()
            drawn[at.index] = values.mean() + (values - values.mean()) * kept
    return rows.assign(expected=drawn.clip(0, 1))


def bought_of(best):
    """Rows of a frontier: cost, setting, tokens used, N, accuracy, and what to expect where that differs."""
    told = []
    differs = any(row["expected"] != row["accuracy"] for row in best)
    for row in best:
        cost, used = length(row["cost"]), length(row["tokens_per_answer"])
        told += [cost, *asked(row["setting"]), used, row["N"], 100 * row["accuracy"]]
        told += [100 * row["expected"]] * differs
    return told


def row_of(parts):
    """The numbers of a model in the table of all models; `parts` are its rows by method."""
    rows = parts["majority"]
    cheap, dear, _ = ends(rows)
    several = [cheap, dear][len(rows["setting"].unique()) == 1 :]
    numbers = [rows["questions"].max(), *(100 * end["accuracy"] for end in several)]
    for method in filter(parts.__contains__, WORDS):
        most = ends(parts[method])[2]
        numbers += [100 * most["accuracy"], most["N"]]
    return numbers + [round(end["tokens_per_answer"]) for end in several]


def notes(rows):
    """The numbers of what is said of a model below that table."""
    used = rows.groupby("setting", sort=False)["tokens_per_answer"].first().round()
    numbers = []
    if ignored(rows):
        wanted = sorted(asked(*used.index))
        numbers += [*wanted, *used[[f"{one:.0f}" for one in wanted]]]
    for lost in ("unreadable", "cut_off"):
        worst = rows.loc[rows[lost].fillna(0).idxmax()]
        told = [100 * worst[lost], *(asked(worst["setting"]) if len(used) > 1 else [])]
        numbers += told if worst[lost] >= 0.01 else []
    return numbers


def advice(rows):
    """The cheapest choice within a point of the best, or of another model and not clearly worse."""
    best = rows.sort_values("expected", kind="stable").iloc[-1]
    rows = pd.DataFrame(frontier(rows)).infer_objects()
    short, noise = best["expected"] - rows["expected"], 1.959964 * np.hypot(rows["stderr"], best["stderr"])
    good = rows[(short <= 0.01) | ((rows["model"] != best["model"]) & (short <= noise))]
    bought = good.sort_values(["cost", "expected"], ascending=[True, False]).iloc[0]
    several = len(set(rows["setting"])) > 1
    place = [*asked(bought["setting"]), round(bought["tokens_per_answer"])] if several else []
    ends_of = np.clip(bought["expected"] + np.array([0, -Z90, Z90]) * bought["stderr"], 0, 1)
    numbers = [bought["N"], *place, *(100 * ends_of), round(bought["cost"])]
    adds = best["expected"] - bought["expected"]
    more = [best["N"], 100 * adds, float(f"{best['cost'] / bought['cost']:.2g}")]
    return numbers + (more if adds > 0.01 else [])


def verdicts(rows):
    """The sentences above the figures against N and against length."""
    cheap, dear, many = ends(rows)
    if cheap["setting"] == dear["setting"]:
        vote, noise = next(gains(rows))
        return [many["N"], abs(vote) if abs(vote) > noise else vote, noise, cheap["N"]]
    vote, longer = ([abs(gain) if abs(gain) > noise else gain, noise] for gain, noise in gains(rows))
    vote.append(dear["N"])
    tokens, last = [round(end["tokens_per_answer"]) for end in (cheap, dear)], asked(dear["setting"])
    if ignored(rows):
        span = [*last, *asked(cheap["setting"])]
        return [many["N"], *vote, *last, tokens[1], *span, *longer, *tokens]
    if cheap["source"] == "synthetic":
        return [many["N"], *vote, *last, *tokens, *longer]
    return [many["N"], *vote, *last, tokens[1], *tokens, *asked(cheap["setting"]), *last, *longer]


def frontier(rows):
    """Each choice that is dearer than the one before and better by 0.05 points or more."""
    kept = []
    for _, row in rows.sort_values(["cost", "expected"], ascending=[True, False]).iterrows():
        if not kept or row["expected"] >= kept[-1]["expected"] + 0.0005:
            kept.append(row)
    return kept


def values(rows):
    """The table of values ± half their 90 % intervals."""
    told = []
    for setting, part in rows.groupby("setting", sort=False):
        told += [*asked(setting), round(part["tokens_per_answer"].iloc[0])]
        told += [100 * part[lost].iloc[0] for lost in ("unreadable", "cut_off") if rows[lost].max() > 0]
        margins = 100 * Z90 * np.maximum(part["stderr"], 1 / part["questions"])
        told += [*np.stack([100 * part["accuracy"], margins], axis=1).ravel()]
    return told


def name_of(dataset, model):
    if model.startswith("linear-attention"):
        return ", ".join(filter(None, [dataset, model.removeprefix("linear-attention").strip()]))
    return f"{model} on {dataset}" if model != dataset else f"{model} model, {model} questions"


def with_new_lengths(table):
    """The forecast table with a column `new`: what is asked where settings are new, else nothing."""
    parts = []
    for _, part in table.groupby(["dataset", "model", "method", "predictor"], sort=False):
        seen = part[part["role"] == "used"]
        new = len(seen) > 0 and not part["setting"].isin(seen["setting"]).all()
        beyond = part["N"].max() > seen["N"].max()
        parts.append(part.assign(new=("longer and more" if beyond else "longer") if new else ""))
    return pd.concat(parts)


def off(rows):
    """Mean and largest error of forecasts in points, intervals that held, and intervals."""
    error = 100 * (rows["predicted"] - rows["accuracy"]).abs()
    held = rows["accuracy"].between(rows["low"], rows["high"])
    return [error.mean(), error.max(), held.sum(), rows["low"].notna().sum()]


def winkler(rows):
    """Mean width of the 90 % intervals, in points, and 20 times the distance from them."""
    outside = np.maximum(rows["low"] - rows["accuracy"], rows["accuracy"] - rows["high"])
    return 100 * (rows["high"] - rows["low"] + 20 * outside.clip(lower=0)).mean()


def flat(lists):
    return [number for numbers in lists for number in numbers]


@pytest.mark.release
def test_every_number_is_that_of_a_table(monkeypatch):
    monkeypatch.setattr("results.report.page.rendered", lambda _: {})
    # What pictures hold is no number of the page.
    bare = {"$schema": "", "datasets": {}, "layer": []}
    monkeypatch.setattr("results.figures.theme.Figure.spec", property(lambda _: dict(bare)))
    monkeypatch.setattr("results.figures.series.Series.add", lambda *_, **__: None)
    empty = lambda series, title, *subtitle: Figure(series._name, title, subtitle, ())  # noqa: E731
    monkeypatch.setattr("results.figures.series.Series.figure", empty)
    paths = [path for path in sorted(CACHED.glob("*.csv")) if path.name != "claims.csv"]
    tables = [pd.read_csv(path, dtype={"setting": str, "permutation": str}) for path in paths]
    ahead = pd.concat([with_new_lengths(one) for one in tables if "predictor" in one])
    ahead = ahead.query("role != 'used'")
    every = pd.concat([one for one in tables if "predictor" not in one])
    every = every[(every["permutation"] == "exact") & (every["method"] != "greedy")]
    every = every.assign(cost=every["N"] * every["tokens_per_answer"])
    settings = [name for name in every["setting"].unique() if not name.isdecimal()]
    found = numbers_of(paths, {*every["model"], *every["dataset"], *settings, "outside 0–100 %"})
    expected, votes, ranked, curves = {}, {}, {}, ["dataset", "model", "method"]
    for (dataset, model), both in every.groupby(["dataset", "model"], sort=False):
        name = name_of(dataset, model)
        parts = dict(list(both.sort_values(["tokens_per_answer", "N"], ignore_index=True).groupby("method")))
        expected |= {(f"{name}, {WORDS[method]}", ""): verdicts(rows) for method, rows in parts.items()}
        expected |= {(name, TITLES[method]): values(rows) for method, rows in parts.items()}
        if both["source"].iloc[0] == "llm":
            given = given_all(parts["majority"])
            votes.setdefault(dataset, []).append(given)
            ranked[name] = parts
            of_plan = f"{name}, majority vote, as measured"
            expected[of_plan, "The frontier"] = bought_of(frontier(given))
            expected[of_plan, ""] = advice(given)
    for dataset, several in votes.items():
        if len(several) > 1:
            name = f"{len(several)} models on {dataset}, majority vote, as measured"
            expected[name, "The frontier"] = bought_of(frontier(pd.concat(several)))
            expected[name, ""] = advice(pd.concat(several))
    for (*names, method, new), rows in ahead.groupby([*curves, "new"]):
        both = ahead.groupby(curves)["new"].nunique()[(*names, method)] > 1
        name, errors = f"{name_of(*names)}, {WORDS[method]}", []
        name += f": {new or 'more answers'}" if new or both else ""
        for predictor, part in rows.groupby("predictor"):
            lengths = [part["tokens_per_answer"], part["N"], part["tokens_per_answer"] * part["N"]]
            lengths = [column.map(length) for column in lengths]
            setting = pd.to_numeric(part["setting"], errors="coerce")
            told = pd.concat([setting, *lengths, 100 * part[SHARES].clip(-1, 2)], axis=1)  # "> 200 %"
            by = f"default ({part['estimator'].iloc[0]})" if predictor == "default" else predictor
            expected[name, f"Forecast by {by}"] = [one for one in told.to_numpy().ravel() if one == one]
            told = part["predicted"].count()
            mean, largest, *intervals = off(part)
            errors.append([*([mean, largest, winkler(part), *intervals] if told else []), told, len(part)])
        expected[name, "Error by predictor"] = flat(sorted(errors, key=lambda row: (len(row) < 7, row[2:])))
    order = dict.fromkeys(name for name, _ in found if name in ranked)
    of_models = flat(row_of(ranked[name]) for name in order) + flat(
        notes(ranked[name]["majority"]) for name in order
    )
    expected["", "What more answers and longer answers bring"] = of_models
    (first,) = (key for key in expected if key[0].endswith("as measured") and not key[1] and key not in found)
    expected["", ""] = expected.pop(first)  # it is said above, and not again
    expected = {key: numbers for key, numbers in expected.items() if numbers}
    assert found.keys() == expected.keys()
    for key, numbers in expected.items():
        assert found[key] == pytest.approx(numbers, abs=0.0501), key
