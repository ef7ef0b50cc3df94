"""The theory twin: the paper's transformer on in-context linear regression, sampled and solved exactly."""

from typing import TYPE_CHECKING

from results.commandline import public_names

if TYPE_CHECKING:
    from synthetic.library import *  # noqa: F403
else:
    __getattr__, __dir__ = public_names("synthetic.library")
