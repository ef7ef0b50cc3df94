"""The commands of `python -m predict`.

$ python -m predict forecast results/cached/tiny.csv --fit-max-n 8
tiny model, tiny questions, majority vote, forecast by mixture from settings 10, 20, 30, …, N up to 8
setting   N  tokens/question  forecast  90 % interval  measured  status
120      16              929    96.3 %  94.9 … 97.5 %    95.9 %  ok
"""

from predict.cli.commands import main as main
