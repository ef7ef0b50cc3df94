"""Training in PyTorch agrees with NumPy and the twin's law, learns, and is reproducible from its seed."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from studies.trained.examination import model_of
from studies.trained.layer import gradient_layer
from studies.trained.lessons import BINARY, Lesson, noiseless
from studies.trained.loop import mean_path_risk
from synthetic.binary.chain import draw_law
from synthetic.model.settings import BinarySetting
from synthetic.model.tasks import draw_tasks, task_keys

torch = pytest.importorskip("torch")
from studies.trained import softmax, training  # noqa: E402


def batch(setting, count=6, seed=0):
    lesson = Lesson(setting, "paths", batch=count)
    return training.draw_batch(lesson, torch.Generator().manual_seed(seed))


def test_tasks_are_drawn_as_the_twin_draws_them():
    setting = BinarySetting(n=3, d=6, k=2, eta=1.0, sigma_eps=0.5)
    x, y, w_star = batch(setting, count=4000)
    assert set(w_star.sum(dim=1).tolist()) == {2.0}
    noise = (y - (x @ w_star[:, :, None])[:, :, 0]).numpy()
    assert noise.std() == pytest.approx(0.5, rel=0.05)  # 12,000 numbers: a standard error of 0.6 %
    assert w_star.mean(dim=0).numpy() == pytest.approx(np.full(6, 1 / 3), abs=5 * np.sqrt(2 / 9 / 4000))
    x, y, w_star = batch(replace(noiseless(4), omega=3.0), count=4000)
    assert w_star.numpy().std() == pytest.approx(3, rel=0.03)  # 20,000 numbers
    np.testing.assert_allclose(y, (x @ w_star[:, :, None])[:, :, 0])


def test_the_noise_free_path_is_that_of_the_examination():
    setting = noiseless(12)
    tasks = draw_tasks(setting, task_keys(1, 4), seed=1)
    layer, (x, y) = gradient_layer(5, 0.6), (torch.tensor(one) for one in (tasks.x, tasks.y))
    weights = {name: torch.tensor(one) for name, one in vars(layer).items()}
    torch.set_default_dtype(torch.float64)
    path = training.noise_free_path(training.linear_reader(weights, x, y), 4, 5, 6).numpy()
    torch.set_default_dtype(torch.float32)
    risk = ((path - tasks.w_star[:, None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(risk, mean_path_risk(layer.read, tasks, tuple(range(1, 7))))


def test_right_answers_are_the_coordinates_in_every_order():
    w_star = torch.tensor([[0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]])
    answers = training.right_answers(w_star, 2, 60, torch.Generator().manual_seed(0)).tolist()
    for told, (low, high) in zip(answers, [(1, 3), (0, 3)], strict=True):
        assert {tuple(one) for one in told} == {(low, high), (high, low)}


@pytest.mark.parametrize(
    ("new", "read"),
    [(training.linear_weights, training.linear_reader), (softmax.softmax_weights, softmax.softmax_reader)],
)
def test_a_whole_sequence_at_once_says_what_token_after_token_and_numpy_say(new, read):
    weights = new(5, torch.Generator().manual_seed(2))
    x, y, _ = batch(noiseless(7))
    w = torch.randn(6, 4, 5, generator=torch.Generator().manual_seed(1))
    thoughts = torch.cat([w, torch.ones(6, 4, 1)], dim=2)
    at_once = read(weights, x, y)(thoughts, 4).numpy()
    one_by_one = read(weights, x, y)
    for t in range(4):
        said = one_by_one(thoughts[:, : t + 1], 1)[:, 0].numpy()
        np.testing.assert_allclose(said, at_once[:, t], atol=1e-5)
    model = model_of({name: one.double().numpy() for name, one in weights.items()})
    np.testing.assert_allclose(model(x.numpy(), y.numpy())(thoughts.numpy()), at_once[:, -1], atol=1e-5)


@pytest.mark.parametrize("k", [1, 2])
def test_the_likelihood_is_that_of_algorithm_2(k):
    scores = np.array([0.7, -0.4, 1.3, 0.2])
    law = draw_law(scores[None], k)[0]
    for probability, subset in zip(law, itertools.combinations(range(4), k), strict=True):
        orders = [torch.tensor(order)[None, None] for order in itertools.permutations(subset)]
        once = torch.tensor(scores)[None, None]
        total = sum(float(training.log_likelihood(once, order, 1e-4).exp()) for order in orders)
        assert total == pytest.approx(probability, abs=3 * training.FLOOR)


@pytest.mark.parametrize("seed", [5, 7])  # one positive score, too few for two coordinates; three
def test_sampled_paths_follow_the_twins_first_step(seed):
    setting = BinarySetting(n=1, d=5, k=2, eta=1.0, sigma_eps=0.1)
    x, y, _ = batch(setting, count=1, seed=seed)
    many = 4000
    layer = gradient_layer(5, 1.0)
    weights = {name: torch.tensor(one).float() for name, one in vars(layer).items()}
    reader = training.linear_reader(weights, x.expand(many, -1, -1), y.expand(many, -1))
    thoughts, drawn = training.sampled_path(reader, many, setting, 2, torch.Generator().manual_seed(0))
    law = draw_law((x[0].T @ y[0]).double().numpy()[None], 2)[0]
    pairs = drawn[:, 0].sort(dim=1).values.tolist()
    seen = np.array([pairs.count(list(pair)) for pair in itertools.combinations(range(5), 2)]) / many
    assert np.abs(seen - law).max() < 5 * np.sqrt(0.25 / many)
    assert thoughts[:, 0].sum() == many  # w_0 = 0 and the flag
    assert thoughts[:, 1, :-1].nonzero()[:, 1].reshape(many, 2).tolist() == pairs


@pytest.mark.parametrize("way", ["loop", "paths", "answers", "softmax"])
def test_a_short_training_lowers_the_loss_and_repeats_with_its_seed(way, monkeypatch):
    asked, path = [], training.noise_free_path
    monkeypatch.setattr(training, "noise_free_path", lambda *given: asked.append(given[-1]) or path(*given))
    told, answers = [], training.right_answers
    monkeypatch.setattr(training, "right_answers", lambda *given: told.append(given) or answers(*given))
    lesson = Lesson(BINARY["fig2h"], way, steps=2, iterations=120, batch=64, learning_rate=2e-2)
    if way in ("loop", "softmax"):
        lesson = replace(lesson, setting=noiseless(20))
    if way == "softmax":
        lesson = replace(lesson, learning_rate=4e-3, softmax=True)
    _, losses = training.teach(lesson, seed=4)
    assert np.mean(losses[-20:]) < 0.8 * np.mean(losses[:20])
    assert bool(told) == (way == "answers")
    assert asked == ([1] * 30 + [2] * 90 if way in ("loop", "softmax") else [])  # the loop grows
    short = replace(lesson, iterations=3)
    (matrices, losses), again = training.teach(short, seed=4), training.teach(short, seed=4)
    assert again[1] == losses
    np.testing.assert_equal(again[0], matrices)
    assert training.teach(short, seed=5)[1] != losses
