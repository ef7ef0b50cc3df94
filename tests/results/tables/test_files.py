"""results.tables.files: round trips are exact, broken files are named, a failed write keeps the old file."""

import contextlib
import gzip
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from results import BadInput
from results.tables.files import SUFFIXES, column_names, read_raw, replacing, write_raw

# Any Unicode text except "" (null in CSV) and lone surrogates (not valid text).
text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
rows = st.lists(
    st.fixed_dictionaries(
        {
            "name": text,
            "answer": st.none() | text,
            "count": st.integers(-(2**53), 2**53),
            "share": st.floats(-1e300, 1e300),
        }
    ),
    min_size=1,
    max_size=6,
)


def read_back(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    write_raw(frame, path)
    return read_raw(path, ("name", "answer"))


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cells=rows)
def test_round_trip_keeps_every_cell(tmp_path, suffix, cells):
    back = read_back(pd.DataFrame(cells), tmp_path / f"table{suffix}")
    assert list(back["name"]) == [row["name"] for row in cells]
    answers = back["answer"] if "answer" in back else pd.Series([None] * len(cells))
    if suffix == ".csv":  # its only null is the empty cell
        answers = answers.mask(answers == "")
    assert [None if pd.isna(cell) else cell for cell in answers] == [row["answer"] for row in cells]
    assert [int(cell) for cell in back["count"]] == [row["count"] for row in cells]
    shares = [float(cell) for cell in back["share"]]
    digits = 1e-9 if suffix == ".csv" else 0.0
    assert shares == pytest.approx([row["share"] for row in cells], rel=digits, abs=0.0)


@pytest.mark.parametrize("shared", [False, True])  # one value in all rows, or different ones
def test_latex_has_a_line_for_each_row_whatever_is_in_the_cells(tmp_path, shared):
    hostile = "a & 5% $x_1$\n\\\\ \\end{tabular} \u202e#~^"
    frame = pd.DataFrame(
        {"a&b_%": [hostile, hostile if shared else "b"], "x": [-12_345.6, None], "n": [7, 10_287]}
    )
    write_raw(frame, tmp_path / "t.tex")
    comments, _, body = (tmp_path / "t.tex").read_text(encoding="utf-8").partition("\\begin{tabular}")
    lines = [line for line in body.split("\n") if line.endswith(r" \\")]
    assert [len(re.findall(r"(?<!\\)&", line)) for line in lines] == [1 if shared else 2] * 3
    assert body.count(r"\end{tabular}") == 1
    assert [line[:2] for line in comments.split("\n") if line] == ["% "] * shared
    assert "10287" in body
    assert "-12346" in body
    write_raw(frame[:1], tmp_path / "one.tex")
    assert "-12346" in (tmp_path / "one.tex").read_text(encoding="utf-8").partition("\\begin{tabular}")[2]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_text_that_looks_like_something_else_stays_text(tmp_path, suffix):
    looks = [
        "007",
        "1e3",
        "2024-01-01",
        "True",
        "None",
        " 18 ",
        "=1+1",
        '{"a": 1}',
        'a,"b"\r\nc',
        "\x00",
        "a\rb",
    ]
    back = read_back(pd.DataFrame({"name": looks, "answer": "plain"}), tmp_path / f"t{suffix}")
    assert back["name"].tolist() == looks


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_columns_nobody_declared_pass_through(tmp_path, suffix):
    days = {"name": ["a", "b"], "day": ["2024-01-01", "2024-01-02"]}
    frame = pd.DataFrame({**days, "seed": [2**62 + 1, 5], "tags": [[1, 2], []]})
    back = read_back(frame, tmp_path / f"t{suffix}")
    assert back["day"].tolist() == ["2024-01-01", "2024-01-02"]
    assert back["seed"].tolist() == [2**62 + 1, 5]
    assert [list(tags) for tags in back["tags"]] == [[1, 2], []]


