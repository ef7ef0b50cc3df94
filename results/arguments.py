"""The arguments that commands and the library share: the kind, range and meaning of each.

    LEVELS.of(95)             ->  BadInput: level: found 95, expected a number from 0.5 to 0.9999
    LEVELS.option("--level")  ->  the option of a command, with the same check and the same words

The functions that do the work check their arguments, whoever calls them. An option makes the same check
earlier, and its messages use the option's name.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

import click

from results.commandline import BadInput
from results.methods import COMPUTED, FORECAST, FORECAST_ON_REQUEST

LARGEST_N = 100_000
"""The largest N for the exact vote over new answers, and for any budget."""

_MANY = 10**9

INCHES = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72.27}
"""Units of length on paper; a point is TeX's."""


@dataclass(frozen=True)
class Range:
    """Numbers from `least` to `most`, `whole` or not; `above`, `below`: exclude the lower or upper end."""

    least: float
    most: float = _MANY
    whole: bool = True
    above: bool = False
    below: bool = False

    @property
    def ends(self) -> str:
        """ "from 1 to 64", "above 0"."""
        low = f"above {self.least:,}" if self.above else f"from {self.least:,}"
        if self.most >= _MANY:
            return low if self.above else f"{low} up"
        if self.below:
            return f"{low} to below {self.most:,}"
        return f"{low} {'up ' if self.above else ''}to {self.most:,}"

    def read(self, value: Any, expected: str = "") -> Any:
        """The number. Raises ValueError, which says what was `expected`, unless it is in the range."""
        number = not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)
        inside = number and self.least <= value <= self.most
        at_an_end = (self.above and value == self.least) or (self.below and value == self.most)
        if inside and not at_an_end and not (self.whole and value != int(value)):
            return int(value) if self.whole else float(value)
        expected = expected or f"a {'whole ' if self.whole else ''}number {self.ends}"
        if number and value > self.most:
            expected = f"at most {self.most:,}"
        raise ValueError(f"found {value!r:.40}, expected {expected}")


class _Kind(click.ParamType):  # type: ignore[type-arg]  # older click takes no argument here
    """A kind of argument, with a name, a meaning and one check; it is also a click type."""

    name: str
    meaning: str
    unit: str

    def read(self, value: Any) -> Any:
        """The value, converted for use. Raises ValueError if it is invalid."""
        raise NotImplementedError

    def of(self, value: Any) -> Any:
        """As `read`, but raises BadInput, which names the argument."""
        try:
            return self.read(value)
        except ValueError as error:
            raise BadInput(f"{self.name}: {error}") from None

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As `read`, for the text of an option; errors name the option."""
        try:
            return self.read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)

    def option(self, flag: str, meaning: str = "", **more: Any) -> Callable[..., Any]:
        """The option of a command; `more`: further arguments of click.option."""
        shown = {"show_default": True} if more.get("default") is not None else {}
        usual = {"help": meaning or self.meaning, "metavar": self.unit}
        return click.option(flag, type=self, **(usual | shown | more))


@dataclass(frozen=True)
class Number(_Kind):
    """A number within a range."""

    name: str
    range: Range
    meaning: str
    unit: str = "N"

    def read(self, value: Any) -> Any:
        """The number."""
        return self.range.read(value)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number in a text."""
        return super().convert(number_of(value), param, ctx)

    def if_any(self, value: Any) -> Any:
        """The number, or None for None. Raises BadInput."""
        return None if value is None else self.of(value)


@dataclass(frozen=True)
class Numbers(_Kind):
    """Several numbers within a range: a list, or "16,64"."""

    name: str
    range: Range
    meaning: str
    unit: str = "N,…"

    @property
    def expected(self) -> str:
        """The description of valid values in messages."""
        return f"a list of {'whole ' if self.range.whole else ''}numbers, each {self.range.ends}"

    def read(self, value: Any) -> tuple[Any, ...]:
        """The numbers; there may be none."""
        parts = [number_of(part.strip()) for part in value.split(",")] if isinstance(value, str) else value
        if not isinstance(parts, Iterable) or isinstance(parts, bytes | Mapping):
            raise ValueError(f"found {value!r:.40}, expected {self.expected}")
        return tuple(self.range.read(part, self.expected) for part in parts)

    def option(self, flag: str, meaning: str = "", **more: Any) -> Callable[..., Any]:
        """The option of a command, empty by default."""
        return super().option(flag, meaning, **({"default": (), "show_default": False} | more))


