"""Errors of requests that bring no answer, and the one-line reason of any error."""


class EngineError(Exception):
    """A request brought no answers. Its samples are missing from the table; they do not count as wrong."""


class RequestRefused(EngineError):
    """The server refused this request (status 400, 413, …) and would refuse it again."""


class EngineGone(EngineError):
    """The engine will answer no further requests."""


def reason(error: BaseException) -> str:
    """The first line of an error's message, or its type if it has none."""
    return (str(error) or type(error).__name__).splitlines()[0]