@pytest.mark.parametrize(
    ("lines", "cells"),
    [
        (
            ['{"name": "a", "seed": 1234567890123456789}', '{"name": "b"}'],
            {"seed": [1234567890123456789, None]},
        ),
        (['{"name": "a", "answer": null}'] * 2, {"answer": [None, None]}),
        (
            ['{"answer": "18"}', '{"answer": 18}', '{"answer": 18.5}', '{"answer": true}', "{}"],
            {"answer": ["18", 18, 18.5, True, None]},
        ),
        (  # a lone surrogate is replaced
            ['{"answer": "ok \\uD83D", "x": {"\\uDC00": ["\\uD83D\\uDE00"]}}'],
            {"answer": ["ok \ufffd"], "x": [{"\ufffd": ["😀"]}]},
        ),
    ],
)
def test_cells_of_json_are_read_as_they_are(tmp_path, lines, cells):
    file = tmp_path / "t.jsonl"
    file.write_text("\n".join(lines))
    back = read_raw(file, ("name", "answer", "gold"))
    assert "gold" not in back  # a column of nulls is a column; an absent one is not
    for name, expected in cells.items():
        assert back[name].astype(object).where(back[name].notna(), None).tolist() == expected


def test_byte_order_mark_and_windows_line_ends(tmp_path):
    table, lines = tmp_path / "t.csv", tmp_path / "t.jsonl"
    table.write_bytes(b"\xef\xbb\xbfname,answer\r\na,1\r\n")
    lines.write_bytes(b'\xef\xbb\xbf{"name": "a", "answer": 1}\r\n')
    for file in (table, lines):
        assert [str(cell) for cell in read_raw(file, ("name", "answer")).iloc[0]] == ["a", "1"]


GOOD_LINE = b'{"name": "a", "answer": "1"}\n'


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"", "the file is empty"),
        ("t.jsonl", b"", "the file is empty"),
        ("t.csv", b"\n\n", "not a readable CSV table"),
        ("t.csv", b"name;answer\na;1\n", "only one column, found: name;answer; separate columns by commas"),
        ("t.csv", b"name,answer\na,1\nb\n", "row 2: found 1 cells, expected 2"),
        ("t.csv", b'name,answer\na,"1\n\n2"\nb,1,2\n', "row 2: found 3 cells, expected 2"),
        ("t.csv", b'name,answer\na,"1\nb,2\n', "a quote .* never closed"),
        ("t.csv", b"name,answer\na,1\nb,\xff\n", "row 2: not UTF-8"),
        ("t.jsonl", GOOD_LINE + b'{"name": "b", "ans', "row 2: not JSON.*half a line"),
        ("t.jsonl", GOOD_LINE + b"\n[1]\n", "row 3: found list"),
        ("t.jsonl", b"\nnull\n" + GOOD_LINE, "row 2: found NoneType"),  # ends Arrow's reader, and the process
        ("t.jsonl", GOOD_LINE + b'{"name": "\xff"}\n', "row 2: not JSON.*utf-8"),
        ("t.jsonl", GOOD_LINE.strip() + GOOD_LINE, "row 1: not JSON"),
        ("t.parquet", b"PAR1 torn", "not a readable Parquet file"),
        ("t.txt", b"name\na\n", "unknown kind of file '.txt'"),
        ("t.csv", gzip.compress(b"name,answer\na,1\n", mtime=0), "is compressed with gzip"),
        ("t.jsonl", gzip.compress(GOOD_LINE, mtime=0), "is compressed with gzip"),
        ("t.csv", "name,answer\na,1\n".encode("utf-16"), "is UTF-16"),
        ("t.csv", "name,answer\na,1\n".encode("utf-16-be"), "is UTF-16"),
        ("t.jsonl", GOOD_LINE.decode().encode("utf-16-le"), "is UTF-16"),
    ],
)
def test_broken_file_is_refused_by_name_and_row(tmp_path, name, content, message):
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(BadInput, match=f"{name}: {message}"):
        read_raw(file, ("name", "answer"))
    if message.startswith("is "):
        with pytest.raises(BadInput, match=f"{name}: {message}"):
            column_names(file)


