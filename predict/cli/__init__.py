"""The commands of `python -m predict`.

$ python -m predict forecast results/cached/tiny.csv --fit-max-n 8
tiny model, tiny questions, majority vote, forecast by mixture from settings 10, 20, 30, …, N up to 8
setting   N  tokens/question  forecast  90 % interval  measured  status
120      16              929    96.3 %  94.9 … 97.5 %    95.9 %  ok
"""

from results.commandline import Deferred

main = Deferred(
    "predict.cli",
    {
        "forecast": "Forecast the accuracy of more answers and of other settings.",
        "backtest": "Hide answers that you have, forecast them, and compare.",
        "plan": "Choose setting and N for an accuracy or a token budget.",
        "precision": "How many questions and answers a run needs, from a pilot.",
        "fits": "The paper's own fits of the curves, and which to trust.",
    },
    name="predict",
    help="Forecast the accuracy of more answers and longer reasoning from a cheap sample of both.",
)
