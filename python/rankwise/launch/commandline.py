"""Takes a command apart: wrappers, launcher, the launcher's options, and the program or programs.

env A=b timeout 60  mpirun  -n 4 -x A   numactl -m 0  ./app --fast   :   -n 1  ./viewer
----- wrappers ---  launcher  options     wrapper      program           ---- context 2
                            -------------- context 1 -------------
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath
from typing import NamedTuple

from rankwise.launch.containers import Container, of_slurm, recognise
from rankwise.launch.wrappers import Wrapper, strip
from rankwise.launchers import SHARED_COMMANDS, is_launcher, label_of, launcher_of, version
from rankwise.launchers.base import Launcher
from rankwise.launchers.option import Option


class Context(NamedTuple):
    """One program of a launch with its own options: there are several when `:` separates them (MPMD)."""

    options: tuple[Option, ...] = ()
    wrappers: tuple[Wrapper, ...] = ()
    program: tuple[str, ...] = ()  # with its arguments; empty if the launcher reads it from a file
    listed: tuple[tuple[str, ...], ...] = ()  # the programs of that file, as far as it can be read

    @property
    def programs(self) -> tuple[tuple[str, ...], ...]:
        """The program, or the programs of the file."""
        return (self.program,) if self.program else self.listed

    @property
    def words(self) -> list[str]:
        """As they stand on the command line."""
        parts = [*(o.words for o in self.options), *(w.words for w in self.wrappers), self.program]
        return [word for part in parts for word in part]


class CommandLine(NamedTuple):
    """A command, taken apart; `words` puts it together again."""

    wrappers: tuple[Wrapper, ...]
    launcher: str  # its command; '' = the program is started directly
    known: Launcher | None  # None = unknown
    contexts: tuple[Context, ...]

    @property
    def words(self) -> list[str]:
        """The command as a list of words."""
        words = [word for wrapper in self.wrappers for word in wrapper.words]
        if self.launcher:
            words.append(self.launcher)
        for i, context in enumerate(self.contexts):
            words += [*([self.known.separator] if i and self.known else []), *context.words]
        return words

    @property
    def containers_before(self) -> tuple[Container, ...]:
        """Containers that the launcher itself is started in."""
        return _containers(self.wrappers)

    def containers_of(self, context: Context) -> tuple[Container, ...]:
        """Containers that a program is started in, from the outermost."""
        by_launcher = of_slurm(self.launcher, (option.words for option in context.options))
        by_program = recognise(context.program)
        made = [*self.containers_before, by_launcher, *_containers(context.wrappers), by_program]
        return tuple(container for container in made if container)

    @property
    def containers(self) -> tuple[Container, ...]:
        """All containers that programs are started in."""
        return tuple(c for context in self.contexts for c in self.containers_of(context))


def _containers(wrappers: Sequence[Wrapper]) -> tuple[Container, ...]:
    return tuple(container for w in wrappers if (container := recognise(w.words)))


def label(launcher: str) -> str:
    """The owner of the launcher, '' if unknown; only commands whose name is ambiguous are asked."""
    if PurePath(launcher).name not in SHARED_COMMANDS:
        return ""
    # Many are links to a file with another name; then no command has to be asked.
    real = os.path.realpath(shutil.which(launcher) or launcher)
    return label_of(PurePath(real).name) or version.ask(launcher)[0]


def parse(command: Sequence[str], label: Callable[[str], str] = label) -> CommandLine:
    """Take a command apart.

    Args:
        command: its words.
        label: tells whose launcher a command is ("Open MPI", "MPICH", "Intel MPI", '').
    """
    wrappers, rest = strip(command)
    # A wrapper that only this site knows: recognised by the launcher that follows it at once.
    if len(rest) > 1 and not _is_launcher(rest[0]) and _is_launcher(rest[1]):
        wrappers, rest = (*wrappers, Wrapper(rest[:1])), rest[1:]
    if not rest or not _is_launcher(rest[0]):
        return CommandLine(wrappers, "", None, (Context(program=tuple(rest)),))
    # What a launcher in an image is, can't be asked out here.
    known = launcher_of(PurePath(rest[0]).name, "" if _containers(wrappers) else label(rest[0]))
    contexts = tuple(_context(part, known) for part in _split(rest[1:], known.separator))
    return CommandLine(wrappers, rest[0], known, contexts)


def _is_launcher(word: str) -> bool:
    return is_launcher(PurePath(word).name)


def _split(words: Sequence[str], separator: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for word in words:
        if separator and word == separator:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def _context(words: Sequence[str], launcher: Launcher, *, in_file: bool = False) -> Context:
    options: list[Option] = []
    start = 0
    while start < len(words) and words[start].startswith("-") and words[start] != "--":
        end = start + 1 + launcher.arity(words[start], words[start + 1 :])
        options.append(Option(tuple(words[start:end])))
        start = end
    end = start + launcher.before_program(options, words[start:])
    file = next((option for option in options if option.name in launcher.from_file), None)
    if file and file.name in launcher.file_in_place:
        end = len(words)
    options += [Option((word,)) for word in words[start:end]]
    if file and not in_file:
        path = file.value or next(iter(words[start:end]), "")
        return Context(tuple(options), listed=_listed(path, launcher))
    start = end
    # `--` ends the options: our own go before it, so it is kept with what comes between options and program.
    ending = [Wrapper(("--",))] if words[start : start + 1] == ["--"] else []
    wrappers, program = strip(words[start + len(ending) :])
    return Context(tuple(options), (*ending, *wrappers), program)


def _listed(path: str, launcher: Launcher) -> tuple[tuple[str, ...], ...]:
    """Return the programs of a file; none if it can't be read."""
    try:
        text = Path(path).read_text(errors="replace").replace("\\\n", " ")
        lines = [launcher.listed(shlex.split(line, comments=True)) for line in text.splitlines()]
    except (OSError, ValueError):
        return ()
    programs = (_context(words, launcher, in_file=True).program for words in lines)
    return tuple(dict.fromkeys(program for program in programs if program))
