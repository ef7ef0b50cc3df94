"""GPUs by arithmetic: against published sizes, and against the bound worked out by hand."""

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

LLAMA_8B = LLAMA["family"] | LLAMA["shapes"]["llama-3.1-8b"]


def test_llama_has_its_published_size() -> None:
    """8,030,261,248 parameters; a token's keys and values are 32 layers x 8 heads x 128 x 2, in two bytes."""
    found = size_of(LLAMA_8B, "auto")
    assert found == Size(8_030_261_248, 16_060_522_496, 131_072)
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
    llama = Size(8_030_261_248, 16_060_522_496, 131_072)
    # 600 + 100 tokens of cache an answer: 1,024 answers read 94 GB and the weights 16 GB, 30 times a second.
    answers, rate = tokens_per_second(llama, "H100 80GB", Load(1, 600, 200, 16)) or (0, 0)
    assert answers == 1024
    assert rate == pytest.approx(1024 * 3.35e12 / (16.06e9 + 1024 * 131_072 * 700), rel=1e-3)
    # A short cache leaves arithmetic as the limit: two operations for each parameter and token.
    _, rate = tokens_per_second(llama, "A100 80GB", Load(1, 10, 20, 16)) or (0, 0)
    assert rate == pytest.approx(312e12 / 16.06e9, rel=1e-3)
    # 52 GB for answers of 40,000 tokens, 5.2 GB each, and the prompt's share.
    answers, _ = tokens_per_second(llama, "A100 80GB", Load(1, 160, 40_000, 16)) or (0, 0)
    assert answers == 9
    assert tokens_per_second(Size(70 * 10**9, 140 * 10**9, 1), "H100 80GB", Load(1, 1, 1, 1)) is None


def test_more_gpus_take_less_time_for_the_same_money() -> None:
    experiment = read_experiment("gsm8k-budgets")
    load, size = Load(1e8, 600, 166, 16), Size(8_030_261_248, 16_060_522_496, 131_072)
    one = gpu_lines(experiment, load, 2.5)
    two = gpu_lines(experiment.model_copy(update={"dp": 2}), load, 2.5)
    assert one[0].startswith("model: 8.03 billion parameters, 16.1 GB ")
    assert len(one) == len(two) == 3 + len(GPUS)
    for gpu, single, double in zip(GPUS, one[2:-1], two[2:-1], strict=True):
        (answers, rate), cells = tokens_per_second(size, gpu, load) or (0, 0.0), single.split()
        hours = 1e8 / rate / 3600
        found = [*cells[2:5], " ".join(cells[5:-2]), *cells[-2:]]
        times = f"{duration(3600 * hours)} {duration(3600 * hours / REACHED)}"
        rates, costs = (f"{rate:,.0f}", f"{REACHED * rate:,.0f}"), (2.5 * hours, 2.5 * hours / REACHED)
        assert found == [f"{answers:,}", *rates, times, *(f"{cost:,.2f}" for cost in costs)]
        assert double.split()[-1] == cells[-1]
        assert int(double.split()[2].replace(",", "")) == 2 * answers
    assert len(gpu_lines(read_experiment("tiny", {"model": "nobody/has-this"}), load, None)) == 1


def test_a_copy_on_two_gpus_has_twice_of_each_and_costs_twice_as_much() -> None:
    llama, load = Size(8_030_261_248, 16_060_522_496, 131_072), Load(1e8, 10, 20, 16)
    one, two = (tokens_per_second(llama, "A100 80GB", load, each) or (0, 0.0) for each in (1, 2))
    assert two == (one[0], pytest.approx(2 * one[1]))
    assert tokens_per_second(Size(70 * 10**9, 140 * 10**9, 1), "H100 80GB", Load(1, 1, 1, 1), 4) is not None
    plan = read_experiment("gsm8k-budgets", {"server_flags": "--tp-size 2"})
    assert gpu_lines(plan, load, 2.5)[1].startswith("GPUs: 2 ")


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


@pytest.mark.parametrize("tp", [1, 2, 8])
def test_the_price_is_that_of_every_gpu_for_the_time_of_its_tokens(tp: int) -> None:
    """3 copies on `tp` GPUs each, 5 for an hour of one; what is to be expected takes as much longer."""
    load, flags = Load(10**10, 600, 200, 16), ("--tp-size", str(tp)) if tp > 1 else ()
    plan = read_experiment("gsm8k-budgets", {"dp": "3"}).model_copy(update={"server_flags": flags})
    _, header, *lines, _ = gpu_lines(plan, load, 5.0)
    assert re.split(r"  +", header)[0] == f"GPUs: {3 * tp}"
    for line in lines:
        name, _, most, _, *_, cost, dear = re.split(r"  +", line)
        hours = load.tokens / float(most.replace(",", "")) / 3600
        assert float(cost.replace(",", "")) == pytest.approx(hours * 5 * 3 * tp, rel=1e-3), name
        assert float(dear.replace(",", "")) == pytest.approx(hours * 5 * 3 * tp / REACHED, rel=1e-3), name
