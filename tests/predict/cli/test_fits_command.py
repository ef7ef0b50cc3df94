"""`predict fits`: the appendix's fits of whole tables, as the command writes them and puts them in words."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from predict.cli import main
from predict.curves.appendix import COLUMNS
from results.votes.multinomial import vote_accuracy
from synthetic.binary.chain import law_of_paths
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import draw_tasks, task_keys

CACHED = Path(__file__).parents[3] / "results" / "cached"
TASKS = 20


def fits(source: Path, out: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["fits", str(source), "--out", str(out), *options])


def test_the_twin_s_figure_2h_is_fitted_along_all_three(tmp_path: Path) -> None:
    setting = BinarySetting(n=5, k=1, d=10, eta=1.0, sigma_eps=0.1, step_rule="eta/n")
    steps, votes = (1, 2, 3, 4, 6, 8, 12, 16), (1, 3, 5, 9, 17, 33, 65, 129)
    law = law_of_paths(draw_tasks(setting, task_keys(1, TASKS), 0), setting, steps)
    laws = law.probabilities.reshape(-1, law.probabilities.shape[2])
    curves = vote_accuracy(laws, np.repeat(law.gold, len(steps)), votes)
    mean = curves.reshape(TASKS, len(steps), len(votes)).mean(axis=0)
    frame = pd.DataFrame(
        [
            {"source": "synthetic", "dataset": "fig2h", "model": "linear-attention", "method": "majority",
             "setting": str(t), "T": t, "tokens_per_answer": t, "N": n, "accuracy": mean[i, j]}
            for i, t in enumerate(steps) for j, n in enumerate(votes)
        ]
    )  # fmt: skip
    frame.to_csv(tmp_path / "fig2h.csv", index=False)
    done = fits(tmp_path / "fig2h.csv", tmp_path / "fits.csv")
    assert done.exit_code == 0, done.output
    assert "T in steps per answer" in done.output
    table = pd.read_csv(tmp_path / "fits.csv", keep_default_na=False, na_values={"gap": ""})
    assert table["fit"].value_counts().to_dict() == {"along_n": 8, "along_gap": 7, "along_t": 1}
    single = table[table["fit"] == "along_t"].iloc[0]
    assert (single["status"], single["reason"]) == ("ok", "")
    assert (single["x_low"], single["x_high"]) == (1, 16)
    at_n = table[table["fit"] == "along_n"]
    assert (np.diff(at_n["gap"]) > 0).all()  # the gap grows with reasoning
    assert (table["condition"].astype(float) < 100).all()


def test_the_command_on_the_tiny_model_s_curves(tmp_path: Path) -> None:
    done = fits(CACHED / "tiny.csv", tmp_path / "fits.csv")
    assert done.exit_code == 0, done.output
    table = pd.read_csv(tmp_path / "fits.csv")
    assert table.columns.tolist() == list(COLUMNS)
    assert table["fit"].value_counts().to_dict() == {"along_n": 6, "along_gap": 6, "along_t": 1}
    head = next(line for line in done.output.splitlines() if line.startswith("fit "))
    assert head.split() == [
        "fit", "held", "points", "x", "α", "β", "rate", "gap", "rms", "condition", "status", "reason",
    ]  # fmt: skip
    # accuracy is far from its limit at the longest budget: a line nearly fits as well
    assert table.set_index("fit").loc["along_t", "status"] == "out_of_range"
    (line,) = (line for line in done.output.splitlines() if line.startswith("along_t "))
    assert "outside 0–100 %" in line
    assert "condition number is above 100" in line


def test_few_settings_are_told_and_many_take_few_lines(tmp_path: Path) -> None:
    done = fits(CACHED / "otis-mock-aime.csv", tmp_path / "fits.csv")
    assert done.exit_code == 0, done.output
    assert done.output.count("3 parameters from 3 points") >= 3
    done = fits(CACHED / "fig1-binary.csv", tmp_path / "fits.csv")
    assert "… 3 more in the file" in done.output


def test_samples_are_fitted_by_either_method(samples_file: Path, tmp_path: Path) -> None:
    for method in ("majority", "best_of_n"):
        done = fits(samples_file, tmp_path / "fits.jsonl", "--method", method)
        assert done.exit_code == 0, done.output
        table = pd.read_json(tmp_path / "fits.jsonl", lines=True)
        assert set(table["method"]) == {method}
        assert set(table["fit"]) == {"along_n", "along_t", "along_gap"}


def test_one_setting_with_one_answer_is_no_error(tmp_path: Path) -> None:
    source = tmp_path / "one.csv"
    pd.DataFrame([{"method": "majority", "setting": "a", "T": 1e5, "N": 1, "accuracy": 0.4}]).to_csv(
        source, index=False
    )
    done = fits(source, tmp_path / "fits.csv")
    assert done.exit_code == 0, done.output
    assert pd.read_csv(tmp_path / "fits.csv")["status"].tolist() == ["not_identifiable"] * 2
    assert "needs 3 different N, has 1" in done.output
    assert "needs 3 different T, has 1" in done.output


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
