"""The row that a run writes, compared with the samples table that everybody reads."""

from harness.store.row import ASKED_FOR, COLUMNS, NULL
from results.tables.schemas import SAMPLES, Kind

OWN = {"reader", "seed", "labels", "text", "reasoning"}
"""Columns that only the harness and the report's questions read."""

KINDS = {Kind.TEXT: str, Kind.WHOLE: int, Kind.REAL: float, Kind.BOOLEAN: bool}


def test_every_cell_is_a_declared_column_a_text_or_the_harness_s_own() -> None:
    written = {**COLUMNS, **ASKED_FOR}
    assert set(written) - set(SAMPLES.columns) == OWN
    assert set(SAMPLES.columns) - set(written) == {"cluster", "cost", "score", "source"}


def test_cells_are_of_the_declared_kind_and_null_where_the_table_allows_it() -> None:
    for name, types in {**COLUMNS, **ASKED_FOR}.items():
        if name in SAMPLES.columns:
            declared = SAMPLES.columns[name]
            assert KINDS[declared.kind] in types, name
            assert NULL not in types or declared.nullable or declared.kind is Kind.REAL, name
