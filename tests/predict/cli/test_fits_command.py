"""`predict fits`: the appendix's fits of whole tables, as the command writes them and puts them in words."""

from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from predict.cli import main
from results import kind_of

CACHED = Path(__file__).parents[3] / "results" / "cached"


def fits(source: Path, out: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["fits", str(source), "--out", str(out), *options])


def test_the_command_on_the_tiny_model_s_curves(tmp_path: Path) -> None:
    done = fits(CACHED / "tiny.csv", tmp_path / "fits.csv")
    assert done.exit_code == 0, done.output
    table = pd.read_csv(tmp_path / "fits.csv")
    assert kind_of(table) == "fits"
    assert table["fit"].value_counts().to_dict() == {"along_n": 6, "along_gap": 6, "along_t": 1}
    # accuracy is far from its limit at the longest budget: a line nearly fits as well
    assert table.set_index("fit").loc["along_t", "status"] == "out_of_range"
    (line,) = (line for line in done.output.splitlines() if line.startswith("along_t "))
    assert "outside 0–100 %" in line
    assert "condition number is above 100" in line


def test_samples_are_fitted_by_either_method(samples_file: Path, tmp_path: Path) -> None:
    for method in ("majority", "best_of_n"):
        done = fits(samples_file, tmp_path / "fits.jsonl", "--method", method)
        assert done.exit_code == 0, done.output
        table = pd.read_json(tmp_path / "fits.jsonl", lines=True)
        assert set(table["method"]) == {method}
        assert set(table["fit"]) == {"along_n", "along_t", "along_gap"}


@pytest.mark.parametrize(
    ("source", "out", "options", "words"),
    [
        (CACHED / "claims.csv", "fits.csv", (), "claims"),
        (CACHED / "absent.csv", "fits.csv", (), "no such file"),
        (CACHED / "tiny.csv", "fits.txt", (), "unknown kind of file"),
        (CACHED / "tiny.csv", "fits.csv", ("--method", "median"), "'median' is not one of"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_written(
    tmp_path: Path, source: Path, out: str, options: tuple[str, ...], words: str
) -> None:
    done = fits(source, tmp_path / out, *options)
    assert done.exit_code == 2
    assert words in done.output
    assert "Traceback" not in done.output
    assert not list(tmp_path.iterdir())
