"""Sizing of GPUs: against published model sizes, and against bounds computed by hand."""

import json
import re
from pathlib import Path

import pytest

from harness.experiment import model_location, read_experiment
from harness.run.sizing import (
    GPUS,
    LLAMA,
    REACHED,
    Load,
    Size,
    duration,
    gpu_lines,
    size_of,
    tokens_per_second,
)

LLAMA_SIZE = Size(8_030_261_248, 16_060_522_496, 131_072)
LLAMA_8B = LLAMA["family"] | LLAMA["shapes"]["llama-3.1-8b"]


def test_llama_has_its_published_size() -> None:
    """8,030,261,248 parameters; keys and values of a token: 32 layers x 8 heads x 128 x 2, of two bytes."""
    found = size_of(LLAMA_8B, "auto")
    assert found == LLAMA_SIZE
    narrow = size_of(LLAMA_8B | {"head_dim": 64}, "auto")  # a head need not be hidden_size / heads wide
    assert narrow is not None
    assert narrow.cache == 131_072 // 2
    twice = Size(8_030_261_248, 2 * 16_060_522_496, 2 * 131_072)
    bare = {name: value for name, value in LLAMA_8B.items() if not name.endswith("dtype")}
    for name in ("dtype", "torch_dtype"):
        assert size_of(bare | {name: "float32"}, "auto") == size_of(LLAMA_8B, "float32") == twice


def test_the_tiny_model_has_the_size_of_its_file() -> None:
    folder = Path(model_location("tiny"))
    found = size_of(json.loads((folder / "config.json").read_text()), "auto")
    assert found is not None
    assert found.weights == pytest.approx((folder / "model.safetensors").stat().st_size, rel=0.01)


@pytest.mark.parametrize("config", [{}, LLAMA_8B | {"num_local_experts": 8}])
def test_a_model_of_another_kind_has_no_size(config: dict[str, object]) -> None:
    assert size_of(config, "auto") is None


def test_the_bound_is_that_of_memory_or_arithmetic() -> None:
    llama = LLAMA_SIZE
    # 600 + 100 cached tokens per answer: 1,024 answers read 94 GB and the weights 16 GB, 30 times a second.
    answers, rate = tokens_per_second(llama, "H100 80GB", Load(1, 600, 200, 16)) or (0, 0)
    assert answers == 1024
    assert rate == pytest.approx(1024 * 3.35e12 / (16.06e9 + 1024 * 131_072 * 700), rel=1e-3)
    # With a short cache, arithmetic is the limit: two operations per parameter and token.
    _, rate = tokens_per_second(llama, "A100 80GB", Load(1, 10, 20, 16)) or (0, 0)
    assert rate == pytest.approx(312e12 / 16.06e9, rel=1e-3)
    # 52 GB hold answers of 40,000 tokens, 5.2 GB each, and their prompts.
    answers, _ = tokens_per_second(llama, "A100 80GB", Load(1, 160, 40_000, 16)) or (0, 0)
    assert answers == 9
    assert tokens_per_second(Size(70 * 10**9, 140 * 10**9, 1), "H100 80GB", Load(1, 1, 1, 1)) is None


def test_a_copy_on_two_gpus_has_twice_of_each_and_costs_twice_as_much() -> None:
    llama, load = LLAMA_SIZE, Load(1e8, 10, 20, 16)
    one, two = (tokens_per_second(llama, "A100 80GB", load, each) or (0, 0.0) for each in (1, 2))
    assert two == (one[0], pytest.approx(2 * one[1]))
    assert tokens_per_second(Size(70 * 10**9, 140 * 10**9, 1), "H100 80GB", Load(1, 1, 1, 1), 4) is not None


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "0 s"),
        (59, "59 s"),
        (61, "1 min"),
        (3599, "1 h"),
        (12_000, "3 h 20 min"),
        (172_700, "47 h 58 min"),
        (190_800, "2 d 5 h"),
    ],
)
def test_times_are_in_units_that_people_use(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(("dp", "tp"), [(1, 1), (3, 1), (3, 2), (1, 8)])
def test_rates_times_and_prices_are_those_of_every_copy_on_its_gpus(dp: int, tp: int) -> None:
    """A GPU costs 5 an hour; the expected rate is REACHED times the bound, so times are longer."""
    load, flags = Load(10**10, 600, 200, 16), ("--tp-size", str(tp)) if tp > 1 else ()
    plan = read_experiment("gsm8k-budgets").model_copy(update={"dp": dp, "server_flags": flags})
    model, header, *lines, _ = gpu_lines(plan, load, 5.0)
    assert model.startswith("model: 8.03 billion parameters, 16.1 GB ")
    assert re.split(r"  +", header)[0] == f"GPUs: {dp * tp}"
    assert len(lines) == len(GPUS)
    for line in lines:
        name, places, *cells = re.split(r"  +", line)
        answers, rate = tokens_per_second(LLAMA_SIZE, name, load, tp) or (0, 0.0)
        hours = load.tokens / (dp * rate) / 3600
        assert places == f"{dp * answers:,}", name
        assert cells[:2] == [f"{dp * rate:,.0f}", f"{REACHED * dp * rate:,.0f}"], name
        assert cells[2:4] == [duration(3600 * hours), duration(3600 * hours / REACHED)], name
        prices = [float(cell.replace(",", "")) for cell in cells[4:]]
        assert prices == pytest.approx([hours * 5 * dp * tp, hours * 5 * dp * tp / REACHED], abs=0.006), name
