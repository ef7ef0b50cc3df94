"""predict.planning.margins and cheap_side: a pilot's predicted ± against the spread of simulated runs."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from predict.planning.cheap_side import explained, split, with_cheap
from predict.planning.margins import precision
from results.normal import z_of
from results.paired.powered import powered
from results.paired.sides import Side
from results.summary.panels import of_new_questions
from results.votes.exact import AnswerPools, accuracy_by_question
from tests.predict.answers.pools import asked, pool_of
from tests.predict.commands import predict
from tests.predict.conftest import simulated_samples


def laws(questions: int, rng: np.random.Generator) -> np.ndarray:
    right, wrong = rng.beta(1.5, 1, questions), rng.dirichlet([2, 1, 0.5, 0.5, 0.5], questions)
    return np.column_stack([0.95 * right, 0.95 * (1 - right)[:, None] * wrong, np.full(questions, 0.05)])


@pytest.mark.parametrize("answers", [1, 2, 8])
def test_a_pilot_tells_the_scatter_of_runs(answers: int) -> None:
    """400 runs of 40 questions, with new questions each time and with the same ones."""
    rng = np.random.default_rng(0)
    told = precision(asked(laws(500, rng), 6, rng), [40], [answers], seed=0)
    ways = list(zip(told["method"], told["N"], strict=True))
    assert ways == [("majority", 1), ("majority", answers), ("best_of_n", answers)][: 1 + 2 * (answers > 1)]
    for i, (method, N) in enumerate(ways):
        many = asked(laws(40 * 400, rng), answers, rng).counts()
        accuracy = accuracy_by_question(many, method, [N])[:, 0].reshape(400, 40).mean(axis=1)
        assert told["predicted"][i] == pytest.approx(accuracy.mean(), abs=0.03)
        assert told["new_margin"][i] == pytest.approx(1.645 * accuracy.std(), rel=0.12)
        same = np.repeat(laws(4000, rng), 2, axis=0)
        twice = accuracy_by_question(asked(same, answers, rng).counts(), method, [N])[:, 0].reshape(-1, 2)
        luck = np.sqrt((np.diff(twice) ** 2).mean() / 2 / 40)
        assert told["margin"][i] == pytest.approx(1.645 * luck, rel=0.12)


def test_a_run_of_few_questions_is_told_the_interval_that_it_will_have() -> None:
    """Student's interval, for 500 runs of 8 questions; a single question has none."""
    rng = np.random.default_rng(2)
    pilot = asked(laws(4000, rng), 4, rng)
    told = precision(pilot, [1, 8], [4], seed=0)
    assert told["new_margin"].isna().tolist() == 3 * [True] + 3 * [False]
    for row in told[3:].itertuples():
        runs = accuracy_by_question(pilot.counts(), row.method, [row.N]).reshape(500, 8)
        stderr = pd.Series(np.sqrt(runs.var(axis=1, ddof=1).mean() / 8))
        own = of_new_questions(0 * stderr, stderr, 8, np.nan).high[0]
        assert row.new_margin == pytest.approx(own, rel=0.06)


def test_what_halves_a_margin_does() -> None:
    rng = np.random.default_rng(1)
    even = np.tile([0.5, 0.5, 0, 0, 0, 0, 0.0], (300, 1))  # equal questions: only luck varies
    pilot = asked(even, 8, rng)
    one = precision(pilot, [50], [2], seed=0).iloc[0]
    more = int(one["answers_to_halve"])
    assert 8 <= more < 16
    halved = precision(pilot, [50], [more], seed=0).iloc[0]
    assert 0.85 < halved["new_margin"] / (one["new_margin"] / 2) < 1.05
    (wider,) = precision(pilot, [one["questions_to_halve"]], [2], seed=0)["new_margin"][:1]
    assert wider == pytest.approx(one["new_margin"] / 2)
    spread = precision(asked(laws(300, rng), 8, rng), [50], [8], seed=0)
    assert spread["answers_to_halve"][0] == np.inf
    few = precision(pilot, [8], [2], seed=0).iloc[0]  # with Student's interval, fewer than four times as many
    more = int(few["questions_to_halve"])
    wider = precision(pilot, [more - 1, more], [2], seed=0).groupby("questions")["new_margin"].first()
    assert wider[more] <= few["new_margin"] / 2 < wider[more - 1]


