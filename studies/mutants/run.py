"""Which small mistakes the tests notice: `make mutants`.

For each package, some places are drawn where an operator, a number, a name or a condition can be replaced.
Each change is made alone, in a copy of the project, and quick tests run on it until one fails. cosmic-ray
finds the places and makes the changes; `Swapped` adds confusions of names.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import click
import pandas as pd
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names
from tqdm import tqdm

ROOT = Path(__file__).parents[2]
PACKAGES = (
    "harness/judge",
    "harness/store",
    "predict/planning",
    "results/paired",
    "results/tables",
    "results/votes",
)
SCENES = "tests/unmoved"
TABLE = Path(__file__).with_name("mutants.csv")

# Operators of cosmic-ray for plausible human mistakes: any test notices a sum that becomes a bit shift.
LIKELY = ("And", "Or", "Not", "True", "False", "Number", "Break", "Continue", "ZeroIteration")
PAIRS = {
    ("Add", "Sub"),
    ("BitAnd", "BitOr"),
    ("Div", "Mul"),
    ("Eq", "NotEq"),
    ("Gt", "GtE"),
    ("Lt", "LtE"),
    ("Is", "IsNot"),
}

NAMES_ALIKE = (
    ("all", "any"),
    ("min", "max"),
    ("minimum", "maximum"),
    ("fmin", "fmax"),
    ("mean", "nanmean"),
    ("sum", "nansum"),
    ("argmin", "argmax"),
    ("floor", "ceil"),
    ("ffill", "bfill"),
    ("first", "last"),
    ("left", "right"),
    ("low", "high"),
)
SWAPPED_NAME = {a: b for pair in NAMES_ALIKE for a, b in (pair, pair[::-1])}
BUILT_IN = ("all", "any", "min", "max")


Place = tuple[int, int]
"""A line and a column."""


class Swapped:
    """Confuses a name with another: any for all, mean for nanmean, low for high."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[Place, Place]]:
        """The position of a name or a quoted column that has a counterpart."""
        if node.type not in ("name", "string") or node.value.strip("\"'") not in SWAPPED_NAME:
            return
        before = node.get_previous_leaf()
        is_method = before is not None and before.value == "."
        if node.type == "string" or is_method or node.value in BUILT_IN:
            yield (node.start_pos, node.end_pos)

    def mutate(self, node: Any, _index: int) -> Any:
        """The node replaced by its counterpart, in the same quotes."""
        name = node.value.strip("\"'")
        node.value = node.value.replace(name, SWAPPED_NAME[name])
        return node


@dataclass(frozen=True)
class Mutant:
    """One change: the `occurrence`-th place of `operator` in the file `path` (relative to the project)."""

    path: str
    operator: Any
    occurrence: int
    line: int

    def code(self, source: str) -> str:
        """`source` with the change made."""
        return str(mutate_code(source, self.operator, self.occurrence) or source)


