"""Asking a server whether it is well, over the client that asks it for answers."""

import asyncio

from harness.http.connection import REPLY_BYTES, Connection
from harness.http.reply import Fault
from harness.http.session import open_session, send
from harness.server.launch import Server
from results import BadInput


def is_well(url: str, seconds: float) -> bool:
    """Whether GET `url` is answered with 200 within `seconds`."""
    return asyncio.run(_is_well(url, seconds))


async def _is_well(url: str, seconds: float) -> bool:
    try:
        async with open_session(None) as session, asyncio.timeout(seconds):
            return (await send(session, "GET", url, REPLY_BYTES)).status == 200
    except (TimeoutError, Fault):
        return False


def wait_until_ready(url: str, path: str, server: Server, name: str) -> None:
    """Wait until `server` is ready at `url`: until it answers GET `path`.

    Raises BadInput if it ends before that.
    """

    def check_alive() -> None:
        if (status := server.ended()) is not None:
            raise BadInput(f"{name} ended with status {status} before it was ready: see its log above")

    connection = Connection(url, check_alive=check_alive)
    connection.ready = path
    asyncio.run(_enter(connection))


async def _enter(connection: Connection) -> None:
    async with connection:
        pass
