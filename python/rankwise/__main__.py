"""The command line: finds the verb, runs it, and turns errors into one line each."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from rankwise._no_threads import keep_from_threads
from rankwise.errors import RankwiseError
from rankwise.version import __version__, version_and_commit

VERBS = (
    "run",
    "top",
    "show",
    "explain",
    "export",
    "report",
    "plot",
    "diff",
    "doctor",
    "recover",
    "env",
    "collect",
    "link-flags",
    "latency",
    "machine",
    "map",
    "links",
    "tune",
    "optimize",
)
_WITH_COMMAND = ("run", "doctor", "latency", "optimize")  # after the first `--`: a command to start
_MAY_HAVE_COMMAND = (*_WITH_COMMAND, "map", "tune")
_WITH_SIDES = ("diff", "report")  # what comes after the first `--` is the other side
_INTERRUPTED = 130  # 128 + SIGINT
_BROKEN_PIPE = 141  # 128 + SIGPIPE


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: the words after the program's name; those of the process if None.

    Returns:
        The exit status: 0, the program's own for `run`, 2 for bad input, 130 after Ctrl-C.
    """
    keep_from_threads()
    try:
        status = _run(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()  # here, so that a closed pipe is noticed while it can still be handled
    except RankwiseError as error:
        return _failed(str(error), error.exit_status)
    except ModuleNotFoundError as error:
        return _lacks(error)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        _close_stdout()
        return _BROKEN_PIPE
    except (OSError, MemoryError) as error:
        from rankwise.text.troubles import trouble

        return _failed(trouble(error), 1)
    return status


def command() -> NoReturn:
    """Run the command line of this process, and end it."""
    status = main()
    if sys.argv[1:2] == ["run"]:
        # Somebody waits for this end. Python would take module after module apart first, for as long as the
        # profile takes to be made. Nothing of `run` is left to be done then: main() has flushed stdout, and
        # stderr keeps no whole line back.
        os._exit(status)
    sys.exit(status)


def _run(words: list[str]) -> int:
    if words[:1] == ["--version"]:  # without loading every verb
        sys.stdout.write(f"rankwise {version_and_commit()}\n")
        return 0
    verb = words[0] if words and words[0] in VERBS else None
    command: list[str] | None = None
    if verb in (*_MAY_HAVE_COMMAND, *_WITH_SIDES) and "--" in words:
        separator = words.index("--")
        words, command = words[:separator], words[separator + 1 :]
    try:
        arguments, unknown = _parser(verb).parse_known_args(words)
    except SystemExit:  # --help and --version have printed what they have to say
        return 0
    if unknown:
        raise RankwiseError(_complaint(arguments.verb, unknown, command))
    # (`run` may do without `--`, as other profilers do.)
    bare: list[str] = vars(arguments).pop("bare_command", [])
    if bare and command is not None:
        raise RankwiseError(_complaint(arguments.verb, bare, command))
    if arguments.verb in _MAY_HAVE_COMMAND:
        arguments.command = command or bare
    if arguments.verb in _WITH_SIDES:
        arguments.other_side = command
    status: int = arguments.run(arguments)
    return status


def _parser(verb: str | None) -> _Parser:
    """Return the parser of `verb` alone, or of all: `rankwise run` need not load what others need."""
    parser = _Parser(prog="rankwise", description=_first_line(sys.modules["rankwise"].__doc__))
    parser.add_argument("--version", action="version", version=f"rankwise {__version__}")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name in VERBS if verb is None else (verb,):
        module = importlib.import_module(f"rankwise.commands.{name.replace('-', '_')}")
        sub = verbs.add_parser(
            name,
            help=_first_line(module.__doc__),
            description=module.__doc__,
            usage=f"rankwise {name} [options] -- COMMAND ..." if name in _WITH_COMMAND else None,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
            add_help=not getattr(module, "HAS_OWN_HELP", False),
        )
        module.add_arguments(sub)
        sub.set_defaults(run=module.run)
    return parser


class _Parser(argparse.ArgumentParser):
    """Complains in one line."""

    def error(self, message: str) -> NoReturn:
        raise RankwiseError(f"{message}; `{self.prog} --help` lists what there is")


def _complaint(verb: str, unknown: list[str], command: list[str] | None) -> str:
    from shlex import join

    if verb in _WITH_COMMAND and command is None:
        return f"{join(unknown)}: the command goes after `--`, as in: rankwise {verb} -- mpirun -n 4 ./app"
    return f"unknown argument: {join(unknown)}; `rankwise {verb} --help` lists what there is"


def _first_line(text: str | None) -> str:
    return (text or "").strip().split("\n")[0]


def _failed(message: str, status: int) -> int:
    from rankwise.text.safe import safe

    sys.stderr.write(f"rankwise: {safe(message)}\n")
    return status


def _lacks(error: ModuleNotFoundError) -> int:
    """Name the cure where a library is missing that is optional; anything else is a fault of ours."""
    from rankwise.extras import not_installed

    try:
        told = not_installed(error.name)
    except KeyError:
        raise error from None
    return _failed(str(told), told.exit_status)


def _close_stdout() -> None:
    """Send what is left to nowhere, or Python complains about the pipe once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    command()
