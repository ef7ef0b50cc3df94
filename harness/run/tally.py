"""What a run's answers look like, setting by setting, counted while they come in.

    setting  decoding  answers  tokens  90%  limit  cut off  unreadable  refused  distinct  correct
    40       sample       6400    37.3   45    144     0.0%        0.2%     0.0%     29.7%    66.2%

The setting is the number of tokens asked for. `tokens` is the mean really used, `90%` the number that nine
of ten answers keep within, `limit` max_new_tokens, where an answer is cut off. Unreadable answers hold no
integer where the prompt wants it; refused ones are those of them that decline to answer. Distinct is the
share of texts that differ from the others of their question. Requests that failed or that the server refused
have no answers and count nowhere in this table.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from harness.experiment import Experiment
from harness.run.refusals import is_refusal
from harness.run.repeats import Repeat, Texts, find_repeats
from results.aligned import aligned

GUESSES = (2, 4, 8, 16, 32, 64)
"""Answers of one request, where no record says how many."""


@dataclass
class Counts:
    """The answers of one setting and decoding."""

    answers: int = 0
    total_tokens: int = 0
    endings: int = 0
    """Answers of which it is known how they ended; other tools' tables may not say."""
    cut_off: int = 0
    unreadable: int = 0
    refused: int = 0
    correct: int = 0
    tokens: Counter[int] = field(default_factory=Counter)
    texts: dict[str, Texts] = field(default_factory=dict)
    refused_requests: int = 0
    """Answers that are absent because the server refused the request for them when it was last sent."""

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one row of the samples table; tokens, finish_reason and text may be absent or null."""
        self.answers += 1
        tokens, text = row.get("tokens"), row.get("text")
        if tokens is not None:
            self.tokens[tokens] += 1
            self.total_tokens += tokens
        self.endings += row.get("finish_reason") is not None
        self.cut_off += row.get("finish_reason") == "length"
        self.unreadable += row["answer"] is None
        self.refused += is_refusal(text, row["answer"])
        self.correct += row["correct"]
        if text is not None:
            question = self.texts.setdefault(row["question_id"], Texts())
            question.add(row["sample"], text, tokens or 0)

    def shares(self) -> dict[str, float | None]:
        """Parts of all answers; None where the table does not say, or where there are no answers."""
        return {
            "cut_off": _part(self.cut_off, self.endings),
            "unreadable": _part(self.unreadable, self.answers),
            "refused": _part(self.refused, self.answers if self.texts else 0),
            "distinct": self.distinct,
            "correct": _part(self.correct, self.answers),
        }

    @property
    def mean_tokens(self) -> float | None:
        known = self.tokens.total()
        return self.total_tokens / known if known else None

    @property
    def p90_tokens(self) -> int | None:
        """The smallest number of tokens that at least 90 % of the answers do not exceed."""
        need = 0.9 * self.tokens.total()
        for tokens in sorted(self.tokens):
            need -= self.tokens[tokens]
            if need <= 1e-9:
                return tokens
        return None

    @property
    def distinct(self) -> float | None:
        """The share of texts that differ from the others of their question."""
        texts = self.texts.values()
        return _part(sum(len(set(text.hashes)) for text in texts), sum(len(text.hashes) for text in texts))


class Tally:
    """Counts for every setting, and the alarm when answers repeat."""

    def __init__(self, experiment: Experiment | None = None) -> None:
        """`experiment` is None for answers of unknown origin: limits and temperature are then not known."""
        self.settings: dict[tuple[str, str], Counts] = {}
        self._experiment = experiment

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one row of the samples table."""
        self.settings.setdefault((row["setting"], row["decoding"]), Counts()).add(row)

    def refuse(self, setting: str, decoding: str, answers: int) -> None:
        """Count a request for so many answers that the server refused."""
        self.settings.setdefault((setting, decoding), Counts()).refused_requests += answers

    @property
    def answers(self) -> int:
        return sum(counts.answers for counts in self.settings.values())

    @property
    def tokens(self) -> int:
        return sum(counts.total_tokens for counts in self.settings.values())

    @property
    def correct(self) -> int:
        return sum(counts.correct for counts in self.settings.values())

    @property
    def refused_requests(self) -> int:
        return sum(counts.refused_requests for counts in self.settings.values())

    def limit(self, setting: str) -> int | None:
        """max_new_tokens of a setting, or None where it is not known."""
        budget = int(setting) if _is_size(setting) else None
        return self._experiment.max_new_tokens(budget) if self._experiment else None

    def repeats(self) -> list[Repeat]:
        """What the repeats among the sampled answers say (see harness/run/repeats.py)."""
        groups = (
            texts
            for (_, decoding), counts in self.settings.items()
            if decoding == "sample"
            for texts in counts.texts.values()
        )
        known = self._experiment
        free = known is not None and known.temperature >= 0.5 and known.top_p >= 0.5 and known.top_k != 1
        return find_repeats(groups, (known.chunk,) if known else GUESSES, free)

    def alarm(self) -> str | None:
        """One sentence where answers repeat more than independent sampling explains, else None."""
        return _alarm(self.repeats())

    def summary(self) -> dict[str, Any]:
        """The counts for run.json: one object a setting and decoding, and what the repeats say."""
        repeats = self.repeats()
        return {
            "settings": [
                {
                    "setting": setting,
                    "decoding": decoding,
                    "max_new_tokens": self.limit(setting),
                    "answers": counts.answers,
                    "tokens_mean": counts.mean_tokens,
                    "tokens_p90": counts.p90_tokens,
                    **counts.shares(),
                    "answers_of_refused_requests": counts.refused_requests,
                }
                for (setting, decoding), counts in self.ordered()
            ],
            "repeats": [asdict(repeat) for repeat in repeats],
            "alarm": _alarm(repeats),
        }

    def table(self) -> str:
        """The counts as lines of text, one a setting: budgets by size, then others by name."""
        lines: list[tuple[str, ...]] = [_HEADER]
        for (setting, decoding), counts in self.ordered():
            if counts.answers:
                tokens = (
                    _cell(counts.mean_tokens, ".1f"),
                    _cell(counts.p90_tokens),
                    _cell(self.limit(setting)),
                )
                percent = (_cell(share, ".1%") for share in counts.shares().values())
                lines.append((setting, decoding, str(counts.answers), *tokens, *percent))
        return "\n".join(aligned(lines, left=(0, 1)))

    def ordered(self) -> Iterator[tuple[tuple[str, str], Counts]]:
        """The counts by setting and decoding: budgets by size, then others by name."""
        yield from sorted(self.settings.items(), key=_order)


_HEADER = (
    *("setting", "decoding", "answers", "tokens", "90%", "limit"),
    *("cut off", "unreadable", "refused", "distinct", "correct"),
)


def _alarm(repeats: Sequence[Repeat]) -> str | None:
    worst = next(iter(repeats), None)
    return f"answers repeat more than sampling explains: {worst}" if worst and worst.alarm else None


def _part(count: int, of: int) -> float | None:
    return count / of if of else None


def _cell(value: float | None, how: str = "") -> str:
    return "-" if value is None else format(value, how)


def _order(item: tuple[tuple[str, str], Counts]) -> tuple[bool, int, str, str]:
    (setting, decoding), _ = item
    number = _is_size(setting)
    return not number, int(setting) if number else 0, setting, decoding


def _is_size(setting: str) -> bool:
    return setting.isdecimal() and len(setting) < 19
