"""inspect_ai's own runner with a mock model that gives prescribed answers."""

from pathlib import Path
from typing import Any


def evaluated(
    folder: Path, answers: dict[str, list[str | None]], golds: dict[str, str], epochs: Any, **options: Any
) -> Any:
    """The log of a run in which each sample gets its `answers` in order, whatever the epoch."""
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import accuracy, pattern, scorer

    @scorer(metrics=[accuracy()])
    def marked() -> Any:
        return pattern(r"##\s*([0-9,]+)\s*##")

    left = {name: list(given) for name, given in answers.items()}

    def reply(messages: list[Any], *_: Any) -> ModelOutput:
        answer = left[messages[-1].text].pop(0)
        output = ModelOutput.from_content("mockllm/model", f"It is ##{answer}##." if answer else "I give up.")
        # Without a usage, inspect_ai would need the network to count tokens.
        return output.model_copy(update={"usage": ModelUsage(output_tokens=7)})

    samples = [Sample(id=name, input=name, target=gold) for name, gold in golds.items()]
    stopping = options.pop("early_stopping", None)
    (log,) = evaluate(
        Task(dataset=MemoryDataset(samples), scorer=marked(), epochs=epochs, early_stopping=stopping),
        model=get_model("mockllm/model", custom_outputs=reply),
        log_dir=str(folder),
        log_format="eval",
        display="none",
        **options,
    )
    assert log.status == "success", str(log.error)[:300]
    return log
