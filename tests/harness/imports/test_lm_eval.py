"""lm-eval's samples become a samples table, with lm-eval's filters applied to every repeat."""

import json
import sys
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from harness.engines.token_ids import PromptTokens
from harness.experiment import model_location
from harness.grader import Grader
from harness.imports.lm_eval import import_lm_eval
from results import BadInput, read_samples
from tests.harness.commands import imported
from tests.harness.engines.tiny_copy import with_begin_token

TASK = "toy_math"
STRICT = {"function": "regex", "regex_pattern": r"#### (\-?[0-9\.\,]+)"}
FLEXIBLE = {"function": "regex", "group_select": -1, "regex_pattern": r"(-?[$0-9.,]{2,})|(-?[0-9]+)"}
FILTERS = {"strict-match": STRICT, "flexible-extract": FLEXIBLE}
FIRST = {"function": "take_first"}
METRIC = {
    "metric": "exact_match",
    "ignore_case": True,
    "regexes_to_ignore": [",", r"\$", "(?s).*#### ", r"\.$"],
}

RESPONSES = [
    ["It is 1,018.\n#### 1,018", "#### 1018", "so 7. #### 7", "no idea, 3"],
    ["#### 5", "#### 6", "", "5"],
]
TARGETS = ["A and B.\n#### 1,018", "#### 5"]
STRICTLY = [["1018", "1018", "7", None], ["5", "6", None, None]]
FLEXIBLY = [["1018", "1018", "7", "3"], ["5", "6", None, "5"]]


def row(doc_id: int, filter_name: str, **changes: Any) -> dict[str, Any]:
    return {
        "doc_id": doc_id,
        "doc": {"question": "?", "answer": TARGETS[doc_id]},
        "target": TARGETS[doc_id],
        "arguments": {"gen_args_0": {"arg_0": "?", "arg_1": {"temperature": 0.7, "max_gen_toks": 64}}},
        "resps": [RESPONSES[doc_id]],
        "filtered_resps": ["1018" if doc_id == 0 else "5"],
        "filter": filter_name,
        "metrics": ["f1", "exact_match"],
        **{"f1": 0.5, "exact_match": 1.0},
        **changes,
    }


Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(
        rows: list[dict[str, Any]] | None = None,
        *,
        filters: list[dict[str, Any]] | None = None,
        metrics: list[dict[str, Any]] | None = None,
        task: str = TASK,
        stamp: str = "2026-01-31T10-00-00.000000",
    ) -> Path:
        folder = tmp_path / "out" / "org__model"
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"samples_{task}_{stamp}.jsonl"
        rows = rows or [row(doc, name) for name in FILTERS for doc in (0, 1)]
        file.write_text("".join(json.dumps(cells) + "\n" for cells in rows))
        usual = [{"name": name, "filter": [step, FIRST]} for name, step in FILTERS.items()]
        config = {"metric_list": metrics or [METRIC]}
        if filters != []:
            config["filter_list"] = filters or usual
        results = {"configs": {task: config}, "model_name": "org/model"}
        (folder / f"results_{stamp}.json").write_text(json.dumps(results))
        return file

    return write


