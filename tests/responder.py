"""A test server on 127.0.0.1 with a table of routes, which records its requests.

with Responder({"GET /health": {}, "POST /generate": generate}) as server: ask(server.url)
Responder({"GET": note}, port).serve()    in a separate process

A route is a method and a path, or a method alone for all its other paths. Its reply is JSON, a `Reply`,
raw bytes, after which the connection is closed, or a function of the `Request` that returns one of these.
Only the standard library is needed.
"""

import json
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from email.message import Message
from http.server import BaseHTTPRequestHandler
from socket import SHUT_RDWR, socket
from socketserver import ThreadingTCPServer
from threading import Thread
from typing import Any, NamedTuple, Self


class Request(NamedTuple):
    method: str
    path: str
    headers: Message
    content: bytes
    connection: socket
    """A reply function may write to it itself and then return b""."""

    @property
    def body(self) -> Any:
        return json.loads(self.content)


class Reply(NamedTuple):
    content: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = {}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "Listening"

    def respond(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request = Request(self.command, self.path, self.headers, content, self.connection)
        reply = self.server.respond(request)
        self.close_connection = self.close_connection or isinstance(reply, bytes)
        with suppress(OSError):  # the client may be gone
            self.connection.sendall(reply if isinstance(reply, bytes) else written(reply, self.command))

    do_GET = do_HEAD = do_POST = respond

    def log_message(self, *_: object) -> None:
        """Log nothing: `paths` has the requests."""


def written(reply: Any, method: str) -> bytes:
    """A reply as one block of bytes: sent in two, the second would wait for the first to be acknowledged."""
    if not isinstance(reply, Reply):
        reply = Reply(json.dumps(reply).encode(), headers={"Content-Type": "application/json"})
    headers = {"Content-Length": str(len(reply.content)), **reply.headers}
    head = "\r\n".join([f"HTTP/1.1 {reply.status} -", *map(": ".join, headers.items()), "", ""])
    return head.encode() + (b"" if method == "HEAD" else reply.content)


class Listening(ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
    request_queue_size = 256

    def __init__(self, address: tuple[str, int], respond: Callable[[Request], Any]) -> None:
        super().__init__(address, Handler)
        self.respond = respond
        self.connections: set[socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self.connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self.connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a client that hangs up; any other error comes from the test's own function."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)

    def stop(self) -> None:
        """Stop as if killed: connections break, and new ones are refused."""
        self.shutdown()
        self.server_close()
        for connection in list(self.connections):
            with suppress(OSError):
                connection.shutdown(SHUT_RDWR)


class Responder:
    def __init__(self, routes: Mapping[str, Any], port: int = 0, host: str = "127.0.0.1") -> None:
        self.routes = dict(routes)
        self.requests: list[Any] = []
        """The bodies of POST requests."""
        self.paths: list[str] = []
        """The paths of all requests."""
        self._host, self._port = host, port

    def respond(self, request: Request) -> Any:
        path = request.path.partition("?")[0]
        self.paths.append(request.path)
        if request.method == "POST":
            self.requests.append(request.body)
        method = request.method.replace("HEAD", "GET")
        reply = self.routes.get(f"{method} {path}", self.routes.get(method, Reply(status=404)))
        return reply(request) if callable(reply) else reply

    def start(self) -> None:
        """Listen at a free port, and at the same port when started again."""
        self._listening = Listening((self._host, self._port), self.respond)
        self._port = self._listening.server_address[1]
        self.url = f"http://{self._host}:{self._port}"
        Thread(target=self._listening.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        self._listening.stop()

    def serve(self) -> None:
        """Serve until the process ends."""
        Listening((self._host, self._port), self.respond).serve_forever()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def generated(
    text: str, prompt_tokens: int, tokens: int, reason: str = "stop", **meta: object
) -> dict[str, Any]:
    """A reply of SGLang's `/generate`."""
    counts = {"prompt_tokens": prompt_tokens, "completion_tokens": tokens}
    return {"text": text, "meta_info": {**counts, "finish_reason": {"type": reason}, **meta}}


def completed(
    said: str | dict[str, Any] | None,
    tokens: int,
    reason: str | None = "stop",
    *,
    prompt_tokens: int = 71,
    logprobs: Any = None,
    **usage: object,
) -> dict[str, Any]:
    """A reply of OpenAI's API: of a chat if a message is given, else of a completion."""
    choice = {"message" if isinstance(said, dict) else "text": said, "finish_reason": reason}
    counts = {"prompt_tokens": prompt_tokens, "completion_tokens": tokens, **usage}
    return {"choices": [{**choice, "logprobs": logprobs}], "usage": counts}


def like_sglang(
    model: str, say: str | Callable[[Any], str], tokens: int = 2, **about: object
) -> dict[str, Any]:
    """The routes of SGLang that a client and a gateway use. `say` turns a request's body into a text."""
    about = {
        "model_path": model,
        "served_model_name": model,
        "version": "0.5.23",
        "is_generation": True,
        **about,
    }

    def generate(request: Request) -> Any:
        text = say if isinstance(say, str) else say(request.body)
        return generated(text, len(request.body["input_ids"]), tokens)

    names = ("model_info", "server_info", "get_model_info", "get_server_info")
    return {"GET /health": {}, "POST /generate": generate, **{f"GET /{name}": about for name in names}}
