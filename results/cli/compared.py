"""The output of `tts compare`: for runs, for sequential comparisons, and for every question.

$ tts compare runs/nightly --every-question --gate
10 questions, 4 answers to each; all of them should be right:
question   right  is
case9     0 of 4  failing
verdict: fails
"""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import pandas as pd

from results.commandline import BadInput
from results.paired.every_question import OfQuestions, QuestionGate, question_gate
from results.paired.pairs import pairs
from results.paired.runs import Pair
from results.paired.sequential import USUAL_LOOKS, Open, Planned, Way, Word, replayed
from results.paired.sides import sides_of
from results.paired.verdict import GATE, overall, verdict
from results.tables.contract import read_samples, sample_files
from results.tables.doubts import say_same_answers
from results.tables.key import on_dataset
from results.tables.money import columns_of_score
from results.terminal import plural, visible
from results.words import compared as words
from results.words.cells import Columns, Table, described, level_of, lines_of, tabled
from results.words.names import points

_LISTED = 20
"""The most questions that are named."""


def check_one(rows: pd.DataFrame, columns: list[str], only: str) -> None:
    """Raise BadInput, which names them, if the `columns` have more than one combination of values."""
    there = [", ".join(map(str, one)) for one in rows[columns].drop_duplicates().to_numpy()]
    if len(there) > 1:
        raise BadInput(visible(f"{only}; here are {len(there)}: {'; '.join(there)}"))


def look(pairs: list[Pair], level: float, planned: int | None, looks: int | None, margin: float) -> Word:
    """Print the state of a sequential comparison, and return the word on b."""
    if len(pairs) > 1:
        there = "; ".join(
            f"{' and '.join(pair.names)}{on_dataset(pair.a.dataset)}, {pair.method}" for pair in pairs
        )
        only = "--sequential is about two runs of one data set, one method and one setting"
        raise BadInput(visible(f"{only}; here are {there}"))
    (pair,) = pairs
    if pair.clusters is not None:
        raise BadInput(
            "--sequential takes independent questions; these come in clusters: compare once, without it"
        )
    differences = (pair.other - pair.one)[:, 0]
    questions = len(differences)
    if planned is not None and questions > planned:
        raise BadInput(f"--planned {planned}: there are {questions} questions already: the plan is used up")
    way: Way = Open(level)
    if planned is not None:
        way = Planned(planned, looks or USUAL_LOOKS, level)
        places = way.places(planned)
        if questions not in places:
            warnings.warn(
                f"{questions} questions are not a planned look ({', '.join(map(str, places))}): look only "
                "once between two planned looks, or the interval is too narrow",
                stacklevel=2,
            )
    here = way.look(differences, margin)
    click.echo(words.look_in_words(pair, here, planned, margin))
    if here.word != "go on" and planned in (None, questions):
        click.echo(words.replay_in_words(replayed(differences, way, margin), questions))
    return here.word


def exit_with(word: Word | OfQuestions, gate: bool, margin: float = 0.0) -> None:
    """Print the word on b and, as a gate, exit with its status. With a margin, it is not called "better"."""
    beside = {"better": f"not worse by {margin:g} points", "worse": f"worse by more than {margin:g} points"}
    click.echo(f"verdict: {beside.get(word, word) if margin else word}")
    if gate:
        click.get_current_context().exit(GATE[word])


def read(paths: tuple[Path, ...], score: str | None) -> dict[str, pd.DataFrame]:
    """The samples of each input, by name."""
    also = columns_of_score(score) if score else ()
    named = zip(_names(paths), paths, strict=True)
    tables = {name: read_samples(path, texts=False, also=also) for name, path in named}
    say_same_answers(tables)
    return tables


