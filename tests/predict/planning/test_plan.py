"""The planner: choices by forecast and by score, their prices, the frontier and what it recommends."""

import re
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.special import ndtr, stdtrit

from predict.cli.plan import money_of
from predict.estimate import Options
from predict.evidence.groups import Group
from predict.evidence.request import Request, groups_asked, read_asked
from predict.forecast_table import forecast
from predict.planning.choices import (
    _as_measured,
    check_new,
    forecast_choices,
    measured_choices,
    measured_luck,
    plan,
)
from results import BadInput, as_samples, build_curves, read_samples, write_samples
from results.cli import cli as results
from results.normal import Z90
from results.paired.sides import Side, sides_of
from results.summary.buying import Plan, measured
from results.summary.panels import make_panels
from results.tables.money import Price
from tests.predict.commands import predict
from tests.predict.conftest import simulated_samples
from tests.results.votes.test_clusters import by_pairs

LENGTHS = np.array([0.8, 1.2, 1.7, 2.5, 3.2, 4.0, 6.0])
GAP = {T: (0.8 - 0.5 * np.exp(-0.6 * T)) ** 2 / 2 for T in LENGTHS}


@pytest.fixture(scope="module")
def group(curves_file: Path) -> Group:
    return next(g for g in read_asked([curves_file], "majority") if g.key.model == "large")


@pytest.fixture(scope="module")
def planned(group: Group) -> Plan:
    """A plan for the six settings and a longer new one."""
    choices = forecast_choices(group, "question-law", 64, Options(replicates=400), ("long=6000",))
    return plan(choices, 0.9, target_accuracy=0.8)


def test_the_cheapest_choice_that_reaches_the_target_is_that_of_the_known_surface(planned: Plan) -> None:
    places = [(1000 * T * n, T, n) for T in LENGTHS for n in 2 ** np.arange(7)]
    true = min(cost for cost, T, n in places if 0.9 - 0.4 * np.exp(-GAP[T] * n) >= 0.8)
    assert planned.chosen is not None
    assert planned.chosen["cost"] == pytest.approx(true)
    assert planned.cautious is not None
    assert planned.cautious["low"] >= 0.8
    assert planned.frontier["cost"].is_monotonic_increasing
    assert (np.diff(planned.frontier["predicted"]) > 0).all()


def test_new_settings_are_priced_by_the_length_named(planned: Plan) -> None:
    long = planned.options[planned.options["setting"] == "long"].set_index("N")
    assert long.loc[4, "cost"] == pytest.approx(24_000)
    assert long.loc[4, "predicted"] == pytest.approx(0.9 - 0.4 * np.exp(-GAP[6.0] * 4), abs=0.01)
    assert set(long["known"]) == {"forecast"}


def test_what_was_measured_is_taken_as_measured_whoever_forecasts(group: Group, planned: Plan) -> None:
    rows = planned.options[planned.options["setting"] != "long"]
    seen = rows[rows["known"] == "measured"]
    known = dict(zip(group.points.places(), group.accuracy, strict=True))
    assert len(seen) == 36
    for row in seen.itertuples():
        assert row.predicted == pytest.approx(known[row.setting, row.N], abs=1e-12)
    new = seen["new_high"] - seen["new_low"]
    assert new.tolist() == pytest.approx([2 * Z90 * 0.01] * 36)  # one of 100 questions, twice the stderr
    assert (seen["high"] - seen["low"]).mean() == pytest.approx(np.sqrt(0.1) * 2 * Z90 * 0.005, rel=0.1)
    assert set(rows.loc[rows["known"] == "forecast", "N"]) == {64}


def test_both_intervals_hold_what_was_measured(group: Group) -> None:
    forecast = {"predicted": 0.5, "low": 0.4, "high": 0.6, "new_low": 0.3, "new_high": 0.7}
    beside = {"setting": "a", "N": 1, "stderr": np.nan, "questions": pd.array([pd.NA] * 2, "Int64")}
    rows = pd.DataFrame({"accuracy": [0.2, 0.9], **beside, **forecast})
    found = _as_measured(rows, replace(group, pools=()), 0.9)
    ends = found[["low", "high", "new_low", "new_high"]].to_numpy().tolist()
    assert ends == [[0.2, 0.6, 0.2, 0.7], [0.4, 0.9, 0.3, 0.9]]


