"""The description of a launcher: its names, its command line, and what it passes to the ranks."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rankwise.launchers.option import Option

if TYPE_CHECKING:
    from rankwise.launchers.placing import Placing
    from rankwise.mpi_libraries import Version


class Preload(NamedTuple):
    """What every MPI process has to find in its environment."""

    library: Path
    directory: Path
    mpi: str = ""  # the user's --mpi, '' = the library sees for itself
    settings: Mapping[str, str] = {}  # further variables
    also: tuple[Path, ...] = ()  # libraries behind ours, before the user's

    def variables(self, theirs: str = "") -> dict[str, str]:
        """Return the variables, with the user's own LD_PRELOAD entries kept behind ours."""
        own = [str(library) for library in (self.library, *self.also)]
        entries = [*own, *(e for e in theirs.replace(" ", ":").split(":") if e and e not in own)]
        variables = {"LD_PRELOAD": ":".join(entries), "RANKWISE_DIR": str(self.directory)}
        return variables | ({"RANKWISE_MPI": self.mpi} if self.mpi else {}) | dict(self.settings)


class Program(NamedTuple):
    """The part of a command line for one program: `:` separates several (MPMD).

    Attributes:
        options: that stand before the program.
        theirs: the user's own LD_PRELOAD that the launcher would give to it.
    """

    options: tuple[Option, ...]
    theirs: str


class Delivery(NamedTuple):
    """A launch that takes the variables to the ranks.

    Attributes:
        programs: in the order of the command line.
        environment: to set for the launcher itself.
        how: in words, for `rankwise doctor`.
    """

    programs: tuple[Program, ...]
    environment: Mapping[str, str] = {}
    how: str = ""


class Answer(NamedTuple):
    """The answer of a launcher to `--version`.

    Attributes:
        label: whose it is, for people and for placements: "Intel MPI".
        pattern: is found in the answer; its group is the version.
        library: name of its MPI library in mpi_libraries, '' if it starts programs of any.
    """

    label: str
    pattern: re.Pattern[str]
    library: str = ""


class World(NamedTuple):
    """What identifies one MPI_COMM_WORLD: common to all its processes, different in all others of the run.

    Attributes:
        variable: of their environment; '' where an option identifies it.
        second: a variable whose value is added to that, behind a dot; '' without one.
        missing: used in place of the second where that is not set.
        option: of a process of the launcher that started them, directly or through shells and wrappers: the
            word behind it counts.
        spawned: a variable that is set in spawned processes, to which all else tells their parents' world.
        prefix: of the text.
    """

    variable: str = ""
    second: str = ""
    missing: str = ""
    option: str = ""
    spawned: str = ""
    prefix: str = ""


class RankIdentity(NamedTuple):
    """The rank information that a launcher passes to a process; -1 = missing.

    Attributes:
        rank: in MPI_COMM_WORLD.
        size: of MPI_COMM_WORLD.
        local_rank: number in its node.
        on_node: ranks of its node.
    """

    rank: int
    size: int
    local_rank: int
    on_node: int


