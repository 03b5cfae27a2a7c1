"""What the shell offers at TAB: verbs, sub-verbs, options and their values, files by their endings, commands.

A shell asks by argcomplete: it calls `rankwise` with _ARGCOMPLETE and the line so far. Only the verb in the
line is loaded.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from rankwise.commands import sub_verbs

_ENDINGS = re.compile(r"\.(rankwise|json|html|xml|conf|yaml)\b")
_DIRECTORIES = {"DIR", "DIR2", "RUNDIR"}
_FILES = {"FILE", "PATH", "OUT", "DIR|FILE", "FILE|LIST", "PATH|WORDS"}

Completer = Callable[..., Iterable[str]]


def complete(verbs: Iterable[str], parser_of: Callable[[str, Any], argparse.ArgumentParser]) -> NoReturn:
    """Answer the shell, and end.

    Args:
        verbs: all of them.
        parser_of: returns the parser of a verb, by its name and module.
    """
    try:
        import argcomplete
    except ModuleNotFoundError:  # another installation's shell function asks: nothing may be run
        sys.exit(1)
    point = int(os.environ["COMP_POINT"])
    line = os.environ["COMP_LINE"].encode()[:point].decode(errors="ignore")
    parser, rest = _asked(line, tuple(verbs), parser_of)
    # The parser belongs to the verb, so the verb is left out.
    asked = f"rankwise {rest}"
    os.environ.update(COMP_LINE=asked, COMP_POINT=str(len(asked.encode())), _ARGCOMPLETE="1")
    argcomplete.autocomplete(
        parser, always_complete_options=False, default_completer=argcomplete.completers.SuppressCompleter()
    )
    sys.exit(1)  # (autocomplete has ended the process already.)


def _asked(
    line: str, verbs: tuple[str, ...], parser_of: Callable[[str, Any], argparse.ArgumentParser]
) -> tuple[argparse.ArgumentParser, str]:
    """Return the parser that completes the end of a line, and the end."""
    _, _, rest = line.lstrip().partition(" ")
    if command := re.search(r"(?:^|\s)--\s+(.*)$", rest):
        return _of_command(command[1])
    verb, blank, behind = rest.lstrip().partition(" ")
    if not blank or verb not in verbs:
        return _with_first(argparse.ArgumentParser(), verbs), rest
    module = sub_verbs.module_of(verb)
    names = sub_verbs.of(module)
    name, blank, further = behind.lstrip().partition(" ")
    if blank and name in names:
        full = f"{verb} {name}"
        return _with_files(parser_of(full, sub_verbs.module_of(full))), further
    parser = _with_files(parser_of(verb, module))
    return _with_first(parser, names) if names else parser, behind


def _of_command(command: str) -> tuple[argparse.ArgumentParser, str]:
    """Return what completes the program's own command: a command, then files."""
    from argcomplete.completers import FilesCompleter

    parser = argparse.ArgumentParser(add_help=False)
    words = command.split(" ")
    _give(parser.add_argument("word"), _commands if len(words) == 1 else FilesCompleter())
    return parser, words[-1]


def _commands(prefix: str, **_: Any) -> Iterator[str]:
    """Return commands on PATH, or files if the word has a slash."""
    from argcomplete.completers import FilesCompleter

    if "/" in prefix:
        yield from FilesCompleter()(prefix)
        return
    for directory in map(Path, os.environ.get("PATH", "").split(os.pathsep)):
        if directory.is_dir():
            yield from (path.name for path in directory.glob(f"{prefix}*") if os.access(path, os.X_OK))


def _with_first(parser: argparse.ArgumentParser, names: tuple[str, ...]) -> argparse.ArgumentParser:
    """Offer names for the first word, in addition to the parser's own completions."""
    first = next((action for action in parser._actions if not action.option_strings), None)
    if first is None or first.nargs == argparse.REMAINDER:
        first = parser.add_argument("name", nargs="?")
    files: Completer | None = getattr(first, "completer", None)

    def offered(prefix: str, **further: Any) -> Iterator[str]:
        yield from names
        if files:
            yield from files(prefix, **further)

    _give(first, offered)
    return parser


def _with_files(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Let each option and argument offer the files that it takes."""
    for action in parser._actions:
        if completer := _files_of(str(action.metavar or "")):
            _give(action, completer)
    return parser


def _files_of(metavar: str) -> Completer | None:
    """Return what offers the files that go by a name in the help; None if they are none."""
    from argcomplete.completers import DirectoriesCompleter, FilesCompleter

    completer: Completer | None = None
    if metavar in _DIRECTORIES:
        completer = DirectoriesCompleter()
    elif metavar in _FILES:
        completer = FilesCompleter()
    elif endings := _ENDINGS.findall(metavar):
        completer = FilesCompleter(endings)
    return completer


def _give(action: argparse.Action, completer: Completer) -> None:
    action.completer = completer  # type: ignore[attr-defined]  # where argcomplete looks for it
