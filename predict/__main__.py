"""`python -m predict`: fits, forecasts, backtests and plans."""

from predict.cli import main
from results import run

if __name__ == "__main__":
    run(main, "python -m predict")
