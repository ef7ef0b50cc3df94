"""Training: the content of examples, and a few steps that reproducibly lower the loss."""

from itertools import islice

import pytest

from harness.engines.token_ids import PromptTokens
from harness.experiment import TINY_MODEL

torch = pytest.importorskip("torch")

from studies.tiny.training import IGNORED, Training, batches, loss_of, train  # noqa: E402

SHORT = Training(steps=12, tokens_per_batch=512, examples_per_pool=64)


@pytest.fixture(scope="module")
def tokens():
    return PromptTokens(str(TINY_MODEL), None, chat=True)


def test_a_batch_keeps_to_its_size_and_labels_the_solutions_only(tokens):
    for inputs, labels in islice(batches(tokens, Training(examples_per_pool=128)), 6):
        assert inputs.shape == labels.shape
        assert inputs.shape[1] % 16 == 0
        assert inputs.shape[0] * (inputs.shape[1] - 15) <= Training().tokens_per_batch
        for row, labelled in zip(inputs.tolist(), labels.tolist(), strict=True):
            start = row.index(tokens.tokenizer.token_to_id("<|assistant|>")) + 1
            end = row.index(tokens.tokenizer.token_to_id("<|end|>")) + 1
            assert labelled == [IGNORED] * start + row[start:end] + [IGNORED] * (len(row) - end)
            assert set(row[end:]) <= {tokens.tokenizer.token_to_id("<|pad|>")}


def test_the_loss_is_the_library_s_own_and_padding_does_not_change_it(tokens):
    model, _ = train(Training(steps=1, tokens_per_batch=512, examples_per_pool=64))
    inputs, labels = next(batches(tokens, SHORT))
    with torch.no_grad():
        ours = loss_of(model, inputs, labels)
        reference = model(input_ids=inputs, labels=labels).loss
        wider = [
            torch.nn.functional.pad(x, (0, 8), value=fill) for x, fill in ((inputs, 0), (labels, IGNORED))
        ]
        padded = loss_of(model, *wider)
    torch.testing.assert_close(ours, reference, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(ours, padded, rtol=1e-5, atol=1e-6)


@pytest.mark.integration  # many seconds
def test_a_few_steps_lower_the_loss_and_the_same_seed_repeats_them():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        losses, again = (train(SHORT)[1] for _ in range(2))
        other = train(Training(steps=2, tokens_per_batch=512, examples_per_pool=64, seed=1))[1]
    finally:
        torch.set_num_threads(threads)
    assert losses[0] > 4
    assert losses[-1] < losses[0] - 1
    assert losses == again
    assert losses[:2] != other
