"""Evaluation of forecasts along T: larger caps and new settings, ours and every rival, by data set.

    python -m studies.forecasts.along_t --data ../shared/data/samples           everything
    python -m studies.forecasts.along_t --data ../shared/data/samples --ours    ours; rivals stay as they are

Caps: each run is treated as if stopped at the fourth of eight caps, at the 10 … 99.9 % quantiles of the
answer lengths; the four larger caps are forecast for a vote and for best-of-N. Eight answers to each question
are seen. Settings: the cheapest two (or more) are fitted, and all longer ones are forecast at every N. Every
(set, predictor, N or seen) gives one row: mean absolute error in points, coverage of 90 % intervals, and
interval score (Winkler 1972: width + 20 × miss, in points).
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from unittest.mock import patch

import click
import numpy as np
import pandas as pd

from predict.estimate import Options
from predict.estimators import ESTIMATORS, SURVIVAL, able, chosen
from predict.evidence.capped import capped
from predict.evidence.groups import Group, groups_of_samples
from predict.evidence.points import Run
from predict.evidence.request import Request, read_asked
from predict.splits import backtest
from predict.stopped import survival
from results.normal import held, interval_score
from results.tables.contract import as_samples
from results.tables.files import read_raw, write_raw
from studies.forecasts.page import HERE, geometric_mean, insert
from studies.forecasts.rivals import JOINT
from studies.pages import markdown

DEVELOPMENT = ("datarus-r1-14b", "nemotron-9b-v2/aime2425", "nemotron-9b-v2/math500", "qwen3-14b")
"""Sets used to choose the law and its priors. All were known when the line was added."""

OURS = ("mixture", "question-law")
"""From curves, the mixture is the question law."""

ANSWERS = 8
AT_N = (1, 8, 40)


def runs(samples: pd.DataFrame) -> Iterator[tuple[pd.DataFrame, str]]:
    """The name and the answers of each setting of each model on each dataset."""
    for (model, dataset), part in samples.groupby(["model", "dataset"], sort=False):
        settings = list(part.groupby("setting", sort=False))
        for setting, one in settings:
            yield one, f"{model}/{dataset}" + (f"/{setting}" if len(settings) > 1 else "")


def caps_of(run: pd.DataFrame, number: int = 8) -> list[int]:
    """Caps at the 10 … 99.9 % quantiles of the lengths of a run's answers."""
    return [round(cap) for cap in np.quantile(run["tokens"], np.linspace(0.1, 0.999, number))]


def measure(run: pd.DataFrame, name: str, splits: int, stop: int, predictor: str) -> pd.DataFrame:
    """The backtest of one run, stopped at cap number `stop` of eight, for the vote and best-of-N."""
    caps = caps_of(run)
    smallest = int(run.groupby("question_id").size().min())
    request = Request(fit_max_n=ANSWERS, at_n=tuple(n for n in AT_N if n <= smallest))
    tables = []
    with patch.object(survival, "ahead_of", once()):
        for method in ("majority", "best_of_n"):
            (group,) = capped(run, method, caps[stop - 1], caps[stop:], request.at_n)
            names = [SURVIVAL] if predictor == SURVIVAL else [*chosen(predictor, group), *JOINT]
            tables.append(tested(group, names, request, splits, Options(replicates=100)))
            tables[-1]["predictor"] = tables[-1]["estimator"]
    law = "chosen on it" if any(known in name for known in DEVELOPMENT) else ""
    return pd.concat(tables, ignore_index=True).assign(set=name, law=law)


def once() -> Callable[[Run, int, int], survival.Ahead | None]:
    """A version of `ahead_of` that caches its result for each split of a run."""
    found: dict[int, survival.Ahead | None] = {}
    look = survival.ahead_of

    def ahead_of(run: Run, replicates: int, seed: int) -> survival.Ahead | None:
        if seed not in found:
            found[seed] = look(run, replicates, seed)
        return found[seed]

    return ahead_of


