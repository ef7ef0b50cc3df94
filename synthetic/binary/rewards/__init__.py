"""Rewards of best-of-N in the binary case, by name. A new one is one line here."""

from synthetic.binary.rewards.biased import BIASED
from synthetic.binary.rewards.context import CONTEXT
from synthetic.binary.rewards.noisy import NOISY
from synthetic.binary.rewards.oracle import ORACLE
from synthetic.binary.rewards.reward import Reward
from synthetic.binary.rewards.verdict import VERDICT

REWARDS: dict[str, Reward] = {reward.name: reward for reward in (ORACLE, CONTEXT, NOISY, VERDICT, BIASED)}
