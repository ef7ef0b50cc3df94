"""Rewards of best-of-N in the continuous case, by name. A new one is one file and one line here."""

from synthetic.continuous.rewards.context import CONTEXT
from synthetic.continuous.rewards.noisy import NOISY
from synthetic.continuous.rewards.oracle import ORACLE
from synthetic.continuous.rewards.reward import Reward
from synthetic.continuous.rewards.verdict import VERDICT

REWARDS: dict[str, Reward] = {reward.name: reward for reward in (ORACLE, CONTEXT, NOISY, VERDICT)}
