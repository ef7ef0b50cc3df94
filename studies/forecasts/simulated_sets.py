"""Answers of simulated models for evaluating forecasts: a function per set, with fixed seeds.

    question_id  setting  sample  answer  gold  tokens  model
    choice-000   default  0       D       A     936     simulated-1

choices      nine models on one multiple-choice test: tempting distractors, a preference for a letter
steps        chains of arithmetic, wrong by a slip at a step, at three temperatures
budgets      trains of thought cut off at six budgets, some guess, some overthink
close calls  one question in five has a wrong answer just ahead of the right one
"""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from results.votes.exact import Floats

Row = tuple[str, str, int, str | None, str, int, str]
"""The columns below; None is an unreadable answer."""

COLUMNS = ["question_id", "setting", "sample", "answer", "gold", "tokens", "model"]


def made(name: str) -> pd.DataFrame:
    """The samples table of a set, in the order in which the answers were drawn."""
    return pd.DataFrame(list(SETS[name]()), columns=COLUMNS).assign(dataset=name)


def choices() -> Iterator[Row]:
    """100 questions × 110 answers of nine models whose accuracy is 30 … 85 %."""
    rng = np.random.default_rng(41_507)
    Q, samples = 100, 110
    targets = [0.30, 0.36, 0.43, 0.50, 0.57, 0.64, 0.71, 0.78, 0.85]
    difficulty = 1.1 * rng.standard_normal(Q) + 0.5 * rng.exponential(1.0, Q)
    gold = rng.integers(0, 4, Q)
    # Attraction of the options: three kinds of question (plain, one tempting distractor, two of them).
    pull = rng.normal(-0.6, 0.6, (Q, 4))
    kind = rng.choice(3, Q, p=[0.52, 0.36, 0.12])
    for q in range(Q):
        wrong = rng.permutation([o for o in range(4) if o != gold[q]])
        for o in wrong[: kind[q]]:
            pull[q, o] += rng.gamma(2.2, 0.6)
    right = np.zeros((Q, 4))
    right[np.arange(Q), gold] = 1.0
    for m, target in enumerate(targets):
        heat = rng.uniform(0.35, 1.15)
        susceptible = 1.25 - 0.6 * m / 8 + 0.1 * rng.standard_normal()
        letters = rng.normal(0, 0.18 + 0.25 * (m < 3), 4)
        own = rng.normal(0, 0.55, (Q, 4))
        p = _of_accuracy(target, right, susceptible * pull, difficulty, own, letters, heat)
        base = rng.uniform(0.002, 0.02)
        lost = np.clip(base * np.exp(0.8 * rng.standard_normal(Q) + 0.3 * difficulty), 0, 0.25)
        length = rng.uniform(120, 600)
        for q in range(Q):
            picks = rng.choice(4, samples, p=p[q])
            null = rng.random(samples) < lost[q]
            tokens = 1 + length * np.exp(0.2 * difficulty[q] + 0.35 * rng.standard_normal(samples))
            for i in range(samples):
                answer = None if null[i] else "ABCD"[picks[i]]
                name = f"simulated-{m + 1}"
                yield f"choice-{q:03d}", "default", i, answer, "ABCD"[gold[q]], int(tokens[i]), name


def _of_accuracy(
    target: float, right: Floats, pull: Floats, difficulty: Floats, own: Floats, letters: Floats, heat: float
) -> Floats:
    """Probabilities of the options (Q, 4) at the skill with mean accuracy `target`, by bisection."""
    low, high = -8.0, 12.0
    for _ in range(60):
        skill = (low + high) / 2
        z = pull * (1 - right) + right * (skill - difficulty)[:, None] + own + letters
        p = _softmax(z / heat)
        if p[right == 1].mean() < target:
            low = skill
        else:
            high = skill
    return p