def test_the_luck_of_what_was_measured_is_at_least_that_of_its_answers(samples_file: Path) -> None:
    """This holds however close to the measurement, or how certain, the forecast is."""
    (group,) = read_asked([samples_file], "majority")
    rows = pd.DataFrame({"setting": group.points.setting, "N": group.points.N, "accuracy": group.accuracy})
    for off, width in ((0.0, 0.0), (0.2, 0.0), (0.0, 0.4)):
        ends = {"low": rows["accuracy"] - width, "high": rows["accuracy"] + width}
        beside = {"stderr": 0.1, "questions": 40, "new_low": 0.0, "new_high": 1.0}
        sure = rows.assign(predicted=rows["accuracy"] + off, **beside, **ends)
        luck = _as_measured(sure, group, 0.9)["luck"]
        for pool in group.pools:
            here = (rows["setting"] == pool.setting) & (rows["N"] == 1)
            right = pool.answers.counts().correct / pool.answers.sizes
            least = np.sqrt((right * (1 - right) / 11).mean() / len(right))  # from 12 answers
            assert luck[here].item() == pytest.approx(max(least, off, width / Z90), rel=0.05)


ROWS = pd.DataFrame(
    {
        "source": "llm",
        "method": "majority",
        "setting": ["40", "40", "80", "80"],
        "N": [1, 2, 2, 4],
        "cost": [100.0, 200.0, 300.0, 600.0],
        "predicted": [0.80, 0.90, 0.86, 0.88],
        "low": [0.70, 0.60, 0.81, 0.84],
        "high": 0.95,
    }
)


@pytest.mark.parametrize(
    ("goal", "chosen", "cautious"),
    [
        ({"target_accuracy": 0.8}, 100, 300),
        ({"target_accuracy": 0.85}, 200, None),
        ({"target_accuracy": 0.95}, None, None),
        ({"token_budget": 300.0}, 200, 300),
        ({"token_budget": 100.0}, 100, 100),
        ({"token_budget": 99.0}, None, None),
        ({}, 200, 600),
    ],
)
def test_the_choice_and_that_by_the_lower_end_of_the_interval(
    goal: dict[str, float], chosen: float | None, cautious: float | None
) -> None:
    found = Plan(ROWS, **goal)
    costs = [None if row is None else row["cost"] for row in (found.chosen, found.cautious)]
    assert costs == [chosen, cautious]


def test_a_vote_of_two_is_never_bought(samples_file: Path) -> None:
    """It is as good as a single answer, with ties shared, and costs twice as much."""
    (sampled,) = read_asked([samples_file], "majority")
    found = plan(forecast_choices(sampled, "mixture", 2, Options(replicates=20)), 0.9)
    assert found.chosen is not None
    assert found.chosen["N"] == 1
    assert set(found.frontier["N"]) == {1}


def test_forecast_and_plan_give_the_exact_vote_of_all_answers(samples_file: Path) -> None:
    """It is not the vote of the first N answers or the mixture's forecast; the interval contains it."""
    (group,) = read_asked([samples_file], "majority")
    known = dict(zip(group.points.places(), group.accuracy, strict=True))
    table, _ = forecast(group, Request(fit_max_n=2), ["mixture"], Options(replicates=20))
    assert dict(zip(zip(table["setting"], table["N"], strict=True), table["accuracy"], strict=True)) == known
    rows = forecast_choices(group, "mixture", 8, Options(replicates=20))
    assert set(rows["known"]) == {"measured"}
    for row in rows.itertuples():
        assert row.predicted == pytest.approx(known[row.setting, row.N], abs=1e-12)
        assert row.low <= row.predicted <= row.high
        assert row.new_low <= row.predicted <= row.new_high


