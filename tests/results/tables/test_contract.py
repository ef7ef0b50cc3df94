"""results.tables: samples, curves and forecasts are read as written, joined, and told apart."""

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from results import (
    BadInput,
    as_samples,
    kind_of,
    read_curves,
    read_samples,
    reading,
    write_curves,
    write_samples,
)
from results.canonical import canonical
from results.tables.contract import sample_files
from results.tables.doubts import NULL_WORDS
from results.tables.files import write_raw
from results.tables.schemas import SCHEMAS
from tests.results.tables.rows import CURVE, SAMPLE, jsonl

KINDS = ["csv", "jsonl", "parquet"]

text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


golds = text.filter(canonical)  # a gold must not be blank


@st.composite
def samples_tables(draw: st.DrawFn) -> pd.DataFrame:
    keys = draw(st.lists(st.tuples(text, text, st.integers(0, 9)), min_size=1, max_size=6, unique=True))
    gold = {question: draw(golds) for _, question, _ in keys}  # a question has one right answer
    rows = [
        {
            "setting": setting,
            "question_id": question,
            "sample": sample,
            "answer": draw(st.none() | text | st.sampled_from(NULL_WORDS)),
            "gold": gold[question],
            "tokens": draw(st.none() | st.integers(0, 2**53)),
            "source": draw(st.sampled_from(["llm", "synthetic"])),
        }
        for setting, question, sample in keys
    ]
    return pd.DataFrame(rows)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(frame=samples_tables())
def test_samples_come_back_as_they_were_written_in_every_format(tmp_path, frame):
    expected = as_samples(frame)
    said = [None if pd.isna(answer) else canonical(answer) or None for answer in frame["answer"]]
    assert [None if pd.isna(cell) else cell for cell in expected["answer"]] == said
    right = [canonical(gold) == answer for gold, answer in zip(frame["gold"], said, strict=True)]
    assert expected["correct"].tolist() == right
    assert (expected["decoding"] == "sample").all()
    for kind in KINDS:
        write_samples(frame, tmp_path / f"s.{kind}")
        pd.testing.assert_frame_equal(read_samples(tmp_path / f"s.{kind}"), expected)


def test_csv_of_another_program_is_read(tmp_path):
    """Null is the empty cell; other words for it must be named, but any of them is null among numbers."""
    file = tmp_path / "t.csv"
    lines = ["none,None,0,None,0,nan", "none,007,1,nan,False,", "none,007,2,,0,3", "none,007,3,7,1,3"]
    file.write_text("\n".join(["setting,question_id,sample,answer,correct,tokens", *lines]))
    with pytest.warns(UserWarning, match="--unreadable"):
        frame = read_samples(file)
    assert [None if pd.isna(cell) else cell for cell in frame["answer"]] == ["None", "nan", None, "7"]
    assert frame["tokens"].isna().tolist() == [True, True, False, False]
    with reading(unreadable=["None", "nan"]):
        frame = read_samples(file)
    assert frame["answer"].isna().tolist() == [True, True, True, False]
    assert frame["setting"].tolist() == ["none"] * 4
    assert frame["question_id"].tolist() == ["None", "007", "007", "007"]


def test_row_given_twice_by_two_inputs_is_named_in_the_second(tmp_path):
    first = jsonl(tmp_path, *({**SAMPLE, "sample": i} for i in (1, 0, 2)), name="a.jsonl")
    second = jsonl(tmp_path, {**SAMPLE, "sample": 7}, {**SAMPLE, "sample": 1}, name="b.jsonl")
    with pytest.raises(BadInput, match=r"b\.jsonl: row 2: a second .*sample=1, expected one; .*--model NAME"):
        read_samples(first, second)


def test_folder_stands_for_the_samples_in_it(tmp_path):
    with pytest.raises(BadInput, match=r"no samples\.jsonl"):
        read_samples(tmp_path)
    for suffix in ("csv", "parquet", "jsonl"):  # each takes precedence over those before it
        write_samples(pd.DataFrame([{**SAMPLE, "setting": suffix}]), tmp_path / f"samples.{suffix}")
        assert sample_files(tmp_path) == [tmp_path / f"samples.{suffix}"]
        assert read_samples(tmp_path)["setting"].tolist() == [suffix]


@pytest.mark.parametrize(
    ("text", "named"),
    [("answer,correct\n", "no rows"), ("answer,answer,correct\n1,1,1\n", "column 'answer' appears twice")],
)
def test_table_without_rows_or_with_a_column_twice_is_refused(tmp_path, text, named):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(BadInput, match=rf"t\.csv: {named}"):
        read_samples(tmp_path / "t.csv")


def test_refused_table_is_not_written(tmp_path):
    file = tmp_path / "c.csv"
    write_curves(pd.DataFrame([CURVE]), file)
    with pytest.raises(BadInput, match=r"found '7\.0', expected a number from 0 to 1"):
        write_curves(pd.DataFrame([{**CURVE, "accuracy": 7.0}]), file)
    assert read_curves(file)["accuracy"].tolist() == [0.5]


def test_kind_of_a_file_is_told_by_its_columns(tmp_path):
    for kind, schema in SCHEMAS.items():
        assert kind_of(pd.DataFrame(columns=list(schema.columns))) == kind
    assert kind_of(jsonl(tmp_path, CURVE)) == "curves"
    assert kind_of(jsonl(tmp_path, SAMPLE, name="samples.jsonl").parent) == "samples"
    with pytest.raises(BadInput, match="NoneType"):
        kind_of(None)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match=r"t\.jsonl: .* columns a "):
        kind_of(jsonl(tmp_path, {"a": 1}))


def test_the_frame_that_is_written_is_left_as_it_was(tmp_path):
    frame = pd.DataFrame([SAMPLE])
    copy = frame.copy(deep=True)
    write_samples(frame, tmp_path / "s.csv")
    pd.testing.assert_frame_equal(frame, copy)


def test_swapped_arguments_are_refused_and_nothing_is_written(tmp_path):
    frame = pd.DataFrame([SAMPLE])
    for call in (
        lambda: as_samples(tmp_path / "s.csv", frame),  # type: ignore[arg-type]
        lambda: write_samples(str(tmp_path / "s.csv"), frame),  # type: ignore[arg-type]
        lambda: write_samples(frame, frame),  # type: ignore[arg-type]
    ):
        with pytest.raises(BadInput, match="expected a"):
            call()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", [5, None, ["samples.csv"]])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(BadInput, match="file's path"):
        read_samples(path)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tokens", [37, "37"])
def test_without_texts_only_declared_columns_are_read(tmp_path, kind, tokens):
    """This also holds if a number is written as text, which this project's own files never do."""
    rows = pd.DataFrame([{**SAMPLE, "tokens": tokens, "sample": i, "text": "…", "seed": 3} for i in (0, 1)])
    write_raw(rows.assign(answer=["18", None]), tmp_path / f"t.{kind}")
    whole = read_samples(tmp_path / f"t.{kind}")
    assert {"text", "seed"} <= set(whole)
    expected = whole.drop(columns=["text", "seed"])
    pd.testing.assert_frame_equal(read_samples(tmp_path / f"t.{kind}", texts=False), expected)
