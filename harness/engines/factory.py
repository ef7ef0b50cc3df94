"""Opens the engine that an experiment asks for, and closes it.

    async with engine_for(experiment, log=Path("runs/tiny/server.log"), say=print) as engine: ...

For SGLang without a URL it starts a server, which ends with the run.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

from harness.engines.base import Engine
from harness.engines.sglang import SGLangEngine
from harness.engines.tokens import PromptTokens
from harness.experiment import Experiment, model_location
from harness.http.session import allow_in_flight
from harness.server.gateway import fleet_launch
from harness.server.gpus import usable_gpus
from harness.server.launch import free_ports, gpus_per_copy, launch
from harness.server.own import OwnServer


def engine_for(
    experiment: Experiment, log: Path, say: Callable[[str], None]
) -> AbstractAsyncContextManager[Engine]:
    """The experiment's engine, ready for requests once entered; `log` is for a server that is started.

    Raises BadInput, here or on entering: no such model, no server at the URL or one with another model, a
    server that cannot start.
    """
    model, revision, chat = model_location(experiment.model), experiment.revision, experiment.chat
    asked = _what_is_asked(experiment)
    if experiment.engine == "ctranslate2":
        from harness.engines.ctranslate2.engine import CTranslate2Engine

        where: dict[str, Any] = {"device": experiment.device, "dtype": experiment.dtype}
        where["template_arguments"] = experiment.template_arguments
        return CTranslate2Engine(model, revision=revision, chat=chat, **where, say=say)
    if experiment.url:
        allow_in_flight(experiment.concurrency)
    if experiment.engine == "openai" and experiment.url:
        from harness.engines.openai.engine import OpenAIEngine
        from harness.http.api_key import ApiKey

        key = ApiKey.from_environment("OPENAI_API_KEY")
        prompts = None
        if chat and experiment.budget_by in ("force", "thinking"):
            prompts = PromptTokens(model, revision, chat, experiment.template_arguments)
        openai = OpenAIEngine(experiment.url, model, chat=chat, key=key, prompts=prompts, say=say, **asked)
        openai.patience = experiment.patience
        return openai
    if experiment.url:
        engine = SGLangEngine(experiment.url, model, revision=revision, chat=chat, say=say, **asked)
        engine.patience = experiment.patience
        return engine
    return own_server(experiment, log, say)


@asynccontextmanager
async def own_server(
    experiment: Experiment, log: Path, say: Callable[[str], None], flags: Sequence[str] = ()
) -> AsyncIterator[SGLangEngine]:
    """An engine on a new SGLang server with the experiment's model; the server stops at the end.

    SGLang's `flags` come on top of the usual ones.
    """
    model, revision, dp = model_location(experiment.model), experiment.revision, experiment.dp
    gpus, (port,) = usable_gpus(experiment.device), free_ports()
    flags = (*experiment.server_flags, *flags)
    allow_in_flight(experiment.concurrency)
    if gpus:  # as many run as are kept in flight, and CUDA graphs reach them
        in_flight = str(max(1, experiment.concurrency // dp))
        places = ("--max-running-requests", in_flight, "--cuda-graph-max-bs-decode", in_flight)
        flags = (*places, *flags)
    # The copies in one server share its random seed, and may draw the same answers.
    start = fleet_launch if gpus and dp > 1 else launch
    how: dict[str, Any] = {"revision": revision, "device": experiment.device, "dtype": experiment.dtype}
    command = start(model, port=port, dp=dp, extra=flags, **how)
    if (used := dp * gpus_per_copy(flags)) < gpus:
        most = dp * gpus // used
        say(f"{used} of {gpus} GPUs {'is' if used == 1 else 'are'} used: --set dp={most} uses all")
    url, chat = f"http://127.0.0.1:{port}", experiment.chat
    server = OwnServer(url, command, log, say)
    asked = _what_is_asked(experiment)
    engine = SGLangEngine(
        url, model, revision=revision, chat=chat, say=say, check_alive=server.check, **asked
    )
    engine.patience, engine.events = experiment.patience, server.events
    say(f"starting SGLang for {model}, log in {log}")
    with server:
        async with engine:
            server.may_restart = True
            yield engine


def _what_is_asked(experiment: Experiment) -> dict[str, Any]:
    """What requests hold beside the prompt and the sampling, and whether thinking has budgets."""
    return {"fields": experiment.request_fields, "thinking": experiment.budget_by == "thinking"}
