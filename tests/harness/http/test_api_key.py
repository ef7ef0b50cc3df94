"""The key of a server with OpenAI's API: sent to it, but never written anywhere."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from harness.cli import cli
from harness.http.sockets import HIDDEN, ApiKey
from results import BadInput
from tests.harness.engines.servers import OpenAIServer, ask

pytestmark = pytest.mark.usefixtures("impatient")

KEY = "sk-secret-0123456789-abcdefghij-ZYX+("


def test_a_key_is_sent_and_a_missing_or_wrong_one_is_one_line() -> None:
    assert len(ask(OpenAIServer(key=KEY), key=KEY)) == 1
    assert len(ask(OpenAIServer(key="none"))) == 1  # some servers require a key but accept any
    with pytest.raises(BadInput, match="asks for a key: the one in THE_KEY is not set"):
        ask(OpenAIServer(key=KEY))
    with pytest.raises(BadInput, match="asks for a key: the one in THE_KEY is not accepted") as refusal:
        ask(OpenAIServer(key=KEY), key="sk-wrong-0123456789")
    assert "sk-wrong" not in refusal.value.message


def test_quotations_of_a_key_are_hidden() -> None:
    key = ApiKey("THE_KEY", KEY)
    assert "secret" not in repr(key)
    both = f"{KEY[:9]}... or {KEY}"
    for quoted in (KEY, f"Bearer {KEY}", f"'{KEY[:12]}...'", f"...{KEY[-9:]}", f'"{KEY}"', both):
        hidden = key.hide(f"Incorrect key {quoted}, see the manual.")
        assert HIDDEN in hidden
        assert "sk-se" not in hidden
        assert "ZYX" not in hidden
        assert hidden.startswith("Incorrect key")
        assert hidden.endswith("see the manual.")
    assert ApiKey("THE_KEY", "").hide("a plain message") == "a plain message"


@pytest.mark.parametrize("key", ["8", "x", "answer", "##18##", KEY[:15], KEY[:16]])
def test_a_short_key_changes_nothing_that_is_said_and_no_key_an_answer_that_quotes_it(key: str) -> None:
    secret = len(key) >= 16
    assert (ApiKey("THE_KEY", key).hide(f"status 418: x {key}") != f"status 418: x {key}") == secret
    (answer,) = ask(OpenAIServer(content=f"Bearer {key}", key=key), key=key)
    assert answer.text == f"Bearer {key}"


@pytest.mark.parametrize("value", ["sk-\u2026", "sk-\x07-1"])
def test_a_key_that_cannot_be_sent_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("THE_KEY", value)
    with pytest.raises(BadInput, match="THE_KEY: not a key") as refusal:
        ApiKey.from_environment("THE_KEY")
    assert "sk-" not in refusal.value.message


@pytest.mark.parametrize(
    ("habits", "status", "said"),
    [
        pytest.param({"key": KEY}, 0, "tokens", id="all well"),
        pytest.param({"key": "another"}, 2, "not accepted", id="not accepted"),
        pytest.param({"faults": [400, 500, 400, 422] * 20}, 3, HIDDEN, id="errors that quote it"),
        pytest.param({"refuses": ["model"]}, 2, HIDDEN, id="a trial that quotes it"),
    ],
)
def test_the_key_is_in_no_file_and_no_output(
    habits: Mapping[str, Any], status: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
    server = OpenAIServer(models=["/srv/model"], **habits)

    given = ("engine=openai", "model=tiny", "limit=2", "budgets=10", "samples=4", "concurrency=1")
    command = ["sample", "tiny", "--out", str(tmp_path / "run")]
    for setting in given:
        command += ["--set", setting]
    with server:
        result = CliRunner().invoke(cli, [*command, "--url", server.url], standalone_mode=False)
    written = [file.read_text() for file in tmp_path.rglob("*") if file.is_file()]
    shown = result.output + (result.exception.format_message() if status == 2 else "")
    assert all("sk-secret" not in text and KEY[-9:] not in text for text in [shown, *written])
    assert said in shown
    assert (status == 2) == (result.exception is not None)
