"""The page on several hosts, simulated: its SLURM script and its pods, on addresses of this machine.

Two hosts serve behind the real gateway. Mid-run, one is killed and another added; the run still ends with
the answers of a single host. Small servers stand in for SGLang; the release test starts SGLang itself.
"""

import importlib.util
import json
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.server.gateway import listed
from tests.docs.pages import blocks, recipe
from tests.integration.cluster import HOSTS, SECONDS, Hosts, is_well, kubernetes
from tests.integration.planned import assert_exactly, planned, rows, settings
from tests.processes import wait_until

pytestmark = [
    pytest.mark.server,
    pytest.mark.xdist_group("sglang"),
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all of 127.0.0.0/8"),
    pytest.mark.skipif(importlib.util.find_spec("smg") is None, reason="smg is not installed"),
]

PAGE = recipe("several-hosts")


def play(hosts: Hosts, asked: Sequence[str], serve: str, answers: int) -> None:
    """Run the page's script, with `asked` in place of its experiment and `serve` of its servers' options.

    A third host already serves. Once a third of the answers are stored, the first host is killed and the
    third is listed. Afterwards the third host alone answers the same run.
    """
    (script,) = (text for text in blocks(PAGE, "bash") if "srun" in text)
    ports = {"31000": str(hosts.port), "30000": str(hosts.front)}
    changes = {"meta-llama/Llama-3.1-8B-Instruct --workers 8": f"tiny --workers 1 {serve}", **ports}
    changes["gsm8k-budgets"] = f"tiny {' '.join(asked)}"
    for old, new in changes.items():
        assert old in script
        script = script.replace(old, new)
    third = f"http://{HOSTS[2]}:{hosts.port}"
    started = ["tts", "serve", "tiny", "--host", HOSTS[2], "--port", str(hosts.port), *serve.split()]
    with ExitStack() as stack:
        stack.enter_context(hosts.runs(*started, SLURM_PROCID="2"))
        wait_until(is_well(third), SECONDS)
        job = stack.enter_context(hosts.runs("bash", "-c", script))
        wait_until(lambda: hosts.stored("gsm8k") > answers // 3 or job.poll() is not None, SECONDS)
        hosts.kill(0)
        stack.enter_context(listed(hosts.folder / "workers-7.json", [third]))
        assert hosts.stored("gsm8k") < answers
        assert job.wait(SECONDS) == 0
        alone = ["tts", "sample", "tiny", *asked, "--url", third, "--out", "runs/alone"]
        with hosts.runs(*alone) as process:
            assert process.wait(SECONDS) == 0


def said(folder: Path) -> set[tuple[Any, ...]]:
    names = ("question_id", "setting", "decoding", "sample", "text", "tokens")
    return {tuple(row[name] for name in names) for row in rows(folder)}


def test_one_host_killed_and_one_added_in_mid_run_are_the_answers_of_one_host(tmp_path: Path) -> None:
    hosts, keys = Hosts(tmp_path, played=True), planned(20, 16, (20, 60))
    asked = settings(20, 16, (20, 60), engine="sglang", concurrency=8)
    play(hosts, asked, "--device cpu", len(keys))
    assert_exactly(keys, hosts.sampled("gsm8k"))
    assert said(hosts.sampled("gsm8k")) == said(hosts.sampled("alone"))
    for host in HOSTS:
        assert set((tmp_path / f"asked-{host}").read_text().split()) == {"True"}
    listed_now = json.loads((tmp_path / "workers-7.json").read_text())["workers"]
    # The job has ended, so nothing was left to remove the killed server.
    assert [one["url"] for one in listed_now] == [f"http://{HOSTS[0]}:{hosts.port}"]


def test_the_same_with_sglang_itself(tmp_path: Path) -> None:
    if importlib.util.find_spec("sglang") is None:
        pytest.skip("sglang is not installed")
    if not os.environ.get("SEVERAL_HOSTS"):
        pytest.skip("three real servers take minutes: SEVERAL_HOSTS=1 starts them")
    hosts, keys = Hosts(tmp_path, played=False), planned(15, 8, (20,), greedy=True)
    asked = settings(15, 8, (20,), engine="sglang", concurrency=12, greedy="true")
    play(hosts, asked, "--device cpu", len(keys))
    assert_exactly(keys, hosts.sampled("gsm8k"))
    one, other = (
        {row for row in said(hosts.sampled(name)) if row[2] == "greedy"} for name in ("gsm8k", "alone")
    )
    assert one == other


def test_the_pods_of_the_manifest_answer_behind_its_gateway(tmp_path: Path) -> None:
    hosts = Hosts(tmp_path, played=True)
    parts = {part["kind"]: part for part in yaml.safe_load_all(blocks(PAGE, "yaml")[0])}
    (server,) = parts["Deployment"]["spec"]["template"]["spec"]["containers"]
    (gateway,) = parts["Pod"]["spec"]["containers"]
    ports = {"31000": str(hosts.port), "30000": str(hosts.front)}

    def command(container: dict[str, Any], address: str) -> list[str]:
        known = {**ports, "$(POD_IP)": address, "meta-llama/Llama-3.1-8B-Instruct": "tiny"}
        return [known.get(word, word) for word in container["command"]]

    url = f"http://127.0.0.1:{hosts.front}"
    with ExitStack() as stack:
        for address in HOSTS[:2]:
            stack.enter_context(hosts.runs(*command(server, address), SLURM_PROCID=address))
        for address in HOSTS[:2]:
            wait_until(is_well(f"http://{address}:{hosts.port}"), SECONDS)
        stack.enter_context(kubernetes(tmp_path, HOSTS[:2]))
        in_cluster = {"KUBECONFIG": str(tmp_path / "kubeconfig")}
        stack.enter_context(hosts.runs(*command(gateway, ""), **in_cluster))
        wait_until(is_well(url), SECONDS)
        asked = settings(10, 32, (20, 60), engine="sglang", concurrency=16)
        with hosts.runs("tts", "sample", "tiny", *asked, "--url", url, "--out", "runs/pods") as run:
            assert run.wait(SECONDS) == 0
    assert_exactly(planned(10, 32, (20, 60)), hosts.sampled("pods"))
    assert all((tmp_path / f"asked-{address}").exists() for address in HOSTS[:2])