def test_missing_file_and_folder_are_refused(tmp_path):
    with pytest.raises(BadInput, match=r"none\.csv: no such file"):
        read_raw(tmp_path / "none.csv", ())
    with pytest.raises(BadInput, match="is a folder"):
        read_raw(tmp_path, ())


def test_parquet_with_categories_and_an_index_is_read(tmp_path):
    file = tmp_path / "t.parquet"
    frame = pd.DataFrame({"name": pd.Categorical(["a", "b", "a"])}, index=[7, 8, 9])
    frame.to_parquet(file)
    back = read_raw(file, ("name",))
    assert list(back["name"].astype(str)) == ["a", "b", "a"]
    assert list(back.index) == [0, 1, 2]


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_failed_write_leaves_the_old_file_and_no_rubbish(tmp_path, suffix):
    file = tmp_path / f"t{suffix}"
    write_raw(pd.DataFrame({"name": ["old"]}), file)
    half = pd.DataFrame({"name": pd.Series(["\ud83d", "b"], dtype=object)})
    with pytest.raises(BadInput, match=f"t{suffix}: .* cannot hold"):
        write_raw(half, file)
    assert list(read_raw(file, ("name",))["name"]) == ["old"]
    assert [entry.name for entry in tmp_path.iterdir()] == [file.name]


def test_interrupted_write_leaves_the_old_file(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("old")
    with contextlib.suppress(KeyboardInterrupt), replacing(file) as temporary:
        temporary.write_text("new, and half")
        raise KeyboardInterrupt
    assert file.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_link_is_written_through_and_stays(tmp_path, suffix):
    target, link = tmp_path / "kept" / f"real{suffix}", tmp_path / f"link{suffix}"
    write_raw(pd.DataFrame({"name": ["old"]}), target)
    link.symlink_to(Path("kept") / target.name)

    write_raw(pd.DataFrame({"name": ["new"]}), link)

    assert link.is_symlink()
    assert list(read_raw(target, ("name",))["name"]) == ["new"]
    assert [entry.name for entry in target.parent.iterdir()] == [target.name]


def test_a_column_may_be_named_like_a_formula(tmp_path):
    frame = pd.DataFrame({"=1+1": ["x;=1+1"], "name": ["\t=1"]})
    write_raw(frame, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "'=1+1,name\nx;'=1+1,'\t'=1\n"
    assert column_names(tmp_path / "t.csv") == ["=1+1", "name"]
    assert read_raw(tmp_path / "t.csv", ()).to_dict("list") == frame.to_dict("list")


def test_write_makes_the_folder_and_readable_files_and_what_a_link_names(tmp_path):
    file, link = tmp_path / "new" / "folder" / "t.csv", tmp_path / "link.csv"
    link.symlink_to(tmp_path / "other" / "real.csv")
    for place in (file, link):
        write_raw(pd.DataFrame({"name": ["a"]}), place)
        assert place.read_text() == "name\na\n"
    assert file.stat().st_mode & 0o777 == 0o644
    assert link.is_symlink()


def test_jsonl_is_plain_json(tmp_path):
    file = tmp_path / "t.jsonl"
    cells = {"name": "é/☃", "n": np.int64(3), "x": 0.1, "none": None, "at": pd.Timestamp("2024-01-02")}
    write_raw(pd.DataFrame([cells, cells]).astype({"n": "Int64"}), file)
    line = file.read_text(encoding="utf-8").splitlines()[0]
    assert '"é/☃"' in line
    expected = {"name": "é/☃", "n": 3, "x": 0.1, "none": None, "at": "2024-01-02 00:00:00"}
    assert json.loads(line) == expected