@dataclass(frozen=True)
class Length(_Kind):
    """A length on paper, such as 3.3in or 84mm."""

    name: str
    range: Range
    meaning: str
    unit: str = "LENGTH"

    def read(self, value: Any) -> Any:
        """The length in inches."""
        text = str(value)
        for unit, inches in INCHES.items():
            number = number_of(text.removesuffix(unit))
            if text.endswith(unit) and isinstance(number, int | float):
                return self.range.read(number * inches, f"a length {self.range.ends} inches")
        raise ValueError(f"found {text!r:.40}, expected a number and {', '.join(INCHES)}, as 3.3in")


@dataclass(frozen=True)
class OneOf(_Kind):
    """One of several words; `refused`: other words, with why they are not allowed."""

    name: str
    words: tuple[str, ...]
    meaning: str
    unit: str = ""
    refused: Mapping[str, str] = field(default_factory=dict)

    def read(self, value: Any) -> str:
        """The word."""
        if isinstance(value, str) and value in self.refused:
            raise ValueError(self.refused[value])
        if value not in self.words:
            raise ValueError(f"found {value!r:.40}, expected one of {', '.join(self.words)}")
        return str(value)

    def option(self, flag: str, meaning: str = "", **more: Any) -> Callable[..., Any]:
        """The option of a command, whose help lists the words."""
        return super().option(flag, meaning, **({"metavar": f"[{'|'.join(self.words)}]"} | more))


def names_of(name: str, given: Any, known: Iterable[str] = ()) -> tuple[str, ...]:
    """The names in a list or text ("low,high"), each once. Raises BadInput, also for names not `known`."""
    parts = given.split(",") if isinstance(given, str) else given
    if not isinstance(parts, Iterable) or isinstance(parts, bytes | Mapping):
        raise BadInput(f"{name}: found {given!r:.40}, expected a list of names")
    names = [part.strip() if isinstance(part, str) else part for part in parts]
    expected = list(known)
    for part in names:
        if not isinstance(part, str) or (expected and part not in expected):
            some = f"some of {', '.join(expected)}" if expected else "a name"
            raise BadInput(f"{name}: found {part!r:.40}, expected {some}")
    if isinstance(given, str) and not any(names):
        raise BadInput(f"{name}: found {given!r:.40}, expected a list of names")
    return tuple(dict.fromkeys(filter(None, names)))


def goals_of(target_accuracy: Any, token_budget: Any) -> tuple[float | None, float | None]:
    """The two possible goals of a plan, of which at most one is given. Raises BadInput."""
    goals = TARGET_ACCURACY.if_any(target_accuracy), TOKEN_BUDGET.if_any(token_budget)
    if None not in goals:
        raise BadInput("a plan has one goal: give --target-accuracy or --token-budget, not both")
    return goals


def number_of(text: Any) -> Any:
    """The number in a text; any other value unchanged."""
    if not isinstance(text, str):
        return text
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


_FROM_ONE = Range(1)
_SHARE = Range(0, 1, whole=False)

