"""When to stop asking: rules that end a vote, replayed on stored answers.

from results import as_samples
from results.stopping import RULES, Rule, arena

def ends(seen: Seen, t: float):
    return seen.a - seen.b >= t * seen.votes**0.5

mine = Rule("mine", "a − b ≥ t √n", "my own", ends, usual=1, thresholds=(0.5, 2))
table = arena(as_samples(frame), rules=[*RULES.values(), mine])
"""

from results.stopping.arena import arena as arena
from results.stopping.replay import Replay as Replay
from results.stopping.rules import RULES as RULES
from results.stopping.rules import Rule as Rule
from results.stopping.rules import ahead as ahead
from results.stopping.rules import named as named
from results.stopping.rules import settled as settled
from results.stopping.rules import spelt_out as spelt_out
from results.stopping.votes_so_far import Seen as Seen
from results.stopping.votes_so_far import seen_of as seen_of
