"""The sentence forms that the tiny model's word problems are put together from.

A story is one opening, some events and one question. Each form names the numbers it draws and its steps, as

    StepForm("v", "+", "m", "After finding {m} more {she} has {eq}.")

where `v` is what the main person owns at that point, `s` the result of the step before within the same form,
digits a constant, and any other letter a drawn number. The last step's result is the new `v`.
"""

from dataclasses import dataclass

Range = tuple[int, int]


@dataclass(frozen=True)
class StepForm:
    """One arithmetic step: operands by name, and the solution's sentence for it (`{eq}` is the equation)."""

    left: str
    op: str
    right: str
    sentence: str


@dataclass(frozen=True)
class Form:
    """A sentence form: its name, its text in the problem, the inclusive ranges it draws from, its steps."""

    name: str
    text: str
    draws: dict[str, Range]
    steps: tuple[StepForm, ...] = ()


COUNT: Range = (2, 12)
TIMES: Range = (2, 4)

OPENINGS: tuple[Form, ...] = (
    Form("owns", "{A} has {n} {things}.", {"n": (4, 30)}),
    Form(
        "owns-and-buys",
        "{A} has {n} {things} and buys {m} more.",
        {"n": COUNT, "m": COUNT},
        (StepForm("n", "+", "m", "At first {A} has {eq} {things}."),),
    ),
    Form(
        "bags",
        "{A} has {k} bags with {n} {things} in each.",
        {"k": TIMES, "n": COUNT},
        (StepForm("k", "*", "n", "The bags hold {eq} {things}."),),
    ),
    Form(
        "two-owners",
        "{A} has {n} {things} and {B} has {m}. {B} gives all of them to {A}.",
        {"n": COUNT, "m": COUNT},
        (StepForm("n", "+", "m", "Together that is {eq} {things}."),),
    ),
    Form(
        "fewer-than",
        "{B} has {n} {things}. {A} has {m} fewer than {B}.",
        {"n": (8, 30), "m": COUNT},
        (StepForm("n", "-", "m", "{A} has {eq} {things}."),),
    ),
    Form(
        "times-as-many",
        "{B} has {n} {things}. {A} has {k} times as many.",
        {"n": COUNT, "k": TIMES},
        (StepForm("n", "*", "k", "{A} has {eq} {things}."),),
    ),
    Form(
        "two-days",
        "{A} makes {n} {things} on Monday and twice as many on Tuesday.",
        {"n": COUNT},
        (
            StepForm("n", "*", "2", "On Tuesday {A} makes {eq} {things}."),
            StepForm("n", "+", "s", "On both days {she} makes {eq}."),
        ),
    ),
)

EVENTS: tuple[Form, ...] = (
    Form(
        "finds",
        "{She} finds {m} more.",
        {"m": COUNT},
        (StepForm("v", "+", "m", "After finding {m} more {she} has {eq}."),),
    ),
    Form(
        "gives",
        "{She} gives {m} to {B}.",
        {"m": COUNT},
        (StepForm("v", "-", "m", "After giving {m} to {B} {she} has {eq}."),),
    ),
    Form(
        "loses",
        "Then {she} loses {m} of them.",
        {"m": COUNT},
        (StepForm("v", "-", "m", "After losing {m} {she} has {eq}."),),
    ),
    Form(
        "doubles",
        "A friend doubles what {she} has.",
        {},
        (StepForm("v", "*", "2", "The friend makes it {eq}."),),
    ),
    Form(
        "sells-half",
        "{She} sells half of them.",
        {},
        (StepForm("v", "/", "2", "After selling half {she} has {eq}."),),
    ),
    Form(
        "keeps-a-pile",
        "{She} makes {k} equal piles and keeps only one of them.",
        {"k": (2, 5)},
        (StepForm("v", "/", "k", "One of the {k} piles has {eq}."),),
    ),
    Form(
        "buys-packs",
        "{She} buys {k} packs with {m} in each.",
        {"k": TIMES, "m": (2, 9)},
        (
            StepForm("k", "*", "m", "The packs hold {eq}."),
            StepForm("v", "+", "s", "With the packs {she} has {eq}."),
        ),
    ),
    Form(
        "gives-to-each",
        "{She} gives {m} to each of {k} friends.",
        {"k": TIMES, "m": (2, 6)},
        (
            StepForm("k", "*", "m", "The friends get {eq}."),
            StepForm("v", "-", "s", "After that {she} has {eq}."),
        ),
    ),
    Form(
        "sells-a-third",
        "{She} sells a third of them.",
        {},
        (
            StepForm("v", "/", "3", "A third of them is {eq}."),
            StepForm("v", "-", "s", "After selling these {she} has {eq}."),
        ),
    ),
)

QUESTIONS: tuple[Form, ...] = (
    Form("now", "How many {things} does {A} have now?", {}),
    Form(
        "boxes",
        "{She} packs them in boxes of {k}. How many boxes does {she} fill?",
        {"k": (2, 6)},
        (StepForm("v", "/", "k", "{She} fills {eq} boxes."),),
    ),
    Form(
        "price",
        "{She} sells each one for {k} dollars. How many dollars does {she} get?",
        {"k": (2, 5)},
        (StepForm("v", "*", "k", "{She} gets {eq} dollars."),),
    ),
    Form(
        "needs",
        "How many more does {she} need to have {g}?",
        {"g": (10, 60)},
        (StepForm("g", "-", "v", "{She} needs {eq} more."),),
    ),
    Form(
        "friend-has-fewer",
        "{C} has {m} fewer than {A}. How many {things} does {C} have?",
        {"m": COUNT},
        (StepForm("v", "-", "m", "{C} has {eq} {things}."),),
    ),
    Form(
        "friend-has-more",
        "{C} has {m} more than {A}. How many {things} do they have together?",
        {"m": COUNT},
        (
            StepForm("v", "+", "m", "{C} has {eq} {things}."),
            StepForm("v", "+", "s", "Together they have {eq}."),
        ),
    ),
    Form(
        "friend-has-twice",
        "{C} has twice as many as {A}. How many {things} do they have together?",
        {},
        (
            StepForm("v", "*", "2", "{C} has {eq} {things}."),
            StepForm("v", "+", "s", "Together they have {eq}."),
        ),
    ),
)

# Each with the pronoun that the story uses for it.
NAMES: dict[str, str] = {
    "Anna": "she", "Ben": "he", "Clara": "she", "David": "he", "Emma": "she", "Felix": "he", "Grace": "she",
    "Henry": "he", "Iris": "she", "Jack": "he", "Kate": "she", "Leo": "he", "Mia": "she", "Noah": "he",
    "Olga": "she", "Paul": "he",
}  # fmt: skip

THINGS: tuple[str, ...] = (
    "apples", "balls", "books", "buttons", "cards", "coins", "cookies", "eggs", "flowers", "marbles",
    "pencils", "plums", "shells", "stamps", "stickers", "toys",
)  # fmt: skip
