"""Experiments: the shipped ones are the paper's, `--set` replaces keys, a mistake is one line."""

import re
from pathlib import Path
from typing import Any

import pytest

import prompts
from harness.experiment import EXPERIMENTS, read_experiment, tokens_in
from harness.questions.load import DATASETS
from results import BadInput

BUDGETS = (10, 20, 50, 100, 150, 200, 300, 500)

MINIMAL = """\
dataset = "gsm8k"
model = "some/model"
revision = "abc"
prompt = "gsm8k-budget"
chat = true
budgets = [10, 20]
samples = 4
tokens_extra = 100
"""


@pytest.fixture
def minimal(tmp_path: Path) -> Path:
    file = tmp_path / "mine.toml"
    file.write_text(MINIMAL)
    return file


@pytest.mark.parametrize("name", sorted(file.stem for file in EXPERIMENTS.glob("*.toml")))
def test_shipped_experiments_read_and_say_what_they_reproduce(name: str) -> None:
    experiment = read_experiment(name)
    assert experiment.dataset in DATASETS
    assert experiment.prompt in prompts.names()
    assert experiment.device == ("cpu" if name == "tiny" else "cuda")  # which of them, no file leaves open
    assert name == "tiny" or re.fullmatch("[0-9a-f]{40}", experiment.revision or "")
    assert (EXPERIMENTS / f"{name}.toml").read_text().startswith("# ")
    for _, budget in experiment.settings:
        room = experiment.max_new_tokens(budget) - (budget or 0)
        assert room == 0 if experiment.budget_by == "force" else room > 0


@pytest.mark.parametrize("name", ["gsm8k-budgets", "math-budgets"])
def test_the_budget_experiments_are_the_papers(name: str) -> None:
    experiment = read_experiment(name)
    assert (experiment.model, experiment.chat) == ("meta-llama/Llama-3.1-8B-Instruct", True)
    assert (experiment.budgets, experiment.samples, experiment.temperature) == (BUDGETS, 64, 1.0)
    assert (experiment.readers, experiment.stop) == (("hashes", "boxed", "answer-is"), ("[END]",))
    assert experiment.settings[0] == ("10", 10)
    assert "{token_limit}" in prompts.template(experiment.prompt)


def test_the_sample_number_experiment_is_the_papers() -> None:
    experiment = read_experiment("gsm8k-256")
    assert (experiment.model, experiment.chat) == ("meta-llama/Llama-3.1-8B", False)
    assert (experiment.samples, experiment.greedy, experiment.temperature) == (256, True, 1.0)
    assert (experiment.prompt, experiment.readers) == ("gsm8k-cot", ("answer-is",))
    assert experiment.settings == (("default", None),)


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("budgets", "10,20", (10, 20)),
        ("budgets", "20", (20,)),
        ("budgets", "", ()),
        ("samples", "7", 7),
        ("greedy", "true", True),
        ("file", "", None),
        ("temperature", "1", 1.0),
        ("dataset", "math-level1-integer", "math-level1-integer"),
        ("dataset", '"quoted"', "quoted"),
        ("revision", "1e5", "1e5"),
        ("revision", "", None),
        ("limit", "", None),
        ("file", "rows.jsonl", Path("rows.jsonl")),
        ("stop", "Q:,A:", ("Q:", "A:")),
        ("stop", '["a,b", "\\n"]', ("a,b", "\n")),
        ("url", "http://127.0.0.1:30000", "http://127.0.0.1:30000"),
    ],
)
def test_set_replaces_a_key(minimal: Path, key: str, text: str, value: Any) -> None:
    before, after = read_experiment(minimal), read_experiment(minimal, {key: text})
    assert getattr(after, key) == value
    named = {"name": value} if key == "dataset" else {}
    assert after == before.model_copy(update={key: value, **named})


def test_the_room_for_an_answer_is_a_whole_number_of_tokens_and_never_less(minimal: Path) -> None:
    limits = read_experiment(minimal, {"tokens_per_budget": "1.3", "tokens_extra": "7"})
    assert [limits.max_new_tokens(budget) for budget in (1, 10, 11, None)] == [9, 20, 22, 7]


def test_greedy_answers_alone_are_enough_to_ask_for(minimal: Path) -> None:
    assert read_experiment(minimal, {"samples": "0", "greedy": "true"}).answers_per_question == 2


def test_another_model_drops_the_revision_of_the_first(minimal: Path) -> None:
    assert read_experiment(minimal).revision == "abc"
    assert read_experiment(minimal, {"model": "some/model"}).revision == "abc"
    assert read_experiment(minimal, {"model": "other/model"}).revision is None
    assert read_experiment(minimal, {"model": "other/model", "revision": "def"}).revision == "def"


