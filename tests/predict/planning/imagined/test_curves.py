"""The next run from curves: what is announced agrees with what is seen when points held back come in."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from predict.groups import Group, groups_of_curves
from predict.planning.next_run import Candidate, after, candidates, next_runs, width
from predict.protocol import Options, Points
from results import BadInput, read_curves

TINY = Path(__file__).parents[4] / "results" / "cached" / "tiny.csv"
OPTIONS = Options(replicates=100)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    frame = read_curves(TINY)
    return frame[frame["permutation"].astype(str) == "exact"]


def group(rows: pd.DataFrame) -> Group:
    return groups_of_curves(rows, "majority")[0]


def at(setting: str, T: float, N: int) -> Points:
    return Points(np.array([setting]), np.array([T]), np.array([N]))


def told_and_seen(
    now: Group, later: Group, run: Candidate, places: list[Points], alone: bool
) -> list[tuple[float, float]]:
    """Widths at each of `places`: on average over two imagined runs, and after the real one."""
    larger = after(now, "mixture", run, OPTIONS, 2)
    return [
        (
            float(np.mean([width(one, "mixture", place, OPTIONS, alone) for one in larger])),
            width(later, "mixture", place, OPTIONS, alone),
        )
        for place in places
    ]


def test_announced_width_after_more_answers_is_the_width_seen(table: pd.DataFrame) -> None:
    """N up to 8 … 32 are shown, twice as many come in at the setting asked: ± 15 % on average."""
    T = dict(group(table).points.settings())
    widths = []
    for name in ("20", "40", "60", "120"):
        for shown, asked in ((8, 16), (8, 32), (16, 64), (32, 64)):
            few = table["N"] <= shown
            more = (table["setting"].astype(str) == name) & (table["N"] <= 2 * shown)
            now, later = group(table[few]), group(table[few | more])
            place, run = at(name, T[name], asked), Candidate(name, T[name], shown, shown)
            widths += told_and_seen(now, later, run, [place], alone=False)
            assert widths[-1][0] < width(now, "mixture", place, OPTIONS)
    assert np.mean(widths, axis=0)[0] == pytest.approx(np.mean(widths, axis=0)[1], rel=0.15)


@pytest.mark.parametrize("own", [True, False])
def test_announced_width_after_a_new_setting_is_the_width_seen(table: pd.DataFrame, own: bool) -> None:
    """A setting is held back and asked for; it, or another one held back, comes in: ± 25 % on average."""
    T = dict(group(table).points.settings())
    names = table["setting"].astype(str)
    widths, before = [], []
    for asked in ("40", "60", "120"):
        for new in [asked] if own else [name for name in ("30", "40", "60", "120") if name != asked]:
            now = group(table[~names.isin([asked, new])])
            later = group(table[~names.isin({asked} - {new})])
            places, run = [at(asked, T[asked], N) for N in (1, 64)], Candidate(new, T[new], 0, 64)
            widths += told_and_seen(now, later, run, places, alone=True)
            before += [width(now, "mixture", place, OPTIONS) for place in places]
    told, seen = np.mean(widths, axis=0)
    assert told == pytest.approx(seen, rel=0.25)
    assert max(told, seen) < 0.8 * np.mean(before)


def test_more_answers_bring_a_point_and_take_the_answers_part_of_the_noise(table: pd.DataFrame) -> None:
    now = group(table)
    T = dict(now.points.settings())["60"]
    for one in after(now, "mixture", Candidate("60", T, 64, 192), OPTIONS, 2):
        here, was = one.points.setting == "60", now.points.setting == "60"
        assert one.points.N[here].tolist() == [1, 2, 4, 8, 16, 32, 64, 128, 256]
        assert one.stderr[here][:7] == pytest.approx(now.stderr[was] * np.sqrt(0.9 + 0.1 / 4))
        assert one.stderr[here][7:] == pytest.approx(now.stderr[was][-1])
        assert np.array_equal(one.accuracy[~here], now.accuracy[~was])
        assert list(one.points.settings()) == list(now.points.settings())


def test_same_seed_same_runs_and_their_prices(table: pd.DataFrame) -> None:
    now = group(table)
    place = at("long", 90 * 300 / 1e5, 4)
    runs = next_runs(now, "mixture", place, OPTIONS, draws=1)
    assert runs == next_runs(now, "mixture", place, OPTIONS, draws=1)
    one, another = candidates(now, "mixture", place)[0], Options(replicates=100, seed=1)
    (imagined,) = after(now, "mixture", one, another, 1)
    assert width(imagined, "mixture", place, another, alone=True) not in [run.width_then for run in runs]
    for run in runs:
        assert run.tokens == pytest.approx(300 * run.more * run.length)
    assert {run.setting for run in runs if not run.seen} == {
        "long", "new (54 tokens)", "new (72 tokens)", "new (112 tokens)",
    }  # fmt: skip


def test_formulas_are_not_told_of_a_larger_n_at_another_setting(table: pd.DataFrame) -> None:
    """They would count it as seen everywhere: a cheap setting would seem to narrow a dear one."""
    now = group(table)
    T = dict(now.points.settings())["120"]
    assert {run.setting for run in candidates(now, "mixture", at("120", T, 256))} == {"120"}
    beyond = candidates(now, "mixture", at("long", 0.27, 256))
    assert max(run.seen + run.more for run in beyond if run.setting != "long") == 64


def test_the_questions_luck_is_left_out_only_where_it_was_before(table: pd.DataFrame) -> None:
    """A measured new setting: ± the luck of its answers for these questions, ± all of it for new ones."""
    now = group(table[table["setting"].astype(str) != "120"])
    place = at("120", dict(group(table).points.settings())["120"], 8)
    stderr = now.stderr[(now.points.setting == "60") & (now.points.N == 8)][0]
    for target, share in (("these-questions", 0.1), ("population", 1.0)):
        options = Options(replicates=100, target=target)
        own = next(run for run in next_runs(now, "mixture", place, options, 1) if run.setting == "120")
        assert own.width_then == pytest.approx(2 * 1.645 * np.sqrt(share) * stderr, rel=1e-3)


def test_no_next_run_without_standard_errors_or_number_of_questions(table: pd.DataFrame) -> None:
    place = at("long", 0.27, 4)
    with pytest.raises(BadInput, match="no interval"):
        next_runs(group(table.assign(stderr=np.nan)), "power-law", place, OPTIONS)
    uncounted = group(table.assign(T=table["tokens_per_answer"] * 300, questions=np.nan))
    with pytest.raises(BadInput, match="without the number of questions"):
        next_runs(uncounted, "mixture", place, OPTIONS)
