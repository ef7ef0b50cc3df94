"""The check of a GPU host: its model has Llama-3.1-8B's shape, and its answers have realistic lengths."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import harness.gpu_check
from harness.engines.sglang import SGLangEngine
from harness.engines.token_ids import PromptTokens
from harness.experiment import Experiment
from harness.gpu_check import PROMPT, RUNNING, counts, measure, random_questions, write_model
from harness.http.attempt import Reply
from harness.http.connection import total
from harness.run.sizing import LLAMA
from tests.harness.commands import command
from tests.harness.http.simulated import SimulatedServer, SimulatedTime, now


@pytest.mark.release
def test_the_model_has_the_size_of_llama(transformers: Any, tmp_path: Path) -> None:
    import torch

    write_model("llama-3.1-8b", tmp_path / "model")
    config = transformers.AutoConfig.from_pretrained(tmp_path / "model")
    with torch.device("meta"):
        model = transformers.AutoModelForCausalLM.from_config(config)
    assert sum(weight.numel() for weight in model.parameters()) == 8_030_261_248  # as on its model card
    assert config.dtype == torch.bfloat16
    assert config.rope_parameters["rope_type"] == "llama3"
    assert config.rope_parameters["rope_theta"] == 500_000


@pytest.mark.parametrize("shape", LLAMA["shapes"])
def test_the_vocabulary_has_the_model_s_size_and_ends_no_answer(tmp_path: Path, shape: str) -> None:
    write_model(shape, tmp_path / "model")
    config = json.loads((tmp_path / "model" / "config.json").read_text())
    prompts = PromptTokens(str(tmp_path / "model"), revision=None, chat=False)
    assert (config["bos_token_id"], config["eos_token_id"]) == (None, None)  # absent, they would be Llama's
    assert prompts.special.get("eos_token") is None
    assert not (tmp_path / "model" / "generation_config.json").exists()
    assert prompts.tokenizer.get_vocab_size() == config["vocab_size"]
    assert prompts.config["model_max_length"] == config["max_position_embeddings"]
    (question,) = random_questions(1, [600], config["vocab_size"])
    ids = prompts.encode(question.problem)
    assert (len(ids), len(set(ids)) > 400) == (600, True)
    assert len(prompts.tokenizer.decode(list(ids))) == len(question.problem)  # no token is lost


def test_counts_are_summed_over_the_copies_of_a_model() -> None:
    text = """# TYPE sglang:cached_tokens_total counter