def tested(
    group: Group, names: Sequence[str], request: Request, splits: int, options: Options
) -> pd.DataFrame:
    """The backtest of predictors of the product and of `joint`, a rival of this study."""
    with patch.dict(ESTIMATORS, JOINT):
        return backtest(group, names, request, splits, options)


def marked(table: pd.DataFrame) -> pd.DataFrame:
    """A backtest with each forecast's error, whether its interval covers the truth, and its score."""
    return table.assign(
        error=100 * (table["predicted"] - table["accuracy"]).abs(),
        held=held(table).where(table["low"].notna()),
        score=100 * interval_score(table),
    )


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """One row per set, predictor, method and N; token scores only for ours, which forecasts tokens."""
    ours = table["predictor"] == SURVIVAL
    held = table["tokens"].between(table["tokens_low"], table["tokens_high"]).where(ours).astype(float)
    off = 100 * (table["tokens_predicted"] / table["tokens"] - 1).abs().where(ours)
    both = marked(table).assign(tokens_error=off, tokens_held=held)
    by = both.groupby(["set", "law", "predictor", "method", "N"], sort=False)
    columns = ["error", "held", "score", "tokens_error", "tokens_held"]
    return by[columns].mean().round(3).assign(forecasts=by["error"].count()).reset_index()


def read(path: Path) -> pd.DataFrame:
    """The answers in a file; Epoch AI's grid has different columns."""
    frame = read_raw(path, ("answer", "question_id"))
    if "completion_tokens" in frame:
        frame = frame[frame["error"].astype(float) == 0]
        names = {"effort": "setting", "completion_tokens": "tokens"}
        frame = frame.rename(columns=names).drop(columns=["error", "gold"]).assign(dataset="otis-mock-aime")
    return as_samples(frame, path)


def new_settings(name: str, group: Group) -> list[pd.DataFrame]:
    """Forecasts of longer settings from the cheapest two, three, …: a row per predictor and number seen."""
    names = [setting for setting, _ in group.points.settings()]
    found = []
    for seen in range(2, len(names)):
        if not np.isfinite(group.points.T).all():
            break
        predictors = [*JOINT, *able(bool(group.pools))]
        request = Request(fit_settings=tuple(names[:seen]))
        table = marked(tested(group, predictors, request, 1, Options(replicates=200)))
        by = table.groupby("predictor", sort=False)[["error", "held", "score"]]
        found.append(by.mean().round(3).reset_index().assign(set=name, method=group.method, seen=seen))
    return found


def samples_in(data: Path) -> list[Path]:
    """The files of a folder that have tokens."""
    return sorted([*data.glob("boinf-*.csv"), *data.glob("epoch*.csv")])


def new_settings_of(data: Path) -> list[pd.DataFrame]:
    """`new_settings` of two cached curves and of every file of `data`."""
    found = []
    for file in (HERE.parents[1] / "results" / "cached" / f"{one}.csv" for one in ("tiny", "fig2f")):
        for group in read_asked([file], "majority"):
            found += new_settings(f"{file.stem} (curve)", group)
    for file in samples_in(data):
        for method in ("majority", "best_of_n"):
            for group in groups_of_samples(read(file), method):
                found += new_settings(f"{group.key.model}/{group.key.dataset}", group)
    return found


def others(out: Path) -> pd.DataFrame:
    """The rivals' rows from an earlier table."""
    table = pd.read_csv(out)
    return table[table["predictor"] != SURVIVAL].assign(tokens_error=np.nan, tokens_held=np.nan)


def caps_table(table: pd.DataFrame) -> str:
    """The scores by set as a table of the page, with the mean over sets."""
    heads = {"survival": "ours", "low-cost-to-high": "Algorithm 3"}
    names = ["survival", "exponential", "power-law", "joint", "low-cost-to-high", "flat"]
    by_set = table.pivot_table(["error", "held", "score"], "set", "predictor", sort=False)
    by_set.loc["**mean**"] = by_set.mean()
    lines = []
    for name, row in by_set.iterrows():
        errors = [f"{row['error', one]:.1f}" for one in names]
        held, ours, rival = (row[at] for at in (("held", names[0]), ("score", names[0]), ("score", names[1])))
        lines.append([str(name), *errors, f"{100 * held:.0f} %", f"{ours:.0f} / {rival:.0f}"])
    head = ["set", *(heads.get(name, name) for name in names), "held", "score: ours / exponential"]
    return markdown(head, lines)


