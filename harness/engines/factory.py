"""Opens the engine that an experiment asks for, and closes it.

    async with engine_for(experiment, log=Path("runs/tiny/server.log"), say=print) as engine: ...

For SGLang without a URL it starts a server, which ends with the run.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from harness.engines.base import Engine
from harness.engines.openai.engine import OpenAIEngine
from harness.engines.sglang import SGLangEngine
from harness.engines.token_ids import PromptTokens
from harness.experiment import Experiment, model_location
from harness.http.connection import Connection
from harness.http.sockets import ApiKey, allow_in_flight
from harness.server.gpus import usable_gpus
from harness.server.launch import free_ports, gpus_per_copy, launch
from harness.server.own_server import OwnServer, serve_launch

E = TypeVar("E", bound=Connection)


def engine_for(
    experiment: Experiment, log: Path, say: Callable[[str], None]
) -> AbstractAsyncContextManager[Engine]:
    """The experiment's engine, ready for requests once entered; `log`: of a server that it starts.

    Raises BadInput, here or on entering: no such model, no server at the URL or one with another model, a
    server that cannot start.
    """
    if experiment.engine == "ctranslate2":
        from harness.engines.ctranslate2.in_process import CTranslate2Engine

        return CTranslate2Engine(
            model_location(experiment.model),
            revision=experiment.revision,
            chat=experiment.chat,
            device=experiment.device,
            dtype=experiment.dtype,
            template_arguments=experiment.template_arguments,
            say=say,
        )
    if not experiment.url:
        return own_server(experiment, log, say)
    sglang = experiment.engine == "sglang"
    kind: Callable[..., SGLangEngine | OpenAIEngine] = SGLangEngine if sglang else OpenAIEngine
    return asking(experiment, experiment.url, say, kind)


def asking(
    experiment: Experiment,
    url: str,
    say: Callable[[str], None],
    kind: Callable[..., E],
    check_alive: Callable[[], None] | None = None,
) -> E:
    """The experiment's engine, of class `kind`, for the server at `url`."""
    chat, budget_by = experiment.chat, experiment.budget_by
    allow_in_flight(experiment.concurrency)
    how: dict[str, Any] = {"fields": experiment.request_fields, "thinking": budget_by == "thinking"}
    if experiment.engine == "sglang":
        how |= {"revision": experiment.revision, "check_alive": check_alive}
    else:
        how["key"] = ApiKey.from_environment("OPENAI_API_KEY")
        if chat and budget_by in ("force", "thinking"):
            how["prompts"] = PromptTokens(*experiment.has_tokenizer, chat, experiment.template_arguments)
    engine = kind(url, model_location(experiment.model), chat=chat, say=say, **how)
    engine.patience = experiment.patience
    return engine


@asynccontextmanager
async def own_server(
    experiment: Experiment, log: Path, say: Callable[[str], None], flags: Sequence[str] = ()
) -> AsyncIterator[SGLangEngine]:
    """An engine on a new SGLang server with the experiment's model; the server stops at the end.

    `flags` for SGLang are added to the usual ones.
    """
    model, revision, dp = model_location(experiment.model), experiment.revision, experiment.dp
    gpus, (port,) = usable_gpus(experiment.device), free_ports()
    flags = (*experiment.server_flags, *flags)
    if gpus:  # all answers in flight run at once, with CUDA graphs for that many
        in_flight = str(max(1, experiment.concurrency // dp))
        places = ("--max-running-requests", in_flight, "--cuda-graph-max-bs-decode", in_flight)
        flags = (*places, *flags)
    how: dict[str, Any] = {"revision": revision, "device": experiment.device, "dtype": experiment.dtype}
    launch(model, port=port, workers=dp, extra=flags, **how)  # fails here rather than in the server
    command = serve_launch(model, port=port, workers=dp, extra=flags, **how)
    if (used := dp * gpus_per_copy(flags)) < gpus:
        most = dp * gpus // used
        say(f"{used} of {gpus} GPUs {'is' if used == 1 else 'are'} used: --set dp={most} uses all")
    server = OwnServer(command, log, say)
    engine = asking(experiment, f"http://127.0.0.1:{port}", say, SGLangEngine, server.check)
    engine.events = server.events
    say(f"starting SGLang for {model}, log in {log}")
    with server:
        async with engine:
            yield engine
