"""results.votes.caps: a run cut at hard caps, against counts over subsets and a real run with that limit."""

import itertools

import numpy as np
import pandas as pd
import pytest

from results import BadInput, build_curves, read_samples
from results.votes.caps import cap_samples
from tests.by_hand import by_subsets
from tests.harness.commands import command
from tests.results.votes.samples import samples_of

ANSWERS = {"q1": "rrab", "q2": ["a", "a", "r", None], "q3": "rabr"}
TOKENS = {"q1": [10, 25, 11, 40], "q2": [10, 20, 21, 5], "q3": [90, 91, 92, 93]}


def table(setting: str = "default", **columns: object) -> pd.DataFrame:
    return samples_of(ANSWERS, setting, TOKENS, **columns)


@pytest.mark.parametrize("cap", [4, 5, 10, 20, 24, 25, 90, 1000])
def test_a_cap_is_every_subset_counted_out(cap):
    ns = [1, 2, 3, 4]
    capped = cap_samples(table(score_rm=1).assign(score=lambda rows: rows["correct"].astype(float)), [cap])
    assert capped["score_rm"].eq(0).equals(capped["finish_reason"].eq("length"))
    methods, by = ["majority", "best_of_n", "highest_score"], {"highest_score": "best_of_n"}  # of 0 and 1
    curves = build_curves(capped, methods, ns, permutations=0).set_index(["method", "N"])
    cut = [
        [answer if spent <= cap else None for answer, spent in zip(ANSWERS[name], TOKENS[name], strict=True)]
        for name in ANSWERS
    ]
    for method, n in itertools.product(methods, ns):
        expected = np.mean([by_subsets(answers, n, by.get(method, method)) for answers in cut])
        assert curves.loc[(method, n), "accuracy"] == pytest.approx(expected, abs=1e-12)
    spent = np.mean([np.minimum(used, cap) for used in TOKENS.values()])
    assert curves["setting"].unique().tolist() == [f"cap={cap}"]
    assert curves["tokens_per_answer"].to_numpy() == pytest.approx(spent)
    assert curves["T"].to_numpy() == pytest.approx(3 * spent)


def test_a_cap_beyond_where_the_run_stopped_is_warned_of():
    samples = table(finish_reason="stop")
    samples.loc[samples["tokens"] == 40, "finish_reason"] = "length"
    with pytest.warns(UserWarning, match="cap=41: .* cut off 1 answers") as warned:
        capped = cap_samples(samples, [40, 41])
    assert len(warned) == 1
    cut = capped.loc[capped["finish_reason"] == "length", "setting"]
    assert cut.value_counts().to_dict() == {"cap=40": 5, "cap=41": 5}


@pytest.mark.filterwarnings("ignore:cap=")
def test_an_answer_that_the_run_cut_off_is_unfinished_at_every_cap_though_it_can_be_read():
    """q1's right answer was cut off at 25 tokens: it costs 25, but only one of four is right without it."""
    samples = table(finish_reason="stop")
    early = (samples["question_id"] == "q1") & (samples["tokens"] == 25)
    samples.loc[early, "finish_reason"] = "length"

    capped = cap_samples(samples, [25, 1000])
    curves = build_curves(capped, ["best_of_n"], [1], permutations=0).set_index("setting")

    unfinished = capped[(capped["question_id"] == "q1") & (capped["sample"] == 1)]
    assert unfinished["answer"].isna().all()
    assert unfinished["tokens"].tolist() == [25, 25]
    assert curves.loc["cap=25", "accuracy"] == pytest.approx((1 / 4 + 1 / 4 + 0) / 3)
    assert curves.loc["cap=1000", "accuracy"] == pytest.approx((1 / 4 + 1 / 4 + 2 / 4) / 3)


@pytest.mark.parametrize("caps", [[], [0], [-5], [2.5]])
def test_caps_that_are_none_are_refused(caps):
    with pytest.raises(BadInput, match="caps"):
        cap_samples(table(), caps)


def test_an_answer_without_tokens_is_named():
    with pytest.raises(BadInput, match="'tokens'"):
        cap_samples(table().drop(columns="tokens"), [10])
    samples = table()
    samples.loc[[6, 7], "tokens"] = pd.NA
    with pytest.raises(BadInput, match=r"2 of 12 answers.*q2, sample 2"):
        cap_samples(samples, [10])


def test_tokens_that_are_all_0_in_a_setting_are_no_counts():
    """Every cap would leave the run unchanged; a single 0 among other counts is valid."""
    both = pd.concat([table("low"), table("high").assign(tokens=0)])
    with pytest.raises(BadInput, match=r"12 of 24 answers have no tokens"):
        cap_samples(both, [10])
    some = both.assign(tokens=both["tokens"].where(both["sample"] > 0, 0))
    assert len(cap_samples(some[some["setting"] == "low"], [10])) == 12


@pytest.mark.integration
def test_a_real_run_with_the_cap_as_its_limit_agrees(tmp_path):
    """The tiny model's greedy answers, once with enough room for all and once cut off at 30 tokens."""
    common = {"budgets": 40, "samples": 1, "greedy": True, "limit": 40, "tokens_per_budget": 0.0}
    runs = []
    for name, room in (("long", 200), ("short", 30)):
        keys = {**common, "tokens_extra": room}
        pairs = [part for key, value in keys.items() for part in ("--set", f"{key}={value}")]
        done = command("sample", "tiny", *pairs, "--out", tmp_path / name)
        assert done.exit_code == 0, done.output
        run = read_samples(tmp_path / name)
        runs.append(run[run["decoding"] == "greedy"])
    capped, short = cap_samples(runs[0], [30]).set_index("question_id"), runs[1].set_index("question_id")
    cut = short["finish_reason"] == "length"
    assert 0.2 < cut.mean() < 0.95
    short = short.assign(answer=short["answer"].mask(cut), correct=short["correct"] & ~cut)
    columns = ["answer", "correct", "tokens", "finish_reason"]
    pd.testing.assert_frame_equal(capped[columns].sort_index(), short[columns].sort_index())