@pytest.mark.parametrize(("name", "expected"), [("strict-match", STRICTLY), ("flexible-extract", FLEXIBLY)])
@pytest.mark.parametrize(
    "ignored",
    [
        METRIC,
        {"metric": "exact_match", "ignore_punctuation": True, "regexes_to_ignore": ["(?s).*#### "]},
        {"metric": "exact_match", "ignore_punctuation": True, "ignore_numbers": True},
    ],
)
def test_answers_and_verdicts_are_those_lm_eval_itself_gives(
    write: Write, name: str, expected: list[list[str | None]], ignored: dict[str, Any]
) -> None:
    """The reference: lm-eval's own task object, one repeat at a time, scored by its own exact_match."""
    pytest.importorskip("lm_eval")
    from lm_eval.api.instance import Instance
    from lm_eval.api.metrics import exact_match_hf_evaluate
    from lm_eval.filters import build_filter_ensemble

    options = {key: value for key, value in FILTERS[name].items() if key != "function"}
    table = import_lm_eval(write(metrics=[ignored]), name).table
    if ignored == METRIC:
        assert table["answer"].fillna("").tolist() == [answer or "" for answer in chain(*expected)]
        assert table["gold"].tolist() == ["1018"] * 4 + ["5"] * 4
    assert table["text"].tolist() == list(chain(*RESPONSES))
    names = table[["model", "dataset", "decoding"]].drop_duplicates().to_numpy().tolist()
    assert names == [["org/model", TASK, "sample"]]
    how = {key: value for key, value in ignored.items() if key != "metric"}
    theirs = {}
    for document, texts in enumerate(RESPONSES):
        for sample, text in enumerate(texts):
            asked = Instance("generate_until", {}, ("?", {}), 0, (TASK, document, 1))
            asked.resps = [text]
            build_filter_ensemble(name, [["regex", options], ["take_first", None]]).apply([asked])
            scored = exact_match_hf_evaluate([asked.filtered_resps[name]], [TARGETS[document]], **how)
            theirs[str(document), sample] = bool(scored["exact_match"])
    assert table.set_index(["question_id", "sample"])["correct"].to_dict() == theirs


def test_any_of_several_targets_is_right_also_in_a_task_without_filters(write: Write) -> None:
    several = {"target": ["Paris", "City of Paris"], "metrics": ["exact_match"], "exact_match": 1.0}
    rows = [row(0, "none", **several, resps=[texts]) for texts in (["city of Paris.", "Rome", "paris"],)]
    table = import_lm_eval(write(rows, filters=[])).table
    cells = [[True, "paris", "paris"], [False, "rome", "paris"], [True, "paris", "paris"]]
    assert table[["correct", "answer", "gold"]].to_numpy().tolist() == cells


def test_tokens_are_counted_where_a_tokenizer_is_named(write: Write, tmp_path: Path) -> None:
    arguments = ("lm-eval", write(), "--grade", "hashes", "--out")
    assert "--tokenizer" in imported(*arguments, tmp_path / "without").output
    assert "tokens" not in read_samples(tmp_path / "without")
    begun = with_begin_token(tmp_path / "begun")
    assert "--tokenizer" not in imported(*arguments, tmp_path / "with", "--tokenizer", begun).output
    tokens = PromptTokens(model_location("tiny"), None, chat=False)
    expected = [len(tokens.plain(text)) for text in chain(*RESPONSES)]
    assert read_samples(tmp_path / "with")["tokens"].tolist() == expected
    missing = imported(*arguments, tmp_path / "no", "--tokenizer", str(tmp_path)).output
    assert f"model {tmp_path}: no tokenizer could be loaded" in missing
    assert not (tmp_path / "no").exists()


def test_a_difference_to_the_logs_own_verdict_is_said(write: Write) -> None:
    pytest.importorskip("lm_eval")
    rows = [row(0, "strict-match"), row(1, "strict-match", exact_match=0.0)]
    assert "the log's own metric differs on 1 of 2 first answers" in import_lm_eval(write(rows)).notes
    assert not any("differs" in note for note in import_lm_eval(write(), "strict-match").notes)
    vote = [{"name": "strict-match", "filter": [STRICT, {"function": "majority_vote"}, FIRST]}]
    # The log's verdict is on the vote, not on a first answer.
    assert not any("differs" in note for note in import_lm_eval(write(rows, filters=vote)).notes)


