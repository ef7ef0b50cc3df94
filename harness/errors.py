"""Why a request brought no answer, and any error in a line."""


class EngineError(Exception):
    """A request brought no answers. Its samples are absent from the table, not wrong."""


class RequestRefused(EngineError):
    """The server refused this request (status 400, 413, …) and would refuse it again."""


class EngineGone(EngineError):
    """The engine will answer no further request."""


def reason(error: BaseException) -> str:
    """The first line of what an error says, or what it is."""
    return (str(error) or type(error).__name__).splitlines()[0]
