"""studies.forecasts.pace: what is seen of a question is compared with the rest of that question."""

import numpy as np

from studies.forecasts.pace import look
from tests.predict.stopped.simulated import answers, questions, table_of


def test_what_is_seen_of_a_question_is_part_of_it() -> None:
    rng = np.random.default_rng(0)
    run = table_of(answers(questions(12, rng), 16, rng), 16)

    one = look(run, "m/d", stop=4, split=0)

    few, whole = one.few, one.whole
    for q in range(12):
        assert set(few.tokens[few.question == q]) <= set(whole.tokens[whole.question == q])
    unfinished = [int((few.tokens[few.question == q] > one.cap).sum()) for q in range(12)]
    assert one.problem.seen.unfinished.tolist() == unfinished
    assert len(set(unfinished)) > 2
