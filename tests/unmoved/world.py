"""A small world of answers in which everything meets everything: see `write_world`.

Three models (one thinks), two data sets whose questions share their ids, three settings (two are numbers),
clusters and pools of unequal size, questions that one side lacks, answers that are null, cut off, spelt in
two ways, tied or greedy, scores of which some are missing, prices of four kinds of tokens, questions whose
tokens or whose prompt's nobody has counted, and more cached tokens than the prompt has.

Drawn by `random.Random`, whose stream no version changes, and without functions whose last digit a machine
may choose.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd

from results import write_samples

SETTINGS = {"60": 60, "200": 200, "free": 420}
"""What is asked for, and the tokens that an answer to a middling question takes."""
DATASETS = {"sums": 30, "words": 15}
"""Their questions; the data set `words` is of yes and no, but for a few."""


@dataclass(frozen=True)
class Model:
    """How good one is, at the settings in turn; what its answers cost; what it does not have."""

    skill: tuple[float, float, float]
    pace: float
    pool: int
    unread: float = 0.06
    lacks: tuple[str, ...] = ()
    uncounted: tuple[str, ...] = ()
    thinks: bool = False


MODELS = {
    "small": Model((0.30, 0.42, 0.52), 1.0, 9),
    "large": Model((0.48, 0.62, 0.66), 1.4, 8, 0.03, ("q03", "q13"), ("q23",)),
    "org/thinker": Model((0.25, 0.60, 0.84), 2.1, 7, 0.10, ("q08",), thinks=True),
}


def gold_of(dataset: str, question: int) -> str:
    if dataset == "words" and question % 4:
        return ("yes", "no")[question % 3 % 2]
    return str(7 + question * 3)


def said(rng: Random, dataset: str, gold: str, right: bool) -> str:
    """An answer: a right number may be spelt otherwise; wrong ones mostly agree, so that votes tie."""
    if right:
        return gold if not gold.isdigit() or rng.random() < 0.8 else f"{gold}.0"
    if not gold.isdigit():
        return "no" if gold == "yes" else "yes"
    place = rng.random()
    near = int(gold) + (1 if place < 0.55 else 2 if place < 0.8 else 10)
    return str(near)


def answers(name: str, dataset: str, seed: str) -> Iterator[dict[str, Any]]:
    """The rows of a model on a data set."""
    model, rng = MODELS[name], Random(f"{seed} {name} {dataset}")
    questions = DATASETS[dataset]
    hardness = [((q * 13 + len(dataset)) % questions) / questions for q in range(questions)]
    for (setting, usual), skill in zip(SETTINGS.items(), model.skill, strict=True):
        if model.thinks and dataset == "words" and setting != "200":
            continue  # so that the settings of a model hang on the data set
        for question in range(questions):
            asked = f"q{question:02d}"
            if asked in model.lacks and (setting != "60" or dataset == "words"):
                continue
            hard, gold = hardness[question], gold_of(dataset, question)
            size = model.pool + (3 if question % 5 == 0 else 0) - (1 if setting == "free" else 0)
            for sample in range(-1, size):
                if sample > 2 and rng.random() < 0.04:
                    continue  # lost
                right = rng.random() < min(0.98, max(0.04, 0.5 + 1.3 * (skill - hard)))
                tokens = round(usual * model.pace * (0.4 + hard + 0.6 * rng.random()))
                limit = round(1.45 * usual * model.pace)
                cut = tokens >= limit
                null = rng.random() < (0.7 if cut else model.unread)
                belief = 0.5 * rng.random() + (0.4 if right else 0.0)
                row = {
                    "question_id": asked,
                    "setting": setting,
                    "sample": max(sample, 0),
                    "decoding": "sample" if sample >= 0 else "greedy",
                    "answer": None if null else said(rng, dataset, gold, right),
                    "gold": gold,
                    "dataset": dataset,
                    "model": name,
                    "tokens": None if asked in model.uncounted else min(tokens, limit),
                    "prompt_tokens": None if question % 9 == 7 else 30 + question,
                    "cached_tokens": 20 + 2 * question if sample > 0 else 0,
                    "finish_reason": "length" if cut else "stop",
                    "score": None if rng.random() < 0.06 else round(belief, 1),
                    "score_rm": None if rng.random() < 0.1 else round(4 * belief - 1.5 + rng.random(), 3),
                    "tokens_rm": 40 + question % 7,
                    "logprob": round(-0.2 - 0.8 * hard - 0.3 * rng.random(), 4),
                    "cluster": f"{dataset[0]}{question - (question % 3 == 0)}",
                    "topic": f"topic {question * question % 23}",
                    "note": "=1+1" if question == 4 else "plain",
                }
                if model.thinks:
                    thought = round(min(tokens, limit) * (0.3 + 0.5 * rng.random()))
                    row |= {"reasoning": f"think {question}", "reasoning_tokens": thought}
                yield row


def write_world(folder: Path) -> None:
    """Write the answers, as tables of three formats and a run folder.

    small.csv, large.parquet      two models on both data sets at all settings
    thinker/samples.jsonl         a run folder; its model has thoughts and no prices of its own
    again.jsonl                   the model `small` asked once more
    bare.csv                      no scores, clusters, tokens or settings; an answer `None`
    credit.csv, verdicts.csv      partial credit, and verdicts without answers
    costs.csv                     a column `cost`, and no clusters
    long.csv                      answers of one setting that nothing has cut off
    few.csv                       the dearest model, on a part of the questions
    sums.csv                      curves of two models by sums of tokens; of one some lengths are known
    uneven.csv                    shards, one lost; few answers to some questions; some tokens unknown
    edges.csv, lone.csv           models all right, all wrong, half and unread; one question of two of them
    fractions.csv                 decimals and expressions, which one question has of the two
    asked.csv, choices.jsonl      questions to be sampled, with numbers and with choices
    asked.toml                    an experiment of the former, for a server of the tests
    """
    (folder / "thinker").mkdir()
    tables = {
        name: pd.DataFrame([*answers(name, "sums", "1"), *answers(name, "words", "1")]) for name in MODELS
    }
    small, large, thinker = tables.values()
    write_samples(small, folder / "small.csv")
    write_samples(large, folder / "large.parquet")
    write_samples(thinker, folder / "thinker/samples.jsonl")
    again = pd.DataFrame(answers("small", "sums", "2"))
    write_samples(again[again["setting"] != "free"], folder / "again.jsonl")
    bare = small[(small["setting"] == "60") & (small["decoding"] == "sample")].reset_index(drop=True)
    bare["answer"] = bare["answer"].mask(bare.index % 17 == 0, "None")
    bare[["dataset", "question_id", "sample", "answer", "gold"]].to_csv(folder / "bare.csv", index=False)
    named = ["dataset", "model", "setting", "question_id", "sample", "tokens", "cluster"]
    credit = small[(small["dataset"] == "sums") & (small["decoding"] == "sample")]
    credit.assign(score=credit["score"].clip(0, 1).where(credit["question_id"] != "q05", 1))[
        [*named, "score"]
    ].to_csv(folder / "credit.csv", index=False)
    verdicts = large[large["decoding"] == "sample"]
    verdicts.assign(correct=verdicts["answer"] == verdicts["gold"])[[*named, "correct"]].to_csv(
        folder / "verdicts.csv", index=False
    )
    both = pd.concat([small, large])
    both = both[(both["setting"] == "200") & (both["dataset"] == "sums") & (both["decoding"] == "sample")]
    cost = both["tokens"].fillna(90) * 1.5e-6 + (both["model"] == "large") * 1e-4
    write_samples(both.drop(columns="cluster").assign(cost=cost), folder / "costs.csv")
    long = pd.concat([small, large[large["question_id"] < "q20"]])
    long = long[(long["setting"] == "free") & (long["decoding"] == "sample") & (long["dataset"] == "sums")]
    long = long.assign(finish_reason="stop", tokens=long["tokens"] + 90 * (long["sample"] % 5))
    write_samples(long, folder / "long.csv")
    few = thinker[(thinker["setting"] == "200") & thinker["question_id"].str.contains("[0-4]$")]
    write_samples(few[few["dataset"] == "sums"], folder / "few.csv")
    sums = [
        {
            **{"model": name, "method": "majority", "setting": setting, "T": 900 * usual, "N": n},
            **{"accuracy": 0.42 + 0.1 * place - 0.12 / n, "stderr": 0.03},
            "tokens_per_answer": usual if name == "half" and place < 2 else None,
        }
        for name in ("old", "half")
        for place, (setting, usual) in enumerate(SETTINGS.items())
        for n in (1, 2, 4, 8)
    ]
    pd.DataFrame(sums).to_csv(folder / "sums.csv", index=False)
    uneven = pd.concat([small, large], ignore_index=True)
    uneven = uneven[(uneven["setting"] == "200") & (uneven["decoding"] == "sample")]
    number = uneven["question_id"].str[1:].astype(int)
    part = (number % 3 + 1).astype(str) + "/3"
    part = part.where(uneven["model"] == "small", (number % 2 + 1).astype(str) + "/2")
    uneven = uneven.assign(
        shard=part,
        question_id=uneven["question_id"].where(number % 5 != 2, "50 % #" + uneven["question_id"]),
        answer=uneven["answer"].mask((uneven["sample"] == 2) & (uneven["model"] == "large")),
        tokens=uneven["tokens"].mask((uneven["sample"] == 1) & (number % 6 == 0)),
    )
    has_few = (number % 4 == 1) & (uneven["sample"] > 3)
    write_samples(uneven[~has_few & (part != "2/3")], folder / "uneven.csv")
    edges = [
        {"dataset": dataset, "question_id": q, "model": name, "answer": answer or None, "gold": "7"}
        | {"cluster": f"p{q // 3}" if dataset == "passages" else None, "sample": sample}
        | {"tokens": 40 if dataset == "passages" else None}
        for dataset, questions in (("passages", 24), ("alone", 9))
        for name, said in {"right": "777", "wrong": "888", "half": "787", "unread": ["", "", ""]}.items()
        for q in range(questions)
        for sample, answer in enumerate(said)
    ]
    table = pd.DataFrame(edges)
    table.to_csv(folder / "edges.csv", index=False)
    lone = table[(table["question_id"] == 0) & table["model"].isin(["right", "half"])]
    lone[lone["dataset"] == "alone"].assign(tokens=40).to_csv(folder / "lone.csv", index=False)
    halves = [
        {"question_id": q, "answer": answer, "gold": "0.5"} for q in "ab" for answer in ("0.50", "1/2", "3")
    ]
    pd.DataFrame(halves[1:]).to_csv(folder / "fractions.csv", index=False)
    asked = [{"question": f"How much is {n} and {n + 1}?", "gold": str(2 * n + 1)} for n in range(5)]
    pd.DataFrame(asked).to_csv(folder / "asked.csv", index=False)
    (folder / "asked.toml").write_text(
        'dataset = "asked.csv"\nmodel = "org/chat"\nengine = "openai"\nchat = true\nconcurrency = 1\n'
        'prompt = "gsm8k-budget"\nbudgets = [60, 200]\nsamples = 3\nreaders = ["hashes", "boxed"]\n'
        "tokens_extra = 300\n",
        encoding="utf-8",
    )
    choices = [
        {"question": f"Which floats, case {n}?", "choices": ["A nail", "A cork", "A coin"], "gold": "ABC"[n]}
        for n in range(3)
    ]
    lines = "".join(json.dumps(choice) + "\n" for choice in choices)
    (folder / "choices.jsonl").write_text(lines, encoding="utf-8")
