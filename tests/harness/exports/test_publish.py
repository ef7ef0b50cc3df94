"""Published runs can be read back, use the names of the schemas, and load the way the hub loads them."""

import hashlib
import json
import re
from pathlib import Path

import pandas as pd
import pytest

from harness.experiment import read_experiment
from harness.imports.foreign_columns import import_table
from results import as_samples, read_samples, write_samples
from tests.harness.commands import command


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run with two questions, two settings, greedy and unreadable answers, and an untrusted model name."""
    rows = [
        *(("a", "10", "sample", 0, None), ("a", "10", "sample", 1, "999"), ("a", "10", "greedy", 0, None)),
        *(("b", "10", "sample", 0, "18"), ("b", "10", "sample", 1, "999")),
        *((question, "100", "sample", sample, "18") for question in "ab" for sample in (0, 1)),
    ]
    table = pd.DataFrame(rows, columns=["question_id", "setting", "decoding", "sample", "answer"])
    table = table.assign(gold="18", correct=table["answer"] == "18", tokens=9, prompt_tokens=71)
    table = table.assign(dataset="tiny", model="../a|b/m x", text="…", finish_reason="stop")
    write_samples(table, tmp_path / "run" / "samples.jsonl")
    return tmp_path / "run"


def test_records_are_complete_and_are_read_back(run: Path, tmp_path: Path) -> None:
    """tests/unmoved checks the records of a run with a known experiment."""
    out = tmp_path / "out"
    result = command("export", run, "--organization", "Lab", "--out", out)
    assert result.exit_code == 0, result.output
    (file,) = out.rglob("*.json")
    samples = file.with_name(f"{file.stem}_samples.jsonl")
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", file.stem)
    assert file.relative_to(out).parts[:-1] == ("data", "tiny", "__a_b", "m_x")
    aggregate = json.loads(file.read_text())
    details = aggregate["detailed_evaluation_results"]
    assert details["checksum"] == hashlib.sha256(samples.read_bytes()).hexdigest()
    assert (details["total_rows"], out / details["file_path"]) == (9, samples)
    records = [json.loads(line) for line in samples.read_text().splitlines()]
    assert {record["evaluation_id"] for record in records} == {aggregate["evaluation_id"]}
    assert {record["evaluation"]["score"] for record in records if record["evaluation"]["is_correct"]} == {1}
    results = {result["evaluation_result_id"]: result for result in aggregate["evaluation_results"]}
    ids = {record["evaluation_result_id"] for record in records}
    assert (len(ids), ids <= {*results}) == (3, True)  # of greedy answers, and of samples at two settings
    scores = {
        (r["generation_config"]["additional_details"]["setting"], name.split("/", 2)[2]): r
        for name, r in results.items()
    }
    assert scores["10", "pass_at_k/2"]["score_details"]["score"] == 0.5
    vote = scores["10", "majority_at_k/2"]["score_details"]
    error = {"value": 0.25, "method": "over questions"}
    assert vote == {"score": 0.25, "uncertainty": {"num_samples": 2, "standard_error": error}}
    same = ["question_id", "setting", "answer", "correct", "tokens", "prompt_tokens"]
    tables = import_table(out, kind="every-eval-ever").table, read_samples(run)
    again, original = (sorted(table[same].fillna("").to_numpy().tolist()) for table in tables)
    assert again == original


def test_what_cannot_be_published_leaves_nothing(run: Path, tmp_path: Path) -> None:
    long = read_samples(run).assign(model="m" * 300)
    write_samples(long, tmp_path / "long.csv")
    done = command("export", tmp_path / "long.csv", "--out", tmp_path / "new")
    assert isinstance(done.exception, OSError)
    assert not (tmp_path / "new").exists()


def test_the_data_set_has_a_card_and_loads(run: Path, tmp_path: Path) -> None:
    huggingface_hub = pytest.importorskip("huggingface_hub")
    out = tmp_path / "out"
    assert command("export", run, "--out", out).exit_code == 0
    card = huggingface_hub.DatasetCard.load(out / "README.md")
    (config,) = card.data.configs
    assert read_samples(out / config["data_files"])["correct"].sum() == 5
    assert "../a\\|b/m x" in card.text
    again = command("export", run, "--out", out)
    assert again.exit_code == 2
    assert "not empty" in again.output


def test_a_bare_table_is_published_with_what_it_has(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {"question_id": ["a", "a"], "sample": [0, 1], "answer": ["x", None], "correct": [True, False]}
    ).assign(tokens=[5, None])
    file, out = tmp_path / "samples.csv", tmp_path / "out"
    write_samples(table, file)
    refused = command("export", file, "--out", out)
    assert ("--dataset" in refused.output, out.exists()) == (True, False)
    table = table.assign(problem="Say x.", setting="\x1b", prompt_tokens=3)
    models = {
        ("d", "m"): table,
        ("d", "wrong"): table.assign(correct=False, answer=None),
        ("e", "m"): table.assign(correct=True, answer="x"),
    }
    write_samples(pd.concat(own.assign(dataset=d, model=m) for (d, m), own in models.items()), file)
    assert command("export", file, "--out", out).exit_code == 0
    card = (out / "README.md").read_text()
    assert "6 answers to 2 questions" in card  # one in each data set, both called a
    assert "nan" not in card  # one question has no standard error
    assert "\x1b" not in card
    found = {(each.parts[-4], each.parts[-2]): each for each in out.rglob("*.json")}
    for name, accuracy in zip(models, (0.5, 0.0, 1.0), strict=True):
        assert "NaN" not in found[name].read_text()
        aggregate = json.loads(found[name].read_text())
        scores, details = aggregate["evaluation_results"], aggregate["detailed_evaluation_results"]
        assert [scores[0]["score_details"]["score"], len(scores)] == [accuracy, 4]
        records = [*map(json.loads, (out / details["file_path"]).read_text().splitlines())]
        assert details["total_rows"] == len(records) == 2
        assert records[0]["input"]["raw"] == "Say x."
    again = import_table(found["d", "m"].parent, kind="every-eval-ever").table
    same = ["answer", "correct", "tokens", "prompt_tokens"]
    pd.testing.assert_frame_equal(again[same], as_samples(table)[same], check_dtype=False)


def test_the_card_s_intervals_are_those_of_the_clusters(tmp_path: Path) -> None:
    """Of three passages' two questions, 2, 0 and 1 are right: Student's t with two degrees of freedom."""
    right = [mark == "+" for mark in "++--+-"]
    cells = {"question_id": [*"abcdef"], "cluster": [*"xxyyzz"], "correct": right}
    table = pd.DataFrame(cells).assign(sample=0, answer="7", dataset="d", model="m")
    write_samples(table, tmp_path / "samples.jsonl")
    assert command("export", tmp_path / "samples.jsonl", "--out", tmp_path / "out").exit_code == 0
    half = 2.92 * ((1 + 0 + 1) * 3 / 2) ** 0.5 / 6
    assert f"| 50.0% ± {half:.1%} |" in (tmp_path / "out" / "README.md").read_text()


def test_scores_are_published_and_read_again(tmp_path: Path) -> None:
    """A missing score stays missing, and infinities stay infinite."""
    table = pd.DataFrame(
        {
            "question_id": ["a"] * 3,
            "sample": [0, 1, 2],
            "answer": ["x", "y", "z"],
            "correct": [True, False, False],
            "score": [0.25, None, float("-inf")],
            "score_rm": [-1.5, float("inf"), None],
            "logprob": [-0.5, None, -2.0],
            "cost": [0.5, None, 0.25],
            "finish_reason": ["stop", "length", "stop"],
        }
    ).assign(dataset="d", model="m", cluster="passage 1")
    write_samples(table, tmp_path / "samples.jsonl")
    assert command("export", tmp_path / "samples.jsonl", "--out", tmp_path / "out").exit_code == 0
    rm, scores = {"score_rm": "metadata.score_rm"}, [*table.columns[4:9], "cluster"]
    records = import_table(tmp_path / "out" / "data", rm, kind="every-eval-ever").table
    for again in (records, read_samples(tmp_path / "out" / "samples.parquet")):
        pd.testing.assert_frame_equal(again[scores], table[scores])


def test_own_columns_with_lists_and_objects_are_published_too(run: Path, tmp_path: Path) -> None:
    table = read_samples(run)
    mixed: list[object] = [{"x": [1]}, "a text", None, ["y", 2]]
    own = {
        "tags": [["x", "y"][: place % 3] for place in range(len(table))],
        "meta": [mixed[place % 4] for place in range(len(table))],
    }
    write_samples(table.assign(**own), run / "samples.jsonl")
    result = command("export", run, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    again = pd.read_parquet(tmp_path / "out" / "samples.parquet")
    assert [list(cell) for cell in again["tags"]] == own["tags"]
    assert again["meta"][:3].fillna("").tolist() == ['{"x": [1]}', '"a text"', ""]


def test_a_run_s_settings_are_published_of_its_own_data_set_alone(run: Path, tmp_path: Path) -> None:
    table = read_samples(run).assign(model="m")
    write_samples(pd.concat([table, table.assign(dataset="other")]), run / "samples.jsonl")
    experiment = read_experiment("tiny", {"model": "m"}).model_dump(mode="json")
    (run / "run.json").write_text(json.dumps({"experiment": experiment, "planned": 7, "sessions": []}))
    assert command("export", run, "--out", tmp_path / "out").exit_code == 0
    drawn = {}
    for file in (tmp_path / "out").rglob("*.json"):
        results = json.loads(file.read_text())["evaluation_results"]
        drawn[file.parts[-4]] = {str(result["generation_config"]["generation_args"]) for result in results}
    settings = {"temperature": experiment["temperature"], "top_p": experiment["top_p"]}
    assert drawn == {"tiny": {str(settings), "{'temperature': 0}"}, "other": {"{}", "{'temperature': 0}"}}
