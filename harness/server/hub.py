"""Whether a model can be downloaded from the Hugging Face hub, before the hub's client is installed.

Requests the first file that a run needs, with the token that the run would use:

    401 GatedRepo      no token
    403 GatedRepo      a token whose owner has not accepted the licence
    401, 404           no such model, a private one, or a token that the hub does not know
    no reply           no network here, which says nothing about the licence
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

EXPERIMENTS = Path(__file__).parents[1] / "experiments"
SECONDS = 15.0
LOGIN = (
    "a token is made at https://huggingface.co/settings/tokens; give it as HF_TOKEN=, "
    "or to .venv/bin/hf auth login after make setup"
)


class _NoRedirect(HTTPRedirectHandler):
    """Follows no redirect: it shows that the file is there, and the token is for nobody else."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def model_of(experiment: str) -> tuple[str, str | None]:
    """The model and revision of an experiment (a file or the name of a shipped one); empty if unknown."""
    import tomllib  # missing in older Pythons, which have to import this module

    path = Path(experiment)
    path = path if path.is_file() else EXPERIMENTS / f"{experiment}.toml"
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return "", None  # the run will say what is wrong with it
    return str(values.get("model", "")), values.get("revision")


def cache() -> Path:
    """The folder in which models of the hub are cached."""
    return Path(os.environ.get("HF_HUB_CACHE") or _home() / "hub")


def weights(model: str, revision: str | None) -> tuple[float, str]:
    """The bytes of `model` still to be downloaded (0 if unknown), and why that is impossible (or empty)."""
    commit = revision or "main"
    snapshots = cache() / f"models--{model.replace('/', '--')}" / "snapshots"
    downloaded = any(snapshots.glob(f"{revision or '*'}/*.safetensors"))
    if "/" not in model or Path(model).exists() or downloaded:
        return 0.0, ""
    status, error = _get(f"{model}/resolve/{commit}/config.json")
    page = f"{_endpoint()}/{model}"
    if status == 0:
        return 0.0, (
            f"the hub at {_endpoint()} does not answer ({error}), so {model} cannot be downloaded: this host "
            "needs the network (behind a proxy: HTTPS_PROXY), or the model in a folder: MODEL=FOLDER"
        )
    if error == "GatedRepo" and status == 401:
        return 0.0, f"{model} is gated, and no token is given here: accept its licence at {page}; {LOGIN}"
    if error == "GatedRepo":
        return 0.0, f"{model} is gated, and this token has no access to it: accept its licence at {page}"
    if status in (401, 403, 404):
        return 0.0, (
            f"the hub has no {model} at revision {commit} for you (status {status}): check its name; if it "
            f"is private, or if your token has expired, {LOGIN}"
        )
    if status >= 400:
        return 0.0, f"the hub at {_endpoint()} answers {status} for {model}: try again later"
    status, text = _get(f"api/models/{model}/revision/{commit}?blobs=true")
    return (_size(text) if status == 200 else 0.0), ""


def _size(text: str) -> float:
    """The bytes of the weights that SGLang downloads, from the hub's description of a model."""
    try:
        files = json.loads(text)["siblings"]
        sizes = {file["rfilename"]: file["size"] for file in files}
        own = [name for name in sizes if name.endswith(".safetensors") and "/" not in name]
        return float(sum(sizes[name] for name in own))
    except (ValueError, KeyError, TypeError):
        return 0.0


def _get(path: str) -> tuple[int, str]:
    """The status of GET `path` (0 without a reply), and the reply, the hub's error code or the error."""
    headers = {"User-Agent": "test-time-scaling"}
    if token := _token():
        headers["Authorization"] = f"Bearer {token}"
    opener = build_opener(_NoRedirect)
    try:
        with opener.open(Request(f"{_endpoint()}/{path}", headers=headers), timeout=SECONDS) as reply:
            return reply.status, reply.read(1 << 24).decode(errors="replace")
    except HTTPError as error:
        return error.code, error.headers.get("X-Error-Code", "")
    except URLError as error:
        return 0, str(error.reason)
    except (OSError, ValueError) as error:
        return 0, str(error)


def _token() -> str:
    """The token that the hub's own client would send, empty if there is none."""
    for variable in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        if token := os.environ.get(variable, "").strip():
            return token
    path = Path(os.environ.get("HF_TOKEN_PATH") or _home() / "token")
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _home() -> Path:
    default = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "huggingface"
    return Path(os.environ.get("HF_HOME") or default).expanduser()


def _endpoint() -> str:
    return os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")
