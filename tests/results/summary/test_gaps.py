"""Gaps along lengths: the posterior against formulas and simulated data with a known truth, and labels."""

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import beta

from results.figures.gaps import LAST, MOST_LINES, gaps_figure
from results.report.selectors import curve_choices
from results.saturating import fit_saturating
from results.summary.gaps import Gaps, Prior, gap_draws, gaps_along_lengths
from results.summary.panels import make_panels
from results.votes.curves import curves_and_votes
from results.words.findings import gaps_verdict
from results.words.names import show

LENGTHS = {"a": 10.0, "b": 20.0, "c": 40.0, "d": 80.0}


def world(questions: int, answers: int, seed: int, model: str = "m") -> tuple[pd.DataFrame, np.ndarray]:
    """Simulated answers of four lengths, and true gaps (questions, lengths); wrong answers may be common."""
    rng = np.random.default_rng(seed)
    rows, truth = [], np.empty((questions, len(LENGTHS)))
    for question in range(questions):
        for place, (setting, length) in enumerate(LENGTHS.items()):
            right = rng.beta(0.6 + 0.6 * place, 2)
            wrong = (1 - right) * rng.dirichlet(np.full(12, 0.3))
            truth[question, place] = right - wrong.max()
            drawn = rng.choice(13, p=[right, *wrong], size=answers)
            rows += [
                (f"q{question}", setting, i, f"{kind}", kind == 0, length) for i, kind in enumerate(drawn)
            ]
    names = ["question_id", "setting", "sample", "answer", "correct", "tokens"]
    whose = {"source": "llm", "dataset": "d", "model": model, "decoding": "sample"}
    return pd.DataFrame(rows, columns=names).assign(**whose), truth


def gaps_of(samples: pd.DataFrame) -> list[Gaps]:
    return gaps_along_lengths(curves_and_votes(samples, ("majority", "best_of_n"), permutations=0)[1])


def test_gaps_and_their_means_are_those_of_a_dirichlet_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """One wrong answer, some unreadable, two pool sizes, clusters: moments of p − q, and Wilson's limits."""
    before = np.array([1.0, 2.0, 1.0])
    monkeypatch.setattr("results.summary.gaps.learn_prior", lambda _: Prior(before, 1e-9))
    said = [
        (right, size - right - unread, unread) for size in (6, 7) for right in (1, 3, 5) for unread in (0, 1)
    ]
    rows = [
        (f"q{q}", f"c{q // 4}", setting, i, answer, answer == "0", length)
        for setting, length in LENGTHS.items()
        for q, times in enumerate(said)
        for i, answer in enumerate(np.repeat(np.array(["0", "1", None], object), times))
    ]
    names = ["question_id", "cluster", "setting", "sample", "answer", "correct", "tokens"]
    whose = {"source": "llm", "dataset": "d", "model": "m", "decoding": "sample"}
    (gaps,) = gaps_of(pd.DataFrame(rows, columns=names).assign(**whose))

    law = np.array(said) + before
    total, apart = law.sum(axis=1), law[:, 0] - law[:, 1]
    mean = apart / total
    variance = (law[:, 0] + law[:, 1] - apart**2 / total) / total / (total + 1)
    own = gaps.questions[gaps.questions["setting"] == "a"].set_index("question")
    own = own.loc[[f"q{q}" for q in range(len(said))]]
    np.testing.assert_allclose(own["gap"], mean, atol=0.04)
    np.testing.assert_allclose(own["behind"], beta(law[:, 0], law[:, 1]).cdf(0.5), atol=0.07)

    row = gaps.means.iloc[0]
    errors = (own["gap"] - own["gap"].mean()).to_numpy()
    by_cluster = errors.reshape(-1, 4).sum(axis=1)
    spread = 3 / 2 * (by_cluster**2).sum() / len(said) ** 2 + variance.mean() / len(said)
    assert row["high"] - row["gap"] == pytest.approx(1.645 * np.sqrt(spread), rel=0.04)
    share = own["behind"].mean()  # Wilson's limits are 1.645 of their own standard errors from the share
    for end in row[["behind_low", "behind_high"]]:
        assert abs(end - share) == pytest.approx(1.645 * np.sqrt(end * (1 - end) / 3), rel=0.001)


def test_the_strongest_of_two_wrong_answers() -> None:
    """E max(u, 1 − u) by quadrature, where u ~ Beta(4, 3) splits the wrong mass between the two answers."""
    prior = Prior(np.array([1.0, 1.0, 1.0]), 1e-9)
    draws = gap_draws(5, [3, 4], 2, prior, 200_000)
    largest, _ = quad(lambda u: max(u, 1 - u) * beta(4, 3).pdf(u), 0, 1)
    assert draws.mean() == pytest.approx(6 / 17 - 8 / 17 * largest, abs=0.004)


