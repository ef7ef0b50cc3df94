"""What tests need for the processes that they start."""

import signal


def interruptible() -> None:
    """For `preexec_fn`: lets a test stop the child with Ctrl-C (SIGINT) wherever the tests run.

    A child inherits ignored signals, and `nohup make test &` ignores SIGINT; Python then leaves it ignored.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
