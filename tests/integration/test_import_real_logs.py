"""lm-eval and inspect_ai really run on the tiny model; their logs become samples, and the samples curves.

The expected values come from reading the tools' own files or objects with a few lines of code here, and from
a vote on every subset of the answers.
"""

import re
import subprocess
import sys
from itertools import product
from pathlib import Path
from statistics import mean

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.stats import hypergeom

from harness.cli import cli
from harness.grader import Grader
from harness.imports.reading import with_tokens
from harness.questions.load import load_questions
from results import read_curves, read_samples
from results.cli import cli as results_cli
from tests.by_hand import by_subsets
from tests.integration import lm_eval_task as task

pytestmark = pytest.mark.server

QUESTIONS = 6
REPEATS = 5
RUN_SECONDS = 300
FALSE_ALARM = 1e-4
"""The probability that two tools that sample from the same distribution fail the comparison."""
MARKED = re.compile(r"##\s*(-?[0-9][0-9,]*)\s*##")

Pool = list[tuple[str | None, bool]]
"""The answers to one question and whether each is right."""


def call(command: list[str], home: Path) -> str:
    """The output of another tool's command, which must succeed in time."""
    done = subprocess.run(
        command, env=task.environment(home), cwd=home, capture_output=True, text=True, timeout=RUN_SECONDS
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    return done.stdout


def invoke(*arguments: str | Path) -> str:
    group = results_cli if arguments[0] == "curves" else cli
    result = CliRunner().invoke(group, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.output


def check_curves(folder: Path, pools: list[Pool]) -> None:
    """Check that `results curves` gives the vote and best-of-N of `pools` for the imported samples."""
    file = folder / "curves.csv"
    invoke("curves", folder, "--n", "1,2,3,4,5", "--permutations", "0", "--out", file)
    curves = read_curves(file).set_index(["method", "N"])["accuracy"]
    votes = [["right" if right else answer for answer, right in pool] for pool in pools]
    for n, method in product(range(1, REPEATS + 1), ("majority", "best_of_n")):
        expected = mean(by_subsets(pool, n, method, right="right") for pool in votes)
        assert curves[method, n] == pytest.approx(expected, abs=1e-9)


def marked(text: str) -> str | None:
    """The number between two marks, without commas or leading zeros."""
    found = MARKED.search(text)
    return str(int(found[1].replace(",", ""))) if found else None


@pytest.fixture(scope="module")
def lm_eval_out(sglang_url: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("lm_eval")
    root = tmp_path_factory.mktemp("lm_eval")
    task.write_task(root / "task", questions=QUESTIONS, repeats=REPEATS)
    out = root / "out"
    call(task.command(root / "task", out, sglang_url, 4), root)
    return out


@pytest.fixture(scope="module")
def inspect_log(sglang_url: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("inspect_ai")
    root = tmp_path_factory.mktemp("inspect")
    script = Path(__file__).with_name("inspect_task.py")
    command = [sys.executable, str(script), sglang_url, str(root / "logs"), str(QUESTIONS), str(REPEATS)]
    printed = call(command, root)
    return Path(printed.strip().splitlines()[-1])


@pytest.mark.parametrize("options", [["--filter", "marked"], ["--filter", "maj"], ["--grade", "hashes"]])
def test_answers_of_lm_eval_are_the_curves_its_log_implies(
    lm_eval_out: Path, tmp_path: Path, options: list[str]
) -> None:
    said = invoke("import", "lm-eval", lm_eval_out, "--out", tmp_path, "--tokenizer", "tiny", *options)
    assert f"{QUESTIONS * REPEATS} answers to {QUESTIONS} questions, 0 rows left out" in said
    assert "differs" not in said
    rows = [row for row in task.logged(lm_eval_out) if row["filter"] == "marked"]
    # Wrong answers may differ by reader: the grader also reads what lm-eval's pattern does not match.
    hashes = Grader(("hashes",))
    reader = (lambda text: hashes.read(text).value) if "--grade" in options else marked
    pools = []
    for row in rows:
        gold = row["doc"]["answer"].rsplit("#### ", 1)[1]
        pools.append([(answer, answer == gold) for answer in map(reader, row["resps"][0])])
    table = read_samples(tmp_path)
    assert table["correct"].tolist() == [right for pool in pools for _, right in pool]
    assert 0 < table["correct"].mean() < 1
    check_curves(tmp_path, pools)
    # lm-eval itself scored the first answer to each question, and the vote of all its answers.
    firsts = table[table["sample"] == 0]["correct"].tolist()
    assert firsts == [row["exact_match"] == 1 for row in rows]


def test_scores_of_inspect_ai_are_the_curves_its_log_implies(inspect_log: Path, tmp_path: Path) -> None:
    from inspect_ai.log import read_eval_log

    said = invoke("import", "inspect", inspect_log, "--scorer", "pattern", "--out", tmp_path / "scored")
    assert f"{QUESTIONS * REPEATS} answers to {QUESTIONS} questions, 0 rows left out" in said
    invoke("import", "inspect", inspect_log, "--grade", "hashes", "--out", tmp_path / "graded")
    log = read_eval_log(str(inspect_log))
    assert log.samples is not None
    hashes = Grader(("hashes",))
    scored: dict[str, Pool] = {}
    graded: dict[str, Pool] = {}
    for sample in log.samples:
        text, question = sample.output.completion, str(sample.id)
        right = sample.scores["pattern"].value == "C"
        scored.setdefault(question, []).append((marked(text), right))
        # Wrong answers may differ by reader: the grader also reads what the scorer's pattern does not match.
        read = hashes.read(text, cut_off=sample.output.stop_reason == "max_tokens").value
        graded.setdefault(question, []).append((read, read == sample.target))
    for folder, pools in ((tmp_path / "scored", scored), (tmp_path / "graded", graded)):
        check_curves(folder, list(pools.values()))
        table = read_samples(folder)
        assert sorted(table["tokens"]) == sorted(s.output.usage.output_tokens for s in log.samples)
        assert set(table["question_id"]) == {q.question_id for q in load_questions("tiny")[:QUESTIONS]}
        assert 0 < table["correct"].mean() < 1
    # A count with the tokenizer lacks the stop string: one token, or none next to its space.
    table = read_samples(tmp_path / "scored")
    lacking = table["tokens"] - with_tokens(table, "tiny")["tokens"]
    # An unused vocabulary entry, drawn now and then, is one token; its name, tokenized again, is many.
    plain = ~table["text"].str.contains("<|reserved", regex=False)
    assert plain.any()
    assert set(lacking[plain & (table["finish_reason"] == "stop")]) <= {0, 1}
    curves = read_curves(tmp_path / "scored" / "curves.csv")
    # T: the tokens of one answer, summed over the questions.
    used = sum(sample.output.usage.output_tokens for sample in log.samples)
    assert curves["T"].iloc[0] == pytest.approx(used / REPEATS)


def test_both_tools_measure_the_same_model(lm_eval_out: Path, inspect_log: Path, tmp_path: Path) -> None:
    """With the same prompt and temperature, both tools draw answers to a question from one distribution."""
    invoke("import", "lm-eval", lm_eval_out, "--grade", "hashes", "--out", tmp_path / "a")
    invoke("import", "inspect", inspect_log, "--grade", "hashes", "--out", tmp_path / "b")
    ours, theirs = read_samples(tmp_path / "a"), read_samples(tmp_path / "b")
    assert ours["gold"].tolist()[::REPEATS] == theirs.sort_values("question_id")["gold"].tolist()[::REPEATS]
    # One tool's number of right answers to a question, given the total of both, is hypergeometric: exact.
    number_right = np.ones(1)
    for _, both in pd.concat([ours, theirs]).groupby("question_id"):
        right = hypergeom(2 * REPEATS, int(both["correct"].sum()), REPEATS).pmf(range(REPEATS + 1))
        number_right = np.convolve(number_right, right)
    found = int(ours["correct"].sum())
    chance = 2 * min(number_right[: found + 1].sum(), number_right[found:].sum())
    assert chance > FALSE_ALARM
