"""The commands of `python -m predict`.

$ python -m predict forecast results/cached/tiny.csv --fit-max-n 8
tiny on tiny, majority vote: forecast by power-law
setting  N   tokens/question  forecast  90 % interval  measured  status
120      64  3,718            95.7 %    95.1 … 96.4 %  96.0 %    ok
"""

import click

from predict.cli.backtest import backtest_command
from predict.cli.forecast import forecast_command
from predict.cli.plan import plan_command

__all__ = ["main"]


@click.group()
def main() -> None:
    """Forecast the accuracy of more answers and longer reasoning from a cheap sample of both."""


main.add_command(forecast_command)
main.add_command(backtest_command)
main.add_command(plan_command)
