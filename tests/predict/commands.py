"""Run commands of `predict` on tables made by the tests."""

from pathlib import Path

import pandas as pd
from click.testing import CliRunner, Result

from predict.cli import main


def predict(*arguments: object) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


def command(name: str, frame: pd.DataFrame, folder: Path, *options: object) -> Result:
    """Write `frame` unchanged and run the command on it, with 20 replicates."""
    frame.to_csv(folder / "input.csv", index=False)
    return predict(name, folder / "input.csv", "--bootstrap", "20", *options)


def forecast(frame: pd.DataFrame, folder: Path, *options: object) -> Result:
    """Run the forecast of `frame`, written to f.csv."""
    return command("forecast", frame, folder, "--out", folder / "f.csv", *options)


def curve(**columns: object) -> pd.DataFrame:
    base = {"method": "majority", "setting": "100", "T": 1e5, "N": [1, 2, 4, 8]}
    return pd.DataFrame({**base, "accuracy": [0.5, 0.5, 0.55, 0.6], **columns})
