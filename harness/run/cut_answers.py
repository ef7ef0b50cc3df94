"""The stored answers of a run, cut at a number of tokens and concluded, for `tts force`.

    stored = Stored(Path("runs/gsm8k"), setting="500")
    await stored.forced(engine, query, "Anna has 12 apples. ...", sampling, seed=7)

A text is cut after that many tokens of the run's tokenizer and concluded as in `harness/engines/forcing.py`.
An answer that is no longer stays as it was, with its own token count. All lengths thus cut the same answers:
two settings of such a run differ only in the length.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from harness.engines.base import Completion, Engine, Sampling
from harness.engines.forcing import forced
from harness.engines.thinking import apart, together
from harness.engines.token_ids import PromptTokens, counted
from harness.experiment import Experiment, experiment_of, tokens_in
from harness.questions.load import Question
from harness.run.queries import Query
from harness.store.identity import IDENTITY, identity
from harness.store.record import experiment_in
from harness.store.row import Key, Row, is_row
from harness.store.samples_file import SAMPLES, not_a_row, numbered_lines
from harness.tally.counts import by_size
from results import BadInput
from results.tables.files import RECORD, read_record

FINAL_TOKENS = 16
"""Token limit of the final answer: room for ten digits and `##. [END]`."""


class Stored:
    """The sampled answers of one setting in a run's folder, by question and sample index."""

    def __init__(self, folder: Path, setting: str | None = None, out: Path | None = None) -> None:
        """Read the answers; `setting` may be left out if there is only one.

        out: the folder of the run that cuts them. If that run began with the first of these answers, it
        continues with those sampled since.

        Raises BadInput: not a run of this harness, several settings, no such setting, an answer without text.
        """
        source, self._folder, self._record = experiment_in(folder), folder, read_record(folder)
        if source is None:
            raise BadInput(f"{folder}: no run.json of this harness: only a run of `tts sample` can be forced")
        if source.forced_from:
            raise BadInput(f"{folder}: its answers were forced already: give the run that they come from")
        self.source, self.rows, settings = source, dict[str, dict[int, Row]](), dict[str, None]()
        digest, answers = hashlib.sha256(), 0
        begun = experiment_in(out) if out else None
        known, came_from = begun.forced_from if begun else None, None
        path = folder / SAMPLES
        for number, line, row in numbered_lines(path) if path.exists() else ():
            if row is not None and not isinstance(row.get("text"), str):
                raise BadInput(f"{path}: row {number}: no text to cut")
            if not is_row(row):
                raise BadInput(f"{path}: row {number}: {not_a_row(line)}")
            if row["decoding"] != "sample":
                continue
            settings[row["setting"]] = None
            if setting not in (None, row["setting"]):
                continue
            self.rows.setdefault(row["question_id"], {})[row["sample"]] = row
            cells = [row[name] for name in ("question_id", "sample", "text")]
            digest.update(json.dumps([*cells, row.get("reasoning")]).encode())
            answers += 1
            if known and answers == known["answers"] and digest.hexdigest() == known["sha256"]:
                came_from = known
        if not self.rows:
            named = f" with setting {setting!r}" if settings else ""
            raise BadInput(f"{path}: no answers{named}{_known(settings)}")
        if setting is None and len(settings) > 1:
            raise BadInput(f"{path}: answers of several settings: give --setting{_known(settings)}")
        self.setting = next(iter(settings)) if setting is None else setting
        self.budget = tokens_in(self.setting)
        """The token budget of these answers; None if they had none."""
        whole = {"setting": self.setting, "answers": answers, "sha256": digest.hexdigest()}
        self.came_from = came_from or whole
        """Which of these answers were stored when the run that cuts them began."""

    def planned(self, experiment: Experiment, questions: Sequence[Question]) -> int:
        """The number of answers to `questions`, summed over all lengths."""
        answers = sum(len(self.rows.get(question.question_id, ())) for question in questions)
        return answers * len(experiment.settings)

    @property
    def most(self) -> int:
        """The largest number of answers to one question."""
        return max(map(len, self.rows.values()))

    def remaining(
        self, experiment: Experiment, questions: Sequence[Question], done: Mapping[Key, set[int]]
    ) -> Iterator[Query]:
        """The answers to `questions` still to be cut, those not in `done`, at the shortest length first.

        A server with a prefix cache thus reads little of an answer more than once.
        """
        for question in questions:
            for setting, length in experiment.settings:
                have = done.get((question.question_id, setting, "sample"), set())
                indices = sorted({*self.rows.get(question.question_id, ())} - have)
                for sample in indices:
                    yield Query(question, setting, self.budget, "sample", sample, length)

    def check_asked(self, questions: Sequence[Question]) -> None:
        """Raise BadInput if the prompts of the stored answers differ from what they would be today."""
        now = identity(self.source, questions)
        for name in ("prompt_sha256", "questions_sha256"):
            if (self._record or {}).get(name) != now[name]:
                raise BadInput(
                    f"{self._folder}: sampled with another {IDENTITY[name]}, which is needed again"
                )

    def experiment(self, lengths: Sequence[int], overrides: Mapping[str, str]) -> Experiment:
        """The experiment that cuts the answers at each of `lengths`: their own, with `overrides`.

        Raises BadInput, also for overrides of keys that the lengths and the stored answers decide.
        """
        decided = {
            "budgets": sorted(lengths),
            "budget_by": "force",
            "tokens_per_budget": 1.0,
            "tokens_extra": 0,
            "samples": self.most,
            "greedy": False,
            "forced_from": self.came_from,
        }
        if taken := [name for name in overrides if name in decided]:
            raise BadInput(f"--set {taken[0]}: --at and the stored answers decide it: leave it out")
        if "hashes" not in self.source.readers and "readers" not in overrides:
            readers = ",".join(["hashes", *self.source.readers])
            raise BadInput(
                f"{self._folder}: its answers were last read without the reader 'hashes', which reads "
                f"##18##, the end of forced ones: give --set readers={readers}"
            )
        return experiment_of(self.source.model_dump() | decided, self._folder / RECORD, overrides)

    def load_tokenizer(self, experiment: Experiment) -> None:
        """Load the tokenizer used to cut answers. Raises BadInput if the model has none."""
        chat, template = experiment.chat, experiment.template_arguments
        self._prompts = PromptTokens(*experiment.has_tokenizer, chat, template)

    async def forced(
        self, engine: Engine, query: Query, prompt: str, sampling: Sampling, seed: int
    ) -> Completion:
        """The stored answer, cut at the query's length and concluded. Raises EngineError if that fails."""
        answer, is_whole = self._cut(query, prompt)
        if is_whole:
            return answer
        ended = await forced(engine, prompt, answer, sampling, seed, FINAL_TOKENS)
        return counted(ended, self._prompts)

    def _cut(self, query: Query, prompt: str) -> tuple[Completion, bool]:
        """The answer up to the query's length, and whether that is the whole answer as stored."""
        row = self.rows[query.question.question_id][query.sample]
        stored = Completion(
            row["text"],
            row["tokens"],
            row["prompt_tokens"],
            row["finish_reason"],
            row["seed"],
            row.get("reasoning"),
            row.get("reasoning_tokens"),
            row.get("logprob"),
            cached_tokens=row.get("cached_tokens"),
        )
        opened = self._prompts.opens_thinking(prompt)
        written = together(stored.reasoning, stored.text, opened)
        ends = self._prompts.ends(written)
        if query.cut is None or len(ends) <= query.cut:
            return stored, True
        completion = Completion(
            written[: ends[query.cut - 1]],
            tokens=query.cut,
            prompt_tokens=len(self._prompts.encode(prompt)),
            finish_reason="length",
            seed=stored.seed,
        )
        return apart(completion, opened), False


def _known(settings: dict[str, None]) -> str:
    return f"; there are {', '.join(sorted(settings, key=by_size))}" if settings else ""