def test_a_measured_point_has_one_interval_of_new_questions(samples_file: Path) -> None:
    """It is the same in the value table and in plans from answers, from curves, and from measurements."""
    samples = read_samples(samples_file)
    curves = build_curves(samples)
    (panel,) = (one for one in make_panels(curves) if one.key.method == "majority")
    exact = panel.exact.set_index(["setting", "N"])[["low", "high"]]
    plans = [measured([panel]).judged]
    for table, kind in ((samples, "samples"), (curves, "curves")):
        (group,) = groups_asked(table, kind, "majority", Request())
        plans.append(plan(forecast_choices(group, "flat", 8, Options(20)), 0.9).judged)
    for rows in plans:
        moved = rows["predicted"] - rows["alone"]
        ends = rows.assign(low=rows["lower"] - moved, high=rows["upper"] - moved)
        own = ends[ends["N"].isin([1, 2, 4, 8])].set_index(["setting", "N"])[["low", "high"]]
        inside = own["low"].gt(0) & own["high"].lt(1)
        pd.testing.assert_frame_equal(own[inside], exact.loc[own[inside].index], atol=1e-9)
        assert inside.sum() > 8


JUDGED = ("best_by_score", "weighted_majority")


def answers(seed: int, questions: int = 30, n: int = 16, honest: float = 0.4) -> pd.DataFrame:
    """Answers of 100 tokens, right ("A") 20 to 60 times in 100; the scores of right ones are higher."""
    rng = np.random.default_rng(seed)
    right = rng.random((questions, n)) < np.linspace(0.2, 0.6, questions)[:, None]
    wrong = rng.choice(list("BCD"), p=[0.6, 0.3, 0.1], size=right.shape)
    return pd.DataFrame(
        {
            "question_id": np.repeat([f"q{q:02}" for q in range(questions)], n),
            "sample": np.tile(np.arange(n), questions),
            "answer": np.where(right, "A", wrong).ravel(),
            "correct": right.ravel(),
            "tokens": 100,
            "score_judge": (rng.random(right.shape) + honest * right).clip(0).round(1).ravel(),
            "model": "m",
            "dataset": "d",
            "setting": "s",
            "decoding": "sample",
        }
    )


def sides(table: pd.DataFrame, cost: float) -> list[Side]:
    return sides_of({"m": table}, {}, "judge", cost)


@cache
def measured_often() -> list[Side]:
    return [side for seed in range(500) for side in sides(answers(seed), 0.0)]


@pytest.mark.integration  # many seconds
@pytest.mark.parametrize("method", ["majority", *JUDGED])
def test_luck_is_how_far_measurements_scatter(method: str) -> None:
    """500 pools of each question give the standard deviation of the mean accuracy, matched to 25 %.

    At N beyond half of the pool it is overestimated, if anything: the accuracy at half the pool replaces it.
    """
    ns = np.array([2, 4, 8, 16])
    pools = measured_often()
    found = [side.curve(method)[:, ns - 1].mean(axis=0) for side in pools]
    told = [measured_luck(side, method, ns) for side in pools[:50]]
    ratio = np.sqrt(np.mean(told, axis=0)) / np.std(found, axis=0)
    assert ratio[:3] == pytest.approx(1, abs=0.25)
    assert 0.75 < ratio[3] < 1.5


def test_a_choice_costs_its_answers_and_their_scores() -> None:
    (side,) = sides(answers(0), 50.0)
    options = measured_choices([side], JUDGED, 8, 0.9).set_index(["method", "N"])
    assert set(options.loc["majority"].index) == {1, 2, 4, 8}
    assert set(options.loc["best_by_score"].index) == {2, 4, 8}
    assert options.loc[("majority", 8), "cost"] == 800
    assert options.loc[("weighted_majority", 8), "cost"] == 1200
    for (method, n), row in options.iterrows():
        assert row["predicted"] == pytest.approx(side.curve(method)[:, n - 1].mean())
        assert row["new_low"] <= row["low"] <= row["predicted"] <= row["high"] <= row["new_high"]


def test_the_interval_of_one_answer_is_that_of_its_frequencies() -> None:
    """For these questions only, a share p of 16 right answers has the variance p(1 − p)/16."""
    table = answers(0)
    options = measured_choices(sides(table, 50.0), JUDGED, 8, 0.9).set_index(["method", "N"])
    p = table.groupby("question_id")["correct"].mean()
    stderr = np.sqrt((p * (1 - p) / 16).mean() / len(p))
    one = options.loc[("majority", 1)]
    assert one["T"] == pytest.approx(len(p) * one["cost"])
    assert [one["low"], one["high"]] == pytest.approx([p.mean() - Z90 * stderr, p.mean() + Z90 * stderr])