def test_a_pilot_of_one_question_says_nothing_of_others() -> None:
    """Half of its answers are right: a run of 4 has only the standard error √(p(1 − p)/4)."""
    one = precision(pool_of(np.array([[0, 0, 1, 1] * 16])).answers, [1], [4], seed=0).iloc[0]
    assert one["margin"] == pytest.approx(1.645 * np.sqrt(0.25 / 4), rel=0.05)
    assert np.isnan(one[["new_margin", "questions_to_halve", "answers_to_halve"]].astype(float)).all()


def test_without_numbers_of_answers_it_is_those_of_every_question_and_four_times_as_many(
    tmp_path: Path,
) -> None:
    frame = simulated_samples(questions=8, answers=3, settings=("40", "80"))
    lost = (frame["setting"] == "80") & (frame["question_id"] == "q3") & (frame["sample"] == 2)
    frame[~lost].to_csv(tmp_path / "pilot.csv")
    done = predict("precision", tmp_path / "pilot.csv", "--questions", "20,100")
    assert [done.output.count(f"best of {n} ") for n in (3, 12, 2, 8)] == [2, 2, 2, 2]
    done = predict("precision", tmp_path / "pilot.csv", "--questions", "20,100", "--compare")
    assert [done.output.count(f"best of {n} ") for n in (3, 12, 2, 8)] == [0, 0, 2, 2]
    verdicts = frame.assign(model="judged", answer=frame["correct"].astype(int), gold=None)
    pd.concat([frame.assign(model="asked"), verdicts]).to_csv(tmp_path / "two.csv")
    done = predict("precision", tmp_path / "two.csv", "--compare")
    assert ("best of 3" in done.output, "vote of 3" in done.output) == (True, False)


