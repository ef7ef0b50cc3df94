r"""How much ignoring wrong non-integer answers raised the vote: the figures of studies/readers.

    python -m studies.readers.run $DATA_DIR/samples/gpt-3.5-turbo_biggsm_t0.8.csv

If a table has these answers, the vote is given with them as nulls, as before, and as votes. If it has only
nulls without their texts, the nulls of answers that ended by themselves are treated as votes: all different,
or all the same within a question. The vote lies between these two, if each of these answers says something.
"""

import sys
import warnings
from pathlib import Path

import pandas as pd

from harness.grading.integer import normalise_integer
from results import read_samples, vote_curve
from results.canonical import canonical_texts
from studies.pages import markdown

SIZES = (1, 2, 4, 8, 16, 32)


def rules(samples: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The samples under each rule, by its name; `no vote` is the old behaviour."""
    said = canonical_texts(samples["answer"])
    integers = said.where(said.map(lambda text: normalise_integer(text) is not None, na_action="ignore"))
    found = {"no vote": samples.assign(answer=integers)}
    if (said.notna() & integers.isna()).any():
        return found | {"votes": samples.assign(answer=said)}
    ended = samples.get("finish_reason", "stop")
    silent = integers.isna() & (ended != "length")
    each = pd.Series([f"?{number}" for number in range(len(samples))], index=samples.index)
    return found | {
        "all different": samples.assign(answer=integers.mask(silent, each)),
        "all alike": samples.assign(answer=integers.mask(silent, "?")),
    }


def lift(samples: pd.DataFrame) -> pd.DataFrame:
    """Accuracy of the vote in per cent: setting, N, and a column for each rule."""
    curves = {}
    for rule, table in rules(samples).items():
        sizes = [n for n in SIZES if n <= samples["sample"].nunique()]
        curve = vote_curve(table, ns=sizes)
        if "setting" not in curve:
            curve = curve.assign(setting="default")
        curves[rule] = 100 * curve.set_index(["setting", "N"])["accuracy"]
    return pd.DataFrame(curves).round(1).reset_index()


def main(paths: list[str]) -> None:
    """Print the table of each file, as Markdown."""
    warnings.simplefilter("ignore")
    for path in map(Path, paths):
        found = lift(read_samples(path))
        print(f"\n{path.stem}\n")  # noqa: T201
        print(markdown(found.columns, found.astype(str).to_numpy()))  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
