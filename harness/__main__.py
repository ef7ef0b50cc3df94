"""python -m harness: see `python -m harness --help`."""

from harness.cli import cli
from results import run

if __name__ == "__main__":
    run(cli, "python -m harness")
