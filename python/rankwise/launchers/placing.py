"""Passes places of ranks to a launcher: by files, and by options that replace the user's."""

from __future__ import annotations

import re
import shlex
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rankwise.errors import RankwiseError
from rankwise.launchers.option import Option

if TYPE_CHECKING:
    from rankwise.launchers.binding import Binding

# What host names may consist of, so that no launcher's file takes a part of one for something else.
_HOST = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


class Job(NamedTuple):
    """The ranks of a program, each with its binding.

    Attributes:
        bindings: in the order of ranks, from 0 and without gaps.
        directory: of the files; absolute.
        program: its words.
    """

    bindings: tuple[Binding, ...]
    directory: Path
    program: tuple[str, ...]

    @property
    def size(self) -> str:
        """Number of ranks, as a word."""
        return str(len(self.bindings))

    def by_host(self) -> dict[str, list[Binding]]:
        """Return the bindings of each host, in the order of ranks; hosts in the order of their first rank."""
        bindings_of_host: dict[str, list[Binding]] = {}
        for binding in self.bindings:
            bindings_of_host.setdefault(binding.host, []).append(binding)
        return bindings_of_host

    def runs(self) -> list[tuple[str, int]]:
        """Return the host and number of each run of successive ranks that are on one host."""
        return [(host, len(list(run))) for host, run in groupby(binding.host for binding in self.bindings)]

    def is_split(self) -> bool:
        """Return whether ranks of a host have a rank of another host between them."""
        return len(self.runs()) > len(self.by_host())

    @property
    def hosts(self) -> str:
        """Text of a file with the host of each rank, one a line."""
        return lines([binding.host for binding in self.bindings])


class Written(NamedTuple):
    """A file for a launcher, and how to use it.

    Attributes:
        path: of the file.
        launcher: its name, for people.
        text: content of the file.
        words: of the command, with those of the program at its end; empty without one.
        environment: variables that the command needs.
        note: limits and needs of this launcher; may be empty.
    """

    path: Path
    launcher: str
    text: str
    words: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    note: str = ""

    @property
    def command_line(self) -> str:
        """The command as it is pasted into a shell."""
        settings = [f"{name}={shlex.quote(value)}" for name, value in self.environment]
        return " ".join([*settings, *map(shlex.quote, self.words)])


class Distribution(NamedTuple):
    """A way in which a launcher distributes ranks by itself, without a file.

    Attributes:
        words: the option with its values.
        order: `block`: one node is filled after the other; `cyclic`: each rank goes to the next node; '':
            only a launch shows it.
    """

    words: tuple[str, ...]
    order: str = ""


class Placing:
    """The way to pass bindings to a version of a launcher.

    Class attributes:
        choice: its name on our command line.
        files: with the places; the command of the first is closest to the request.
    """

    choice: str
    files: tuple[Callable[[Job], Written], ...]


class Relaunching(Placing, ABC):
    """And how a launch of the user's is changed to tell it. Options are as from Launcher.split.

    Class attributes:
        name: for people.
        label: what its `--version` says whose it is, see Answer.
        placing: options that say where ranks go.
        binding: options that say which of a node's processors they get.
        needs_whole_hosts: ranks of a host must be successive.
        distributions: that it offers, the most usual first.
        distributing: options that these replace.
    """

    name: str
    label: str
    placing: frozenset[str]
    binding: frozenset[str]
    needs_whole_hosts = False
    distributions: tuple[Distribution, ...] = ()
    distributing: frozenset[str] = frozenset()

    @abstractmethod
    def hosts_only(self, options: Sequence[Option], environment: Mapping[str, str]) -> bool:
        """Return whether the user wants ranks that are unbound, or bound to several processors each."""

    def check(self, options: Sequence[Option]) -> None:
        """Raise RankwiseError if the options can't be combined with places."""

    def replaces(self, option: Option, *, binds: bool) -> bool:
        """Return whether an option has to be removed.

        Args:
            option: of the user's launch.
            binds: ranks are bound to cores.
        """
        return option.name in self.placing or (binds and option.name in self.binding)

    def distributes(self, option: Option) -> bool:
        """Return whether an option has to make room for one of `distributions`."""
        return option.name in self.distributing

    def binds(self, option: Option) -> bool:
        """Return whether an added option gives ranks their processors."""
        return self.replaces(option, binds=True) and not self.replaces(option, binds=False)


def job_of(bindings: Sequence[Binding], directory: Path, program_words: Sequence[str]) -> Job:
    """Check the bindings and put them in order.

    Raises:
        RankwiseError: there are no places, a rank has none or two, or a launcher's file can't hold the
        name of a host.
    """
    ordered = tuple(sorted(bindings, key=lambda binding: binding.rank))
    if not ordered:
        raise RankwiseError("there are no ranks to write files for")
    for expected, binding in enumerate(ordered):
        if binding.rank != expected:
            raise RankwiseError(
                f"each rank needs one place: the place of rank {min(expected, binding.rank)} is ambiguous"
            )
        if not _HOST.fullmatch(binding.host):
            raise RankwiseError(
                f"rank {binding.rank} is on {binding.host!r}, which launchers do not accept as a host name"
            )
    return Job(ordered, directory.absolute(), tuple(program_words))


def lines(entries: Sequence[str]) -> str:
    """Return the text of a file with an entry a line."""
    return "".join(f"{entry}\n" for entry in entries)


def common_processors(nodes: Iterable[Sequence[Binding]]) -> list[int] | None:
    """Return the processors of the first, second, ... rank of every node.

    Args:
        nodes: the bindings of each, in the order in which its launcher counts them.

    Returns:
        None if a processor is not known, or nodes differ in the processor of a place.
    """
    common: list[int] = []
    for bindings in nodes:
        cpus = [binding.cpu for binding in bindings]
        shared = min(len(cpus), len(common))
        if -1 in cpus or cpus[:shared] != common[:shared]:
            return None
        common += cpus[shared:]
    return common


def binding_note(nodes: Iterable[Sequence[Binding]]) -> str:
    """Say why there is no such list."""
    if any(binding.cpu == -1 for bindings in nodes for binding in bindings):
        return "hosts only: the cores are unknown"
    return "hosts only: one list of processors applies to all nodes, but they differ"


def is_off(value: str) -> bool:
    """Return whether a setting's value means "off"."""
    return value.lower() in ("0", "no", "off", "none", "disable", "false")
