"""`python -m predict`: fits, forecasts, backtests and plans."""

import os

from predict.cli import main
from results import run

if __name__ == "__main__":
    # On a busy machine, threads on small matrices waited for one another for most of a minute's work.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    run(main, "python -m predict")