def test_an_address_drops_the_engine_of_this_process() -> None:
    address = {"url": "http://127.0.0.1:1"}
    assert (read_experiment("tiny").engine, read_experiment("tiny", address).engine) == (
        "ctranslate2",
        "sglang",
    )
    assert read_experiment("tiny", {**address, "engine": "openai"}).engine == "openai"
    with pytest.raises(BadInput, match="no url, or engine"):
        read_experiment("tiny", {**address, "engine": "ctranslate2"})


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        ("budgets", "10,-5", "--set budgets: budgets is -5"),
        ("budgets", "10,10", "--set budgets: budgets is [10, 10]"),
        ("samples", "many", "--set samples: samples is 'many'"),
        ("samples", "true", "--set samples: samples is True"),
        ("samples", "0", "mine.toml: expected samples"),
        ("tokens_extra", "0", "mine.toml: expected tokens_per_budget"),
        ("temperature", "0", "--set temperature: temperature is 0"),
        ("top_p", "1.01", "--set top_p: top_p is 1.01"),
        ("top_p", "0", "--set top_p: top_p is 0"),
        ("temperature", "nan", "--set temperature: temperature is nan"),
        ("tokens_per_budget", "1e308", "--set tokens_per_budget: tokens_per_budget is 1e+308"),
        ("samples", "1000000000000", "--set samples: samples is 1000000000000"),
        ("concurrency", "1000000000", "--set concurrency: concurrency is 1000000000"),
        ("readers", "plain", "--set readers: readers is 'plain', expected some of hashes"),
        ("readers", "auto", "--set readers: readers is 'auto', expected some of hashes"),
        ("budgets", "0", "mine.toml: expected budgets of at least 1"),
        ("top_k", "0", "--set top_k: top_k is 0"),
        ("engine", "openai", "mine.toml: expected url, the address of a server, with engine 'openai'"),
        ("prompt", "gsm9k", "--set prompt: prompt is 'gsm9k'"),
        (
            "sample",
            "4",
            "--set sample: unknown key 'sample', expected one of dataset, name, file, limit, order,",
        ),
    ],
)
def test_a_bad_value_is_one_line_that_names_its_place(
    minimal: Path, key: str, text: str, message: str
) -> None:
    with pytest.raises(BadInput) as refusal:
        read_experiment(minimal, {key: text})
    assert refusal.value.message.removeprefix(f"{minimal.parent}/").startswith(message)
    assert "\n" not in refusal.value.message


@pytest.mark.parametrize(
    ("key", "text"),
    [
        *(("url", text) for text in ("localhost:8000", "http://", "http:///v1", "nonsense", "ftp://host")),
        ("url", "https://me:secret@host/v1"),
        ("url", "https://host/v1?key=secret"),
    ],
)
def test_an_address_or_key_that_cannot_be_used_is_refused_and_not_repeated(
    minimal: Path, key: str, text: str
) -> None:
    with pytest.raises(BadInput, match=f"--{key}: expected ") as refusal:
        read_experiment(minimal, {key: text})
    assert "secret" not in refusal.value.message.lower()


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ('{reasoning_effort="high"}', "effort=high"),
        ('{chat_template_kwargs={reasoning_effort="low"}}', "effort=low"),
        ('{reasoning={effort="low"}}', "effort=low"),
        ("{chat_template_kwargs={enable_thinking=false}}", ""),
    ],
)
def test_an_effort_is_part_of_a_setting_s_name(minimal: Path, fields: str, name: str) -> None:
    experiment = read_experiment(minimal, {"request_fields": fields})
    assert experiment.settings == ((f"{name} 10".strip(), 10), (f"{name} 20".strip(), 20))
    assert experiment.model_copy(update={"budgets": ()}).settings == ((name or "default", None),)
    forced = experiment.model_copy(update={"forced_from": {"setting": "20"}})
    assert [tokens_in(setting) for setting, _ in (*experiment.settings, *forced.settings)] == [10, 20] * 2
    assert not {*forced.settings} & {*experiment.settings}


def test_mistakes_in_the_file_name_the_file(minimal: Path) -> None:
    for text, message in [
        (MINIMAL.replace('dataset = "gsm8k"\n', ""), "mine.toml: missing: dataset"),
        (MINIMAL.replace("dataset", "questions"), "mine.toml: missing: dataset"),
        (
            MINIMAL.replace("= 100", "= 15") + 'budget_by = "thinking"\n',
            "mine.toml: expected tokens_per_budget times the budget, and tokens_extra, to be above 20",
        ),
        (MINIMAL + "smaples = 4\n", "mine.toml: unknown key 'smaples'"),
        (MINIMAL + "samples = 4\n", "mine.toml: not TOML: Cannot overwrite a value"),
        (MINIMAL.replace("= 4", '= "4"'), "mine.toml: samples is '4', expected a valid integer"),
    ]:
        minimal.write_text(text)
        with pytest.raises(BadInput) as refusal:
            read_experiment(minimal)
        assert refusal.value.message.removeprefix(f"{minimal.parent}/").startswith(message)


def test_an_unknown_experiment_lists_the_known_ones(tmp_path: Path) -> None:
    known = (
        "gsm8k-256, gsm8k-budgets, gsm8k-forced, gsm8k-thinking, math, math-500, math-budgets, "
        "math-thinking, multiple-choice, tiny"
    )
    for name in ("gsm9k", str(tmp_path / "gsm9k.toml")):
        with pytest.raises(BadInput, match=f"gsm9k.*: .*{known}"):
            read_experiment(name)


@pytest.mark.parametrize(
    ("given", "answers"), [({}, 1024), ({"dp": 8}, 8192), ({"concurrency": 3, "dp": 8}, 3)]
)
def test_answers_in_flight_follow_from_the_copies(given: dict[str, int], answers: int, minimal: Path) -> None:
    assert read_experiment(minimal, {key: str(value) for key, value in given.items()}).concurrency == answers
