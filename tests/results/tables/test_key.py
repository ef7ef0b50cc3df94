"""One key for every merge, group and label: rows with equal keys belong together in any order."""

import pandas as pd
import pytest

from results.tables.key import ANSWERS, CURVE, PANEL, WHOSE, Key, groups, keys

ROWS = pd.DataFrame(
    {
        "source": ["llm", "synthetic", "llm", "llm"],
        "dataset": ["a", "a", "a", "b/c"],
        "model": ["m", "m", "m", "m"],
        "setting": ["100", "100", "100", "200"],
        "method": ["majority", "majority", "best_of_n", "majority"],
    }
)


@pytest.mark.parametrize(("parts", "places"), [(WHOSE, 3), (ANSWERS, 3), (PANEL, 4), (CURVE, 4)])
def test_rows_of_one_key_belong_together_in_any_order(parts: tuple[str, ...], places: int) -> None:
    whole = dict(groups(ROWS, parts))
    moved = dict(groups(ROWS.iloc[[2, 3, 0, 1]], parts))

    assert len(whole) == places
    assert whole.keys() == moved.keys() == set(keys(ROWS, parts))
    for key, rows in whole.items():
        assert sorted(rows.index) == sorted(moved[key].index)


def test_what_a_table_does_not_say_is_the_same_as_what_it_leaves_null() -> None:
    bare = pd.DataFrame({"model": ["m", "n"]})
    null = pd.DataFrame({"source": [None, "llm"], "dataset": [None, None], "model": ["m", "n"]})

    assert list(keys(bare, ANSWERS)) == list(keys(null, ANSWERS))
    assert keys(bare, ANSWERS)[0] == Key("llm", "unknown", "m", "default")
