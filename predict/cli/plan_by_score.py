"""`tts plan --score NAME`: a vote of more answers, or a choice by score among fewer.

Qwen on gsm8k; the score of an answer takes 508.5 tokens
tokens/question  setting  tokens/answer  N  accuracy  …  status    by
960              500      240.0          4  71.0 %    …  measured  majority vote
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import click
import pandas as pd

from predict.cli.plan import verdict
from predict.cli.wording import described, say, tokens
from predict.planning.scored import plan_by_score
from results import BadInput, read_samples
from results.arguments import goals_of
from results.methods import BY_SCORE
from results.paired.sides import Side, sides_of
from results.tables.contract import check_out
from results.tables.files import write_raw
from results.tables.key import Key
from results.tables.score_cost import score_cost as recorded
from results.words.buying import plan_columns
from results.words.names import METHOD_NAMES, curves_name


def run(
    inputs: tuple[Path, ...],
    score: str,
    score_cost: float | None,
    target_accuracy: float | None,
    token_budget: float | None,
    max_n: int,
    level: float,
    out: Path | None,
    given: Iterable[str],
) -> None:
    """Plan with every model and data set of the inputs; print and write. `given`: the other options named."""
    for name in given:
        raise click.UsageError(f"--score goes by what was measured: {name} does not go with it")
    goals = goals_of(target_accuracy, token_budget)
    if out is not None:
        check_out(out, inputs)
    also = (score, f"score_{score}")
    tables = {str(path): read_samples(path, texts=False, also=also) for path in inputs}
    costs = {str(path): recorded(path, score) if score_cost is None else score_cost for path in inputs}
    sides = sides_of(tables, None, score, costs)
    plans, groups = [], dict[tuple[str, str], list[Side]]()
    for side in sides:
        groups.setdefault((side.dataset, side.run), []).append(side)
    for (dataset, model), own in groups.items():
        methods = _methods(own)
        found = plan_by_score(own, methods, max_n, level, *goals)
        plans.append(found)
        cost = "nothing" if own[0].score_cost == 0 else f"{tokens(own[0].score_cost)} tokens"
        say(f"\n{curves_name(Key('llm', dataset, model))}; the score of an answer takes {cost}")
        say(described(found.frontier, plan_columns(found)))
        for sentence in verdict(found, "tokens"):
            say(sentence)
    if out is not None:
        goal = {"target_accuracy": target_accuracy, "token_budget": token_budget}
        whole = pd.concat([found.options for found in plans], ignore_index=True).assign(**goal)
        write_raw(whole, out)
        say(f"\n{len(whole)} rows in {out}")


def _methods(sides: Sequence[Side]) -> tuple[str, ...]:
    """The methods by score that these scores allow: rewards below 0 rank answers and are no weights."""
    allowed: list[str] = []
    for method in BY_SCORE:
        try:
            for side in sides:
                side.curve(method)
        except BadInput as error:
            say(f"note: no {METHOD_NAMES[method]}: {error}", err=True)
        else:
            allowed.append(method)
    return tuple(allowed)
