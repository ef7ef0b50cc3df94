"""results.tables.schemas: the columns a table must have, and the cells it may hold."""

import itertools
from pathlib import Path

import pandas as pd
import pytest

from results import BadInput, read_curves, read_samples
from results.tables.columns import conform
from results.tables.contract import as_table
from results.tables.files import write_raw
from results.tables.schemas import SCHEMAS
from tests.results.tables.rows import CURVE, jsonl


def ones(names: str, **others: str) -> dict[str, object]:
    return dict.fromkeys(names.split(), 1) | others


NEEDED = {
    "samples": ones("question_id sample answer correct"),
    "curves": ones("N accuracy", method="majority"),
    "forecast": ones("N predictor predicted low high status", method="majority", role="used"),
    "comparison": ones(
        "dataset a b setting_a setting_b N questions accuracy_a accuracy_b difference low high"
        " stderr p_value cost N_at_cost difference_at_cost low_at_cost high_at_cost gained"
        " lost flips questions_needed answers_needed",
        method="majority",
    ),
    "claims": ones("claim where setting quantity measured low high holds verdict"),
    "fits": ones(
        "dataset model method held points x_low x_high alpha beta rate gap rms status reason",
        source="llm",
        fit="along_n",
    ),
    "plan": ones(
        "dataset model method setting cost N predicted low high predictor", source="llm", known="measured"
    ),
    "backtest": ones("predictor split dataset model method setting N accuracy predicted low high"),
    "stopping": ones(
        "dataset model setting rule threshold batch n_max questions tokens share answers rounds"
        " agreement agreement_all worst_tenth false_stops delta accuracy difference low high"
        " N_fixed agreement_fixed difference_fixed low_fixed high_fixed level",
        order="random",
    ),
}
"""The columns that a table of each kind must have; 1 is a valid cell in most of them."""

CELLS = [
    ("samples", "sample", [0, 7], [-1, None]),
    ("samples", "tokens prompt_tokens cached_tokens reasoning_tokens", [0, None], [-1, 0.5]),
    ("samples", "decoding", ["sample", "greedy"], ["beam"]),
    ("samples curves forecast fits plan", "source", ["llm", "synthetic"], ["web"]),
    ("samples", "answer gold finish_reason stop_rule", ["x"], [["x"]]),
    ("samples", "gold finish_reason stop_rule", [None], []),
    ("samples curves", "dataset model setting", ["None"], ["", None]),
    ("curves forecast comparison plan backtest", "N", [1], [0, None]),
    ("curves forecast", "questions", [1, None], [0]),
    ("curves forecast", "method", ["majority", "best_of_n", "ensemble", "greedy"], ["mode"]),
    (
        "curves forecast",
        "T tokens_per_answer risk stderr stderr_vs_first_n stderr_vs_cheapest",
        [0, 2, None],
        [-0.1, "long"],
    ),
    ("curves forecast", "accuracy unreadable cut_off", [0, 1], [-0.1, 1.1]),
    ("forecast", "role", ["used", "held_out", "forecast"], ["seen"]),
    ("forecast plan", "low high new_low new_high", [-0.1, 1.1, None], ["x"]),
    ("forecast backtest", "predicted", [-0.1, 1.1, None], ["x"]),
    ("forecast", "tokens_low tokens_high", [0, None], [-1]),
    ("comparison", "method", ["majority", "best_of_n"], ["greedy"]),
    ("comparison", "questions", [1], [0, None]),
    ("comparison", "accuracy_a accuracy_b", [0, 1], [-0.1, 1.1, None]),
    ("comparison", "difference", [-1, 1], [None]),
    ("comparison", "low high stderr difference_at_cost low_at_cost high_at_cost", [-1, None], ["x"]),
    ("comparison", "p_value", [0, 1, None], [-0.1, 1.1]),
    ("comparison", "cost N_at_cost questions_needed answers_needed", [0, 9, None], [-1]),
    ("comparison", "gained lost", [0, 9], [-1, None]),
    ("claims", "measured low high", [-1], [None]),
    ("fits", "fit", ["along_n", "along_t", "along_gap"], ["along"]),
    ("fits", "points", [0], [-1, None]),
    ("fits", "x_low x_high alpha beta rate gap rms reason", [-1, None], []),
    ("plan", "cost", [0, 9], [-1, None]),
    ("plan", "predicted", [-1], [None]),
    ("plan", "target_accuracy token_budget", [2, None], ["x"]),
    ("plan", "known", ["measured", "forecast"], ["guessed"]),
    ("backtest", "accuracy", [0, 1], [1.1, None]),
    ("backtest", "low high", [-1, None], ["x"]),
    ("stopping", "order", ["random", "finishing"], ["any"]),
    ("stopping", "n_max questions", [1], [0, None]),
    ("stopping", "share answers", [0, 2], [-1, None]),
    ("stopping", "tokens rounds N_fixed", [0, 2, None], [-1]),
    ("stopping", "agreement agreement_all worst_tenth", [0, 1], [1.1, None]),
    ("stopping", "false_stops delta accuracy agreement_fixed level", [0, 1, None], [1.1]),
    ("stopping", "threshold difference low high difference_fixed low_fixed high_fixed", [-1, None], ["x"]),
]