def of_models(tables: dict[str, pd.DataFrame], models: tuple[str, ...]) -> dict[str, pd.DataFrame]:
    """The answers of these models, or of all. Raises BadInput for one that is absent, or the only one."""
    there = {str(model) for table in tables.values() for model in table["model"].unique()}
    if unknown := [model for model in models if model not in there]:
        raise BadInput(visible(f"--model {unknown[0]}: no such model; there are {', '.join(sorted(there))}"))
    if models and len(there) == 1:
        why = "it is the only model there is: leave --model out"
        raise BadInput(visible(f"--model {models[0]}: {why}"))
    chosen = {name: table[table["model"].isin(models or there)] for name, table in tables.items()}
    return {name: table for name, table in chosen.items() if len(table)}


def exit_with_verdict(rows: pd.DataFrame, margin: float) -> None:
    """Print the verdict on b and exit with its status; a margin must be kept at every N."""
    ends = zip(rows["low"], rows["high"], strict=True)
    word = overall((verdict(low, high, margin) for low, high in ends), everywhere=margin > 0)
    if margin:
        click.echo("\n".join(_beside_margin(row, margin) for _, row in rows.iterrows()))
    exit_with(word, gate=True, margin=100 * margin)


def _beside_margin(row: Any, margin: float) -> str:
    """Where an interval lies relative to the margin: the table uses 0, the verdict the margin."""
    places = {"better": "lies above", "worse": "lies below", "undecided": "contains"}
    place = places[verdict(row["low"], row["high"], margin)]
    percent = f"{100 * margin:g}"
    told = f"the interval {points(row['low'])} … {points(row['high'])} {place} −{percent}"
    told = told if row["questions"] > 1 else "one question has no interval"
    return f"N = {row['N']}, with a margin of {percent} points: {told}"


def check_each_once(paths: tuple[Path, ...]) -> None:
    """Raise BadInput if an input is given twice, as it would be compared with itself."""
    files = [file.resolve() for file in sample_files(*paths)]
    for place, file in enumerate(files):
        if file in files[:place]:
            raise BadInput(f"{paths[place]}: given twice; give two runs, or one run once for its settings")


def _names(paths: tuple[Path, ...]) -> list[str]:
    """The name of each input: its folder or file, or the whole paths if two had the same name."""
    names = []
    for path in map(Path.resolve, paths):
        run = path.parent if path.stem == "samples" else path
        names.append(run.name if run.is_dir() else run.stem)
    return names if len(set(names)) == len(names) else [str(path) for path in paths]


def printed(rows: pd.DataFrame, every: bool) -> Table:
    """In words: single answers, each method's largest N, and rows that sentences quote; or every row."""
    most = rows.groupby([*words.PAIR_AT, "method"])["N"].transform("max")
    of_most = (rows["N"] > 1) & (rows["N"] == most)
    single = (rows["N"] == 1) & rows.index.isin(words.without_repeats(rows).index)
    quoted_rows = rows.index.isin([place for pair in words.pairs_of(rows) for place in words.quoted(pair)])
    columns: Columns = {"data set": lambda row: str(row["dataset"])} if _has_several(rows) else {}
    columns |= {"a": lambda row: str(row["a"]), "b": lambda row: str(row["b"])}
    if len(set(rows["setting_a"])) > 1 and (rows["a"] != rows["setting_a"]).any():
        columns["setting"] = lambda row: str(row["setting_a"])
    clusters = words.in_clusters(rows)
    of_questions = f", of questions{clusters}" if clusters else ""
    title = f"b − a in points; the {level_of(rows)} intervals hold jointly{of_questions}"
    return tabled(
        title, words.both_ways(rows[single | of_most | quoted_rows | every]), columns | words.COLUMNS
    )


def summary(rows: pd.DataFrame, table: Table) -> list[str]:
    """The lines of the table, and a sentence for each pair."""
    several = _has_several(rows)
    of_pairs = [(pair["dataset"].iloc[0], words.verdict(pair)) for pair in words.pairs_of(rows)]
    sentences = [words.lead_in(dataset, several) + told for dataset, told in of_pairs]
    return [f"{table.title}:", *lines_of(table), *sentences, *_ranks(rows)]


