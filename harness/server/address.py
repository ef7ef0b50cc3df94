"""Where servers listen, and who may use them: nobody outside this machine without a key.

check_flags(["--hos=0.0.0.0"])              refused: SGLang reads that as --host
key_for("10.0.0.7")                         refused unless SGLANG_API_KEY holds a key
with_key("smg", ["launch", "--port", "1"])  python -m harness.server.keyed smg launch --port 1
"""

import argparse
import ipaddress
import sys
from collections.abc import Sequence

from harness.http.sockets import ApiKey
from results import BadInput

HERE = "127.0.0.1"
KEY = "SGLANG_API_KEY"
"""The environment variable with the API key that servers require. It is in no command line."""
_OWN_FLAGS = ("--host", "--port", "--api-key", "--admin-api-key")


def check_flags(flags: Sequence[str]) -> None:
    """Raise BadInput if SGLang's `flags` set its address or key, however they are spelt.

    SGLang reads them with argparse, which accepts `--host=A` and any abbreviation, such as `--hos A`.
    """
    parser = argparse.ArgumentParser(add_help=False)
    for name in _OWN_FLAGS:
        parser.add_argument(name, nargs="?", const="")
    flagged, _ = parser.parse_known_args(list(flags))
    named = [name for name in _OWN_FLAGS if getattr(flagged, name[2:].replace("-", "_")) is not None]
    if named:
        raise BadInput(
            f"{', '.join(named)} among SGLang's flags: `tts serve` has --host and --port of its own, and "
            f"the key is read from {KEY}; a run's own server is for the run alone"
        )


def key_for(host: str) -> ApiKey | None:
    """The key that servers at `host` require; None if only this machine reaches them and none is needed.

    Raises BadInput if others could reach them without a key.
    """
    key = key_of_user()
    if host == HERE:  # SGLang prints the key in its log, which a run keeps
        return None
    if key is None and not _is_loopback(host):
        raise BadInput(
            f"--host {host}: others could use the servers, as no key is set: give all hosts the same one: "
            f"`export {KEY}=$(openssl rand -hex 16)`"
        )
    return key


def key_of_user() -> ApiKey | None:
    """The key in the environment, None if there is none. Raises BadInput for an invalid one."""
    key = ApiKey.from_environment(KEY)
    return key if key.value else None


def _is_loopback(host: str) -> bool:
    """Whether `host` is surely reached from this machine only; False for names other than localhost."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def url_of(host: str, port: int) -> str:
    """The URL of a server that listens at `host` and `port`."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def with_key(key: ApiKey | None, module: str, arguments: Sequence[str]) -> tuple[str, ...]:
    """The command that runs a module, SGLang's or smg, which requires `key` if there is one."""
    through = ("harness.server.keyed",) if key else ()
    return (sys.executable, "-m", *through, module, *arguments)
