"""The plan: every answer is asked for once, whatever has been done before."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from harness.engines.base import Sampling
from harness.run.queries import asked_questions, prompt_for, remaining, sampling_for
from tests.harness.run.scripted import QUESTIONS, SETTINGS, experiment


@given(
    samples=st.integers(1, 9),
    greedy=st.booleans(),
    done=st.sets(st.tuples(st.integers(0, 3), st.sampled_from(SETTINGS), st.integers(0, 8))),
)
def test_done_and_remaining_answers_are_the_planned_ones(
    samples: int, greedy: bool, done: set[tuple[int, str, int]]
) -> None:
    plan = experiment(samples=samples, greedy=greedy)
    by_key: dict[tuple[str, str, str], set[int]] = {}
    for question, setting, sample in done:
        by_key.setdefault((QUESTIONS[question].question_id, setting, "sample"), set()).add(sample)

    queries = list(remaining(plan, QUESTIONS, by_key))
    asked = [(q.question.question_id, q.setting, q.decoding, q.sample) for q in queries]
    all_of_them = {
        (question.question_id, setting, decoding, sample)
        for question, setting in itertools.product(QUESTIONS, SETTINGS)
        for decoding, count in (("sample", samples), ("greedy", int(greedy)))
        for sample in range(count)
    }
    finished = {(*key, sample) for key, indices in by_key.items() for sample in indices}
    assert len(asked) == len(set(asked))
    assert [question for question, *_ in asked] == sorted(question for question, *_ in asked)
    assert set(asked) == all_of_them - finished
    assert len(QUESTIONS) * plan.answers_per_question == len(all_of_them)
    assert len({query.seed(plan.seed) for query in queries}) == len(queries)


def test_requests_say_budget_limit_and_decoding() -> None:
    plan = experiment(greedy=True, top_p=0.9, top_k=20, temperature=0.7)
    greedy, first, *_ = remaining(plan, QUESTIONS, {})
    assert prompt_for(plan, first) == "Problem number 0?\nUse around 10 tokens."
    assert sampling_for(plan, first) == Sampling(2 * 10 + 64, 0.7, 0.9, 20, ("[END]",))
    assert sampling_for(plan, greedy) == Sampling(2 * 10 + 64, temperature=0.0, stop=("[END]",))
    assert (greedy.decoding, greedy.sample) == ("greedy", 0)


def test_in_a_random_order_a_larger_limit_adds_to_a_smaller_one() -> None:
    """The random order does not depend on the order of the file, either."""
    numbers = range(1, len(QUESTIONS) + 1)
    asked = [asked_questions(experiment(order="random", limit=n), QUESTIONS) for n in numbers]
    for fewer, more in itertools.pairwise(asked):
        assert list(more[:-1]) == list(fewer)
    backwards = asked_questions(experiment(order="random"), QUESTIONS[::-1])
    assert list(backwards) == list(asked[-1])
    others = [asked_questions(experiment(order="random", seed=seed), QUESTIONS) for seed in range(9)]
    assert any(list(other) != list(asked[-1]) for other in others)