class Launcher:
    """Launchers that share a command line. These attributes and methods are all that the rest knows of them.

    Class attributes:
        name: of the launcher.
        order: the order in the list. If variables of several launchers are set, the first one counts.
        So batch systems come last: other launchers run in their jobs.
        commands: base names of the commands that no other launcher has.
        answers: to `--version`; they identify commands that are called `mpirun` or `mpiexec`.
        values: option names (without dashes) -> number of values that follow as words.
        flags: option names without value. With both lists, an unknown option is distinguished from a program.
        counting: options with the number of ranks.
        allocated: variable with the number of ranks that are started where no option tells it.
        from_file: options that take the programs from a file.
        file_in_place: those options whose file takes the program's position.
        separator: the word between the programs of an MPMD launch, '' without one.
        placings: the ways to give it the places of ranks, each with a unique name.
        not_started: is found in what it prints where a program can't be started.
        node_apart: is found in the line that tells how a process ended, and in another with the node as its
            group.
        rank: variables with the rank in MPI_COMM_WORLD; the first that is set counts, here and below.
        size: variables with the number of ranks.
        local_rank: variables with the number of a rank in its node.
        on_node: variables with the number of ranks in a rank's node.
        worlds: what tells one MPI_COMM_WORLD from another.

    The last five tell a process where it is before MPI_Init: `make generate` hands them to the library, all
    but `on_node`.
    """

    name: str
    order = 100
    commands: tuple[str, ...] = ()
    answers: tuple[Answer, ...] = ()
    values: Mapping[str, int] = {}
    flags: frozenset[str] = frozenset()
    counting: frozenset[str] = frozenset({"n", "np"})
    allocated = ""
    from_file: frozenset[str] = frozenset()
    file_in_place: frozenset[str] = frozenset()
    separator = ":"
    placings: tuple[Placing, ...] = ()
    not_started: re.Pattern[str] | None = None
    node_apart: tuple[re.Pattern[str], re.Pattern[str]] | None = None
    rank: tuple[str, ...] = ()
    size: tuple[str, ...] = ()
    local_rank: tuple[str, ...] = ()
    on_node: tuple[str, ...] = ()
    worlds: tuple[World, ...] = ()

    @property
    def has_own_library(self) -> bool:
        """Whether it belongs to an MPI library, so that its version tells what it takes."""
        return any(answer.library for answer in self.answers)

    def placing(self, command: str, version: Version) -> Placing | None:
        """Return how to pass places of ranks to such a command, None if that is impossible.

        Args:
            command: its base name; '' if a run had none that is known.
            version: of its MPI library.
        """
        del command, version
        return self.placings[0] if self.placings else None

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

    def before_program(self, options: Sequence[Option], words: Sequence[str]) -> int:  # noqa: ARG002
        """Return how many words that are no options stand between these and the program.

        Args:
            options: that came before.
            words: that follow them.
        """
        return 0

    def listed(self, words: Sequence[str]) -> Sequence[str]:
        """Return what a line of a file with programs starts, options first; most are like the command."""
        return words

    def ranks(self, options: Sequence[Option]) -> int | None:
        """Return the number of ranks that options ask for, None if they don't: the last one counts."""
        counts = [o.value for o in map(self.split, options) if o.name in self.counting]
        return next((int(text) for text in reversed(counts) if text.isdecimal()), None)

    def split(self, option: Option) -> Option:
        """Return an option with its value in a separate word, where it may be attached to the name."""
        return option

    def setting(self, variable: str, value: str) -> tuple[str, ...]:
        """Return the option that sets a variable for the ranks of all programs; empty without one."""
        del variable, value
        return ()

    def rank_identity(self, environment: Mapping[str, str]) -> RankIdentity | None:
        """Return the rank information in an environment; None if it is no rank of this launcher."""
        identity = RankIdentity(
            *(
                _number(environment, variable)
                for variable in (self.rank, self.size, self.local_rank, self.on_node)
            )
        )
        return identity if 0 <= identity.rank < identity.size else None

    def deliver(
        self,
        programs: Sequence[Sequence[Option]],
        preload: Preload,
        environment: Mapping[str, str],  # noqa: ARG002 - most have no variable that would stand in the way
        theirs: str,
    ) -> Delivery:
        """Take the variables to every rank of every program: by the launcher's own environment.

        Args:
            programs: the options of each.
            preload: what to deliver.
            environment: that the launcher is started with.
            theirs: LD_PRELOAD of the user where the launcher starts.
        """
        return by_environment(programs, preload, theirs)

    def deliver_to_script(
        self,
        preload: Preload,  # noqa: ARG002 - most hand on their own environment
        environment: Mapping[str, str],  # noqa: ARG002
        theirs: str,  # noqa: ARG002
        version: str,  # noqa: ARG002
    ) -> Delivery:
        """Make a launcher inside a script take the variables to other hosts, with any options.

        Args:
            preload: what to deliver.
            environment: that the script is started with.
            theirs: LD_PRELOAD of the user there.
            version: of the mpirun on PATH if that is Open MPI's, else ''.

        Returns:
            what to add to the environment; nothing where the environment itself is handed on.
        """
        return Delivery(())


def by_environment(programs: Sequence[Sequence[Option]], preload: Preload, theirs: str) -> Delivery:
    """Take the variables to the ranks by the environment of the launcher alone."""
    unchanged = tuple(Program(tuple(options), theirs) for options in programs)
    return Delivery(unchanged, preload.variables(theirs), "the launcher's environment")


def _number(environment: Mapping[str, str], variables: Sequence[str]) -> int:
    """Return the value of the first variable that is set; -1 if that is no number, or none is."""
    text = next((environment[name] for name in variables if environment.get(name)), "")
    return int(text) if text.isascii() and text.isdecimal() else -1


def _is_program(word: str) -> bool:
    return shutil.which(word) is not None


def names(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())