def steps() -> Iterator[Row]:
    """300 questions × 64 answers at temperatures 0.5, 0.8 and 1.1."""
    rng = np.random.default_rng(90_226)
    for q in range(300):
        length = int(rng.choice([2, 3, 4, 5, 6, 7, 8], p=[0.15, 0.2, 0.2, 0.16, 0.13, 0.1, 0.06]))
        start = int(rng.integers(3, 60))
        chain, value = [], start
        care = rng.normal(4.3, 1.0)  # advantage of the right result of a step, in logits
        for _ in range(length):
            op = str(rng.choice(["+", "-", "*"], p=[0.4, 0.33, 0.27]))
            k = int(rng.integers(2, 12)) if op == "*" else int(rng.integers(2, 80))
            hard = care - 0.5 * (op == "*") - 0.15 * len(str(abs(value))) + 0.8 * rng.standard_normal()
            # An easily misread step: one of its slips is close to the right result, or ahead of it.
            trap = rng.random() < 0.055
            order, own = int(rng.integers(2**31)), rng.gumbel(0, 0.9, 12)
            chain.append((op, k, hard, trap, rng.normal(0.35, 1.3), order, own))
            value = _apply(op, value, k)
        wordy = rng.uniform(18, 34)
        for t in (0.5, 0.8, 1.1):
            fail = 1 / (1 + np.exp(7.0 - 2.6 * t - 0.15 * length))
            for i in range(64):
                x = start
                for op, k, hard, trap, lead, order, own in chain:
                    right, wrong = _apply(op, x, k), _slips(op, x, k)
                    wrong = [wrong[j] for j in np.random.default_rng(order).permutation(len(wrong))]
                    z = own[: len(wrong)] - 0.5 * np.arange(len(wrong))
                    if trap:
                        z[0] = hard - lead
                    # Forty distant results, each unlikely: they matter only at high temperature.
                    z = np.concatenate([[hard], z, [np.log(40.0) * t - 3.2]]) / t
                    pick = int(rng.choice(len(z), p=_softmax(z)))
                    if pick == 0:
                        x = right
                    elif pick <= len(wrong):
                        x = wrong[pick - 1]
                    else:
                        x = right + int(np.sign(rng.random() - 0.5) * (1 + rng.geometric(0.04)))
                null = rng.random() < fail
                tokens = 8 + wordy * length * np.exp(0.12 * rng.standard_normal()) * (1 + 0.1 * t)
                answer = None if null else str(x)
                yield f"steps-{q:03d}", str(t), i, answer, str(value), int(tokens), "simulated"


def _apply(op: str, x: int, k: int) -> int:
    return x + k if op == "+" else x - k if op == "-" else x * k


def _slips(op: str, x: int, k: int) -> list[int]:
    """Wrong results of a step, each a thing people and models do."""
    right = _apply(op, x, k)
    other = {"+": "-", "-": "+", "*": "+"}[op]
    found = [_apply(other, x, k), right + 10, right - 10, right + 1, right - 1, x, k, right + k, right * 10]
    text = str(abs(right))
    if len(text) > 1:
        found.append(int(text[:-2] + text[-1] + text[-2]))
    return [v for v in dict.fromkeys(found) if v != right]


