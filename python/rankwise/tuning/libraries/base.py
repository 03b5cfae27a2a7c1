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
from rankwise.tuning.settings.translation import Translation

ENVIRONMENT = "the environment"
COMMAND_LINE = "the command line"
_VARIABLE_OPTIONS = ("x", "env", "genv")

Ask = Callable[[str], frozenset[str]]
"""Gets a prefix of parameter names; returns all names with it that the library's own tool lists."""


class Assignment(NamedTuple):
    """A variable that is set, and where.

    Attributes:
        name: of the variable, or of the variable that would set the parameter.
        value: its value.
        shown: as the user wrote it.
        where: for people.
        is_weak: whether an assignment in the environment or on the command line overrides it.
    """

    name: str
    value: str
    shown: str
    where: str
    is_weak: bool = False

    @property
    def text(self) -> str:
        """The assignment and its place, for people."""
        return f"{self.shown} in {self.where}"


def variables_of(option: Option) -> Iterator[Assignment]:
    """Return the ranks' variable that an option of any launcher sets."""
    if option.name in _VARIABLE_OPTIONS:
        name, equals, value = "=".join(option.words[1:]).partition("=")
        if equals:
            yield Assignment(name, value, " ".join(option.words), COMMAND_LINE)


class Tool(NamedTuple):
    """A command in the launcher's directory that lists the library's parameters.

    Attributes:
        words: of the command; the first is the name of its file.
        listed: finds the names in its output; its group is a name.
        values: finds names and values in its output; None: it prints no values.
        unset: variables that keep it from reading the files of the user and of the installation.
    """

    words: tuple[str, ...]
    listed: re.Pattern[str]
    values: re.Pattern[str] | None = None
    unset: Mapping[str, str] = {}


class TunableLibrary:
    """An MPI library.

    Each attribute and method may be left out: Rankwise then does without it.

    Attributes:
        label: as in mpi_libraries.Version; '': an unknown library.
        order: libraries with a lower number are listed first.

        has_rules: whether rules can choose the algorithm of a collective: `translate` writes them.
        watched: whether a preloaded library can count the calls of its algorithms (src/watch).
        suffix: of the file for its rules, such as .rules; '': no file.

        choosing: matches whole names of variables with which users choose algorithms; None: no variable.
        for_speed: matches whole names of further variables that users set only for speed, so that a program
            also runs without them; None: no variable.

        launched_with: variables with which every probe of algorithms is started; they have no effect on
            other libraries.
        relaunches: whether its algorithms can be chosen only when it starts: each arm of each round is a
            launch.
        segmented: names of the algorithms of a collective that cut messages into segments if they are given
            a size, and forward the first segment before the last has arrived.
        not_overruled: variables that rules need where Offers.overruled: without them, a component of the
            library takes collectives over from the algorithms that rules choose.
        for_two: names of algorithms that are correct only on communicators of two processes.

        prefixes: of the names of its parameters, in the environment. Where libraries share a prefix, the
            first of them describes its parameters.
        short: a prefix that users may leave out; '': no prefix. Only one library has it.
        tools: the tools that list parameters, by prefix.
        asked: variables of MPI_T whose values `proposals` needs.
        telling: variables that make it print on stdout which layers it sends by.
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

    def translate(self, settings: Settings, library_path: Path | None) -> Translation:  # noqa: ARG002
        """Return the variables and the file that carry out the rules, and nothing else.

        Args:
            settings: with at least one rule.
            library_path: the file with the library that the program uses; None: unknown.

        Raises:
            RankwiseError: it can't have such rules, or they contradict each other.
        """
        raise RankwiseError(f"rules for {library_said(settings.about.library)!r} can't be written")

    def is_harmless(self, name: str, value: str) -> bool:  # noqa: ARG002
        """Return whether a value of a variable that `choosing` matches leaves the choice to the library."""
        return value in ("", "auto")

    def by_option(self, option: Option) -> Iterator[Assignment]:  # noqa: ARG002
        """Return what an option of the library's launcher sets, for any library of the program."""
        return iter(())

    def in_list(self, name: str, value: str, where: str) -> list[Assignment] | None:  # noqa: ARG002
        """Return what a variable that lists others sets; None: it is no list.

        Args:
            name: of the variable.
            value: of it.
            where: it is set, for people.
        """
        return None

    def elsewhere(
        self,
        command: CommandLine,  # noqa: ARG002
        environment: Mapping[str, str],  # noqa: ARG002
    ) -> Iterator[Assignment]:
        """Return what is set where only this library looks, such as in its files.

        Args:
            command: that starts the program.
            environment: of the launcher.
        """
        return iter(())

    def offers(self, variables: Mapping[str, Variable]) -> Offers:  # noqa: ARG002
        """Return the algorithms that can be chosen while it runs, and how.

        Args:
            variables: its control variables, by their names in MPI_T.
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
        """Return whether an algorithm keeps the order of the operands of a reduction; None: unknown.

        Args:
            procedure: such as MPI_Reduce.
            algorithm: its name.
        """
        return None

    def control_of(self, variable: str) -> str:  # noqa: ARG002
        """Return the variable of MPI_T with the value of an environment variable; '': no such variable."""
        return ""

    def names_like(self, variable: str, names: frozenset[str], ask: Ask) -> tuple[str, frozenset[str]]:  # noqa: ARG002
        """Return the name of a parameter as it is listed, and all names that are possible.

        Args:
            variable: of the environment, with one of the prefixes.
            names: of all its variables of MPI_T.
            ask: for the names that its tool lists.

        Returns:
            no names: unknown whether there is such a parameter.
        """
        return variable, frozenset()

    def name_today(self, name: str, known: Collection[str]) -> str:  # noqa: ARG002
        """Return this version's name for a name of another version; else the name itself.

        Args:
            name: as it would be listed, and not known.
            known: all names that are possible.
        """
        return name

    def unused(self, variable: str, layers: Layers) -> str:  # noqa: ARG002
        """Return the layer of a parameter, if it is not in use; '' if the parameter may have an effect.

        Args:
            variable: of the environment, with one of the prefixes.
            layers: that the library sends by when the parameter is set.
        """
        return ""

    def proposals(self, sent: Sent) -> Iterable[Parameter]:
        """Return the parameters that may make messages cheaper.

        Args:
            sent: the program's messages, and the layers that they are sent by.
        """
        if sent.layers.netmod == "ucx":
            yield from rendezvous(sent)

    def binding_variable(self, version: Version) -> str:  # noqa: ARG002
        """Return the variable whose value `core` makes its launcher bind each rank to a core; '': none."""
        return ""
