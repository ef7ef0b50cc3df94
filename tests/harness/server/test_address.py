"""Servers on several hosts: none can be reached without a key, however the flags are spelled."""

import json
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from harness.server.address import KEY, check_flags, key_for, url_of
from harness.server.gateway import listed
from harness.server.launch import launch
from results import BadInput
from tests.harness.commands import command
from tests.harness.server.conftest import flags

SPELLINGS = [
    ["--host", "0.0.0.0"],
    ["--host=0.0.0.0"],
    ["--hos=0.0.0.0"],
    ["--ho", "0.0.0.0"],
    ["--tp-size", "2", "--host", "127.0.0.1", "--host=::"],
    ["--port=1"],
    ["--api-key", "x"],
    ["--host"],
]


@pytest.mark.parametrize("spelt", SPELLINGS)
def test_sglang_s_flags_cannot_say_where_a_server_listens(spelt: list[str]) -> None:
    with pytest.raises(BadInput, match="among SGLang's flags"):
        check_flags(spelt)
    check_flags(["--tp-size", "2", "--hicache-host-memory-mode", "cache", "--nccl-port", "5", "--pp", "2"])


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.7", "node-7", "127.1", "fe80::1"])
def test_what_others_reach_needs_a_key_and_this_machine_none(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY, raising=False)
    with pytest.raises(BadInput, match=KEY):
        key_for(host)
    assert [key_for(here) for here in ("127.0.0.1", "localhost", "::1", "127.0.0.2")] == [None] * 4
    monkeypatch.setenv(KEY, "secret-of-the-hosts")  # which is asked for wherever it was not given for nothing
    assert [key_for(here) is None for here in ("127.0.0.1", "localhost", "::1", host)] == [True, *3 * [False]]
    assert url_of("::1", 7) == "http://[::1]:7"


def test_no_command_starts_what_others_reach_without_a_key_nor_shows_it(
    gpus: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    gpus(1)
    monkeypatch.delenv(KEY, raising=False)
    for run in (("serve", "tiny"), ("gateway", "http://a:1")):
        result = command(*run, "--host", "node-7")
        assert (result.exit_code, KEY in result.output) == (2, True)
    monkeypatch.setenv(KEY, "secret-of-the-hosts")
    asked = launch("model", host="node-7", port=1)
    assert (flags(asked)["--host"], "secret" in str(asked)) == ("node-7", False)
    assert asked.command[1:4] == ("-m", "harness.server.keyed", "sglang.launch_server")
    here = launch("model", port=1)
    assert "harness.server.keyed" not in here.command  # it logs its key, and the run keeps that
    for workers in (1, 2):
        result = command("serve", "tiny", "--workers", workers, "--", "--host=::")
        assert (result.exit_code, "among SGLang's flags" in result.output) == (2, True)


def test_the_key_reaches_the_module_that_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shown.py").write_text(
        "import sys, json, __main__; print(json.dumps([sys.argv, __main__.__spec__.name, __name__]))"
    )
    monkeypatch.setenv(KEY, "secret-of-the-hosts")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    words = [sys.executable, "-m", "harness.server.keyed", "shown", "--port", "1"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    arguments, main, name = json.loads(done.stdout)
    assert arguments[1:] == ["--port", "1", "--api-key", "secret-of-the-hosts"]
    assert (main, name) == ("shown", "__main__")  # which SGLang's child processes import again


def test_servers_of_several_hosts_are_listed_as_long_as_they_are_there(tmp_path: Path) -> None:
    file = tmp_path / "workers.json"

    def urls() -> list[str]:
        found = json.loads(file.read_text())
        assert found["version"] == 1
        return [one["url"] for one in found["workers"]]

    with listed(file, ["http://a:1", "http://a:2"]):
        with listed(file, ["http://b:1"]), listed(file, ()):
            assert urls() == ["http://a:1", "http://a:2", "http://b:1"]
        with listed(file, ["http://a:1"]):  # one that was killed and is back
            assert urls() == ["http://a:2", "http://a:1"]
    assert urls() == []
    file.write_text("[1]")
    with pytest.raises(BadInput, match="not a list of workers"), listed(file, ["http://a:1"]):
        pass
    assert file.read_text() == "[1]"


def test_a_gateway_checks_its_servers_however_it_finds_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: True)
    monkeypatch.delenv(KEY, raising=False)

    def printed(*asked: object) -> list[str]:
        result = command("gateway", *asked, "--port", 30000, "--print")
        assert result.exit_code == 0, result.output
        return result.output.split()

    words = printed("http://a:1", "http://b:1")
    after = dict(pairwise(words))
    start = words.index("--worker-urls")
    assert words[start + 1 : start + 3] == ["http://a:1", "http://b:1"]
    assert (after["--policy"], after["--port"]) == ("cache_aware", "30000")
    assert after["--prometheus-port"] != "30000"
    assert after["--host"] == after["--prometheus-host"] == "127.0.0.1"
    # A dead server is detected within half a minute; the client decides how long to wait for an answer.
    assert int(after["--health-check-interval-secs"]) * int(after["--health-failure-threshold"]) <= 30
    assert int(after["--request-timeout-secs"]) >= 86400

    checks = words[words.index("--policy") : words.index("--prometheus-port")]
    for asked in (["--workers-file", "w.json"], ["--pods", "app=x", "--pods", "tier=y"]):
        found = printed(*asked)
        assert found[found.index("--policy") : found.index("--prometheus-port")] == checks
    assert found[found.index("--selector") + 1 :][:2] == ["app=x", "tier=y"]
    monkeypatch.setenv(KEY, "secret-of-the-hosts")
    assert "harness.server.keyed" in printed("http://a:1")
    assert "secret" not in " ".join(printed("http://a:1"))
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    assert "smg" in command("gateway", "http://a:1", "--print").output
