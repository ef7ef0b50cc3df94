"""Statistics of a run's answers for each setting, counted as they arrive.

asked for  questions  answers  used  cut off at  cut off  unreadable  distinct  correct
40 tokens   8 of 100      530  37.3         144     0.0%        0.2%     29.7%    66.2%

`used` is the mean number of tokens of an answer, `cut off at` is max_new_tokens, `distinct` the share of
distinct texts among a question's answers. If a model thinks, two more columns give its thinking tokens, on
average and at most. `questions` and `correct` are of finished questions only, as short answers arrive first
and differ from the others. Failed requests do not count in this table.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from harness.engines.thinking import SLACK
from harness.experiment import Experiment, tokens_in
from harness.grader import Grader
from harness.tally.answer_groups import AnswerGroup, Counts, groups_of, part
from harness.tally.repeats import find_repeats
from harness.tally.unreadable import MANY, Unreadable
from results.tables.key import Key
from results.terminal import aligned, plural, visible
from results.words.names import curves_name

_OF_UNREADABLE = ("answer", "text", "finish_reason", "tokens", "labels")


class Tally:
    """Counts for every setting, and warnings for the user."""

    def __init__(
        self, experiment: Experiment | None = None, planned: int | None = None, grader: Grader | None = None
    ) -> None:
        """`planned`: how many answers the run asks for. `experiment`: None for answers of unknown origin.

        Limits and the number of answers to a question are then unknown, and each question counts as finished.
        `grader`: the one that read the answers, by default the experiment's.
        """
        self.settings: dict[tuple[str, str], Counts] = {}
        self.experiment = experiment
        self._asked = planned // experiment.answers_per_question if experiment and planned else None
        self._unreadable = Unreadable(grader or (experiment.reading if experiment else None))
        self._looked: tuple[int, str | None] = (0, None)
        """The number of answers at the last search for repeats, and what it found."""

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one row of the samples table."""
        self.add_group(*groups_of([row]))

    def add_group(self, group: AnswerGroup) -> None:
        """Count answers to one question."""
        key = group.setting, group.decoding
        if key not in self.settings:
            sampled = self.experiment if key[1] == "sample" else None
            stopped = sampled is not None and sampled.stop_rule is not None
            each = sampled.samples if sampled and not stopped else 1
            # Stored answers that this run cuts had limits of their own.
            ends_stored = self.experiment is not None and self.experiment.forced_from
            limit = None if ends_stored else self._limit(group.setting)
            self.settings[key] = Counts(each, stopped, limit)
        self.settings[key].add(group)
        if None in group.cells["answer"]:
            read = zip(*(group.cells[name] for name in _OF_UNREADABLE), strict=True)
            for answer, *cells in read:
                if answer is None:
                    self._unreadable.add(*cells)

    @property
    def answers(self) -> int:
        """The number of answers."""
        return sum(counts.answers for counts in self.settings.values())

    @property
    def tokens(self) -> int:
        """The total of all answers' tokens, as far as they are known."""
        return sum(counts.tokens for counts in self.settings.values())

    @property
    def finished(self) -> int:
        """The number of finished questions (with all their answers), summed over the settings."""
        return sum(counts.finished for counts in self.settings.values())

    @property
    def accuracy(self) -> float | None:
        """The share of correct answers to finished questions."""
        counts = [each for each in self.settings.values() if not each.stopped]
        return part(sum(c.finished_correct for c in counts), sum(c.finished_answers for c in counts))

    def warnings(self, *runs: Path) -> list[str]:
        """Warnings for the user, one line each; `runs`: a run's folder, its shards, or tables."""
        lines = [alarm] if (alarm := self._alarm()) else []
        if any(counts.unreadable > MANY * counts.answers for counts in self.settings.values()):
            lines.append(self._unreadable.advice(self._unreadable.count / self.answers, runs))
        if over := self._over():
            lines.append(f"thinking exceeded its budget: {over}: does the server enforce budgets?")
        if short := self._cut_short():
            lines.append(
                f"the server cut answers off before their limit: {short}: it has a limit of its own, such as "
                "its context (vLLM's --max-model-len) or max_new_tokens in the model's generation_config.json"
            )
        unknown = self.answers - sum(counts.with_tokens for counts in self.settings.values())
        if self.experiment and unknown:
            lines.append(
                f"the server's token counts cannot be right for {unknown} of {self.answers} answers (0, or "
                "far too small for the text: do they leave out the thinking?): T is unknown there"
            )
        return lines

    def summary(self) -> dict[str, Any]:
        """The counts for run.json, one object per setting and decoding, and the alarm about repeats."""
        return {
            "settings": [
                {
                    "setting": setting,
                    "decoding": decoding,
                    "max_new_tokens": self._limit(setting),
                    "questions": counts.finished,
                    "questions_asked": self._asked,
                    "answers": counts.answers,
                    "tokens_mean": counts.mean_tokens,
                    **(counts.thinking if counts.thoughts else {}),
                    **({"cut_short": counts.cut_short} if counts.cut_short else {}),
                    **counts.shares(),
                    "read_by": dict(counts.readers),
                }
                for (setting, decoding), counts in self._ordered()
            ],
            "alarm": self._alarm(),
        }

    def table(self) -> str:
        """The counts as lines of text, one per setting, and which reader read how many answers."""
        thinks = any(counts.thoughts for counts in self.settings.values())
        header = "asked for,questions,answers,used,cut off at,cut off,unreadable,distinct,correct"
        if thinks:
            header = header.replace("used,", "used,thought,thought at most,")
        lines: list[Sequence[str]] = [header.split(",")]
        for (setting, decoding), counts in self._ordered():
            what = "of thinking" if self.experiment and self.experiment.budget_by == "thinking" else "tokens"
            asked = f"{setting} {what}" if self.experiment and setting.isdecimal() else setting
            asked += ", greedy" if decoding == "greedy" else ""
            partial = self._asked is not None and counts.finished < self._asked
            finished = f"{counts.finished} of {self._asked}" if partial else str(counts.finished)
            used = [_cell(counts.mean_tokens, ".1f")]
            if thinks:
                used += [_cell(number, ".0f") for number in counts.thinking.values()]
            shares = (_cell(share, ".1%") for share in counts.shares().values())
            limit = _cell(self._limit(setting))
            lines.append((asked, finished, str(counts.answers), *used, limit, *shares))
        readers = sum((counts.readers for counts in self.settings.values()), Counter[str]())
        read = [f"{count / self.answers:.1%} by {visible(reader)}" for reader, count in readers.most_common()]
        notes = [f"answers read: {', '.join(read)}"] if read else []
        if self.experiment and self.experiment.forced_from and len(self.settings) > 1:
            notes.append("these settings are paired: each cuts the same answers at a different length")
        return "\n".join([*aligned(lines), *notes])

    def _ordered(self) -> list[tuple[tuple[str, str], Counts]]:
        return sorted(self.settings.items(), key=lambda item: (by_size(item[0][0]), item[0][1]))

    def _limit(self, setting: str) -> int | None:
        """max_new_tokens of a setting, or None if it is unknown."""
        budget = tokens_in(setting)
        return self.experiment.max_new_tokens(budget) if self.experiment else None

    def _cut_short(self) -> str:
        """The settings in which a server has cut answers off before their limit."""
        return ", ".join(
            f"{counts.cut_short} of {counts.answers} answers of setting {visible(setting)}, "
            f"at {counts.most_short} tokens or fewer where the limit is {counts.limit}"
            for (setting, _), counts in self._ordered()
            if counts.cut_short
        )

    def _over(self) -> str:
        """The settings in which an answer's thinking exceeded its budget."""
        if not (self.experiment and self.experiment.budget_by == "thinking"):
            return ""
        return ", ".join(
            f"{counts.most_thought} tokens where {setting} were asked for"
            for (setting, _), counts in self._ordered()
            if counts.most_thought > (tokens_in(setting) or 0) + SLACK
        )

    def _alarm(self) -> str | None:
        if self._looked[0] != self.answers:
            self._looked = self.answers, self._find_alarm()
        return self._looked[1]

    def _find_alarm(self) -> str | None:
        sampled = (counts for (_, decoding), counts in self.settings.items() if decoding == "sample")
        groups = (texts for counts in sampled for texts in counts.texts.values())
        run = self.experiment
        free = run is None or (run.temperature >= 0.5 and run.top_p >= 0.5 and run.top_k != 1)
        exchangeable = run is not None and not run.stop_rule  # a stop rule orders the answers
        worst = next(iter(find_repeats(groups, exchangeable, free)), None)
        return f"answers repeat more than independent samples can: {worst}" if worst and worst.alarm else None