sglang:cached_tokens_total{dp_rank="0",model_name="a b} c"} 100.0
sglang:cached_tokens_total{dp_rank="1",model_name="a b} c"} 1e3
sglang:prompt_tokens_total 4312.5
process_cpu_seconds_total 7.0
"""
    assert [total(f"sglang:{name}", text) for name in PROMPT] == [4312.5, 1100.0]
    longer = f"sglang:{RUNNING} 3.0\nsglang:{RUNNING}_offline_batch 2.0\n"
    server: Any = SimpleNamespace(get=lambda _path: asyncio.sleep(0, Reply(200, "", longer.encode())))
    assert asyncio.run(counts(server, RUNNING)) == [3.0]  # not that of a longer metric name


class PlayedServer(SimulatedServer):
    """SGLang in simulated time: an answer occupies one slot for one millisecond per token."""

    def __init__(self, places: int, model: str) -> None:
        super().__init__(self._answer, self._about)
        self._free, self._places, self._model = asyncio.Semaphore(places), places, model
        self._running, self._since, self._busy = 0, 0.0, 0.0
        self.share = 0.0
        """The mean share of busy slots from the first request to the last."""
        self.looks: list[int] = []
        """The number of requests so far at each reading of the counts."""

    @property
    def lengths(self) -> list[int]:
        return [body["sampling_params"]["max_new_tokens"] for _, body in self.sent]

    async def _answer(self, body: Any) -> Reply:
        tokens = body["sampling_params"]["max_new_tokens"]
        self._count(0)
        self.share = self._busy / now() / self._places if now() else 0.0
        async with self._free:
            self._count(1)
            await asyncio.sleep(tokens / 1000)
            self._count(-1)
        meta = {"prompt_tokens": len(body["input_ids"]), "completion_tokens": tokens}
        meta["finish_reason"] = {"type": "length"}
        return Reply(200, "", json.dumps({"text": " so" * tokens, "meta_info": meta}).encode())

    def _about(self, path: str) -> Reply:
        counts = {"prompt_tokens_total": 4 + 8 * len(self.sent), "cached_tokens_total": 6 * len(self.sent)}
        counts[RUNNING] = self._running
        self.looks += [len(self.sent)] * (path == "/metrics")
        metrics = [f'sglang:{name}{{rank="0"}} {value}\n' for name, value in counts.items()]
        shown = {"/model_info": json.dumps({"model_path": self._model}), "/metrics": "".join(metrics)}
        return Reply(200, "", shown.get(path, "{}").encode())

    def _count(self, more: int) -> None:
        self._busy += self._running * (now() - self._since)
        self._since = now()
        self._running += more


def test_a_run_keeps_the_places_at_work_with_the_lengths_of_a_real_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Requests for 16 answers each, as in an earlier version, kept only 45 % of the slots busy."""
    model = str(tmp_path / "small-random")
    played, plans = PlayedServer(32, model), list[Experiment]()

    @asynccontextmanager
    async def server(experiment: Experiment, *_: Any) -> AsyncIterator[Any]:
        plans.append(experiment)
        engine = SGLangEngine("http://simulated", model, revision=None, chat=False)
        engine._send = played.send  # type: ignore[method-assign]
        async with engine:
            yield engine

    monkeypatch.setattr(harness.gpu_check, "own_server", server)
    monkeypatch.setattr(harness.gpu_check, "LOOK_SECONDS", 0.02)
    with asyncio.Runner(loop_factory=SimulatedTime) as runner:
        found = runner.run(measure("small", tmp_path, prompts=6, answers=32, dp=2, device="cuda", say=print))

    (plan,) = plans
    assert (plan.samples, plan.concurrency, plan.dp, plan.device) == (32, 32, 2, "cuda")
    assert played.share > 0.9
    assert 2 * 32 <= min(filter(None, played.looks)) < 3 * 32  # all of the first round begins at once
    lengths = played.lengths
    assert len(lengths) == 6 * 32
    assert 150 < sum(lengths) / len(lengths) < 320  # 232, give or take seven standard errors
    assert max(lengths) > 3 * 232
    assert all(507 <= len(body["input_ids"]) <= 611 for _, body in played.sent)  # like a real prompt
    rate, running, cache, _client = found.splitlines()
    assert f"{sum(lengths)} tokens in " in rate
    assert float(running.split()[1].rstrip("%")) > 90
    assert running.split()[2:5] == ["of", "32", "slots,"]
    assert cache.split()[2:5] == ["75.0%", "of", str(8 * 6 * 32)]


@pytest.mark.parametrize(("device", "ways"), [("cuda", ["with CUDA graphs:", "without:"]), ("cpu", [])])
def test_a_gpu_is_measured_with_and_without_cuda_graphs(
    device: str, ways: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    async def measured(shape: str, *_: Any, flags: tuple[str, ...], **size: Any) -> str:
        assert (shape, size["prompts"], size["device"]) == ("llama-3.1-8b", 3, device)
        asked.append((flags, size["answers"], size["dp"]))
        return "tokens/s 1223"

    monkeypatch.setattr(harness.gpu_check, "measure", measured)
    monkeypatch.setattr("harness.server.gpus.usable_gpus", lambda _: None)
    given = ("--quantization", "fp8")
    arguments = ["--device", device, "--dp=2", "--prompts=3", "--answers=8", "--", *given]
    done = command("gpu-check", *arguments)
    assert done.exit_code == 0, done.output
    flags = [given, (*given, "--disable-cuda-graph")] if ways else [given]
    assert asked == [(each, 16, 2) for each in flags]
    assert [line for line in done.output.splitlines() if line.endswith(":")] == ways
