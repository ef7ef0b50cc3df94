"""Opens the engine that an experiment asks for, and closes it.

    async with engine_for(experiment, log=Path("results/runs/tiny/server.log"), say=print) as engine: ...

For SGLang without a URL it starts a server, which ends with the run.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from harness.engines.base import Engine
from harness.engines.sglang import SGLangEngine
from harness.engines.tokens import PromptTokens
from harness.experiment import Experiment, model_location
from harness.server.launch import Server, free_port, launch
from results import BadInput


@asynccontextmanager
async def engine_for(experiment: Experiment, log: Path, say: Callable[[str], None]) -> AsyncIterator[Engine]:
    """The experiment's engine, ready for requests; `log` takes the output of a server that is started.

    Raises BadInput: no such model, no server at the URL or one with another model, a server that cannot
    start.
    """
    model, revision, chat = model_location(experiment.model), experiment.revision, experiment.chat
    if experiment.engine == "transformers":
        from harness.engines.transformers.engine import TransformersEngine

        async with TransformersEngine(
            model, revision=revision, chat=chat, device=experiment.device, dtype=experiment.dtype
        ) as local:
            yield local
    elif experiment.engine == "openai" and experiment.url:
        from harness.engines.http.api_key import ApiKey
        from harness.engines.openai.engine import OpenAIEngine

        key = ApiKey.from_environment(experiment.api_key_env)
        prompts = PromptTokens(model, revision, chat) if chat and experiment.at_limit == "force" else None
        async with OpenAIEngine(
            experiment.url, model, chat=chat, key=key, prompts=prompts, say=say
        ) as hosted:
            yield hosted
    elif experiment.url:
        async with SGLangEngine(experiment.url, model, revision=revision, chat=chat, say=say) as remote:
            yield remote
    else:
        async with own_server(experiment, log, say) as own:
            yield own


@asynccontextmanager
async def own_server(
    experiment: Experiment, log: Path, say: Callable[[str], None], flags: Sequence[str] = ()
) -> AsyncIterator[SGLangEngine]:
    """An engine on a new SGLang server with the experiment's model; the server stops at the end.

    SGLang's `flags` come on top of the usual ones.
    """
    model, revision = model_location(experiment.model), experiment.revision
    port = free_port()
    command = launch(
        model,
        port=port,
        revision=revision,
        device=experiment.device,
        dtype=experiment.dtype,
        dp=experiment.dp,
        extra=flags,
    )
    with log.open("ab") as output, Server(command, output) as server:
        say(f"starting SGLang for {model}, log in {log}")

        def check() -> None:
            if server.ended() is not None:
                raise BadInput(f"SGLang ended with status {server.ended()}: see {log}")

        url = f"http://127.0.0.1:{port}"
        own = SGLangEngine(url, model, revision=revision, chat=experiment.chat, say=say, check_alive=check)
        async with own as engine:
            yield engine
