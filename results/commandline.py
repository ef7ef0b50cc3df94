"""How every command of the project starts, fails and is stopped.

    $ tts curves missing.csv --out curves.csv
    error: missing.csv: no such file

Exit codes: 0 done, 2 bad input (one line on stderr), 130 stopped by Ctrl-C, 141 (and not a word) where who
read the output, as `| head` does, has read enough. Messages may quote untrusted text: what a terminal would
obey is escaped.
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
"""What a shell says of programs that write to a pipe that nobody reads: 128 + SIGPIPE."""

EXTRAS = {
    **dict.fromkeys(("altair", "vl_convert"), "plots"),
    **dict.fromkeys(("tokenizers", "huggingface_hub", "httpx", "datasets"), "url"),
    "ctranslate2": "lm",
    **dict.fromkeys(("torch", "transformers"), "torch"),
    "math_verify": "math",
}
"""Packages that the core does without, by what they import as, and the extra that installs them."""
CPU_TORCH = "pip install uv && uv pip install --torch-backend cpu torch"
"""PyTorch without the libraries for GPUs, which are ten times as large."""


class BadInput(click.ClickException):
    """Input that makes no sense: what every public function raises for it, and exit status 2 of a command.

    Its message is one line: what is wrong, where, and what to do.
    """

    exit_code = 2


def public_names(module: str) -> Callable[[str], Any]:
    """A package's `__getattr__`: its names are those of `module`, imported when one is first asked for."""
    return lambda name: getattr(import_module(module), name)


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
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left in buffers goes nowhere
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
        click.echo(err=True)  # ends the line on which a terminal shows ^C
        fail("stopped by Ctrl-C", INTERRUPTED)
    except ModuleNotFoundError as error:
        if error.name not in EXTRAS:
            raise
        fail(f"this needs {error.name}, which is not installed: {how_to_install(error.name)}", 2)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        fail(f"{error.filename}: {reason}" if error.filename else reason, 2)


def _one_thread() -> None:
    """Keep linear algebra to one thread, unless the user says how many; NumPy reads it when it is loaded.

    On a busy machine threads on small matrices wait for one another for most of the processor time.
    """
    if not {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"} & os.environ.keys():
        os.environ["OPENBLAS_NUM_THREADS"] = "1"


def how_to_install(package: str) -> str:
    """The command for a package of EXTRAS, in words."""
    how = f"run pip install '.[{EXTRAS[package]}]' in the project's folder"
    return f"{how} (for a small build without CUDA, first {CPU_TORCH})" if package == "torch" else how


def fail(message: str, code: int) -> NoReturn:
    """Print `error: message` as one line on stderr and exit with `code`."""
    with suppress(BrokenPipeError):
        click.echo(f"error: {visible(' '.join(message.split()))}", err=True)
    raise SystemExit(code)


def say(text: str, err: bool = False) -> None:
    """Print `text`; names of models, data sets and settings may hold anything, so nothing in it is obeyed."""
    click.echo(visible(text.replace(NBSP, " "), keep="\n"), err=err)


def progress(unit: str, work: Iterable[Any] | None = None, **more: Any) -> Any:
    """A bar of tqdm over `work`, for a command's work of more than two seconds; the library shows none.

    Where nobody watches, as in a log, it says how far it is twice a minute.
    """
    from tqdm import tqdm

    apart = 0.1 if sys.stderr.isatty() else 30.0
    off = click.get_current_context(silent=True) is None
    return tqdm(work, unit=unit, delay=2, mininterval=apart, leave=False, disable=off, **more)


@contextmanager
def warnings_last() -> Iterator[None]:
    """Print the warnings of the block, one line each on stderr, once it has ended without an error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for warning in caught:
        click.echo(_one_line(warning.message, warning.category), nl=False, err=True)


def _one_line(message: Warning | str, category: type[Warning], *_: Any) -> str:
    name = "" if category is UserWarning else f"{category.__name__}: "
    return f"warning: {name}{visible(' '.join(str(message).split()))}\n"
