"""An experiment: which questions to put to which model, how often, and with which token budgets.

    dataset = "gsm8k"                                # from harness/experiments/gsm8k-budgets.toml
    model = "meta-llama/Llama-3.1-8B-Instruct"
    budgets = [10, 20, 50, 100, 150, 200, 300, 500]
    samples = 64

`--set budgets=10,20` on the command line replaces one key; see `harness/fields.py` for how it is read.
"""

import math
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
    model_validator,
)

import prompts
from harness.fields import (
    ADDRESS,
    DISTINCT,
    PLAIN_URL,
    RESERVED,
    Count,
    InFlight,
    Positive,
    only,
    rule_in_full,
    value_of,
)
from harness.grader import DEFAULT_READERS, NAMED, Grader, GraderName, Match
from harness.grading.places import is_reader
from results import BadInput
from results.tables.shards import EXPECTED, shard_in

EXPERIMENTS = Path(__file__).parent / "experiments"
TINY_MODEL = Path(__file__).parent / "tiny" / "model"
ANSWERS_IN_FLIGHT = 1024
"""Answers that a run keeps in flight per copy of the model; each answer is a request of its own.

With all of 2,880 answers in flight at once, SGLang on two cores needed 5 % more processor time per token.
"""
TEMPLATE_ARGUMENTS = "chat_template_kwargs"
"""The request field in which servers take arguments for the chat template."""
FORCED = "forced="
"""Prefix of the settings of `tts force`; the length at which answers are cut follows it."""
EFFORT, REASONING_EFFORT = "effort=", "reasoning_effort"
"""Prefix of settings with a reasoning effort, and its name in servers and templates."""


ReaderName: TypeAlias = Annotated[
    str, only(is_reader, f"some of {NAMED}; auto needs texts, so it is for tts regrade DIR --reader auto")
]


def _template(name: str) -> str:
    """`name`, if a template of that name or path exists. Raises ValueError otherwise."""
    try:
        prompts.template(name)
    except FileNotFoundError:
        raise ValueError(
            f"one of {', '.join(prompts.names())}, or the path of a .txt file that exists"
        ) from None
    return name


def _without_path(given: Mapping[str, Any]) -> str:
    dataset = Path(str(given.get("dataset")))
    return dataset.stem if dataset.suffix else str(dataset)


