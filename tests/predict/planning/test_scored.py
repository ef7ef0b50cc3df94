"""Plans with a judge that costs: its prices by hand, its luck by simulation, and what the command says."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from predict.cli import main
from predict.planning.scored import measured_luck, plan_by_score
from results import BadInput, write_samples
from results.normal import Z90
from results.paired.sides import Side, sides_of

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
            "score_judge": np.clip(rng.random(right.shape) + honest * right, 0, None).ravel(),
            "model": "m",
            "dataset": "d",
            "setting": "s",
            "decoding": "sample",
        }
    )


def sides(table: pd.DataFrame, cost: float) -> list[Side]:
    return sides_of({"m": table}, None, "judge", {"m": cost})


@pytest.mark.integration  # many seconds
@pytest.mark.parametrize("method", ["majority", *JUDGED])
def test_luck_is_how_far_measurements_scatter(method: str) -> None:
    """500 pools of each question: the scatter of the mean accuracy, to 25 % of its standard deviation.

    At N beyond half of the pool too much is told rather than too little: the accuracy of half stands for it.
    """
    ns = np.array([2, 4, 8, 16])
    found, told = [], []
    for seed in range(500):
        (side,) = sides(answers(seed), 0.0)
        found.append(side.curve(method)[:, ns - 1].mean(axis=0))
        if seed < 50:
            told.append(measured_luck(side, method, ns))
    ratio = np.sqrt(np.mean(told, axis=0)) / np.std(found, axis=0)
    assert ratio[:3] == pytest.approx(1, abs=0.25)
    assert 0.75 < ratio[3] < 1.5


def test_a_choice_costs_its_answers_and_their_scores() -> None:
    (side,) = sides(answers(0), 50.0)
    options = plan_by_score([side], JUDGED, 8, 0.9, None, None).options.set_index(["method", "N"])
    assert set(options.loc["majority"].index) == {1, 2, 4, 8}
    assert set(options.loc["best_by_score"].index) == {2, 4, 8}
    assert options.loc[("majority", 8), "cost"] == 800
    assert options.loc[("weighted_majority", 8), "cost"] == 1200
    for (method, n), row in options.iterrows():
        assert row["predicted"] == pytest.approx(side.curve(method)[:, n - 1].mean())
        assert row["new_low"] <= row["low"] <= row["predicted"] <= row["high"] <= row["new_high"]


def test_every_model_is_planned_once_with_all_its_settings(tmp_path: Path) -> None:
    """Settings come before models in the order of the sides: four plans were made of these two."""
    parts = [
        answers(seed).assign(model=model, setting=setting, dataset="d")
        for seed, (model, setting) in enumerate(product("ab", ("100", "200")))
    ]
    pd.concat(parts).to_csv(tmp_path / "two.csv", index=False)
    words = [str(tmp_path / "two.csv"), "--score", "judge", "--score-cost", "0"]
    done = CliRunner().invoke(main, ["plan", *words, "--out", str(tmp_path / "plan.csv")])
    assert done.output.count("within a point of the best") == 2
    found = CliRunner().invoke(main, ["plan", *words, "--target-accuracy", "0.5", "--token-budget", "9"])
    assert found.exit_code == 2
    assert "not both" in found.output


def test_the_interval_of_one_answer_is_that_of_its_frequencies() -> None:
    """Of 16 answers to each question, right in a share p: variances p(1 − p)/16 of these questions alone."""
    table = answers(0)
    options = plan_by_score(sides(table, 50.0), JUDGED, 8, 0.9, None, None).options.set_index(["method", "N"])
    p = table.groupby("question_id")["correct"].mean()
    stderr = np.sqrt((p * (1 - p) / 16).mean() / len(p))
    one = options.loc[("majority", 1)]
    assert [one["low"], one["high"]] == pytest.approx([p.mean() - Z90 * stderr, p.mean() + Z90 * stderr])


def test_a_dear_judge_is_not_bought_and_a_cheap_one_is() -> None:
    """Scores of use, at a hundredth of an answer's price and at a hundred times it."""
    table = answers(1, honest=3.0)
    for cost, methods in ((1.0, JUDGED), (1e4, ("majority",))):
        chosen = plan_by_score(sides(table, cost), JUDGED, 16, 0.9, None, 500.0).chosen
        assert chosen is not None
        assert chosen["method"] in methods


def test_what_has_no_price_is_refused() -> None:
    with pytest.raises(BadInput, match="--score-cost"):
        plan_by_score(sides(answers(0), float("nan")), JUDGED, 8, 0.9, None, None)
    with pytest.raises(BadInput, match="tokens"):
        plan_by_score(sides(answers(0).drop(columns="tokens"), 1.0), JUDGED, 8, 0.9, None, None)


def test_the_command_reads_what_the_judge_took(tmp_path: Path) -> None:
    write_samples(answers(0), tmp_path / "m" / "samples.jsonl")
    (tmp_path / "m" / "scores").mkdir()
    record = {"summary": {"judged": 480, "prompt_tokens": 24_000 - 480, "tokens": 480}}
    (tmp_path / "m" / "scores" / "judge.json").write_text(json.dumps(record))
    out = tmp_path / "plan.csv"
    words = ["plan", str(tmp_path / "m"), "--score", "judge", "--max-n", "8", "--out", str(out)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    table = pd.read_csv(out).set_index(["method", "N"])
    assert table.loc[("best_by_score", 8), "cost"] == 8 * 150
    done = CliRunner().invoke(main, [*words[:-1], str(tmp_path / "dear.csv"), "--score-cost", "900"])
    assert done.exit_code == 0, done.output
    assert pd.read_csv(tmp_path / "dear.csv")["cost"].max() == 8 * 1000


def test_rewards_below_zero_choose_and_do_not_weight(tmp_path: Path) -> None:
    table = answers(0)
    write_samples(table.assign(score_judge=table["score_judge"] - 2), tmp_path / "m" / "samples.jsonl")
    out = tmp_path / "plan.csv"
    words = ["plan", str(tmp_path / "m"), "--score", "judge", "--score-cost", "9", "--out", str(out)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert set(pd.read_csv(out)["method"]) == {"majority", "best_by_score"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--score", "judge"], "--score-cost"),
        (["--score", "nothing", "--score-cost", "1"], "nothing"),
        (["--score", "judge", "--score-cost", "1", "--predictor", "flat"], "--predictor"),
        (["--score", "judge", "--score-cost", "1", "--plot", "p.png"], "--plot"),
        (["--score-cost", "1"], "--score"),
    ],
)
def test_what_does_not_go_together_is_refused(words: list[str], said: str, tmp_path: Path) -> None:
    write_samples(answers(0, questions=4), tmp_path / "m" / "samples.jsonl")
    done = CliRunner().invoke(main, ["plan", str(tmp_path / "m"), *words])
    assert done.exit_code == 2
    assert said in done.output
