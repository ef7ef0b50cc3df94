"""The inputs of a report: every kind of table of the project, and run folders as they are."""

import json
import re
from contextlib import nullcontext

import pandas as pd
import pytest

from results import BadInput, write_curves
from results.report.inputs import read_tables
from results.report.provenance import fact_table, unfinished, whole_runs
from results.summary.gains import ranks
from results.tables.files import read_record
from results.tables.key import Key
from tests.results.made_tables import BACKTEST, DIFFERENCE, FIT, PLAN, curves, forecast_table
from tests.results.report.pages import page_of


def samples(answers="AAB", settings=("10", "20"), questions=("q1", "q2"), **columns):
    """Samples with `answers` to each question at each setting; A is right, a dash is unreadable."""
    rows = [
        {
            "dataset": "sums",
            "model": "m",
            "setting": setting,
            "question_id": question,
            "sample": i,
            "answer": None if answer == "-" else answer,
            "gold": "A",
            "tokens": int(setting),
            "finish_reason": "stop",
            "text": f"so {answer}",
        }
        for setting in settings
        for question in questions
        for i, answer in enumerate(answers)
    ]
    return pd.DataFrame(rows).assign(**columns)


RECORD = {
    "experiment": {
        "dataset": "sums",
        "model": "m",
        "prompt": "p\u202e",
        "revision": None,
        "temperature": 0.8,
        "top_p": 0.95,
    },
    "prompt_sha256": "0472592d84184dae",
    "planned": 20,
    "sessions": [
        {"started": "2026-01-01", "engine": {"name": "vllm"}},
        {"started": "2026-01-02", "engine": {"name": "sglang", "version": "0.5"}, "git_commit": "abc"},
    ],
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
    both = pd.concat(
        [tables.samples, *(tables.samples.assign(**{name: "o"}) for name in ("model", "dataset"))]
    )
    for records, said in (([RECORD | {"planned": 12}], {}), (tables.records, "20"), ([RECORD, RECORD], "40")):
        lacking = {Key("llm", "sums", "m"): f"12 of {said} planned answers, to 2 questions."} if said else {}
        assert unfinished(records, both) == lacking
    halves = [
        {"experiment": RECORD["experiment"] | {"shard": f"{part}/2"}, "planned": planned}
        for part, planned in ((1, None), (2, 5))
    ]
    assert [one["planned"] for one in whole_runs(halves)] == [5]
    bare = {"experiment": {"dataset": "sums", "model": "m", "prompt": None}}
    assert dict(fact_table(bare, both).rows).keys() == {"model", "questions", "answers"}
    told = dict(fact_table(tables.records[0], both).rows)
    assert (told["prompt"], told["engine"]) == ("p\\u202e (SHA-256 0472592d8418…)", "sglang 0.5")


@pytest.mark.usefixtures("undrawn")
def test_the_page_tells_what_is_not_there(run, tmp_path):
    assert "12 of 20 planned answers" in page_of(run)
    curves(questions=[200, 200, 150, 150]).to_csv(tmp_path / "c.csv", index=False)
    assert "150 of 200 questions" in page_of(tmp_path / "c.csv")


def test_answers_without_a_record_of_the_harness_have_no_facts(run):
    for content in ("", "[]", "{}", '{"experiment": null}'):
        (run / "run.json").write_text(content)
        assert read_record(run) is None
    (run / "run.json").unlink()
    assert read_tables([run]).records == []


def test_curves_that_are_given_win_over_those_of_samples(run, tmp_path):
    """But only over those of the same dataset, model, setting and method."""
    for given in ({}, {"dataset": "o"}, {"model": "o"}, {"setting": "10"}, {"method": "weighted_majority"}):
        rows = curves().query("setting == 'low'").assign(**given)
        write_curves(rows, tmp_path / "c.csv")
        read = read_tables([run, *[tmp_path / "c.csv"] * 2]).curves  # a file named twice is read once
        key = ["dataset", "model", "setting", "method"]
        groups = read.groupby(key)["accuracy"].sum().to_dict()
        told = rows.groupby(key)["accuracy"].sum().to_dict()
        assert groups | told == pytest.approx(groups)
        wanted = {("sums", "m", s, method) for s in ("10", "20") for method in ("majority", "best_of_n")}
        assert groups.keys() == wanted | told.keys()


@pytest.mark.usefixtures("undrawn")
def test_no_text_of_any_table_is_shown_unseen(tmp_path):
    """Tables are told apart, and invisible characters in any text of theirs are made visible."""
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
    text, told = page_of(*sorted(tmp_path.glob("*.csv"))), [f"{name}.csv: {name}, " for name in tables]
    assert all(line in text for line in told)
    assert "\u202e" not in text
    assert text.count("\\u202e") > 60


def test_forecasts_in_files_of_one_name_are_all_taken(tmp_path):
    files = [tmp_path / folder / "forecast.csv" for folder in "ab"]
    for file, predictor in zip(files, ("flat", "power-law"), strict=True):
        file.parent.mkdir()
        forecast_table(predictor, [0.6, 0.7]).to_csv(file, index=False)
    assert len(read_tables(files).forecasts) == 2


def test_a_table_without_a_level_beside_one_that_has_it_is_of_the_old_level(tmp_path):
    old, new = pd.DataFrame(PLAN), pd.DataFrame(PLAN).assign(model="other", level=0.8)
    for name, table in (("old", old), ("new", new)):
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    both = read_tables([tmp_path / "old.csv", tmp_path / "new.csv"]).others["plan"]
    assert both["level"].tolist() == [0.9] * len(old) + [0.8] * len(new)
    assert "level" not in read_tables([tmp_path / "old.csv"]).others["plan"]


ROWS = {"fits": [FIT], "plan": PLAN, "backtest": BACKTEST, "comparison": [DIFFERENCE]}
ROWS["forecast"] = forecast_table("flat", [0.6, 0.7])


@pytest.mark.parametrize("kind", ROWS)
def test_what_two_tables_tell_is_refused(kind, tmp_path):
    files = [tmp_path / f"{name}.csv" for name in "ab"]
    for file in files:
        pd.DataFrame(ROWS[kind]).to_csv(file, index=False)
    with pytest.raises(
        BadInput, match=rf"^{re.escape(str(files[1]))}: {kind} of .*{re.escape(str(files[0]))} has"
    ):
        read_tables(files)


def test_intervals_of_two_comparisons_are_not_said_to_hold_together(tmp_path):
    """A pair may be in only one table, and three runs are ranked only if one table compares all of them."""
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    rows = [DIFFERENCE | {"a": a, "b": b} for a, b in pairs]
    files = [tmp_path / f"{name}.csv" for name in ("all", "more", *map("".join, pairs))]
    for file, own in zip(files, (rows, [rows[0] | {"N": 8}], *([row] for row in rows)), strict=True):
        pd.DataFrame(own).to_csv(file, index=False)
    assert len(ranks(read_tables(files[:1]).others["comparison"])) == 3
    assert ranks(read_tables(files[2:]).others["comparison"]).empty
    with pytest.raises(BadInput, match="one table of both"):
        read_tables(files[:2])
    pd.DataFrame([rows[1] | {"level": 0.8}]).to_csv(files[3], index=False)
    with pytest.raises(BadInput, match="at several levels"):
        read_tables(files[2:4])


def test_two_backtests_of_one_point_stay_apart(tmp_path):
    for name, predicted in (("one", 0.6), ("two", 0.7)):
        pd.DataFrame(BACKTEST).assign(predicted=predicted).to_csv(tmp_path / f"{name}.csv", index=False)
    read = read_tables([tmp_path / "one.csv", tmp_path / "two.csv"]).others["backtest"]
    assert read["table"].tolist() == [0] * len(BACKTEST) + [1] * len(BACKTEST)


@pytest.mark.parametrize(("settings", "same"), [("ts", True), ("st", False)])
def test_a_comparison_turned_around_tells_the_same(settings, same, tmp_path):
    first = DIFFERENCE | {"a": "a", "b": "b", "setting_a": "s", "setting_b": "t"}
    turned = first | {"a": "b", "b": "a"} | dict(zip(("setting_a", "setting_b"), settings, strict=True))
    for name, row in (("one", first), ("two", turned)):
        pd.DataFrame([row]).to_csv(tmp_path / f"{name}.csv", index=False)
    refused = pytest.raises(BadInput, match="one table of both") if same else nullcontext()
    with refused:
        read_tables([tmp_path / "one.csv", tmp_path / "two.csv"])