def budgets() -> Iterator[Row]:
    """150 questions × 48 answers at budgets of 256 … 8,192 tokens."""
    rng = np.random.default_rng(63_318)
    for q in range(150):
        gold = str(int(rng.integers(0, 1000)))
        needed = np.exp(rng.normal(np.log(1300), 0.95))
        spread = rng.uniform(0.15, 0.55)
        kind = rng.choice(3, p=[0.56, 0.29, 0.15])
        ceiling = rng.beta(*[(14, 1.2), (3, 2), (1, 4)][kind])
        # Wrong answers at the end of a full train of thought: one favourite and a tail by rank.
        others = [str(v) for v in rng.permutation([v for v in range(1000) if str(v) != gold])[:25]]
        favourite = rng.beta(1.6, 1.6)
        tail = 1.0 / np.arange(1, 25) ** rng.uniform(0.6, 1.6)
        wrong = np.concatenate([[favourite], (1 - favourite) * tail / tail.sum()])
        # The guesses after a truncated train of thought: a small pool, with or without the gold.
        pool = [str(v) for v in rng.integers(0, 1000, int(rng.integers(2, 6)))]
        pool[0] = others[0] if rng.random() < 0.5 else pool[0]
        if rng.random() < 0.6:
            pool.append(gold)
        guess = rng.dirichlet(np.full(len(pool), 0.8))
        silent = rng.beta(2, 2.2)
        overthinks = rng.random() < 0.12
        answer: str | None
        for budget in (256, 512, 1024, 2048, 4096, 8192):
            for i in range(48):
                need = needed * np.exp(spread * rng.standard_normal())
                if need <= budget:
                    room = budget / need
                    right = ceiling * (0.75 if overthinks and room > 4 else 1.0)
                    # Models use part of their budget.
                    tokens = min(budget, need * min(room, 1 + 0.15 * np.log(room)))
                    answer = gold if rng.random() < right else others[rng.choice(25, p=wrong)]
                else:
                    tokens = budget
                    near = max(0.0, 1 - (need / budget - 1) / 0.5)  # almost finished: it may know the answer
                    if rng.random() < 0.45 * near * ceiling:
                        answer = gold
                    elif rng.random() < silent:
                        answer = None
                    else:
                        answer = pool[rng.choice(len(pool), p=guess)]
                yield f"budget-{q:03d}", str(budget), i, answer, gold, int(tokens), "simulated"


def close_calls() -> Iterator[Row]:
    """250 questions × 64 answers; on 50 of them a wrong answer leads by 2 to 10 points."""
    rng = np.random.default_rng(17_884)
    Q, samples = 250, 64
    led = rng.permutation(Q) < Q // 5
    for q in range(Q):
        gold = str(int(rng.integers(10, 5000)))
        others = [str(v) for v in rng.permutation([v for v in range(10, 5000) if str(v) != gold])[:40]]
        right, first = _leaders(rng, bool(led[q]))
        null = rng.beta(0.5, 30) * (1 - right - first)
        tail = np.sort(rng.gamma(rng.choice([0.25, 1.0]), 1.0, 39) + 1e-6)[::-1]
        tail *= (1 - right - first - null) / tail.sum()
        # No tail answer exceeds the first two: the excess is spread evenly.
        cap = 0.8 * min(right, max(first, 0.04))
        for _ in range(50):
            over = np.maximum(tail - cap, 0).sum()
            if over < 1e-12:
                break
            tail = np.minimum(tail, cap)
            room = tail < cap
            tail[room] += over / room.sum()
        p = np.concatenate([[right, first, null], tail])
        p /= p.sum()
        names = [gold, others[0], None, *others[1:]]
        length = np.exp(rng.normal(5.4 - 0.8 * right, 0.3))
        for i, pick in enumerate(rng.choice(len(p), samples, p=p)):
            tokens = 5 + length * np.exp(0.25 * rng.standard_normal())
            yield f"sure-{q:03d}", "default", i, names[pick], gold, int(tokens), "simulated"


def _leaders(rng: np.random.Generator, led: bool) -> tuple[float, float]:
    """Probabilities of the right answer and of the first wrong one, which leads where `led`."""
    if led:
        right = rng.uniform(0.22, 0.45)
        return right, min(right + rng.uniform(0.02, 0.10), 0.98 - right)
    if rng.random() < 0.62:
        right = rng.beta(11, 1.3)
        return right, (1 - right) * rng.beta(2, 2)
    right = rng.uniform(0.30, 0.80)
    first = min(right - rng.uniform(0.03, 0.3), 0.9 * (1 - right))
    return right, max(first, 0.02)


def _softmax(z: Floats) -> Floats:
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True))


SETS: dict[str, Callable[[], Iterator[Row]]] = {
    "choices": choices,
    "steps": steps,
    "budgets": budgets,
    "close calls": close_calls,
}
