"""A stand-in for an SGLang server that answers at once, so that a run's speed is that of the harness.

    $ python -m studies.benchmarks.instant_responder   # prints its address; ends with its input
    http://127.0.0.1:43210
    POST /generate {"input_ids": [...], "sampling_params": {...}} -> one of 4,096 answers made before

Only the benchmark uses it. It has no model and checks no request; its answers have SGLang's fields and
realistic lengths of 64 to 300 tokens.
"""

import asyncio
import json
import random
import re
import sys

ANSWERS = 4096
"""More than are drawn for any question, so that no two answers to a question are equal."""
WORDS = re.findall(r"\w+", "first then so each costs makes total apples dollars hours left half")
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_PROMPT_TOKENS = b"PROMPT_TOKENS"


def canned_answer(rng: random.Random) -> list[bytes]:
    """One item of SGLang 0.5.23's reply to /generate, before and after the number of prompt tokens."""
    tokens = rng.randint(64, 300)
    words = (str(rng.randint(0, 99)) if rng.random() < 0.15 else rng.choice(WORDS) for _ in range(tokens - 8))
    number = rng.randint(0, 99)
    meta = {
        "id": f"{rng.getrandbits(128):032x}",
        "finish_reason": {"type": "stop", "matched": "Q:"},
        "prompt_tokens": _PROMPT_TOKENS.decode(),
        "weight_version": "default",
        "num_retractions": 0,
        "reasoning_tokens": 0,
        "completion_tokens": tokens,
        "cached_tokens": 64,
        "weight_versions": [{"version": "default", "start": 0, "end": tokens}],
        "cached_tokens_details": {"device": 64, "host": 0},
        "dp_rank": None,
        "e2e_latency": rng.random(),
        "response_sent_to_client_ts": 1795258636.8853061,
    }
    answer = {
        "text": f" {' '.join(words)}. The answer is {number}. ##{number}##.",
        "output_ids": [rng.randrange(128_000) for _ in range(tokens)],
        "meta_info": meta,
    }
    content = json.dumps(answer, separators=(",", ":")).encode()
    return content.split(b'"' + _PROMPT_TOKENS + b'"')


class Responder(asyncio.Protocol):
    """One persistent connection, with one request after the other."""

    def __init__(self, answers: list[list[bytes]], served: list[int]) -> None:
        """`served` holds the number of answers given on all connections."""
        self._answers, self._served = answers, served
        self._received = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head = self._received.find(b"\r\n\r\n")
        if head < 0:
            return
        length = _LENGTH.search(self._received, 0, head)
        end = head + 4 + (int(length[1]) if length else 0)
        if len(self._received) < end:
            return
        path = bytes(self._received[:head].split(b" ", 2)[1])
        content = self._reply(path, bytes(self._received[head + 4 : end]))
        del self._received[:end]
        self._transport.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(content)
        )
        self._transport.write(content)

    def _reply(self, path: bytes, body: bytes) -> bytes:
        if path != b"/generate":
            about = {b"/model_info": {"model_path": "tiny/model"}, b"/server_info": {"version": "instant"}}
            return json.dumps(about.get(path, {})).encode()
        prompt_tokens = b"%d" % (body[: body.find(b"]")].count(b",") + 1)
        self._served[0] += 1
        return prompt_tokens.join(self._answers[self._served[0] % ANSWERS])


async def serve() -> None:
    """Listen on a free port until standard input is closed."""
    rng = random.Random(0)
    answers = [canned_answer(rng) for _ in range(ANSWERS)]
    served = [0]
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Responder(answers, served), "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    sys.stdout.write(f"http://{host}:{port}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.buffer.read)


if __name__ == "__main__":
    asyncio.run(serve())
