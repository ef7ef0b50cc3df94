"""Backtests of caps: a split's forecast is made from its own answers, and also scored on the others."""

from dataclasses import replace

import numpy as np
import pytest

from predict.estimate import Estimate, Lengths, Options, Status, everywhere, from_draws
from predict.estimators import ESTIMATORS, SURVIVAL, estimate
from predict.evidence.capped import capped, observe, unseen
from predict.evidence.groups import Group
from predict.evidence.points import Evidence, Points
from predict.evidence.request import Request
from predict.splits import accuracy_of, backtest
from results.normal import Interval
from tests.predict.stopped.simulated import samples

CAP, CAPS, SEEN, SPLITS = 8000, (12000, 20000), 8, 3
REQUEST, OPTIONS = Request(fit_max_n=SEEN, at_n=(1, 8)), Options(replicates=2, seed=5)


@pytest.fixture(scope="module")
def group() -> Group:
    """A group whose answers all have different lengths, unevenly spaced: their sum identifies a split."""
    table = samples(n=16, Q=12)
    longest_last = table["tokens"].rank(method="first").astype(int)
    tokens = 7000 + 20 * longest_last + longest_last**2 % 19
    return capped(table.assign(tokens=tokens), "majority", CAP, CAPS)[0]


def share_right(observed: Evidence, targets: Points, options: Options) -> Estimate:
    """A quick and exact stand-in for the predictor: the share of right answers among those it sees, with an
    interval made from the seed and N."""
    assert observed.run
    share = float((observed.run.answers.votes == 0).mean())
    mean = share + 0.0 * targets.N
    draws = np.stack([mean + 0.1 * options.seed / 100, mean - targets.N / 100])
    found = from_draws(mean, draws, draws, everywhere(Status.OK, len(targets)), 0.9)
    tokens = np.full(len(targets), observed.run.answers.tokens.mean())
    return replace(found, lengths=Lengths(tokens, Interval(mean + options.seed, mean, 0.9)))


def test_a_split_s_forecast_is_the_predictor_s_on_its_answers_and_scored_on_the_others(
    group: Group, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ESTIMATORS, SURVIVAL, share_right)

    table = backtest(group, [SURVIVAL], REQUEST, SPLITS, OPTIONS)

    asked = Points.grid({f"cap={cap}": 1.0 for cap in CAPS}, REQUEST.at_n)
    for split, rows in table.groupby("split"):
        observed = observe(group, [f"cap={CAP}"], SEEN, OPTIONS.seed, int(split))
        seeded = replace(OPTIONS, seed=OPTIONS.seed + int(split))
        alone = estimate(SURVIVAL, observed, asked, seeded)
        hidden = unseen(group, [f"cap={CAP}"], SEEN, OPTIONS.seed, int(split))
        places = list(zip(rows["setting"], rows["N"], strict=True))
        assert places == asked.places()
        for column, expected in (
            ("predicted", alone.mean),
            ("low", alone.these.low),
            ("high", alone.these.high),
            ("unseen", accuracy_of(hidden, asked, "majority")),
        ):
            assert rows[column].tolist() == expected.tolist()
        assert observed.run
        assert set(rows["tokens_predicted"]) == {observed.run.answers.tokens.mean()}
        assert (rows["tokens_low"] - rows["predicted"]).to_numpy() == pytest.approx(seeded.seed)
    assert table.groupby("split")["tokens_predicted"].first().nunique() == SPLITS


def test_an_answer_costs_its_tokens_up_to_the_cap(group: Group) -> None:
    assert group.run
    tokens = group.run.answers.tokens

    lengths = dict(group.points.settings())

    for cap in (CAP, *CAPS):
        assert lengths[f"cap={cap}"] == pytest.approx(np.minimum(tokens, cap).mean())


@pytest.mark.parametrize("split", range(SPLITS))
def test_seen_and_unseen_answers_are_all_answers_each_of_them_once(group: Group, split: int) -> None:
    observed = observe(group, [f"cap={CAP}"], SEEN, OPTIONS.seed, split)
    hidden = {pool.setting: pool.answers for pool in unseen(group, [f"cap={CAP}"], SEEN, OPTIONS.seed, split)}

    assert group.run
    assert observed.run
    whole, beyond = group.run.answers, CAP + 1
    shown, rest = (one.tokens for one in (observed.run.answers, hidden["cap=20000"]))
    assert observed.run.answers.sizes.tolist() == [SEEN] * 12
    assert hidden["cap=20000"].sizes.tolist() == [16 - SEEN] * 12
    ended = np.sort(shown[shown <= CAP])
    assert sorted([*ended, *rest[rest <= CAP]]) == sorted(whole.tokens[whole.tokens <= CAP])
    assert set(shown[shown > CAP]) == {beyond}