def verdict(table: pd.DataFrame) -> str:
    """The table in two sentences: ours against the best curve predictor over all sets."""
    by_set = table.groupby(["predictor", "set"])[["error", "score", "held"]].mean()
    means = by_set.groupby("predictor").mean()
    rival = str(means["error"].drop("survival").idxmin())
    ratio = geometric_mean(by_set["error"]["survival"] / by_set["error"][rival])
    tokens = table[table["predictor"] == "survival"].groupby("set")[["tokens_error", "tokens_held"]].mean()
    ours, other = means.loc["survival"], means.loc[rival]
    times = ours["error"] / other["error"]
    return (
        f"Our error is {ours['error']:.1f} points; that of the best curve predictor over all sets, "
        f"`{rival}`, is {other['error']:.1f}.\n"
        f"The ratio is {times:.2f} (geometric mean over sets: {ratio:.2f}).\n"
        f"Of 100 intervals of ours {100 * ours['held']:.0f} hold, of `{rival}` {100 * other['held']:.0f}; "
        f"the interval scores are {ours['score']:.0f} and {other['score']:.0f}.\n"
        f"Tokens per answer are {tokens['tokens_error'].mean():.1f} % off on average, and "
        f"{100 * tokens['tokens_held'].mean():.0f} of 100 of their intervals hold."
    )


def settings_table(table: pd.DataFrame) -> str:
    """New settings as a table of the page: the mixture against the best rival of each row."""
    lines = []
    for key, part in table.groupby(["set", "method", "seen"], sort=False):
        name, method, seen = map(str, key)
        errors = part.set_index("predictor")["error"].dropna()
        ours = part[part["predictor"].isin(OURS)].iloc[-1]
        others = errors.drop([*OURS, "beta-binomial"], errors="ignore")
        words = f"{name}, {method.replace('_', ' ')}"
        rival = f"{others.idxmin()} {others.min():.1f}"
        told = f"{ours['error']:.1f}", f"{100 * ours['held']:.0f} %", f"{ours['score']:.0f}"
        lines.append([words, seen, rival, *told])
    return markdown(["set", "settings seen", "best rival", "mixture", "held", "score"], lines)


@click.command()
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    help="Samples; without, only the page is made.",
)
@click.option("--out", type=click.Path(path_type=Path), default=HERE / "along_t.csv", help="Scores, of caps.")
@click.option("--splits", default=2, show_default=True, help="Random choices of the eight answers.")
@click.option(
    "--ours", is_flag=True, help="Of caps only our forecasts; the rest stays as it is in the files."
)
@click.option("--stop", default=4, show_default=True, help="Which of the eight caps is the last one seen.")
def main(data: Path | None, out: Path, splits: int, stop: int, ours: bool) -> None:
    """Measure every file boinf-* and epoch* of a folder, and write the tables of along_t.md."""
    settings = HERE / "new_settings.csv"
    if data and not ours:
        write_raw(pd.concat(new_settings_of(data), ignore_index=True), settings)
    if data:
        tables = [others(out)] if ours and out.exists() else []
        for file in samples_in(data):
            for run, name in runs(read(file)):
                tables.append(scores(measure(run, name, splits, stop, SURVIVAL if ours else "all")))
                click.echo(name, err=True)
                if not ours:
                    write_raw(pd.concat(tables, ignore_index=True), out)
        write_raw(pd.concat(tables, ignore_index=True), out)
    if out.resolve() == HERE / "along_t.csv":
        insert("caps", caps_table(pd.read_csv(out)))
        insert("verdict", verdict(pd.read_csv(out)))
        insert("settings", settings_table(pd.read_csv(settings)))


if __name__ == "__main__":
    main()
