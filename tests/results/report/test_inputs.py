"""What a report takes: every table of the project, and run folders as they are."""

import json

import pandas as pd
import pytest

from results import BadInput, write_curves
from results.report.choices import comparison_choices, number_tables, plan_choices
from results.report.differences import verdict
from results.report.errors import error_table
from results.report.inputs import read_tables
from results.report.runs import fact_table, unfinished
from tests.results.made_tables import curves

NBSP = "\N{NO-BREAK SPACE}"


def samples(answers="AAB", settings=("10", "20"), questions=("q1", "q2"), **columns):
    """Each question is answered with `answers` at each setting; A is right, a dash cannot be read."""
    rows = [
        {
            "dataset": "sums", "model": "m", "setting": setting, "question_id": question, "sample": i,
            "answer": None if answer == "-" else answer, "gold": "A", "tokens": int(setting),
            "finish_reason": "stop", "text": f"so {answer}",
        }
        for setting in settings
        for question in questions
        for i, answer in enumerate(answers)
    ]  # fmt: skip
    return pd.DataFrame(rows).assign(**columns)


RECORD = {
    "experiment": {
        "dataset": "sums",
        "model": "m",
        "prompt": "p\u202e",
        "revision": None,
        "temperature": 0.8,
    },
    "prompt_sha256": "0472592d84184dae",
    "planned": 20,
    "sessions": [{"started": "2026-01-02", "engine": {"name": "sglang", "version": "0.5"}}],
}


@pytest.fixture
def run(tmp_path):
    """A run folder with 12 of its 20 planned answers."""
    folder = tmp_path / "run"
    folder.mkdir()
    samples("AA-").to_json(folder / "samples.jsonl", orient="records", lines=True)
    (folder / "run.json").write_text(json.dumps(RECORD))
    return folder


def test_a_run_folder_becomes_curves_facts_and_questions(run):
    tables = read_tables([run])
    exact = tables.curves[(tables.curves["permutation"] == "exact") & (tables.curves["method"] == "majority")]
    assert set(exact["setting"]) == {"10", "20"}
    assert exact.set_index(["setting", "N"])["accuracy"][("10", 1)] == pytest.approx(2 / 3)
    assert tables.sources == ["run/samples.jsonl: samples, 12 rows"]
    both = pd.concat([tables.samples, tables.samples.assign(model="another")])
    for records, told in ((tables.records, "12 of 20 "), ([RECORD, RECORD], "12 of 40 ")):
        assert told in unfinished(records, both)["m on sums"]
    told = dict(fact_table(tables.records[0], tables.samples).rows)
    assert (told["answers"], told["planned"]) == ("12", "20")
    assert told["engine"] == "sglang 0.5"
    assert told["prompt"] == "p\\u202e (SHA-256 0472592d8418…)"
    assert "revision" not in told


@pytest.mark.parametrize("content", [None, "", "[]", "{}", '{"experiment": null}'])
def test_answers_without_a_record_of_the_harness_have_no_facts(run, content):
    (run / "run.json").unlink()
    if content is not None:
        (run / "run.json").write_text(content)
    assert read_tables([run]).records == []


def test_curves_that_are_given_win_over_those_of_samples(run, tmp_path):
    given = curves(dataset="sums", model="m")
    write_curves(given, tmp_path / "c.csv")
    tables = read_tables([run, tmp_path / "c.csv"])
    assert set(tables.curves["setting"]) == {"low", "high"}
    write_curves(curves(dataset="other"), tmp_path / "o.csv")
    assert set(read_tables([run, tmp_path / "o.csv"]).curves["dataset"]) == {"sums", "other"}


def test_partial_runs_are_told(tmp_path):
    table = samples()
    table[~((table["question_id"] == "q2") & (table["setting"] == "20"))].to_csv(tmp_path / "s.csv")
    (line,) = read_tables([tmp_path / "s.csv"]).warnings
    assert "1 of 2 questions" in line


