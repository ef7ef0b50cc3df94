"""What a report takes: every table of the project, and run folders as they are."""

import json
import re
from datetime import UTC, datetime

import pandas as pd
import pytest

from results import BadInput, write_curves
from results.report.choices import comparison_choices, number_tables, plan_choices
from results.report.differences import verdict
from results.report.errors import error_table
from results.report.inputs import read_tables
from results.report.page import build_report
from results.report.runs import fact_table, read_record, unfinished
from tests.results.figures.made import rows_of
from tests.results.made_tables import curves, forecast_table

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
        "dataset": "sums", "model": "m", "prompt": "p\u202e", "revision": None, "temperature": 0.8,
        "top_p": 0.95,
    },
    "prompt_sha256": "0472592d84184dae", "planned": 20,
    "sessions": [
        {"started": "2026-01-01", "engine": {"name": "vllm"}},
        {"started": "2026-01-02", "engine": {"name": "sglang", "version": "0.5"}, "git_commit": "abc"},
    ],
}  # fmt: skip


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
    both = pd.concat(
        [tables.samples, *(tables.samples.assign(**{name: "o"}) for name in ("model", "dataset"))]
    )
    for records, said in (([RECORD | {"planned": 12}], {}), (tables.records, "20"), ([RECORD, RECORD], "40")):
        lacking = {"m on sums": f"12 of {said} planned answers, to 2 questions."} if said else {}
        assert unfinished(records, both) == lacking
    told = fact_table(tables.records[0], both)
    assert told.title == "m on sums: how it was sampled"
    assert dict(told.rows) == {
        "model": "m", "prompt": "p\\u202e (SHA-256 0472592d8418…)", "engine": "sglang 0.5",
        "temperature": "0.8", "top-p": "0.95", "questions": "2", "answers": "12", "planned": "20",
        "started": "2026-01-02", "commit": "abc",
    }  # fmt: skip


def test_answers_without_a_record_of_the_harness_have_no_facts(run):
    for content in ("", "[]", "{}", '{"experiment": null}'):
        (run / "run.json").write_text(content)
        assert read_record(run) is None
    (run / "run.json").unlink()
    assert read_tables([run]).records == []


def test_curves_that_are_given_win_over_those_of_samples(run, tmp_path):
    """Only over those of the same model on the same dataset."""
    for given, settings in (({}, {"low", "high"}), *(({name: "o"}, None) for name in ("dataset", "model"))):
        write_curves(curves(**given), tmp_path / "c.csv")
        read = read_tables([run, *[tmp_path / "c.csv"] * 2])  # a file that is named twice is read once
        assert set(read.curves["setting"]) == (settings or {"low", "high", "10", "20"})


@pytest.fixture
def page(monkeypatch):
    """The report's page about some files, its figures not drawn."""
    monkeypatch.setattr("results.report.page.rendered", lambda _: {})
    made = datetime(2026, 1, 2, tzinfo=UTC)
    return lambda *paths: build_report(read_tables(paths), made)["index.html"].decode()


def test_what_is_incomplete_is_listed_once(run, page, tmp_path):
    """What reading samples warns of, what a run lacks, and, with curves alone, what their card says."""
    table = samples(model="part")
    table[~((table["question_id"] == "q2") & (table["setting"] == "20"))].to_csv(tmp_path / "s.csv")
    write_curves(curves(model="given", questions=[200, 200, 120, 120]), tmp_path / "c.csv")
    for paths, lines in (
        ([run], ["12 of 20 planned answers"]),
        ([run, tmp_path / "s.csv"], ["1 of 2 questions", "m on sums: 12 of 20 planned answers"]),
        ([tmp_path / "c.csv"], ["given on sums: 120 of 200 questions"]),
    ):
        text = page(*paths)
        (listed,) = re.findall('<ul class="warnings">(.*?)</ul>', text)
        assert listed.count("<li>") == len(lines)
        assert all(line in listed for line in lines)
        assert text.count("how it was sampled</caption>") == (run in paths)


