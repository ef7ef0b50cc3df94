"""Opens the engine that an experiment asks for, and closes it.

    async with engine_for(experiment, log=Path("results/runs/tiny/server.log"), say=print) as engine: ...

For SGLang without a URL it starts a server, which ends with the run.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Self

from harness.engines.base import Engine
from harness.engines.sglang import SGLangEngine
from harness.engines.tokens import PromptTokens
from harness.experiment import Experiment, model_location
from harness.server.gateway import fleet_launch
from harness.server.gpus import usable_gpus
from harness.server.launch import Launch, Server, free_ports, launch
from results import BadInput
from results.visible import visible


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
    if experiment.engine == "openai" and experiment.url:
        from harness.engines.http.api_key import ApiKey
        from harness.engines.openai import OpenAIEngine

        key = ApiKey.from_environment("OPENAI_API_KEY")
        prompts = None
        if chat and experiment.budget_by in ("force", "thinking"):
            prompts = PromptTokens(model, revision, chat, experiment.template_arguments)
        return OpenAIEngine(experiment.url, model, chat=chat, key=key, prompts=prompts, say=say, **asked)
    if experiment.url:
        return SGLangEngine(experiment.url, model, revision=revision, chat=chat, say=say, **asked)
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
    # The copies in one server share its random seed, and may draw the same answers.
    start = fleet_launch if gpus and dp > 1 else launch
    how: dict[str, Any] = {"revision": revision, "device": experiment.device, "dtype": experiment.dtype}
    command = start(model, port=port, dp=dp, extra=flags, **how)
    if dp < gpus:
        say(f"{dp} of {gpus} GPUs {'is' if dp == 1 else 'are'} used: --set dp={gpus} uses all")
    server = OwnServer(command, log, say)
    url, chat = f"http://127.0.0.1:{port}", experiment.chat
    asked = _what_is_asked(experiment)
    engine = SGLangEngine(
        url, model, revision=revision, chat=chat, say=say, check_alive=server.check, **asked
    )
    say(f"starting SGLang for {model}, log in {log}")
    with server:
        async with engine:
            server.may_restart = True
            yield engine


def _what_is_asked(experiment: Experiment) -> dict[str, Any]:
    """What requests hold beside the prompt and the sampling, and whether thinking has budgets."""
    return {"fields": experiment.request_fields, "thinking": experiment.budget_by == "thinking"}


class OwnServer:
    """The server that a run starts; once more if it ends by itself in the middle of the run."""

    def __init__(self, command: Launch, log: Path, say: Callable[[str], None]) -> None:
        self.may_restart = False
        self._command, self._log, self._say = command, log, say

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop()

    def check(self) -> None:
        """Start the server again if it has ended. Raises BadInput if that is no use."""
        status = self._server.ended()
        if status is None:
            return
        self._say(f"SGLang ended with status {status}; the end of {self._log}:")
        for line in self._log.read_text(errors="replace").splitlines()[-10:]:
            self._say(f"  {visible(line)}")
        if not self.may_restart:
            raise BadInput(f"SGLang ended with status {status}: see {self._log}")
        self.may_restart = False
        self._server.stop()  # what is left of its group
        self._say("starting SGLang once more")
        self._start()

    def _start(self) -> None:
        with self._log.open("ab") as output:
            self._server = Server(self._command, output)