def test_new_questions_come_in_clusters() -> None:
    """Six passages of five questions each, for every method and N."""
    (side,) = sides(answers(0).assign(cluster=np.repeat(list("abcdef"), 80)), 50.0)
    for row in measured_choices([side], JUDGED, 8, 0.9).itertuples():
        stderr = by_pairs(side.curve(row.method)[:, row.N - 1], np.repeat(list("abcdef"), 5))
        half = stdtrit(5, 0.95) * max(stderr, 2.5 / 30)  # at least as if half a passage were missed
        assert row.new_high == pytest.approx(min(row.predicted + half, 1), abs=1e-9)


def test_a_dear_judge_is_not_bought_and_a_cheap_one_is() -> None:
    """Useful scores, at a hundredth and at a hundred times the price of an answer."""
    table = answers(1, honest=3.0)
    for cost, methods in ((1.0, JUDGED), (1e4, ("majority",))):
        choices = measured_choices(sides(table, cost), JUDGED, 16, 0.9)
        chosen = plan(choices, 0.9, token_budget=500.0).chosen
        assert chosen is not None
        assert chosen["method"] in methods


def test_a_model_without_token_counts_is_left_out_of_the_plan(tmp_path: Path) -> None:
    paths, out = [tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path / "plan.csv"
    table = answers(0, questions=8, n=4)
    write_samples(table.assign(model="a"), paths[0])
    write_samples(table.assign(model="b").drop(columns="tokens"), paths[1])
    words = ["--predictor", "flat", "--bootstrap", 5, "--max-n", 4]
    done = predict("plan", *paths, *words, "--out", out)
    assert done.exit_code == 0, done.output
    assert set(pd.read_csv(out)["model"]) == {"a"}
    assert "no plan for b" in done.output
    assert predict("plan", paths[1], *words).exit_code == 2


def test_rewards_below_zero_choose_and_do_not_weight(tmp_path: Path) -> None:
    table = answers(0, questions=8)
    write_samples(table.assign(score_judge=table["score_judge"] - 2), tmp_path / "m" / "samples.jsonl")
    out = tmp_path / "plan.csv"
    words = ["plan", str(tmp_path / "m"), "--score", "judge", "--score-cost", "9", "--out", str(out)]
    done = predict(*words)
    assert done.exit_code == 0, done.output
    assert set(pd.read_csv(out)["method"]) == {"majority", "best_by_score"}
    assert "--weights" not in done.output  # which a plan does not have


def test_one_answer_to_each_question_does_not_show_its_luck() -> None:
    (choice,) = measured_choices(sides(answers(0, n=1), 50.0), JUDGED, 8, 0.9).itertuples()
    assert np.isnan([choice.luck, choice.low, choice.high]).all()
    assert choice.new_low < choice.predicted < choice.new_high


def test_a_plan_quotes_what_stop_says_of_its_choice(tmp_path: Path) -> None:
    """For each of two models, `plan` repeats the same words and numbers, of the size that it chose."""
    table = pd.concat([answers(3).assign(model="a"), answers(4, honest=0.1).assign(model="b")])
    write_samples(table, tmp_path / "s.csv")
    planned = predict("plan", tmp_path / "s.csv", "--max-n", 8, "--bootstrap", 20, "--seed", 2).output
    most = re.findall(r"at most (\d+) answers", planned)
    assert most == ["8", "8"]  # of 16 that are stored
    for model, n in zip("ab", most, strict=True):
        write_samples(table[table["model"] == model], tmp_path / f"{model}.csv")
        one = [str(tmp_path / f"{model}.csv"), "--n-max", n, "--seed", "2"]
        words = ["stop", *one, "--out", str(tmp_path / "o.csv")]
        alone = CliRunner().invoke(results, words)
        advice = next(line for line in alone.output.splitlines() if line.startswith("Take "))
        assert advice in planned.splitlines()


@pytest.mark.parametrize("scored", [False, True], ids=["votes", "scores"])
def test_each_model_and_data_set_has_one_plan_whatever_the_order_of_its_rows(
    tmp_path: Path, scored: bool
) -> None:
    """Two models, data sets and settings; an old order put settings before models and made four plans."""
    parts = [
        answers(seed, questions=8, n=8).assign(model=model, setting=setting, dataset=dataset, tokens=tokens)
        for seed, (model, dataset) in enumerate(product("ab", "de"))
        for setting, tokens in (("100", 100), ("200", 200))
    ]
    table = pd.concat(parts).assign(cost=0.01)  # plans are in tokens
    words = ["--score", "judge", "--score-cost", 50] if scored else ["--predictor", "flat", "--bootstrap", 5]
    orders = {"as it is": table, "shuffled": table.sample(frac=1, random_state=0)}
    found = {}
    for name, rows in orders.items():
        rows.to_csv(tmp_path / "two.csv", index=False)
        out = tmp_path / f"{name}.csv"
        done = predict("plan", tmp_path / "two.csv", *words, "--max-n", 4, "--out", out)
        assert done.exit_code == 0, done.output
        order = ["dataset", "model", "method", "setting", "N"]
        found[name] = pd.read_csv(out).sort_values(order, ignore_index=True)
    pd.testing.assert_frame_equal(*found.values())
    for _, own in found["as it is"].groupby(["dataset", "model"]):
        assert set(own["setting"]) == {100, 200}
        assert set(own["method"]) == ({"majority", *JUDGED} if scored else {"majority"})
        per_answer = own["cost"] / own["N"]
        assert set(per_answer[own["method"] == "majority"]) == {100, 200}
        assert set(per_answer[own["method"] != "majority"]) == ({150, 250} if scored else set())


def test_a_setting_is_new_unless_all_have_measured_it() -> None:
    parts = [simulated_samples(6, 4, names).assign(model=names[-1]) for names in (("40", "80"), ("40",))]
    groups = groups_asked(as_samples(pd.concat(parts)), "samples", "majority", Request())
    check_new(groups, ["80"])
    with pytest.raises(BadInput, match="--at-settings 40"):
        check_new(groups, ["40", "80"])


@pytest.mark.parametrize("first", ["a", "b"])
def test_prompts_are_looked_for_where_one_of_two_models_pays_them(tmp_path: Path, first: str) -> None:
    tables = [simulated_samples(4, 3).assign(model=name, prompt_tokens=200) for name in "ab"]
    write_samples(pd.concat(tables, ignore_index=True), tmp_path / "s.csv")
    prices = {"a": Price(15.0, 3.0), "b": Price(0.4)}
    money = money_of([tmp_path / "s.csv"], {name: prices[name] for name in (first, *{"a", "b"} - {first})})
    row = pd.DataFrame({"dataset": "d", "model": ["a", "b"], "setting": "40", "N": 1, "cost": 100.0})
    row["dataset"] = read_samples(tmp_path / "s.csv")["dataset"].iloc[0]
    assert money.usd(row).tolist() == pytest.approx(
        [1000 * (100 * 15 + 200 * 3) / 1e6, 1000 * 100 * 0.4 / 1e6]
    )


def test_caps_of_one_run_keep_what_was_measured() -> None:
    """They share the luck of their answers. Drawn together, a cheap cap was off by 4 points on average.

    Questions of a known chance to be right, whose answers end after a lognormal number of tokens.
    """
    off = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        middle, right = 4.5 + rng.normal(0, 0.4, 40), rng.uniform(0.2, 0.95, 40)
        tokens = np.exp(np.repeat(middle, 6) + rng.normal(0, 0.5, 240)).astype(int) + 1
        answers = np.where(rng.random(240) < np.repeat(right, 6), "1", rng.choice(["2", "3", "4"], 240))
        places = {"question_id": np.repeat(np.arange(40), 6), "sample": np.tile(np.arange(6), 40)}
        frame = pd.DataFrame({**places, "answer": answers, "gold": "1", "tokens": tokens})
        request = Request(fit_cap=80, at_caps=(120, 240))
        (run,) = groups_asked(as_samples(frame), "samples", "majority", request)
        bought = plan(forecast_choices(run, "default", 1, Options(replicates=10)), 0.9)
        assert not bought.is_drawn_together
        truth = (ndtr((np.log(80) - middle) / 0.5) * right).mean()
        off.append(bought.judged.set_index("setting").loc["cap=80", "predicted"] - truth)
    assert abs(np.mean(off)) < 0.025  # by luck ± 0.014
