"""How every command of the project starts, fails and stops.

    $ tts curves missing.csv --out curves.csv
    error: missing.csv: no such file

Exit codes: 0 done, 2 bad input (one line on stderr), 130 stopped by Ctrl-C, 141 (silently) if the reader of
the output, such as `| head`, has read enough. Messages may quote untrusted text: its control characters are
escaped.
"""

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, NoReturn

import click

from results.terminal import NBSP, visible

INTERRUPTED = 130
CLOSED_PIPE = 141
"""A shell's exit code for programs that write to a closed pipe: 128 + SIGPIPE."""

EXTRAS = {
    **dict.fromkeys(("altair", "vl_convert"), "plots"),
    **dict.fromkeys(("tokenizers", "huggingface_hub", "httpx", "datasets"), "url"),
    "ctranslate2": "lm",
    **dict.fromkeys(("torch", "transformers"), "torch"),
    "math_verify": "math",
}
"""Optional packages, by import name, and the extra that installs each."""
CPU_TORCH = "pip install uv && uv pip install --torch-backend cpu torch"
"""Installs PyTorch without GPU libraries, which are ten times as large."""


class BadInput(click.ClickException):
    """The error that every public function raises for invalid input; exit status 2 of a command.

    Its message is one line: what is wrong, where, and what to do.
    """

    exit_code = 2


def public_names(module: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """A package's `__getattr__` and `__dir__`, with the names of `module`, imported on first use."""
    return lambda name: getattr(import_module(module), name), lambda: import_module(module).__all__


def run(command: click.Command, name: str) -> NoReturn:
    """Run `command` as the program `name` and exit; every failure is one line on stderr, no traceback."""
    _one_thread()
    warnings.formatwarning = _one_line  # type: ignore[assignment]
    try:
        with command.make_context(name, sys.argv[1:]) as context:
            code = command.invoke(context)
        raise SystemExit(code if isinstance(code, int) else 0)
    except click.exceptions.Exit as ended:
        raise SystemExit(ended.exit_code) from None
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # discards what is left in buffers
        raise SystemExit(CLOSED_PIPE) from None
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        raise SystemExit(error.exit_code) from None
    except click.UsageError as error:
        where = f" (see {error.ctx.command_path} --help)" if error.ctx else ""
        fail(f"{error.format_message()}{where}", error.exit_code)
    except click.ClickException as error:
        fail(error.format_message(), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo(err=True)  # ends the line in which a terminal shows ^C
        fail("stopped by Ctrl-C", INTERRUPTED)
    except ModuleNotFoundError as error:
        if error.name not in EXTRAS:
            raise
        fail(f"this needs {error.name}, which is not installed: {how_to_install(error.name)}", 2)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        fail(f"{error.filename}: {reason}" if error.filename else reason, 2)


def _one_thread() -> None:
    """Limit linear algebra to one thread, unless the user sets a number; NumPy reads it at import.

    On a busy machine, threads on small matrices spend most of their time waiting for one another.
    """
    if not {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"} & os.environ.keys():
        os.environ["OPENBLAS_NUM_THREADS"] = "1"


def how_to_install(package: str) -> str:
    """How to install a package of EXTRAS, in words."""
    how = f"run pip install '.[{EXTRAS[package]}]' in the project's folder"
    return f"{how} (for a small build without CUDA, first {CPU_TORCH})" if package == "torch" else how


def fail(message: str, code: int) -> NoReturn:
    """Print `error: message` as one line on stderr and exit with `code`."""
    with suppress(BrokenPipeError):
        click.echo(f"error: {visible(' '.join(message.split()))}", err=True)
    raise SystemExit(code)


def say(text: str, err: bool = False) -> None:
    """Print `text` with control characters escaped, as names in it may contain anything."""
    click.echo(visible(text.replace(NBSP, " "), keep="\n"), err=err)


def progress(unit: str, work: Iterable[Any] | None = None, **more: Any) -> Any:
    """A tqdm progress bar over `work`, if a command takes more than two seconds; none in the library.

    If the output is not a terminal, as in a log, it is updated only twice a minute.
    """
    from tqdm import tqdm

    apart = 0.1 if sys.stderr.isatty() else 30.0
    off = click.get_current_context(silent=True) is None
    return tqdm(work, unit=unit, delay=2, mininterval=apart, leave=False, disable=off, **more)


@contextmanager
def warnings_last() -> Iterator[None]:
    """Print the warnings of the block, one per line on stderr, after it has ended without an error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for warning in caught:
        click.echo(_one_line(warning.message, warning.category), nl=False, err=True)


def _one_line(message: Warning | str, category: type[Warning], *_: Any) -> str:
    name = "" if category is UserWarning else f"{category.__name__}: "
    return f"warning: {name}{visible(' '.join(str(message).split()))}\n"
