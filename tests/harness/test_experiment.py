"""Experiments: the shipped ones match the paper, `--set` replaces keys, and a mistake gives one line.

The base model of gsm8k-256 would continue with another question: prompt and stop strings are lm-eval's.
"""

import re
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import prompts
from harness.experiment import EXPERIMENTS, read_experiment, tokens_in
from harness.questions.load import DATASETS
from results import BadInput
from results.stopping import RULES

BUDGETS = (10, 20, 50, 100, 150, 200, 300, 500)

SHIPPED = sorted(file.stem for file in EXPERIMENTS.glob("*.toml"))

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


@pytest.mark.parametrize("name", SHIPPED)
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
        ("budgets", "20,", (20,)),
        ("budgets", "", ()),
        ("greedy", "true", True),
        ("temperature", "1", 1.0),
        ("dataset", '"quoted"', "quoted"),
        ("revision", "1e5", "1e5"),
        ("revision", " ", None),
        ("file", "rows.jsonl", Path("rows.jsonl")),
        ("server_flags", "--tp-size 2 --note 'a b'", ("--tp-size", "2", "--note", "a b")),
        ("stop", "Q:,A:", ("Q:", "A:")),
        ("stop", '["a,b", "\\n"]', ("a,b", "\n")),
        ("stop_rule", "asc-beta:0.9", "asc-beta:0.9"),
        ("stop_rule", "asc-beta:0.9999999", "asc-beta:0.9999999"),
        ("stop_rule", "lead", f"lead:{RULES['lead'].usual:g}"),
        ("request_fields", '{"seed": null, "n_probs": 3}', {"seed": None, "n_probs": 3}),
    ],
)
def test_set_replaces_a_key(minimal: Path, key: str, text: str, value: Any) -> None:
    before, after = read_experiment(minimal), read_experiment(minimal, {key: text})
    assert getattr(after, key) == value
    named = {"name": value} if key == "dataset" else {}
    assert after == before.model_copy(update={key: value, **named})


def test_the_room_for_an_answer_is_a_whole_number_of_tokens_and_never_less(minimal: Path) -> None:
    limits = read_experiment(minimal, {"tokens_per_budget": "1.1", "tokens_extra": "7"})
    assert [limits.max_new_tokens(budget) for budget in (1, 10, 11, 100, None)] == [9, 18, 20, 117, 7]


def test_greedy_answers_alone_are_enough_to_ask_for(minimal: Path) -> None:
    assert read_experiment(minimal, {"samples": "0", "greedy": "true"}).answers_per_question == 2


@pytest.mark.parametrize(
    ("given", "revision"),
    [
        ({}, "abc"),
        ({"model": "some/model"}, "abc"),
        ({"model": "other/model"}, None),
        ({"model": "other/model", "revision": "def"}, "def"),
    ],
)
def test_another_model_drops_the_revision_of_the_first(
    minimal: Path, given: dict[str, str], revision: str | None
) -> None:
    assert read_experiment(minimal, given).revision == revision
    served = given | {"url": "http://127.0.0.1:1", "engine": "openai", "tokenizer": "org/own"}
    assert read_experiment(minimal, served).has_tokenizer == ("org/own", None)


def test_an_address_drops_the_engine_of_this_process() -> None:
    address = {"url": "http://127.0.0.1:1"}
    assert read_experiment("tiny").engine == "ctranslate2"
    assert read_experiment("tiny", address).engine == "sglang"
    assert read_experiment("tiny", {**address, "engine": "openai"}).engine == "openai"


REFUSED = tomllib.loads((Path(__file__).parent / "refused.toml").read_text(encoding="utf-8"))["refused"]


@pytest.mark.parametrize(("given", "message"), REFUSED)
def test_a_bad_value_is_one_line_that_names_its_place(
    minimal: Path, given: dict[str, str], message: str
) -> None:
    with pytest.raises(BadInput) as refusal:
        read_experiment(minimal, given)
    assert refusal.value.message.removeprefix(f"{minimal.parent}/").startswith(message)
    assert "\n" not in refusal.value.message


@pytest.mark.parametrize(
    "url",
    ["localhost:8000", "http:///v1", "ftp://host", "https://me:secret@host/v1", "https://host/v1?key=secret"],
)
def test_an_address_or_key_that_cannot_be_used_is_refused_and_not_repeated(minimal: Path, url: str) -> None:
    with pytest.raises(BadInput, match="--url: expected ") as refusal:
        read_experiment(minimal, {"url": url})
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MINIMAL.replace('dataset = "gsm8k"\n', ""), "missing: dataset"),
        (MINIMAL.replace("dataset", "questions"), "missing: dataset"),
        (MINIMAL + "smaples = 4\n", "unknown key 'smaples'"),
        (MINIMAL + "samples = 4\n", "not TOML: Cannot overwrite a value"),
        (MINIMAL.replace("= 4", '= "4"'), "samples is '4', expected a valid integer"),
    ],
)
def test_mistakes_in_the_file_name_the_file(minimal: Path, text: str, message: str) -> None:
    minimal.write_text(text)
    with pytest.raises(BadInput) as refusal:
        read_experiment(minimal)
    assert refusal.value.message.startswith(f"{minimal}: {message}")


def test_an_unknown_experiment_lists_the_known_ones(tmp_path: Path) -> None:
    known = ", ".join(SHIPPED)
    for name in ("gsm9k", str(tmp_path / "gsm9k.toml")):
        with pytest.raises(BadInput, match=f"gsm9k.*: .*{known}"):
            read_experiment(name)


@pytest.mark.parametrize(
    ("given", "answers", "of_32"),
    [({}, 1024, 32 * 1024), ({"dp": 8}, 8192, 32 * 1024), ({"concurrency": 3, "dp": 8}, 3, 3)],
)
def test_answers_in_flight_follow_from_the_copies_unless_they_are_given(
    given: dict[str, int], answers: int, of_32: int, minimal: Path
) -> None:
    experiment = read_experiment(minimal, {key: str(value) for key, value in given.items()})
    assert (experiment.concurrency, experiment.requests_for(32)) == (answers, of_32)


def test_prompt_and_stop_string_are_those_of_lm_eval() -> None:
    """Of its task gsm8k_cot, read without importing lm-eval, which takes seconds."""
    spec = find_spec("lm_eval")
    if spec is None or spec.origin is None:
        pytest.skip("lm-eval is not installed")
    file = Path(spec.origin).parent / "tasks" / "gsm8k" / "gsm8k-cot.yaml"
    theirs = pytest.importorskip("yaml").safe_load(file.read_text(encoding="utf-8"))
    shots = [f"Q: {shot['question']}\nA: {shot['target']}" for shot in theirs["fewshot_config"]["samples"]]
    assert prompts.template("gsm8k-cot") == "\n\n".join([*shots, "Q: {problem}\nA:"])
    # The other stop strings there are end tokens of some models, which a server knows for its own model.
    stop = theirs["generation_kwargs"]["until"]
    assert [mark for mark in stop if not mark.startswith("<")] == list(read_experiment("gsm8k-256").stop)
