"""Best of N in worlds whose law of p is known."""

from studies.forecasts.rate_worlds import forecasts, table


def test_a_family_with_a_share_of_zero_is_nearer_where_some_questions_are_never_right() -> None:
    found = forecasts("0 for 10 %, or Beta(3, 0.5)", sets=1)
    errors = found["bias"].abs().groupby(found["variant"]).mean()
    assert errors["with"] < errors["without"]
    assert [line.split(" | ")[0] for line in table(found).splitlines()[2:]] == [
        "| 0 for 10 %, or Beta(3, 0.5)",
        "| mean",
    ]