LEVELS = Number(
    "level",
    Range(0.5, 0.9999, whole=False),
    "Confidence level of the intervals.",
    "X",
)
SEED = Number("seed", Range(0, 2**63 - 1), "Random seed.")
PERMUTATIONS = Number(
    "permutations",
    Range(0, 10**5),
    "Number of random orders of the answers, besides the exact value; 0 for none.",
)
AT = Numbers(
    "at",
    _FROM_ONE,
    "Compare only at these N, such as 8 or 1,8. Fewer rows mean narrower joint intervals, so fewer "
    "questions are needed to decide.",
)
MARGIN = Number(
    "margin",
    Range(0, 100, whole=False, below=True),
    "With --gate and --at, or --every-question: how much worse the second run may be. Exit status 0 then "
    "means not worse by that much, 1 worse by more.",
    "POINTS",
)
PLANNED = Number(
    "planned",
    _FROM_ONE,
    "With --sequential: the maximum number of questions, fixed before the first look.  [default: no maximum]",
)
LOOKS = Number(
    "looks",
    Range(1, 100),
    "With --planned: the number of looks, including the last.  [default: 10]",
)
SCORE_COST = Number(
    "score_cost",
    Range(0, whole=False),
    "Tokens that scoring one answer costs.  [default: mean of the column tokens_NAME, which tts judge "
    "writes; 0 for log-probabilities; otherwise unknown]",
    "TOKENS",
)
WEIGHTS = OneOf(
    "weights",
    ("softmax", "sigmoid"),
    "For weighted_majority: the function that turns scores, such as rewards, into weights.",
)
NS = Numbers("ns", _FROM_ONE, "Values of N, separated by commas.")
CAPS = Numbers(
    "caps",
    _FROM_ONE,
    "Cut every answer at each of these numbers of tokens; each becomes a setting, such as cap=2000.",
    "TOKENS,…",
)
AT_N = Numbers("at_n", Range(1, LARGEST_N), "Values of N to forecast, such as 16,64.")
MAX_N = Number("max_n", Range(1, LARGEST_N), "Largest N to consider.")
FIT_MAX_N = Number(
    "fit_max_n", _FROM_ONE, "Fit only N up to this; with samples, that many answers per question."
)
FIT_MAX_TOKENS = Number(
    "fit_max_tokens",
    Range(0, whole=False, above=True),
    "Fit only settings with up to this many tokens per answer.",
    "TOKENS",
)
FIT_CAP = Number(
    "fit_cap",
    _FROM_ONE,
    "Use only what a run limited to this many tokens per answer would show.",
    "TOKENS",
)
AT_CAPS = Numbers("at_caps", _FROM_ONE, "With --fit-cap: caps to forecast, such as 16000,32000.", "TOKENS,…")
REPLICATES = Number(
    "replicates", Range(0, 10**5), "Bootstrap replicates for the intervals; 0 for no intervals."
)
PLAN_REPLICATES = Number("replicates", Range(1, 10**5), "Bootstrap replicates for the intervals.")
SPLITS = Number("splits", _FROM_ONE, "Number of random splits.")
TARGET_ACCURACY = Number(
    "target_accuracy", _SHARE, "Find the cheapest choice that reaches this accuracy.", "X"
)
TOKEN_BUDGET = Number(
    "token_budget",
    Range(0, whole=False, above=True),
    "Find the best choice within this many tokens per question.",
    "TOKENS",
)
WIDTH = Length(
    "width",
    Range(1, 40, whole=False),
    "With --plot: printed width of the picture, such as 3.3in or 84mm; text is then 8 pt.",
)
COUNT = Number("correct or nulls", Range(0), "How often an answer was given.")
COUNTS = Numbers("wrong", Range(0), "How often each wrong answer was given.")
QUESTION_COUNTS = Numbers(
    "questions", _FROM_ONE, "Numbers of questions, such as 200,1000.  [default: the pilot's]"
)
ANSWER_COUNTS = Numbers(
    "answers", _FROM_ONE, "Numbers of answers per question.  [default: the pilot's, and 4 × that]"
)
MOST_ANSWERS = Number("n_max", Range(2, LARGEST_N), "Maximum number of answers per question.")
RANDOM_ORDERS = Number(
    "orders", Range(1, 10**5), "Number of random orders of each question's answers, shared by all rules."
)
_FORECAST = (*FORECAST, *FORECAST_ON_REQUEST)
_ELSEWHERE = "there is no forecast of {}; tts curves computes it"
METHOD = OneOf(
    "method",
    _FORECAST,
    "How to combine the N answers to a question.",
    refused={name: _ELSEWHERE.format(name) for name in COMPUTED if name not in _FORECAST},
)
_FALLS = {name: f"{name} falls with every answer: one is best" for name in FORECAST_ON_REQUEST}
PLAN_METHOD = replace(METHOD, words=FORECAST, refused={**METHOD.refused, **_FALLS})
TARGET = OneOf(
    "target",
    ("these-questions", "population"),
    "Intervals for more answers to the same questions, or for new questions of the same kind.",
)
