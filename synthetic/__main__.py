"""`python -m synthetic`: see synthetic/cli.py."""

from results import run
from synthetic.cli import cli

if __name__ == "__main__":
    run(cli, "python -m synthetic")