class Tallies:
    """A tally for each model on each data set; data sets share no questions, even if ids are equal."""

    def __init__(self, new: Callable[[str, str], Tally]) -> None:
        """`new` returns an empty tally for a data set and a model."""
        self._new = cache(new)
        self._names: dict[tuple[str, str], None] = {}

    def add(self, groups: Iterable[AnswerGroup]) -> None:
        """Count answers to some questions."""
        for group in groups:
            name = str(group.dataset), str(group.model)
            self._names[name] = None
            self._new(*name).add_group(group)

    @property
    def named(self) -> list[tuple[str, Tally]]:
        """Each tally, with the name of its data set and model."""
        return [(visible(curves_name(Key("llm", *name))), self._new(*name)) for name in self._names]

    def table(self) -> str:
        """The tallies' tables, each below its name if there are several."""
        if len(self._names) == 1:
            return self.named[0][1].table()
        return "\n".join(
            f"{name}: {plural(f'{of.answers:,}', 'answer')}\n{of.table()}" for name, of in self.named
        )

    def warnings(self, run: Path) -> list[str]:
        """The tallies' warnings, each after its name if there are several."""
        told = [(name, line) for name, tally in self.named for line in tally.warnings(run)]
        return [line if len(self._names) == 1 else f"{name}: {line}" for name, line in told]


def by_size(setting: str) -> tuple[bool, int, str]:
    """A sort key for settings: token budgets by size, then others by name."""
    tokens = tokens_in(setting)
    return tokens is None, tokens or 0, setting


def _cell(value: float | None, how: str = "") -> str:
    return "-" if value is None else format(value, how)