class Experiment(BaseModel):
    """One run of the harness. Every field is a key of the TOML file; other keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True)

    dataset: Annotated[str, only(bool, "some text")]
    """gsm8k, math-level1-integer, math-level1-signed, math, math-500, tiny, or a file of questions."""
    name: Annotated[str, only(bool, "some text")] = Field(default_factory=lambda given: _without_path(given))
    """Name of the data set in tables and pages; by default `dataset`, or the stem of its file's name."""
    file: Path | None = None
    """A local copy of the dataset's rows, in place of the hub."""
    limit: Positive | None = None
    """Number of questions, counted from the first; all by default."""
    order: Literal["file", "random"] = "file"
    """random: shuffled by the seed, so that a limit is a random subset and a larger one adds to it."""
    shard: Annotated[str | None, only(shard_in, EXPECTED)] = None
    """A part of the run's questions, such as 3/8: every eighth question, from the third on."""
    model: Annotated[str, only(bool, "some text")]
    """A model on the hub, a local folder, or `tiny` (the model that ships with the project)."""
    revision: str | None = None
    """The commit of the model on the hub."""
    tokenizer: str | None = None
    """Folder or hub model that has the tokenizer, if the served model's name is neither."""
    prompt: Annotated[str, AfterValidator(_template)]
    """A template in prompts/ by name, or one of your own by its path, such as prompt.txt."""
    chat: bool
    """Whether the prompt is a user's turn in the model's chat template, or plain text."""
    readers: Annotated[tuple[ReaderName, ...], only(bool, f"some of {NAMED}")] = DEFAULT_READERS
    """Readers that find answers in texts, tried in this order; the paper uses `hashes` alone."""
    match: Match = "first"
    """Which of several answers in one text counts."""
    grader: GraderName = "integer"
    """What an answer is: an integer (the paper's), the label of a choice, or an expression (math)."""
    budgets: Annotated[tuple[Count, ...], DISTINCT] = ()
    """Token budgets to ask for; if none, the only setting is `default`. 0 is for thinking only."""
    budget_by: Literal["prompt", "thinking", "force"] = "prompt"
    """How a budget is imposed. `prompt`: in words, and answers may overrun it. `thinking`: the server ends
    the model's thinking there. `force`: an answer that reaches its limit is cut off, and the model is then
    asked for its final answer only."""
    samples: Annotated[int, Field(ge=0, le=10**6, strict=True)]
    """Sampled answers per question and setting."""
    greedy: bool = False
    """One more answer per question and setting, at temperature 0."""
    stop_rule: Annotated[str | None, AfterValidator(rule_in_full)] = None
    """A rule that may end a vote before all its `samples` are drawn, e.g. lead:4; see docs/stopping.md."""
    temperature: Annotated[float, Field(gt=0, le=100)] = 1.0
    top_p: Annotated[float, Field(gt=0, le=1)] = 1.0
    top_k: Annotated[int, Field(ge=-1, strict=True), only(bool, "-1 (no limit) or at least 1")] = -1
    """Sample among the k likeliest tokens only; -1 is no limit."""
    stop: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    tokens_per_budget: Annotated[float, Field(ge=0, le=1000)] = 0.0
    tokens_extra: Count
    """The most tokens of an answer, beside `tokens_per_budget` times its budget."""
    engine: Literal["sglang", "ctranslate2", "openai"] = "sglang"
    """ctranslate2 runs the model in this process; openai is any server with OpenAI's API, such as vLLM."""
    logprobs: bool = False
    """Store the mean log-probability of each answer's tokens, if the engine reports it."""
    forced_from: dict[str, JsonValue] | None = None
    """Set by `tts force`: setting, number and digest of the stored answers that it cuts. The budgets are
    the lengths at which it cuts them."""
    request_fields: dict[str, JsonValue] = Field(default_factory=dict)
    """Further fields of each request, such as `chat_template_kwargs = { enable_thinking = false }`."""
    url: Annotated[str | None, only(ADDRESS.fullmatch, PLAIN_URL)] = None
    """The address of a running server, such as http://127.0.0.1:30000; its API key is in no file."""
    dp: Positive = 1
    """Copies of the model in the server that the run starts, each on its own GPU."""
    server_flags: tuple[str, ...] = ()
    """Flags for the SGLang server that the run starts; on the command line, quoted as in a shell."""
    concurrency: InFlight = Field(default_factory=lambda given: ANSWERS_IN_FLIGHT * given.get("dp", 1))
    """Answers in flight; the server queues what it cannot work on yet."""
    patience: Annotated[float, Field(gt=0)] = 1800.0
    """Seconds without an answer or a sign of work after which the run gives up on the server."""
    seed: Count = 0
    device: Literal["auto", "cpu", "cuda"] = "auto"
    dtype: Literal["auto", "float32", "bfloat16", "float16", "int8"] = "auto"
    """The precision of the model's arithmetic; int8 is for engine ctranslate2."""

    @model_validator(mode="after")
    def _asks_for_something(self) -> "Experiment":
        if self.samples == 0 and not self.greedy:
            raise ValueError("samples to be at least 1, or greedy = true")
        for _, budget in self.settings:
            thought = budget or 0 if self.budget_by == "thinking" else 0
            if (most := self.max_new_tokens(budget)) <= thought:
                raise ValueError(
                    f"tokens_per_budget times the budget, and tokens_extra, to be above {thought} together, "
                    f"not {most}: an answer needs room"
                )
        if self.budget_by == "force" and "hashes" not in self.readers:
            raise ValueError("reader 'hashes' with budget_by = 'force', which asks for `##18##`")
        if self.budget_by == "thinking" and (self.engine == "ctranslate2" or not self.budgets):
            raise ValueError("budgets and engine sglang or openai with budget_by = 'thinking'")
        if self.budget_by != "thinking" and 0 in self.budgets:
            raise ValueError("budgets of at least 1: budget_by = 'thinking' alone takes 0")
        inner = self.request_fields.get("sampling_params")  # SGLang's
        fields = {*self.request_fields, *(inner if isinstance(inner, dict) else ())}
        if reserved := sorted(RESERVED & fields):
            raise ValueError(f"request_fields without {', '.join(reserved)}, which other keys set")
        if self.engine == "ctranslate2" and {*self.request_fields} - {"chat_template_kwargs"}:
            raise ValueError(
                "chat_template_kwargs only in request_fields: engine 'ctranslate2' sends no request"
            )
        if self.dtype == "int8" and self.engine != "ctranslate2":
            raise ValueError("another dtype: int8 is for engine 'ctranslate2'")
        if self.server_flags and (self.url or self.engine != "sglang"):
            raise ValueError("server_flags only where the run starts SGLang: no url, engine 'sglang'")
        if self.tokenizer and self.engine != "openai":
            raise ValueError("no tokenizer: it is for engine 'openai', others have the model's own")
        if self.url and self.engine == "ctranslate2":
            raise ValueError("no url, or engine 'sglang' or 'openai': 'ctranslate2' uses no server")
        if self.engine == "openai" and not self.url:
            raise ValueError("url (or --url), the address of a server, with engine 'openai'")
        return self

    @property
    def settings(self) -> tuple[tuple[str, int | None], ...]:
        """(`setting` in the samples table, token budget or None) of each setting, in the order given.

        Names are `default`, `100` and `forced=100`; with an effort `effort=high` or `effort=high 100`.
        """
        effort = "" if self.effort is None else f"{EFFORT}{self.effort}"
        if not self.budgets:
            return ((effort or "default", None),)
        before = f"{effort} {FORCED if self.forced_from else ''}".lstrip()
        return tuple((f"{before}{budget}", budget) for budget in self.budgets)

    @property
    def effort(self) -> JsonValue:
        """The reasoning effort that requests ask for, under any of its names; None if they ask for none."""
        named = self.request_fields.get("reasoning")
        nested = named.get("effort") if isinstance(named, dict) else None
        plain = self.request_fields.get(REASONING_EFFORT)
        return plain or self.template_arguments.get(REASONING_EFFORT) or nested

    @property
    def template_arguments(self) -> dict[str, Any]:
        """Arguments for the model's chat template besides the messages."""
        given = self.request_fields.get(TEMPLATE_ARGUMENTS)
        return given if isinstance(given, dict) else {}

    def requests_for(self, copies: int) -> int:
        """The number of requests in flight to that many copies at `url`, unless `concurrency` was set."""
        given = "concurrency" in self.model_fields_set
        return self.concurrency if given else ANSWERS_IN_FLIGHT * copies

    @property
    def answers_per_question(self) -> int:
        """Number of answers to one question: per setting its samples, and a greedy one if asked for."""
        return len(self.settings) * (self.samples + self.greedy)

    @property
    def has_tokenizer(self) -> tuple[str, str | None]:
        """Where to load the tokenizer from, and its commit on the hub."""
        return (self.tokenizer, None) if self.tokenizer else (model_location(self.model), self.revision)

    @property
    def reading(self) -> Grader:
        """The grader that reads the answers."""
        return Grader(self.readers, self.match, self.grader)

    def max_new_tokens(self, budget: int | None) -> int:
        """The token limit at which an answer is cut off: generous, as models overrun their budgets."""
        return math.ceil(round(self.tokens_per_budget * (budget or 0), 6)) + self.tokens_extra


