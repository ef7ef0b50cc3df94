"""Runs inspect_ai for real: the tiny model's questions, asked of a server, scored, and logged.

    python inspect_task.py http://127.0.0.1:30000 LOGS '{"questions": 3, "epochs": 4}'    prints its name

inspect_ai's own providers for such servers need a newer `openai` package than SGLang allows, so that this one
stands in for them; what is asked, scored and written is inspect_ai's.
"""

import json
import sys
from typing import Any

import aiohttp
from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.scorer import includes, pattern
from inspect_ai.tool import ToolChoice, ToolInfo

from harness.questions.load import load_questions


class Completions(ModelAPI):
    """A model behind /v1/chat/completions."""

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002
        tools: list[ToolInfo],  # noqa: ARG002
        tool_choice: ToolChoice,  # noqa: ARG002
        config: GenerateConfig,
    ) -> ModelOutput:
        body = {
            "model": self.model_name,
            "messages": [{"role": message.role, "content": message.text} for message in input],
            "max_tokens": config.max_tokens,
            "temperature": config.temperature,
            "stop": config.stop_seqs,
        }
        async with (
            aiohttp.ClientSession(raise_for_status=True) as session,
            session.post(f"{self.base_url}/v1/chat/completions", json=body) as reply,
        ):
            said = await reply.json()
        (choice,) = said["choices"]
        reason = {"stop": "stop", "length": "max_tokens"}[choice["finish_reason"]]
        message = ChatMessageAssistant(content=choice["message"]["content"] or "", source="generate")
        used = said["usage"]
        return ModelOutput(
            model=self.model_name,
            choices=[ChatCompletionChoice(message=message, stop_reason=reason)],
            usage=ModelUsage(
                input_tokens=used["prompt_tokens"],
                output_tokens=used["completion_tokens"],
                total_tokens=used["total_tokens"],
            ),
        )


@modelapi(name="server")
def server() -> type[ModelAPI]:
    """Registers `server/NAME` with inspect_ai."""
    return Completions


def main(url: str, folder: str, settings: dict[str, Any]) -> str:
    """Evaluate and return the log's name."""
    questions = load_questions("tiny")[: settings["questions"]]
    budget = settings.get("budget", 40)
    data = MemoryDataset(
        [
            Sample(id=q.question_id, input=f"{q.problem}\nUse around {budget} tokens.", target=q.gold)
            for q in questions
        ]
    )
    task = Task(name="tiny", dataset=data, scorer=[pattern(r"##\s*(-?[0-9][0-9,]*)\s*##"), includes()])
    (log,) = evaluate(
        task,
        model="server/tiny",
        model_base_url=url,
        epochs=settings["epochs"],
        max_tokens=settings.get("max_tokens", 144),
        temperature=1.0,
        stop_seqs=["[END]"],
        log_dir=folder,
        log_format=settings.get("format", "eval"),
        display="none",
    )
    if log.status != "success":
        raise SystemExit(f"{log.status}: {log.error}")
    return log.location


if __name__ == "__main__":
    print(main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3])))  # noqa: T201