def for_a_paper(table: Table) -> pd.DataFrame:
    """The table for LaTeX: with plain minus signs, and its title as a column, which becomes a comment."""
    plain = [[cell.replace("−", "-") for cell in row] for row in [table.head, *table.rows]]
    return pd.DataFrame(plain[1:], columns=plain[0]).assign(table=table.title)


def _ranks(rows: pd.DataFrame) -> list[str]:
    """The possible ranks of three or more runs, by the most answers at each setting."""
    lines = []
    most_answers = {tuple(runs[["dataset", "setting"]].iloc[0]): runs for runs in words.rankings(rows)}
    settings = {setting for _, setting in most_answers}
    for (dataset, setting), runs in most_answers.items():
        place = words.lead_in(dataset, _has_several(rows), setting if len(settings) > 1 else "")
        lines += ["", place + words.ranks_sentence(runs), described(runs, words.RANK_COLUMNS)]
    return lines


def _has_several(rows: pd.DataFrame) -> bool:
    """Whether the rows are on several data sets."""
    return len(rows["dataset"].unique()) > 1


def look_at_every_question(
    tables: Mapping[str, pd.DataFrame], margin: float, level: float
) -> tuple[list[str], OfQuestions]:
    """The lines to print on each question of one run, or of two that are compared, and the verdict.

    Raises BadInput for more runs, and as `pairs` does.
    """
    sides = sides_of(tables, {})
    if len(sides) == 1:
        return _told(question_gate(sides[0].pools, None, margin, level))
    looked_at = list(pairs(sides))
    if len(looked_at) != 1:
        names = ", ".join(f"{side.named}{on_dataset(side.dataset)}" for side in sides)
        raise BadInput(
            f"--every-question is about one run at one setting, or two that are compared; here are {names}"
        )
    ((a, b),) = looked_at
    return _told(question_gate(b.pools, a.pools, margin, level))


def _told(gate: QuestionGate) -> tuple[list[str], OfQuestions]:
    fewest, most = gate.asked.min(), gate.asked.max()
    asked = f"{most}" if fewest == most else f"{fewest} to {most}"
    each = plural(asked, "answer")
    lines = [f"{plural(f'{len(gate.names):,}', 'question')}, {each} to each; {_wanted(gate)}:"]
    if gate.below.any():
        lines += _listed(gate)
    elif gate.before is not None:
        lines.append("no question falls short")
    else:
        lines.append(f"no question falls short; with {100 * gate.level:g} % confidence for all together, ")
        lines[-1] += f"each is right in at least {100 * gate.at_least:.0f} % of its answers"
    if gate.answers_needed is not None:
        lines.append(
            "so few answers cannot show that a question fails: even a fall from always right to never right "
            f"takes {gate.answers_needed:,} answers to show"
        )
    return lines, gate.word


def _wanted(gate: QuestionGate) -> str:
    short = f"{100 * gate.margin:g}"
    if gate.before is not None:
        return "b should be right as often as a" + (f", minus {short} points" if gate.margin else "")
    share = f"at least {100 * (1 - gate.margin):g} %" if gate.margin else "all"
    return f"{share} of them should be right"


def _listed(gate: QuestionGate) -> list[str]:
    """The lines of questions that are below, beginning with those that luck does not explain."""
    below = gate.below.nonzero()[0]
    first = sorted(below, key=lambda q: (not gate.fallen[q], gate.chances[q], gate.names[q]))[:_LISTED]
    counts = {"right": (gate.right, gate.answers)}
    if gate.before is not None:
        counts = {"a right": gate.before, "b right": counts["right"]}
    rows = []
    for q in first:
        shares = [f"{right[q]} of {answers[q]}" for right, answers in counts.values()]
        rows.append([gate.names[q], *shares, "failing" if gate.fallen[q] else "below, perhaps by chance"])
    more = len(below) - len(first)
    lines = lines_of(Table("", ["question", *counts, "is"], rows))
    return [*lines, *([f"and {more:,} more"] if more else [])]