def tokens_in(setting: str) -> int | None:
    """The tokens in the name of a setting: `100`, `forced=100`, `effort=high 100`; None without any."""
    number = setting.rpartition(" ")[2].removeprefix(FORCED)
    return int(number) if number.isdecimal() and len(number) < 19 else None


def model_location(model: str) -> str:
    """Where to load `model` from: a folder of this package for `tiny`, else the name itself."""
    return str(TINY_MODEL) if model == "tiny" else model


def read_experiment(path_or_name: str | Path, overrides: Mapping[str, str] | None = None) -> Experiment:
    """The experiment in a TOML file, or the shipped one of that name, with some keys replaced.

    Raises BadInput: one line with file, key, what was found and what was expected.
    """
    path = _find(path_or_name)
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: not TOML: {error}") from None
    return experiment_of(values, path, overrides)


def experiment_of(
    values: Mapping[str, Any], path: Path, overrides: Mapping[str, str] | None = None
) -> Experiment:
    """The experiment with the `values` read from `path`, some of them replaced by `overrides`.

    Another model drops `revision`, which belongs to the file's model; a URL drops engine `ctranslate2`,
    which uses no server. Raises BadInput.
    """
    values = dict(values)
    given = {
        key: value_of(key, Experiment.model_fields.get(key), text) for key, text in (overrides or {}).items()
    }
    if given.get("model", values.get("model")) != values.get("model"):
        values.pop("revision", None)
    if given.get("url") and values.get("engine") == "ctranslate2":
        del values["engine"]
    try:
        return Experiment.model_validate({**values, **given})
    except ValidationError as error:
        raise _explain(error, path, given) from None


def _find(path_or_name: str | Path) -> Path:
    for path in (EXPERIMENTS / f"{path_or_name}.toml", Path(path_or_name)):
        if path.is_file():
            return path
    names = ", ".join(sorted(file.stem for file in EXPERIMENTS.glob("*.toml")))
    raise BadInput(f"{path}: no such file, and no experiment of that name: there are {names}")


def _explain(error: ValidationError, path: Path, given: Mapping[str, Any]) -> BadInput:
    """One line with all missing keys and their meaning, or else with the first other error."""
    kinds = [(one["type"], str(one["loc"][0])) for one in error.errors() if one["loc"]]
    absent = [key for kind, key in kinds if kind == "missing"]
    if absent:
        meanings = [f"{key} ({str(Experiment.model_fields[key].description).rstrip('.')})" for key in absent]
        unknown = [f"; unknown: {key!r}" for kind, key in kinds if kind == "extra_forbidden"]
        return BadInput(f"{path}: missing: {'; '.join(meanings)}{''.join(unknown)}")
    first = error.errors(include_url=False)[0]
    key = ".".join(str(part) for part in first["loc"] if isinstance(part, str))
    origin = str(path)
    if first["loc"] and first["loc"][0] in given:
        origin = f"--{key}" if key in ("url", "limit") else f"--set {key}"  # these two are also options
    if first["type"] == "extra_forbidden":
        return BadInput(
            f"{origin}: unknown key {key!r}, expected one of {', '.join(Experiment.model_fields)}"
        )
    expected = first["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    expected = expected.replace("greater than or equal to", "at least")
    expected = expected.replace("less than or equal to", "at most")
    if key in ("", "url"):  # the experiment as a whole, or a value that may hold a secret
        return BadInput(f"{origin}: expected {expected}")
    return BadInput(f"{origin}: {key} is {first['input']!r}, expected {expected}")