FIT = {
    "source": "llm", "dataset": "sums", "model": "m", "method": "majority", "fit": "along_n", "held": "10",
    "points": 5, "x_low": 1.0, "x_high": 16.0, "alpha": 0.7, "beta": -0.2, "rate": 0.1, "gap": 0.447,
    "rms": 0.003, "status": "falling", "reason": "the accuracy falls with N",
}  # fmt: skip
PLAN = [
    {
        "source": "llm", "dataset": "sums", "model": "m", "method": "majority", "predictor": "mixture",
        "setting": "10", "cost": cost, "N": n, "predicted": value, "low": value - 0.01, "high": value + 0.01,
        "known": "measured" if n < 4 else "forecast",
    }
    for cost, n, value in ((10.0, 1, 0.5), (20.0, 2, 0.5001), (40.0, 4, 0.7), (80.0, 8, 0.705))
]  # fmt: skip
BACKTEST = [
    {
        "predictor": name, "split": split, "dataset": "sums", "model": "m", "method": "majority",
        "setting": "10", "N": 8, "accuracy": 0.6, "predicted": value, "low": 0.55, "high": 0.65,
    }
    for split in ("0", "1")
    for name, value in (("good", 0.61), ("bad", 0.8))
]  # fmt: skip
DIFFERENCE = {
    "dataset": "sums", "a": "small", "b": "large", "setting_a": "10", "setting_b": "10", "method": "majority",
    "N": 4, "questions": 50, "accuracy_a": 0.5, "accuracy_b": 0.58, "difference": 0.08, "low": 0.03,
    "high": 0.13, "stderr": 0.03, "p_value": 0.01, "cost": 40.0, "N_at_cost": 2.0,
    "difference_at_cost": -0.01, "low_at_cost": -0.05, "high_at_cost": 0.03, "gained": 6, "lost": 2,
    "flips": "q1", "questions_needed": 40.0, "answers_needed": None,
}  # fmt: skip


def test_tables_of_the_other_commands_are_told_apart_and_shown(tmp_path):
    rows = {"fits": [FIT], "plan": PLAN, "backtest": BACKTEST, "comparison": [DIFFERENCE]}
    for name, table in rows.items():
        pd.DataFrame(table).to_csv(tmp_path / f"{name}.csv", index=False)
    tables = read_tables(sorted(tmp_path.glob("*.csv")))
    assert set(tables.others) == set(rows)

    ((fits,),) = number_tables([], tables.others["fits"]).values()
    assert fits.rows[0][-2:] == ["accuracy falls", "the accuracy falls with N"]
    (plan,) = plan_choices(tables.others["plan"], {"m": 0.5})
    assert [row[4] for row in plan.tables[0].rows] == ["1", "4", "8"]  # N = 2 gains 0.01 points
    # 80 tokens a question at half a dollar a million
    assert [row[:2] for row in plan.tables[0].rows][-1] == ["80", "0.04"]
    for word in ("N = 4", f"70.0{NBSP}%"):
        assert word in plan.figures[0][0]
    goals = ({"target_accuracy": 0.702}, {"token_budget": 15.0})
    wanted = plan_choices(pd.concat(pd.DataFrame(PLAN).assign(**goal) for goal in goals), {})
    for one, words in zip(wanted, (f"70.2{NBSP}%|N = 8:", "Within 15|N = 1:"), strict=True):
        assert all(word in one.figures[0][0] for word in words.split("|"))
    assert [row[:3] for row in error_table("errors", tables.others["backtest"]).rows] == [
        ["good", "1.00", "1.0"],
        ["bad", "20.00", "20.0"],
    ]
    (compared,) = comparison_choices(tables.others["comparison"])
    assert compared.tables[0].rows[0][1:4] == ["+8.0 (+3.0 … +13.0)", "−1.0 (−5.0 … +3.0)", "6, 2"]


@pytest.mark.parametrize(
    ("difference", "low", "high", "words"),
    [
        (0.08, 0.03, 0.13, "large beats small by 8.0 points"),
        (-0.08, -0.13, -0.03, "small beats large by 8.0 points"),
        (0.01, -0.03, 0.05, "No difference is clear"),
    ],
)
def test_the_verdict_on_runs_follows_their_intervals(difference, low, high, words):
    found = pd.DataFrame([DIFFERENCE | {"difference": difference, "low": low, "high": high}])
    assert words in verdict(found)


@pytest.mark.parametrize(
    ("rows", "column"), [([FIT | {"fit": "no"}], "fit"), ([PLAN[0] | {"known": "guess"}], "known")]
)
def test_a_bad_cell_is_refused_with_its_row_and_column(rows, column, tmp_path):
    pd.DataFrame(rows).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(BadInput, match=rf"t\.csv: row 1, column '{column}'"):
        read_tables([tmp_path / "t.csv"])
