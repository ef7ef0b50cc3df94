"""results.commandline: every way a command can end, and what it leaves on stderr."""

import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from results import BadInput, run
from results.commandline import progress, warnings_last
from tests.commands import exit_status
from tests.processes import interruptible


@click.group()
def program() -> None:
    """A program for the tests."""


ERRORS = {
    "input": BadInput("t.csv: row 3, column 'N':\n  found '0'"),
    "interrupt": KeyboardInterrupt(),
    "abort": click.Abort(),
    "missing": FileNotFoundError(2, "No such file or directory", "/no/such/file"),
    "full": OSError(28, "No space left on device"),
    "bug": RuntimeError("a bug"),
    "extra": ModuleNotFoundError("No module named 'torch'", name="torch"),
    "package": ModuleNotFoundError("No module named 'wheel'", name="wheel"),
    "exit": click.exceptions.Exit(3),
}


@program.command()
@click.option("--fail", type=click.Choice(["no", *ERRORS]))
def work(fail: str) -> None:
    """Do nothing, or fail as told."""
    if fail in ERRORS:
        raise ERRORS[fail]
    click.echo("done")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["work", "--fail", "no"], 0, ""),
        (["work", "--fail", "input"], 2, "error: t.csv: row 3, column 'N': found '0'\n"),
        (["work", "--fail", "interrupt"], 130, "error: stopped by Ctrl-C\n"),
        (["work", "--fail", "abort"], 130, "error: stopped by Ctrl-C\n"),
        (["work", "--fail", "missing"], 2, "error: /no/such/file: no such file or directory\n"),
        (["work", "--fail", "exit"], 3, ""),
        (["work", "--fail", "full"], 2, "error: no space left on device\n"),
        (["work", "--fail", "extra"], 2, "error: this needs torch, which is not installed: "),
        (["wrok"], 2, "error: No such command 'wrok'."),
        (["work", "--fial"], 2, "error: No such option"),
        (["work", "--fail", "x"], 2, "error: Invalid value for '--fail'"),
    ],
)
def test_every_end_has_its_exit_code_and_one_line(capsys, arguments, code, message):
    assert exit_status(program, "program", *arguments) == code
    errors = capsys.readouterr().err.removeprefix("\n")  # click ends the line where a terminal shows ^C
    assert errors.startswith(message)
    assert message.startswith("error: No such") <= ("(see python -m program" in errors)
    assert errors.count("\n") == (1 if code and message else 0)


@pytest.mark.parametrize(("kind", "error"), [("bug", RuntimeError), ("package", ModuleNotFoundError)])
def test_a_bug_is_not_hidden(monkeypatch, kind, error):
    monkeypatch.setattr(sys, "argv", ["program", "work", "--fail", kind])
    with pytest.raises(error):
        run(program, "program")


def test_a_reader_that_stops_reading_is_told_nothing():
    work = "click.Command('c', callback=lambda: [click.echo('x' * 99) for _ in range(9999)])"
    code = f"import click; from results.commandline import run; run({work}, 'c')"
    start = f'{sys.executable} -c "{code}" | head -1; exit ${{PIPESTATUS[0]}}'
    done = subprocess.run(["bash", "-c", start], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (141, "x" * 99 + "\n", "")


def test_an_error_that_nobody_reads_keeps_its_status(tmp_path):
    words = f"-m results curves missing.csv --out {tmp_path / 'c.csv'} 2>&1 | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", f"{sys.executable} {words}"], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (2, b"")


def test_every_warning_is_a_line_at_the_end(capsys):
    with warnings_last():
        for _ in range(2):
            warnings.warn("a\n\x1b[2J", stacklevel=1)
        click.echo("first", err=True)
    assert capsys.readouterr().err.splitlines() == ["first", *["warning: a \\x1b[2J"] * 2]
    exit_status(program, "program", "--help")
    assert warnings.formatwarning("b", RuntimeWarning, "f", 1) == "warning: RuntimeWarning: b\n"


def test_a_command_has_a_bar_and_the_library_none():
    @click.command()
    def counts():
        click.echo(progress(" steps", total=2).disable)

    assert CliRunner().invoke(counts).output == "False\n"
    assert (list(progress(" steps", "ab")), progress(" steps").disable) == (["a", "b"], True)


def test_help_and_no_arguments(capsys):
    assert exit_status(program, "program", "--help") == 0
    assert "Usage: python -m program" in capsys.readouterr().out
    assert exit_status(program, "program") == 2
    assert "Usage: python -m program" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["harness", "predict", "predict forecast", "results", "synthetic"])
def test_help_imports_nothing_heavy(command):
    start = [sys.executable, "-X", "importtime", "-m", *command.split(), "--help"]
    done = subprocess.run(start, capture_output=True, text=True, check=True)
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "--help" in done.stdout
    assert "click" in imported
    assert imported.isdisjoint(
        {"altair", "numba", "numpy", "pandas", "pyarrow", "pydantic", "scipy", "torch"}
    )


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize(
    "command", ["harness questions", "predict fits", "results curves", "synthetic claims"]
)
def test_ctrl_c_while_a_command_is_still_being_imported(command, tmp_path):
    asked = [sys.executable, "-m", *command.split(), "missing.csv", "--out", str(tmp_path / "out.csv")]
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    for _ in range(10):  # where others take the processor, a command may end before the signal is sent
        with subprocess.Popen(asked, **piped, preexec_fn=interruptible) as process:
            libraries = Path(f"/proc/{process.pid}/maps")
            while "numpy" not in libraries.read_text() and process.poll() is None:
                time.sleep(0.002)
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=30)
        if "missing.csv" not in errors:
            break
    assert (process.returncode, output, errors.strip()) == (130, "", "error: stopped by Ctrl-C")