KEYS = {
    "samples": "dataset model setting decoding question_id sample",
    "curves": "source dataset model method setting N permutation",
    "forecast": "source dataset model method setting N permutation predictor",
    "comparison": "dataset a b setting_a setting_b method N",
    "stopping": "dataset model setting rule threshold order batch",
}


@pytest.mark.parametrize("kind", SCHEMAS)
def test_a_table_needs_these_columns_and_no_others(kind):
    row = pd.DataFrame([NEEDED[kind]])
    assert len(as_table(row, kind)) == 1
    if kind == "samples":
        row = row.rename(columns={"correct": "gold"})  # a verdict would replace the answer
    for name in row.drop(columns="gold", errors="ignore"):
        with pytest.raises(BadInput, match=rf"column.* '{name}'"):
            as_table(row.drop(columns=name), kind)


@pytest.mark.parametrize(("kinds", "names", "good", "bad"), CELLS)
def test_a_cell_is_taken_up_to_its_limit_and_refused_beyond(kinds, names, good, bad):
    for kind, cell in itertools.product(kinds.split(), good):
        row = NEEDED[kind] | dict.fromkeys(names.split(), cell)
        assert len(as_table(pd.DataFrame([row], dtype=object), kind)) == 1
    for kind, name, cell in itertools.product(kinds.split(), names.split(), bad):
        with pytest.raises(BadInput, match=rf"row 1, column '{name}'"):
            conform(pd.DataFrame({name: [cell]}, dtype=object), SCHEMAS[kind], Path("t"))


@pytest.mark.parametrize("kind", KEYS)
def test_no_two_rows_share_a_key_and_every_part_of_it_tells_rows_apart(kind):
    keys = KEYS[kind].split()
    row = {**dict.fromkeys(keys, 1), "decoding": "sample", "source": "llm", **NEEDED[kind]}
    other = {**dict.fromkeys(keys, 2), "decoding": "greedy", "source": "synthetic", "method": "best_of_n"}
    other["order"] = "finishing"
    for name in keys:
        assert len(as_table(pd.DataFrame([row, {**row, name: other[name]}]), kind)) == 2
    with pytest.raises(BadInput, match=rf"row 2: a second row for .*{keys[-1]}=1"):
        as_table(pd.DataFrame([row, row]), kind)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_table_of_other_columns_lacks_all_of_them(tmp_path, ending):
    write_raw(pd.DataFrame({"id": ["a", "b"], "run": [1, 2]}), tmp_path / f"t.{ending}")
    for texts in (True, False):
        with pytest.raises(BadInput, match=rf"t\.{ending}: no column 'question_id', 'sample', 'answer'"):
            read_samples(tmp_path / f"t.{ending}", texts=texts)


def test_each_row_of_a_curve_has_an_accuracy_or_a_risk(tmp_path):
    rows = {**CURVE, "accuracy": None, "risk": 33.5}, {**CURVE, "N": 8, "accuracy": None}
    with pytest.raises(BadInput, match=r"t\.jsonl: row 2.*expected a value of accuracy or risk"):
        read_curves(jsonl(tmp_path, *rows))


def test_questions_come_in_no_more_clusters_than_there_are(tmp_path):
    rows = {**CURVE, "questions": 4, "clusters": 4}, {**CURVE, "N": 8, "questions": 4, "clusters": 5}
    assert len(read_curves(jsonl(tmp_path, rows[0], {**rows[1], "questions": None}))) == 2
    with pytest.raises(BadInput, match=r"t\.jsonl: row 2, column 'clusters': found '5'"):
        read_curves(jsonl(tmp_path, *rows))
    with pytest.raises(BadInput, match=r"t\.jsonl: a curves table: give samples"):
        read_samples(tmp_path / "t.jsonl")


@pytest.mark.parametrize("column", ["dataset", "model", "setting"])
def test_names_on_curves_do_not_differ_in_spaces_alone(tmp_path, column):
    one, two = (jsonl(tmp_path, {**CURVE, column: name}, name=f"{len(name)}.jsonl") for name in ("a", "a "))
    with pytest.raises(BadInput, match=rf"2\.jsonl: column '{column}': 'a' and 'a ' differ in spaces alone"):
        read_curves(one, two)
