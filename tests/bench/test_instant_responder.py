"""The benchmark's responder is taken for a SGLang server."""

import asyncio
import subprocess
import sys
from pathlib import Path

from harness.engines.base import Completion, Sampling
from harness.engines.sglang import SGLangEngine
from harness.experiment import model_location
from harness.grader import Grader


def test_the_harness_reads_its_answers() -> None:
    async def ask(url: str) -> list[Completion]:
        async with SGLangEngine(url, model_location("tiny"), revision=None, chat=True) as engine:
            asked = (engine.generate(text, 16, Sampling(512, 1.0), 0) for text in ("egg", "one more egg"))
            return [answer for answers in await asyncio.gather(*asked) for answer in answers]

    command = [sys.executable, str(Path(__file__).with_name("instant_responder.py"))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as responder:
        assert responder.stdin is not None
        assert responder.stdout is not None
        answers = asyncio.run(ask(responder.stdout.readline().strip()))
        responder.stdin.close()
        assert responder.wait(20) == 0
    assert len({answer.text for answer in answers}) == 32
    assert all(64 <= answer.tokens <= 300 for answer in answers)
    assert len({answer.prompt_tokens for answer in answers}) == 2
    assert all(Grader().read(answer.text).reader == "hashes" for answer in answers)
