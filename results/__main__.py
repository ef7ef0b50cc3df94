"""`python -m results`: see `results/cli/`."""

from results.cli import cli
from results.commandline import run

if __name__ == "__main__":
    run(cli, "python -m results")
