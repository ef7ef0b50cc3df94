"""tts judge: ask a model whether each stored answer is right.

$ tts judge runs/gsm8k --url http://127.0.0.1:30000
100%|██████████| 900/900 answers [00:12, 74.9 answers/s, 15,904 tokens/s, 0 s left]
1,200 of 1,200 answers judged (900 different ones: ...), ...; AUC 0.810, within a question 0.660; ...
"""

from pathlib import Path

import click

from harness.cli.options import keys_given, set_option
from results.command_help import Command


@click.command(
    cls=Command,
    epilog="Example: tts judge runs/gsm8k --model org/judge --engine openai --url http://127.0.0.1:8000",
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--name", default="judge", show_default=True, help="Store the scores in the column score_NAME of DIR."
)
@click.option("--reward", is_flag=True, help="The model is a reward model, which scores answers directly.")
@click.option("--prompt", help="Prompt template in prompts/, or a .txt file.  [default: judge-yes-no]")
@click.option("--model", help="The judge.  [default: the model that gave the answers]")
@click.option(
    "--engine",
    type=click.Choice(["sglang", "openai"]),
    help="Where the judge runs; openai is any OpenAI-compatible server, such as vLLM.",
)
@click.option("--url", help="URL of a running server; without it, SGLang is started and stopped.")
@click.option(
    "--questions",
    metavar="NAME|FILE",
    help="The questions, if DIR lacks them: a data set, or a table with question_id and problem.",
)
@set_option("Override a key of the judge's experiment: chat, request_fields, concurrency, …")
def judge(
    folder: Path,
    name: str,
    reward: bool,
    prompt: str | None,
    model: str | None,
    engine: str | None,
    url: str | None,
    questions: str | None,
    overrides: tuple[tuple[str, str], ...],
) -> int:
    """Ask a model whether each stored answer is right.

    The score is P(yes) / (P(yes) + P(no)) for the first token of the judge's reply. With --reward, it is the
    output of a reward model. Identical answers to a question are judged once. To use the scores: `tts curves
    DIR --method best_by_score,weighted_majority --score NAME`.

    You can stop it at any time; the same command resumes it and retries failed requests. Exit status 3 means
    that requests kept failing. A missing score does not mean that the answer is bad.
    """
    from harness.cli.drawing import beside_the_bar, status_of
    from harness.judge.progress import told
    from harness.judge.run import judge_folder, judge_of
    from results import BadInput
    from results.commandline import INTERRUPTED, fail
    from results.terminal import plural

    given = keys_given(overrides, model=model, engine=engine, url=url, prompt=prompt)
    if reward and "prompt" in given:
        raise BadInput("--prompt is for a model that is asked: leave out --prompt or --reward")
    if reward and "model" not in given:
        raise BadInput("--reward needs --model, the reward model")
    judged = judge_folder(folder, name, judge_of(folder, given), reward, questions, beside_the_bar)
    click.echo(told(judged.counts, judged.column))
    if judged.stopped:
        fail("stopped: run the same command again to resume", INTERRUPTED)
    for warning in judged.warnings():
        beside_the_bar(f"warning: {warning}")
    missing = judged.counts["answers"] - judged.counts["judged"]
    return status_of(
        missing, f"{plural(f'{missing:,}', 'answer')} without a score", "no score", judged.failures
    )
