"""The columns of the claims on rewards are those of the N in their names."""

import numpy as np

from studies.twin import reward_claims as rewards


def test_the_best_of_n_by_the_oracle_is_that_of_the_n_it_is_called_by():
    """1 − (1 − p)^N of every task, whose single answer is right with chance p."""
    for curves in rewards._curves(0).values():
        for n in (rewards.FEW, rewards.MANY, rewards.LIMIT):
            np.testing.assert_allclose(curves["oracle", n], 1 - (1 - curves["path", 1]) ** n, atol=1e-9)
            assert (curves["context", n] <= curves["oracle", n] + 1e-9).all()