def test_worlds_whose_truth_is_known() -> None:
    """In 8 simulations the 90 % intervals cover mean gaps and shares behind; raw shares err twice as much."""
    inside, counted, off, plain = [], [], [], []
    for seed in range(8):
        samples, truth = world(60, 16, seed)
        (gaps,) = gaps_of(samples)
        means = gaps.means
        mean, behind = truth.mean(axis=0), (truth < 0).mean(axis=0)
        inside += [*means["low"].le(mean) & means["high"].ge(mean)]
        counted += [*means["behind_low"].le(behind) & means["behind_high"].ge(behind)]
        off += [*means["gap"] - mean]
        counts = samples.groupby(["setting", "question_id", "answer"]).size().reset_index(name="times")
        right = counts[counts["answer"] == "0"].groupby("setting")["times"].sum()
        strongest = counts[counts["answer"] != "0"].groupby(["setting", "question_id"])["times"].max()
        plain += [*(right - strongest.groupby("setting").sum()) / (60 * 16) - mean]
    assert np.mean(inside) >= 0.9
    assert np.mean(counted) >= 0.9
    assert abs(np.mean(off)) < 0.02
    assert np.mean(plain) < -0.035


def test_neither_names_nor_the_order_of_rows_matter_and_models_do_not_mix() -> None:
    first, _ = world(30, 8, 1)
    second, _ = world(20, 8, 2, model="other")
    whole = pd.concat([first, second])
    of_first, of_second = gaps_of(whole)
    names = {name: f"z{place}" for place, name in enumerate(first["answer"].unique())}
    shuffled = first.assign(answer=first["answer"].map(names)).sample(frac=1, random_state=3)
    (again,) = gaps_of(shuffled)
    pd.testing.assert_frame_equal(of_first.means, again.means)
    pd.testing.assert_frame_equal(of_first.questions, again.questions)
    assert of_second.key.model == "other"
    assert of_second.means["questions"].eq(20).all()


def test_lengths_must_differ_be_known_and_have_questions_in_common() -> None:
    samples, _ = world(10, 4, 1)
    assert gaps_of(samples[samples["setting"] != "a"]) == []
    assert gaps_of(samples.assign(tokens=10.0)) == []
    assert gaps_of(samples.drop(columns="tokens")) == []
    part = samples[(samples["setting"] != "b") | samples["question_id"].isin(["q3", "q4"])]
    (gaps,) = gaps_of(part)
    assert gaps.means["questions"].tolist() == [2] * 4
    assert set(gaps.questions["question"]) == {"q3", "q4"}


def test_the_picture_and_its_sentence() -> None:
    samples, _ = world(6, 4, 1)
    many = pd.concat(
        [samples.assign(question_id=samples["question_id"] + f"-{i}") for i in range(MOST_LINES // 3)]
    )
    curves, votes = curves_and_votes(many, ("majority", "best_of_n"), permutations=0)
    (gaps,) = gaps_along_lengths(votes)
    beside = {choice.slug: choice.figures for choice in curve_choices(make_panels(curves), [gaps])}
    assert [slug for slug, figures in beside.items() if len(figures) == 3] == [next(iter(beside))]
    figure = gaps_figure(gaps, "g")
    rows = {layer.mark["style"]: layer.data for layer in figure.layers}
    assert rows["thread"]["question"].nunique() == MOST_LINES
    colours = rows["thread"][["question", "leads"]].drop_duplicates()
    assert not colours["question"].duplicated().any()  # one colour per line
    ends = rows["thread"].query("setting == 'd'")
    assert ends["leads"].tolist() == ends["behind"].gt(0.5).map(LAST).tolist()
    assert rows["mean"]["gap"].tolist() == gaps.means["gap"].tolist()
    assert f"{MOST_LINES} of {2 * MOST_LINES}" in figure.subtitle[-1]
    assert "law" in rows
    assert "; dashed: the paper’s" in " ".join(figure.subtitle)
    doubts = fit_saturating(gaps.means["length"], gaps.means["gap"]).reason
    assert ("not to be trusted" in figure.subtitle[-1]) == bool(doubts)
    assert gaps_verdict(gaps).startswith("At 10 tokens")
    assert f", at 80 in {show(gaps.means['behind'].iloc[-1])} (" in gaps_verdict(gaps)