def test_where_each_document_has_one_answer_the_log_decides(write: Write) -> None:
    pytest.importorskip("lm_eval")
    ways: tuple[dict[str, Any], ...] = ({"do_sample": False}, {"temperature": 0.0})
    greedy, cold = ({"gen_args_0": {"arg_0": "?", "arg_1": way}} for way in ways)
    rows = [
        row(0, "strict-match", resps=[["about 1018"]], metrics=["judge"], judge=1, arguments=greedy),
        row(1, "strict-match", resps=[["#### 5"]], metrics=["judge"], judge=0, arguments=cold),
    ]
    table = import_lm_eval(write(rows)).table
    assert table["answer"].tolist() == ["1018", "5"]
    assert table["correct"].tolist() == [True, False]
    assert set(table["decoding"]) == {"greedy"}
    warm = import_lm_eval(write([row(0, "strict-match", resps=[["#### 5"]])])).table
    assert set(warm["decoding"]) == {"sample"}
    several = import_lm_eval(write([row(0, "strict-match", arguments=greedy)])).table
    assert set(several["decoding"]) == {"sample"}  # several answers cannot be greedy


def test_a_folder_stands_for_its_newest_run(write: Write, tmp_path: Path) -> None:
    write(stamp="2026-01-01T10-00-00.5")
    newest = write([row(0, "strict-match")], stamp="2026-02-01T10-00-00.5")
    out = tmp_path / "run"
    result = imported("lm-eval", tmp_path / "out", "--grade", "hashes", "--model", "m", "--out", out)
    assert f"note: read {newest}\n" in result.output
    assert set(read_samples(out)["model"]) == {"m"}
    write(task="other")
    with pytest.raises(BadInput, match=r"org__model/samples_other, org__model/samples_toy_math"):
        import_lm_eval(tmp_path / "out", grader=Grader(("hashes",)))


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ({}, {}, "strict-match, flexible-extract"),
        ({}, {"filter_name": "loose"}, "no filter 'loose', only strict-match, flexible-extract"),
        ({"resps": [[[-1.5, True]], [[-2.0, False]]]}, {"grader": Grader()}, "expected generated text"),
        ({"target": "2"}, {"filter_name": "flexible-extract", "setting": "budget"}, "no setting 'budget'"),
        ({"target": "(B)"}, {"grader": Grader()}, "question 0: the right answer is '(B)'"),
        ({"exact_match": 0.5}, {"filter_name": "strict-match"}, "doc_id 0: exact_match is 0.5"),
        ({"doc_id": 1}, {"grader": Grader()}, "a second row for dataset=toy_math"),
    ],
)
def test_what_cannot_be_read_is_refused(
    write: Write, changes: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    pytest.importorskip("lm_eval")
    file = write([row(doc, name) | (changes if doc == 0 else {}) for name in FILTERS for doc in (0, 1)])
    with pytest.raises(BadInput) as refusal:
        import_lm_eval(file, **options)
    assert refusal.value.message.startswith(str(file))
    assert message in refusal.value.message


@pytest.mark.parametrize(
    ("name", "step", "metric", "message"),
    [
        ("own", {"function": "my_code"}, METRIC, "filter step 'my_code' cannot be run again"),
        ("own", STRICT, {"metric": "bleu"}, "bleu"),
        ("other", STRICT, METRIC, "no filter 'own'"),
    ],
)
def test_a_task_of_its_own_kind_is_refused(
    write: Write, name: str, step: dict[str, Any], metric: dict[str, Any], message: str
) -> None:
    pytest.importorskip("lm_eval")
    file = write([row(0, "own")], filters=[{"name": name, "filter": [step, FIRST]}], metrics=[metric])
    with pytest.raises(BadInput, match=message):
        import_lm_eval(file)


def test_what_is_missing_is_named(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write([row(0, "strict-match")])
    monkeypatch.setitem(sys.modules, "lm_eval", None)
    monkeypatch.delitem(sys.modules, "lm_eval.filters", raising=False)
    with pytest.raises(BadInput, match="pip install lm-eval"):
        import_lm_eval(file)
    next(file.parent.glob("results_*")).unlink()
    with pytest.raises(BadInput, match=r"no results_TIME\.json"):
        import_lm_eval(file)
    assert set(import_lm_eval(file, grader=Grader(("hashes",))).table["model"]) == {"org__model"}
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match=r"no samples_TASK_TIME\.jsonl"):
        import_lm_eval(tmp_path / "empty")