FIT = {
    "source": "llm", "dataset": "sums", "model": "m", "method": "majority", "fit": "along_n", "held": "10",
    "points": 5, "x_low": 1.0, "x_high": 16.0, "alpha": 0.7, "beta": -0.2, "rate": 0.1, "gap": 0.447,
    "rms": 0.003, "status": "falling", "reason": "the accuracy falls with N",
}  # fmt: skip
GAP = FIT | {"fit": "along_gap", "held": "4", "alpha": 0.9, "gap": None, "status": "ok", "reason": None}
PLAN = [
    {
        "source": "llm", "dataset": "sums", "model": "m", "method": "majority", "predictor": "mixture",
        "setting": "10", "cost": cost, "N": n, "predicted": value, "low": value - 0.01, "high": value + 0.02,
        "new_low": value - 0.02 if n > 1 else None, "new_high": value + 0.03 if n > 1 else None,
        "known": "measured" if n < 4 else "forecast",
    }
    for cost, n, value in ((10.0, 1, 0.5), (20.0, 2, 0.5001), (40.0, 4, 0.7), (80.0, 8, 0.705))
]  # fmt: skip
BACKTEST = [
    {
        "predictor": name, "split": split, "dataset": "sums", "model": "m", "method": "majority",
        "setting": "10", "N": 8, "accuracy": 0.6, "predicted": value + more, "low": value - 0.02,
        "high": 0.85,
    }
    for split, more in (("0", 0), ("1", 0.02))
    for name, value in (("good", 0.61), ("bad", 0.8))
]  # fmt: skip
DIFFERENCE = {
    "dataset": "sums", "a": "small", "b": "large", "setting_a": "10", "setting_b": "10", "method": "majority",
    "N": 4, "questions": 50, "accuracy_a": 0.5, "accuracy_b": 0.58, "difference": 0.08, "low": 0.03,
    "high": 0.13, "stderr": 0.03, "p_value": 0.01, "cost": 40.0, "N_at_cost": 2.0,
    "difference_at_cost": -0.01, "low_at_cost": -0.05, "high_at_cost": 0.03, "gained": 6, "lost": 2,
    "flips": "q1", "questions_needed": 40.0, "answers_needed": None,
}  # fmt: skip


def test_fits_plans_and_backtests_are_told_in_tables():
    ((name, (fits,)),) = number_tables([], pd.DataFrame([FIT, GAP])).items()
    assert name == "Fits: m on sums, majority vote"
    falls = "N, at setting 10|0.7|−0.2|0.1|0.447|0.0030|accuracy falls|the accuracy falls with N"
    assert fits.rows == [falls.split("|"), ["Δ², at N = 4", "0.9", "−0.2", "0.1", "–", "0.0030", "ok", ""]]
    (plan,) = plan_choices(pd.DataFrame(PLAN), {"m": 0.5, "other": 9.0})
    assert plan.name == "m on sums, majority vote, by mixture"
    # N = 2 gains 0.01 points; 80 tokens a question at half a dollar a million
    assert [[cell.replace(NBSP, " ") for cell in row] for row in plan.tables[0].rows] == [
        ["10", "0.01", "10", "10", "1", "50.0 %", "49.0 % … 52.0 %", "–", "measured"],
        ["40", "0.02", "10", "10", "4", "70.0 %", "69.0 % … 72.0 %", "68.0 % … 73.0 %", "forecast"],
        ["80", "0.04", "10", "10", "8", "70.5 %", "69.5 % … 72.5 %", "68.5 % … 73.5 %", "forecast"],
    ]
    for word in ("within a point", "used 10, N = 4:", f"70.0{NBSP}%", "40 tokens"):
        assert word in plan.figures[0][0]
    other = pd.DataFrame(PLAN).query("N > 1").assign(predictor="flat", model="other")
    named = plan_choices(pd.concat([pd.DataFrame(PLAN), other]), {"m": 0.5})
    assert [(one.name[:5], len(one.tables[0].head)) for one in named] == [("m on ", 9), ("other", 8)]
    goals = ({"target_accuracy": 0.702}, {"token_budget": 15.0})
    wanted = plan_choices(pd.concat(pd.DataFrame(PLAN).assign(**goal) for goal in goals), {})
    for one, words in zip(wanted, (f"70.2{NBSP}%|N = 8:", "Within 15|N = 1:"), strict=True):
        assert all(word in one.figures[0][0] for word in words.split("|"))
    assert error_table("errors", pd.DataFrame(BACKTEST)).rows == [
        ["good", "2.00", "3.0", "26.0", "2 of 2", "2 of 2"],
        ["bad", "21.00", "22.0", "367.0", "0 of 2", "2 of 2"],
    ]


