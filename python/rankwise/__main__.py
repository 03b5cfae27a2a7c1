# PYTHON_ARGCOMPLETE_OK
"""The command line: finds the verb, runs it, and turns errors into one line each."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import NoReturn

from rankwise._no_threads import keep_from_threads
from rankwise.commands import sub_verbs
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
    "list",
    "diff",
    "scaling",
    "history",
    "variance",
    "doctor",
    "recover",
    "env",
    "collect",
    "centre",
    "link-flags",
    "latency",
    "machine",
    "where",
    "map",
    "links",
    "tune",
    "optimize",
)
_WITH_COMMAND = {
    "run": "[options] -- COMMAND ...",
    "doctor": "[options] [-- COMMAND ...]",
    "doctor nodes": "[options] -- LAUNCH ...",
    "latency": "[options] -- LAUNCH ...",
    "map verify": "[options] F.rankwise -- COMMAND ...",
    "where": "[options] -- LAUNCH ...",
    "tune": "[options] F.rankwise -- COMMAND ...",
    "tune machine": "[options] -o FILE -- LAUNCH ...",
    "tune online": "[options] -- COMMAND ...",
    "tune parameters": "[options] F.rankwise -- COMMAND ...",
    "tune guidelines": "[options] -- LAUNCH ...",
    "tune recheck": "[options] FILE -- COMMAND ...",
    "optimize": "[options] -- COMMAND ...",
}
"""Verbs whose words after the first `--` are a command to start, and what stands behind their names."""

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
    if "_ARGCOMPLETE" in os.environ:
        from rankwise.commands.completion import complete  # not above: only a shell at TAB needs it

        complete(VERBS, parser_of)
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
    if not words or words[0] not in VERBS:
        return _no_verb(words)
    name, module = sub_verbs.named(words)
    words = words[len(name.split()) :]
    after: list[str] | None = None
    if (name in _WITH_COMMAND or name in _WITH_SIDES) and "--" in words:
        separator = words.index("--")
        words, after = words[:separator], words[separator + 1 :]
    try:
        arguments, unknown = parser_of(name, module).parse_known_args(words)
    except SystemExit:  # --help has printed what there is to say
        return 0
    # (`run` may do without `--`, as other profilers do.)
    bare: list[str] = vars(arguments).pop("bare_command", [])
    if unknown or (bare and after is not None):
        raise RankwiseError(_complaint(name, unknown or bare, after))
    if name in _WITH_COMMAND:
        arguments.command = after or bare
    if name in _WITH_SIDES:
        arguments.other_side = after
    status: int = module.run(arguments)
    return status


def _no_verb(words: list[str]) -> int:
    """Answer a command line that begins with no verb: --help, or a mistake."""
    parser = _Parser(prog="rankwise", description=_first_line(sys.modules["rankwise"].__doc__))
    parser.add_argument("--version", action="version", version=f"rankwise {__version__}")
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    for verb in VERBS:
        verbs.add_parser(verb, help=_first_line(sub_verbs.module_of(verb).__doc__))
    with contextlib.suppress(SystemExit):
        parser.parse_args(words)
    return 0


def parsers() -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of all verbs and sub-verbs, by name."""
    names = [
        name
        for verb in VERBS
        for name in (verb, *(f"{verb} {of}" for of in sub_verbs.of(sub_verbs.module_of(verb))))
    ]
    return {name: parser_of(name, sub_verbs.module_of(name)) for name in names}


def parser_of(name: str, module: ModuleType) -> argparse.ArgumentParser:
    """Return the parser of a verb.

    Args:
        name: of the verb, or of the sub-verb: `map verify`.
        module: its own.
    """
    usage = _WITH_COMMAND.get(name)
    parser = _Parser(
        prog=f"rankwise {name}",
        description=module.__doc__,
        epilog=sub_verbs.listed(module),
        usage=f"rankwise {name} {usage}" if usage else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    module.add_arguments(parser)
    return parser


class _Parser(argparse.ArgumentParser):
    """Complains in one line."""

    def error(self, message: str) -> NoReturn:
        raise RankwiseError(f"{message}; `{self.prog} --help` lists what there is")


def _complaint(name: str, unknown: list[str], after: list[str] | None) -> str:
    from shlex import join

    if name in _WITH_COMMAND and after is None and not unknown[0].startswith("-"):
        example = _WITH_COMMAND[name].partition("] ")[2].replace("COMMAND ...", "mpirun -n 4 ./app")
        return f"{join(unknown)}: the command goes after `--`, as in: rankwise {name} {example}"
    return f"unknown argument: {join(unknown)}; `rankwise {name} --help` lists what there is"


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
        complaint = not_installed(error.name)
    except KeyError:
        raise error from None
    return _failed(str(complaint), complaint.exit_status)


def _close_stdout() -> None:
    """Send what is left to nowhere, or Python complains about the pipe once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    command()
