"""Runs inspect_ai for real: the tiny model's questions, asked of a server, scored, and logged.

    python inspect_task.py http://127.0.0.1:30000 LOGS 6 5      6 questions, 5 epochs; prints its name

inspect_ai's own providers for such servers need a newer `openai` package than SGLang allows, so this one
replaces them; requests, scoring and logging are inspect_ai's.
"""

import sys

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
    """Register `server/NAME` with inspect_ai."""
    return Completions


def main(url: str, folder: str, questions: str, epochs: str) -> str:
    """Evaluate and return the log's name."""
    data = MemoryDataset(
        [
            Sample(id=q.question_id, input=f"{q.problem}\nUse around 40 tokens.", target=q.gold)
            for q in load_questions("tiny")[: int(questions)]
        ]
    )
    task = Task(name="tiny", dataset=data, scorer=[pattern(r"##\s*(-?[0-9][0-9,]*)\s*##"), includes()])
    (log,) = evaluate(
        task,
        model="server/tiny",
        model_base_url=url,
        epochs=int(epochs),
        max_tokens=144,
        temperature=1.0,
        stop_seqs=["[END]"],
        log_dir=folder,
        log_format="eval",
        display="none",
    )
    if log.status != "success":
        raise SystemExit(f"{log.status}: {log.error}")
    return log.location


if __name__ == "__main__":
    print(main(*sys.argv[1:]))  # noqa: T201
