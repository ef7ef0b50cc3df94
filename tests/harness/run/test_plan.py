"""The plan: every answer is asked for once, whatever is done already."""

from hypothesis import given
from hypothesis import strategies as st

from harness.engines.base import Sampling
from harness.run.plan import prompt_for, remaining_chunks, sampling_for
from tests.harness.run.scripted import QUESTIONS, SETTINGS, experiment


@given(
    samples=st.integers(1, 9),
    chunk=st.integers(1, 5),
    greedy=st.booleans(),
    done=st.sets(st.tuples(st.integers(0, 3), st.sampled_from(SETTINGS), st.integers(0, 8))),
)
def test_done_and_remaining_answers_are_the_planned_ones(
    samples: int, chunk: int, greedy: bool, done: set[tuple[int, str, int]]
) -> None:
    plan = experiment(samples=samples, chunk=chunk, greedy=greedy)
    by_key: dict[tuple[str, str, str], set[int]] = {}
    for question, setting, sample in done:
        by_key.setdefault((QUESTIONS[question].question_id, setting, "sample"), set()).add(sample)

    chunks = list(remaining_chunks(plan, QUESTIONS, by_key))
    asked = [(c.question.question_id, c.setting, c.decoding, s) for c in chunks for s in c.samples]
    all_of_them = {
        (question.question_id, setting, decoding, sample)
        for question in QUESTIONS
        for setting in SETTINGS
        for decoding, count in (("sample", samples), ("greedy", int(greedy)))
        for sample in range(count)
    }
    finished = {(*key, sample) for key, indices in by_key.items() for sample in indices}
    assert len(asked) == len(set(asked))
    assert set(asked) == all_of_them - finished
    assert len(QUESTIONS) * plan.answers_per_question == len(all_of_them)
    assert all(1 <= len(c.samples) <= chunk for c in chunks)
    assert len({c.seed(plan.seed) for c in chunks}) == len(chunks)


def test_the_chunks_of_a_question_are_next_to_each_other() -> None:
    order = [chunk.question.question_id for chunk in remaining_chunks(experiment(), QUESTIONS, {})]
    assert order == sorted(order)


def test_requests_say_budget_limit_and_decoding() -> None:
    plan = experiment(greedy=True, top_p=0.9, top_k=20, temperature=0.7)
    greedy, first, *_ = remaining_chunks(plan, QUESTIONS, {})
    assert prompt_for(plan, first) == "Problem number 0?\nUse around 10 tokens."
    assert sampling_for(plan, first) == Sampling(2 * 10 + 64, 0.7, 0.9, 20, ("[END]",))
    assert sampling_for(plan, greedy) == Sampling(2 * 10 + 64, temperature=0.0, stop=("[END]",))
    assert (greedy.decoding, greedy.samples) == ("greedy", (0,))
