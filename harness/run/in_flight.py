"""How many requests a run keeps in flight: as many as suit the servers that answer, which may come and go."""

from collections.abc import Callable

from harness.engines.base import Engine
from harness.experiment import Experiment


async def requests_wanted(
    experiment: Experiment, engine: Engine, before: int, say: Callable[[str], None]
) -> int:
    """The requests to keep in flight now; `before` as long as the copies of the model are not known.

    An engine at a URL tells how many there are. `say` is told of a change.
    """
    copies = getattr(engine, "copies", None) if experiment.url else None
    if copies is None or (there := await copies()) is None:
        return before
    wanted = experiment.requests_for(there)
    if wanted != before:
        say(f"{there} copies of the model at {experiment.url}: {wanted} requests in flight")
    return wanted
