"""The description of an MPI library that can be tuned."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar, NamedTuple

from rankwise.errors import RankwiseError
from rankwise.launch.commandline import CommandLine
from rankwise.launchers.option import Option
from rankwise.mpi_libraries import Version
from rankwise.text.names import library_said
from rankwise.tuning.parameters.layers import Layers
from rankwise.tuning.parameters.parameter import Parameter
from rankwise.tuning.parameters.thresholds import Sent, rendezvous
from rankwise.tuning.racing.offers import Offers, Variable
from rankwise.tuning.settings.model import Settings
from rankwise.tuning.settings.rule import Algorithm
from rankwise.tuning.settings.told import Told

ENVIRONMENT = "the environment"
COMMAND_LINE = "the command line"
_VARIABLE_OPTIONS = ("x", "env", "genv")

Ask = Callable[[str], frozenset[str]]
"""Is given a prefix of parameters' names; returns all names with it, as the library's own tool lists them."""


class Assignment(NamedTuple):
    """A variable that is set, and where.

    Attributes:
        name: of the variable; a parameter that is no variable counts as the variable that sets it.
        value: that it has.
        shown: as it stands there.
        where: for people.
        is_weak: whether another one of the same name, in the environment or on the command line, overrides
            it.
    """

    name: str
    value: str
    shown: str
    where: str
    is_weak: bool = False

    @property
    def text(self) -> str:
        """For people: what is set, and where."""
        return f"{self.shown} in {self.where}"


def variables_of(option: Option) -> Iterator[Assignment]:
    """Return the variable for the ranks that an option of any launcher sets."""
    if option.name in _VARIABLE_OPTIONS:
        name, equals, value = "=".join(option.words[1:]).partition("=")
        if equals:
            yield Assignment(name, value, " ".join(option.words), COMMAND_LINE)


class Tool(NamedTuple):
    """A command beside the launcher that lists the library's parameters.

    Attributes:
        words: of the command; the first is the name of its file.
        listed: finds the names in what it prints; its group is a name.
        values: finds names and values in what it prints; None: it prints none.
        unset: variables with which it reads no files of the user's or the installation's.
    """

    words: tuple[str, ...]
    listed: re.Pattern[str]
    values: re.Pattern[str] | None = None
    unset: Mapping[str, str] = {}


class TunableLibrary:
    """An MPI library.

    Each attribute and method may be left out: what is not said of a library is not done with it.

    Attributes:
        label: as in mpi_libraries.Version; '' stands for a library that is not known.
        order: those with a lower one come first where libraries are listed.

        has_rules: whether it can be told which algorithm a collective takes: `told` does it.
        watched: whether a preloaded library can count its calls of its own algorithms (src/watch).
        suffix: of the file for its rules, such as .rules; '': it has none.

        choosing: matches whole names of variables by which users choose algorithms; None: there are none.
        for_speed: matches whole names of further variables that users set for speed alone, so that a program
            runs without them, too; None: there are none.

        launched_with: variables with which every probe of algorithms is started; they change nothing where
            another library reads them.
        relaunches: its algorithms can be chosen when it starts, and not while it runs: each arm of each round
            is a launch.
        segmented: names of the algorithms of a collective that cut messages into segments if they are given
            a size, and send the first on before the last has come.
        not_overruled: variables that rules need where Offers.overruled: without them, a component of the
            library takes collectives over from the algorithms that rules choose.
        for_two: names of algorithms that are right on communicators of two processes alone.

        prefixes: of the names of its parameters, in the environment. Libraries may share one; what is known
            of a parameter is asked from the first of them.
        short: a prefix that users may leave out; '': there is none. Only one library has any.
        tools: by prefix, what lists parameters.
        asked: variables of MPI_T whose values `proposals` has to know.
        telling: variables with which it tells on stdout what it sends by.
    """

    label: ClassVar[str] = ""
    order: ClassVar[int] = 100

    has_rules: ClassVar[bool] = False
    watched: ClassVar[bool] = False
    suffix: ClassVar[str] = ""

    choosing: ClassVar[re.Pattern[str] | None] = None
    for_speed: ClassVar[re.Pattern[str] | None] = None

    launched_with: ClassVar[Mapping[str, str]] = {}
    relaunches: ClassVar[bool] = False
    segmented: ClassVar[Mapping[str, Collection[str]]] = {}
    not_overruled: ClassVar[Mapping[str, str]] = {}
    for_two: ClassVar[Collection[str]] = ()

    prefixes: ClassVar[tuple[str, ...]] = ()
    short: ClassVar[str] = ""
    tools: ClassVar[Mapping[str, Tool]] = {}
    asked: ClassVar[tuple[str, ...]] = ()
    telling: ClassVar[Mapping[str, str]] = {}

    def told(self, settings: Settings, library_path: Path | None) -> Told:  # noqa: ARG002
        """Return what makes it take the algorithms of rules, and nothing else.

        Args:
            settings: with one rule or more.
            library_path: the file with the library that the program uses; None: not known.

        Raises:
            RankwiseError: it can't have such rules, or they contradict each other.
        """
        raise RankwiseError(f"rules for {library_said(settings.about.library)!r} can't be written")

    def is_harmless(self, name: str, value: str) -> bool:  # noqa: ARG002
        """Tell whether a value of a variable that `choosing` matches leaves the choice to it and to rules."""
        return value in ("", "auto")

    def by_option(self, option: Option) -> Iterator[Assignment]:  # noqa: ARG002
        """Return what an option of its own launcher sets, whichever library the program uses."""
        return iter(())

    def in_list(self, name: str, value: str, where: str) -> list[Assignment] | None:  # noqa: ARG002
        """Return what a variable sets that is a list of others; None: it is no list.

        Args:
            name: of the variable.
            value: of it.
            where: it stands, for people.
        """
        return None

    def elsewhere(
        self,
        command: CommandLine,  # noqa: ARG002
        environment: Mapping[str, str],  # noqa: ARG002
    ) -> Iterator[Assignment]:
        """Return what is set where this library alone looks, such as in files of its own.

        Args:
            command: that starts the program.
            environment: of the launcher.
        """
        return iter(())

    def offers(self, found: Mapping[str, Variable]) -> Offers:  # noqa: ARG002
        """Return which algorithms can be chosen while it runs, and how.

        Args:
            found: its control variables, by their names in MPI_T.
        """
        return Offers()

    def offered_at_launch(
        self,
        procedure: str,  # noqa: ARG002
        launcher: str,  # noqa: ARG002
        environment: Mapping[str, str],  # noqa: ARG002
    ) -> tuple[Algorithm, ...]:
        """Return the algorithms that can be chosen when it starts, where it `relaunches`.

        Args:
            procedure: such as MPI_Allreduce.
            launcher: its command.
            environment: that it is started with.
        """
        return ()

    def chosen_at_launch(self, procedure: str, algorithm: Algorithm) -> Mapping[str, str]:  # noqa: ARG002
        """Return the variables that choose an algorithm for all calls, where it `relaunches`."""
        return {}

    def keeps_order(self, procedure: str, algorithm: str) -> bool | None:  # noqa: ARG002
        """Tell whether an algorithm keeps the order of the operands of a reduction; None: not known.

        Args:
            procedure: such as MPI_Reduce.
            algorithm: its name.
        """
        return None

    def control_of(self, variable: str) -> str:  # noqa: ARG002
        """Return the variable of MPI_T with the value of one of the environment; '' if there is none."""
        return ""

    def names_like(self, variable: str, names: frozenset[str], ask: Ask) -> tuple[str, frozenset[str]]:  # noqa: ARG002
        """Return the name of a parameter as lists have it, and all names that it can be.

        Args:
            variable: of the environment, with one of the prefixes.
            names: of all its variables of MPI_T.
            ask: for the names that its tool lists.

        Returns:
            no names: whether there is such a parameter can't be told.
        """
        return variable, frozenset()

    def name_today(self, name: str, known: Collection[str]) -> str:  # noqa: ARG002
        """Return what a name of another version would be in this one; else the name itself.

        Args:
            name: as lists have it, and not known.
            known: all names that it can be.
        """
        return name

    def unused(self, variable: str, layers: Layers) -> str:  # noqa: ARG002
        """Name the layer that a parameter is of, if it carries nothing; '' if it may mean something.

        Args:
            variable: of the environment, with one of the prefixes.
            layers: that the library sends by, with the parameter set.
        """
        return ""

    def proposals(self, sent: Sent) -> Iterable[Parameter]:
        """Return the parameters that may make messages cheaper.

        Args:
            sent: the program's messages, and what the library sends them by.
        """
        if sent.layers.netmod == "ucx":
            yield from rendezvous(sent)

    def binding_variable(self, version: Version) -> str:  # noqa: ARG002
        """Return the variable whose value `core` has its launcher bind each rank to a core; '': none."""
        return ""