class _Meaning(ast.NodeTransformer):
    """Keeps only code with an effect: no annotations, decorators (`frozen=True`) or docstrings."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list = []
        node.returns = None
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.decorator_list = []
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)


def meaning(source: str) -> str:
    """The effective code of a file as text, for comparing two files; "" if it is not valid Python."""
    try:
        return ast.dump(_Meaning().visit(ast.parse(source)))
    except SyntaxError:
        return ""


def has_effect(mutant: Mutant) -> bool:
    """Whether the changed file is valid and behaves differently."""
    source = (ROOT / mutant.path).read_text()
    return meaning(mutant.code(source)) not in ("", meaning(source))


def operators() -> list[Any]:
    """The operators of cosmic-ray for plausible human mistakes, and `Swapped`."""
    chosen: list[Any] = [Swapped()]
    for name in sorted(operator_names()):
        parts = name.removeprefix("core/").split("_")
        pair = tuple(parts[1:])
        is_pair = len(pair) == 2 and (pair in PAIRS or pair[::-1] in PAIRS)
        is_likely = len(parts) == 1 and any(word in parts[0] for word in LIKELY)
        if is_pair or is_likely:
            chosen.append(get_operator(name)())
    return chosen


def places(path: str, source: str, chosen: list[Any]) -> list[Mutant]:
    """Every change that the operators can make in a file."""
    nodes = list(ast_nodes(get_ast(source)))
    mutants = []
    for operator in chosen:
        positions = [position for node in nodes for position in operator.mutation_positions(node)]
        for occurrence, (start, _) in enumerate(positions):
            mutants.append(Mutant(path, operator, occurrence, start[0]))
    return mutants


def sample(package: str, size: int, seed: int) -> list[Mutant]:
    """`size` changes of a package, drawn evenly over the lines of its files that have one.

    A line is drawn first, then one of its changes, so that long expressions do not dominate the sample.
    """
    by_line: dict[tuple[str, int], list[Mutant]] = {}
    chosen = operators()
    for file in sorted((ROOT / package).glob("*.py")):
        path = str(file.relative_to(ROOT))
        for mutant in places(path, file.read_text(), chosen):
            by_line.setdefault((path, mutant.line), []).append(mutant)
    draw = random.Random(f"{package} {seed}")
    lines = sorted(by_line)
    draw.shuffle(lines)
    one_a_line = (draw.choice(by_line[line]) for line in lines)
    return list(islice(filter(has_effect, one_a_line), size))


def copy_of_project(folder: Path) -> None:
    """The files that git knows, as they are now."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    for name in filter(None, listing.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def is_noticed(mutant: Mutant, folder: Path, limit: float) -> bool:
    """Whether quick tests fail on the change: those of the file's name, its package's, then the scenes.

    Tests that do not end within `limit` seconds count as failed.
    """
    file = folder / mutant.path
    source = file.read_text()
    tests = Path("tests") / Path(mutant.path).parent
    own = [str(test.relative_to(folder)) for test in sorted((folder / tests).glob(f"test_{file.stem}*.py"))]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider"]
    command += ["-m", "not integration and not release and not server", *own, str(tests), SCENES]
    environment = os.environ | {
        "PYTHONPATH": str(folder),
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    file.write_text(mutant.code(source))
    try:
        process = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=limit)
        return process.returncode != 0
    except subprocess.TimeoutExpired:
        return True
    finally:
        file.write_text(source)


def change(mutant: Mutant) -> str:
    """The line before and after, as one text."""
    source = (ROOT / mutant.path).read_text()
    before = source.splitlines()
    after = mutant.code(source).splitlines()
    for old, new in zip(before, after, strict=False):
        if old != new:
            return f"{old.strip()} → {new.strip()}"
    return ""


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """The numbers of changes and of noticed ones, with a row for each package and one for all."""
    by_package = rows.groupby("package").noticed.agg(changes="size", noticed="sum").reset_index()
    total = pd.DataFrame([{"package": "all", "changes": len(rows), "noticed": rows.noticed.sum()}])
    table = pd.concat([by_package, total], ignore_index=True)
    table["noticed, %"] = (100 * table.noticed / table.changes).round().astype(int)
    return table


def main() -> None:
    """Draw, change, test, and print a table and what was not noticed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--each", type=int, default=12, help="changes in a package (12)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (1)")
    parser.add_argument("--limit", type=float, default=600, help="seconds for the tests of one change (600)")
    parser.add_argument("packages", nargs="*", default=PACKAGES, help=f"folders ({' '.join(PACKAGES)})")
    options = parser.parse_args()

    mutants = []
    for package in options.packages:
        mutants += [(package, mutant) for mutant in sample(package, options.each, options.seed)]
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_of_project(folder)
        for package, mutant in tqdm(mutants, unit="change"):
            noticed = is_noticed(mutant, folder, options.limit)
            place = f"{mutant.path}:{mutant.line}"
            rows.append({"package": package, "place": place, "change": change(mutant), "noticed": noticed})
            pd.DataFrame(rows).to_csv(TABLE, index=False)  # a stopped run keeps its results
            if not noticed:
                tqdm.write(f"not noticed: {place}: {change(mutant)}")
    click.echo(summary(pd.DataFrame(rows)).to_string(index=False))


if __name__ == "__main__":
    main()
