"""The commands of `python -m predict`.

$ python -m predict forecast results/cached/tiny.csv --fit-max-n 8
tiny model, tiny questions, majority vote, forecast by mixture from settings 10, 20, 30, …, N up to 8
setting   N  tokens/question  forecast  90 % interval  measured  status
120      16              929    96.3 %  94.9 … 97.5 %    95.9 %  ok
"""

import click

from predict.cli.backtest import backtest_command
from predict.cli.fits import fits_command
from predict.cli.forecast import forecast_command
from predict.cli.plan import plan_command

__all__ = ["main"]


@click.group()
def main() -> None:
    """Forecast the accuracy of more answers and longer reasoning from a cheap sample of both."""


main.add_command(forecast_command)
main.add_command(backtest_command)
main.add_command(plan_command)
main.add_command(fits_command)