def two_sides(
    questions: int, answers: int, rng: np.random.Generator, cluster: int = 1, alike: float = 0.95
) -> list[Side]:
    """An expensive and a cheap side whose difficulty logits correlate by `alike`, half of it by cluster."""
    each, own = rng.normal(size=(2, questions, 3))
    if cluster > 1:
        each = rng.normal(size=(questions // cluster, 3)).repeat(cluster, axis=0)
    common, *alone = (np.sqrt(0.5) * (each + own)).T
    names = [f"q{q}" for q in range(questions)]
    sides = []
    for name, part, easier in zip("ab", alone, (0.5, -0.3), strict=True):
        p = expit(easier + 2 * (np.sqrt(alike) * common + np.sqrt(1 - alike) * part))
        drawn = np.where(rng.random((questions, answers)) < p[:, None], 0, rng.integers(1, 3, (questions, 1)))
        tokens = np.full(drawn.size, 1.0)
        clusters = None if cluster == 1 else [f"c{q // cluster}" for q in range(questions)]
        pools = AnswerPools(names, np.arange(questions + 1) * answers, drawn.ravel(), tokens, None, clusters)
        sides.append(Side(name, "d", name, "s", pools, pd.Series(dtype=str), 1.0))
    return sides


def by_votes(side: Side, ns: list[int]) -> np.ndarray:
    return accuracy_by_question(side.pools.counts(), "majority", ns)


@pytest.mark.integration  # it simulates 450 pilots
@pytest.mark.parametrize(("cluster", "pilot", "price"), [(1, 100, 0.02), (1, 40, 0.1), (4, 240, 0.05)])
def test_runs_of_the_planned_questions_of_two_sides_have_the_planned_scatter(
    cluster: int, pilot: int, price: float
) -> None:
    """150 pilots, each with a fresh run of the planned size; the ± of the expensive side alone is known."""
    rng, Q, answers = np.random.default_rng(cluster), 400, 4
    dear, cheap = two_sides(40_000, answers, rng, cluster)
    every = by_votes(dear, [answers])[:, 0]
    truth, variance = every.mean(), every.reshape(-1, cluster).mean(axis=1).var() * cluster
    told = {"questions": Q, "answers": answers, "method": "majority", "N": answers}
    rows = pd.DataFrame([told | {"new_margin": np.sqrt(variance / Q) * z_of(0.9), "margin": 0.0}])
    group = [np.reshape(each, (-1, cluster)).mean(axis=1) for each in (every, by_votes(cheap, [1])[:, 0])]
    squared = np.corrcoef(group)[0, 1] ** 2
    best = split(Q, float(squared), price, size=cluster)
    errors, inside, costs, alike = [], [], [], []
    for _ in range(150):
        a, b = two_sides(pilot, answers, rng, cluster)
        plan = with_cheap(a, [replace(b, price=price)], rows, 0.9).iloc[0]
        costs.append(plan["cost_with"] * Q)
        measured = by_votes(a, [answers])[:, 0].reshape(-1, cluster).mean(axis=1).var(ddof=1) * cluster
        alike.append(explained(a, b, "majority", answers, 0.9) / measured)
        n, m = (int(plan[name]) // cluster * cluster for name in ("questions_with", "questions_cheap"))
        if m:
            a, b = two_sides(m, answers, rng, cluster)
            y, f = by_votes(a, [answers])[:n, 0], by_votes(b, [1, 2, 4])
            draws = [f"c{q // cluster}" for q in range(m)]
            found = powered(y, f[:n], f[n:], draws[:n], draws[n:])
            errors.append(found.mean - truth)
            inside.append(found.interval.low <= truth <= found.interval.high)
    assert len(errors) > 100
    assert np.sqrt(np.mean(np.square(errors)) * Q / variance) == pytest.approx(1, abs=0.16)  # error 6 %
    assert np.mean(inside) > 0.9
    assert np.mean(costs) == pytest.approx(best.cost, rel=0.07)
    middle, low, high = np.transpose(alike)
    assert np.mean(middle) == pytest.approx(squared, abs=0.03)
    assert np.mean((low <= squared) & (squared <= high)) == pytest.approx(0.9, abs=0.06)


@pytest.mark.parametrize(("squared", "price", "further"), [(0.8, 0.1, 0), (0.5, 0.02, 0), (0.9, 0.3, 700)])
def test_no_other_questions_of_two_sides_are_cheaper(squared: float, price: float, further: int) -> None:
    """Search all n and m, with the variance of the least-squares estimate for a known slope."""
    Q = 2000
    n, m = np.meshgrid(np.arange(10, Q, 10), np.arange(20, 20 * Q, 20), indexing="ij")
    enough = ((1 - squared) / n + squared / m <= 1 / Q) & (m > n)
    cost = np.where(enough, n + price * np.maximum(m - further, 0), np.inf)
    found = split(Q, squared, price, further)
    assert found.cost == pytest.approx(cost.min(), rel=0.02)
    least = np.sqrt(
        Q * np.where((m > n) & (cost_of(n, m, price, further) <= Q), (1 - squared) / n + squared / m, 1).min()
    )
    assert found.margin == pytest.approx(least, rel=0.02)
    fewest = split(150, 0.99, 0.2, size=8)  # ten clusters of both sides and ten more
    assert (fewest.dear, fewest.cheap) == (10 * 8, 20 * 8)
    no_saving = split(Q, squared, 1.0)
    assert (no_saving.cheap, no_saving.cost) == (0, Q)


def test_of_two_cheap_sides_the_one_that_saves_more_is_taken_and_clusters_leave_its_interval_open() -> None:
    for cluster in (1, 4):
        dear, cheap = two_sides(400, 4, np.random.default_rng(0), cluster)
        both = [replace(cheap, price=10.0), replace(cheap, run="cheaper", price=0.02)]
        found = with_cheap(dear, both, precision(dear.pools, [400], [4], 0), 0.9)
        assert set(found["with"]) == {"cheaper/s"}
        assert found[["cost_low", "cost_high"]].isna().all(axis=None) == (cluster > 1)


def cost_of(n: np.ndarray, m: np.ndarray, price: float, further: int) -> np.ndarray:
    return np.asarray(n + price * np.maximum(m - further, 0))


def test_the_command_says_what_a_cheap_side_saves_and_whether_it_pays(tmp_path: Path) -> None:
    """The same answers at a tenth of the price, or at the full price; existing answers cost nothing."""
    frame = simulated_samples(questions=60, answers=8, settings=("40",))
    frame.to_csv(tmp_path / "pilot.csv")
    more = simulated_samples(questions=200, answers=8, settings=("40",), seed=1).assign(model="mini")
    here = more["question_id"].isin(frame["question_id"])
    pd.concat([frame.assign(model="mini"), more[~here]]).to_csv(tmp_path / "more.csv")
    frame.assign(model="mini").to_csv(tmp_path / "same.csv")
    options = "--questions", "400", "--answers", "8", "--out", tmp_path / "out.csv"

    def told(cheap: str, *prices: str) -> tuple[str, pd.Series]:
        done = predict("precision", tmp_path / "pilot.csv", "--with", tmp_path / cheap, *options, *prices)
        assert done.exit_code == 0, done.output
        return done.output, pd.read_csv(tmp_path / "out.csv").iloc[1]

    cheaper = "--price", "sim=1", "--price", "mini=.1"
    output, row = told("same.csv", *cheaper)
    assert "of the cost" in output
    assert row["cost_low"] <= row["cost_with"] <= row["cost_high"] < 1
    assert row["margin_with"] < row["new_margin"]
    assert pd.read_csv(tmp_path / "out.csv")["price"].tolist() == pytest.approx([0.1] * 3)
    assert told("more.csv", *cheaper)[1]["cost_with"] < row["cost_with"]
    output, row = told("same.csv")
    assert "does not pay" in output
    assert row[["questions_with", "questions_cheap", "cost_with"]].tolist() == [400, 0, 1]
    frame.assign(model="mini", dataset="unknown").to_csv(tmp_path / "unnamed.csv")
    assert told("unnamed.csv", *cheaper)[1]["cost_with"] == told("same.csv", *cheaper)[1]["cost_with"]
    for name in ("pilot.csv", "same.csv"):  # verdicts cannot be voted on
        pd.read_csv(tmp_path / name).drop(columns=["answer", "gold"]).to_csv(tmp_path / name)
    assert "does not pay for a best of 8 of 400" in told("same.csv")[0]
    asked = tmp_path / "pilot.csv", "--with", tmp_path / "same.csv", "--questions", "400", "--answers"
    for answers, run in (("1", "one answer"), ("4,8", "a best of 8")):  # the largest
        assert f"does not pay for {run} of 400" in predict("precision", *asked, answers).output


@pytest.mark.parametrize(
    ("options", "change", "message"),
    [
        (["--price", "nobody=1", "--price", "sim=1"], {}, "no price for mini"),
        ([], {"dataset": "other"}, "no answers on toy"),
        ([], {"question_id": "x"}, "no question in common"),
        *(([], {name: none}, "cost is unknown or 0") for name, none in (("tokens", None), ("cost", 0.0))),
    ],
)
def test_a_cheap_side_that_cannot_be_priced_is_one_line(
    options: list[str], change: dict[str, object], message: str, tmp_path: Path
) -> None:
    frame = simulated_samples(questions=4, answers=2, settings=("40",))
    frame = frame.assign(cost=1.0 if "cost" in change else None)
    frame.to_csv(tmp_path / "pilot.csv")
    given = frame.assign(model="mini", **change)
    if "question_id" in change:
        given["question_id"] = "x" + frame["question_id"]
    given.to_csv(tmp_path / "cheap.csv")
    done = predict("precision", tmp_path / "pilot.csv", "--with", tmp_path / "cheap.csv", *options)
    assert done.exit_code == 2
    assert message in done.output
