"""An oracle that is read with an error: R = −‖w − w*‖² + τ ξ, ξ standard normal for every answer anew."""

from synthetic.binary.rewards.oracle import minus_distance
from synthetic.binary.rewards.reward import Atom, Reward

TAU = 1.0
"""Half the distance between w* and a neighbour."""

NOISY = Reward("noisy", lambda answers: [Atom(1.0, minus_distance(answers))], spread=TAU)
