"""The tables that all packages read and write, the votes over them, the figures and the report."""

from typing import TYPE_CHECKING

from results.commandline import BadInput as BadInput
from results.commandline import public_names
from results.commandline import run as run

if TYPE_CHECKING:
    from results.library import *  # noqa: F403
else:
    __getattr__, __dir__ = public_names("results.library")