def test_no_text_of_any_table_is_shown_unseen(page, tmp_path):
    """Tables are told apart, and what is hidden in a name or a reason is spelled out in each of them."""
    tables = {"fits": [FIT], "plan": PLAN, "backtest": BACKTEST, "comparison": [DIFFERENCE]}
    tables |= {"curves": curves(), "forecast": forecast_table("flat", [0.6, 0.7])}
    claim = dict.fromkeys(["claim", "where", "setting", "quantity", "verdict"], "name")
    tables |= {"claims": [claim | {"measured": 0.2, "low": 0.1, "high": 0.3, "holds": True}]}
    kept = {"source", "method", "permutation", "role", "known", "fit", "flips"}
    for name, rows in tables.items():
        table = pd.DataFrame(rows)
        texts = [one for one in table if isinstance(table[one].iloc[-1], str) and one not in kept]
        table[texts] += "\u202e"
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    text, told = page(*sorted(tmp_path.glob("*.csv"))), [f"{name}.csv: {name}, " for name in tables]
    assert all(line in text for line in told)
    assert "\u202e" not in text
    assert text.count("\\u202e") > 60


def test_differences_are_told_in_words_pair_by_pair():
    once = DIFFERENCE | {"N": 1, "difference": -0.02, "low": -0.05, "high": 0.01, "p_value": 0.05}
    once |= {"answers_needed": 1_200.0}
    best = once | {"method": "best_of_n", "low": None}
    far = best | {"N": 16, "questions_needed": None, "answers_needed": None, "difference_at_cost": None}
    found = pd.DataFrame([DIFFERENCE, once, best, far, DIFFERENCE | {"setting_b": "500"}])
    compared, other = comparison_choices(found)
    assert [one.name[21:] for one in (compared, other)] == [", 10", ", 10 and 500"]
    (told,), cost = compared.tables, "−1.0 (−5.0 … +3.0)"
    assert told.rows == [  # one answer is told once: it is no best of several
        ["majority vote, N = 4", "+8.0 (+3.0 … +13.0)", cost, "6, 2", "they differ"],
        ["single answer", "−2.0 (−5.0 … +1.0)", cost, "6, 2", "40 questions or 1,200 answers to each"],
        ["best of N, N = 16", "−2.0", "–", "6, 2", "no difference seen"],
    ]
    ((sentence, figure),) = compared.figures
    assert "large beats small by 8.0 points (majority vote, N = 4)" in sentence
    rows = rows_of(figure, "circle")
    assert rows[["N", "difference", "low", "high"]].iloc[0].tolist() == pytest.approx([4, 8, 3, 13])
    assert rows["method"].tolist() == ["majority vote"] * 2 + ["best of N"] * 2


@pytest.mark.parametrize(
    ("differences", "words"),
    [
        ([0.01, 0.08], "large beats small by 8.0 points (majority vote, N = 4), the"),
        ([0.06, 0.08, -0.07], "large beats small by 8.0 points (majority vote, N = 4), but"),
        ([0.06, 0.08, -0.09], "small beats large by 9.0 points (majority vote, N = 6), but"),
        ([-0.06, -0.08], "small beats large"), ([0.01, -0.04], "No difference is clear"),
    ],
)  # fmt: skip
def test_the_verdict_on_runs_follows_their_intervals(differences, words):
    """Each with an interval of ± 5 points, at N = 2, 4, …: the largest is told, not the first or the last."""
    rows = [DIFFERENCE | {"N": 2 * i + 2, "difference": d} for i, d in enumerate(differences)]
    found = pd.DataFrame(rows).assign(low=lambda t: t["difference"] - 0.05)
    assert words in verdict(found.assign(high=found["difference"] + 0.05))


def test_a_bad_cell_is_refused_with_its_row_and_column(tmp_path):
    for column, row in (("fit", FIT | {"fit": "no"}), ("known", PLAN[0] | {"known": "guess"})):
        pd.DataFrame([row]).to_csv(tmp_path / "t.csv", index=False)
        with pytest.raises(BadInput, match=rf"t\.csv: row 1, column '{column}'"):
            read_tables([tmp_path / "t.csv"])
