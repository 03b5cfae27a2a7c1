"""What every launcher family answers: how its command line is read, and how a variable gets to every rank."""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rankwise.launch.wrappers import Wrapper, behind, carry


class Option(NamedTuple):
    """One option of a launcher with its values, word by word."""

    words: tuple[str, ...]

    @property
    def name(self) -> str:
        """Without dashes and without `=value`."""
        return self.words[0].lstrip("-").partition("=")[0]

    @property
    def value(self) -> str:
        """The values as one string: after `=`, or the words that follow."""
        return self.words[0].partition("=")[2] if len(self.words) == 1 else " ".join(self.words[1:])


class Context(NamedTuple):
    """One program of a launch with its own options: there are several when `:` separates them (MPMD)."""

    options: tuple[Option, ...] = ()
    wrappers: tuple[Wrapper, ...] = ()
    program: tuple[str, ...] = ()  # with its arguments; empty if the launcher reads it from a file

    @property
    def words(self) -> list[str]:
        """As they stand on the command line."""
        parts = [*(o.words for o in self.options), *(w.words for w in self.wrappers), self.program]
        return [word for part in parts for word in part]


class Preload(NamedTuple):
    """What every MPI process has to find in its environment."""

    library: Path
    directory: Path
    mpi: str = ""  # the user's --mpi, '' = the library sees for itself
    settings: Mapping[str, str] = {}  # further variables

    def variables(self, theirs: str = "") -> dict[str, str]:
        """Return the variables, with the user's own LD_PRELOAD entries kept behind ours."""
        own = str(self.library)
        entries = [own, *(e for e in theirs.replace(" ", ":").split(":") if e and e != own)]
        variables = {"LD_PRELOAD": ":".join(entries), "RANKWISE_DIR": str(self.directory)}
        return variables | ({"RANKWISE_MPI": self.mpi} if self.mpi else {}) | dict(self.settings)


class Delivery(NamedTuple):
    """A launch that takes the variables to the ranks."""

    contexts: tuple[Context, ...]
    environment: Mapping[str, str] = {}  # to set for the launcher itself
    how: str = ""  # in words, for `rankwise doctor`


class Family(ABC):
    """Launchers that share a command line.

    Class attributes:
        name: of the family.
        values: option names (without dashes) -> number of values that follow as words.
        flags: option names without value. With both, an unknown option can be told from a program.
        separator: the word between the programs of an MPMD launch, '' if there is none.
    """

    name: str
    values: Mapping[str, int] = {}
    flags: frozenset[str] = frozenset()
    separator = ":"

    def arity(self, word: str, following: Sequence[str]) -> int:
        """How many of the following words are values of option `word`."""
        name, equals, _ = word.lstrip("-").partition("=")
        if equals or name in self.flags:
            return 0
        if name in self.values:
            return self.values[name]
        # An unknown option: what follows is its value, unless it looks like an option or a program.
        following_is_value = following and not following[0].startswith("-") and not _is_program(following[0])
        return 1 if following_is_value else 0

    @abstractmethod
    def deliver(
        self, contexts: tuple[Context, ...], preload: Preload, environment: Mapping[str, str], theirs: str
    ) -> Delivery:
        """Take the variables to every rank of every context.

        Args:
            contexts: of the command line.
            preload: what to deliver.
            environment: that the launcher is started with.
            theirs: LD_PRELOAD of the user where the launcher starts.
        """


def _is_program(word: str) -> bool:
    return shutil.which(word) is not None


def with_options(context: Context, options: Sequence[Option], preload: Preload, theirs: str) -> Context:
    """Return the context with these options, and with `env` between launcher and program set right."""
    theirs = behind(context.wrappers, {"LD_PRELOAD": theirs}).get("LD_PRELOAD", "")
    wrappers = carry(context.wrappers, preload.variables(theirs))
    return context._replace(options=tuple(options), wrappers=wrappers)
