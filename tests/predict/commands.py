"""Commands of `predict` run on tables made by the tests."""

from pathlib import Path

import pandas as pd
from click.testing import CliRunner, Result

from predict.cli import main


def forecast(frame: pd.DataFrame, folder: Path, *options: str) -> Result:
    """Write `frame` as it is and run the forecast on it."""
    source = folder / "input.csv"
    frame.to_csv(source, index=False)
    arguments = ["forecast", str(source), "--out", str(folder / "f.csv"), "--bootstrap", "20", *options]
    return CliRunner().invoke(main, arguments)


def curve(**columns: object) -> pd.DataFrame:
    base = {"method": "majority", "setting": "100", "T": 1e5, "N": [1, 2, 4, 8]}
    return pd.DataFrame({**base, "accuracy": [0.5, 0.5, 0.55, 0.6], **columns})


def command(name: str, frame: pd.DataFrame, folder: Path, *options: str) -> Result:
    frame.to_csv(folder / "input.csv", index=False)
    return CliRunner().invoke(main, [name, str(folder / "input.csv"), "--bootstrap", "20", *options])
