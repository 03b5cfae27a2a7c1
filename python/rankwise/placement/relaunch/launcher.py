"""What is known of a launcher's options that say where ranks go."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from rankwise.launchers.base import Option
from rankwise.placement.files.job import Job, Written


class Launcher(ABC):
    """A launcher that can be told places.

    Class attributes:
        name: for people.
        files: of it, by its name in placement.files.LAUNCHERS.
        label: what its `--version` says it is, as in launchers/version.py; '' where its name tells.
        placing: options that say where ranks go.
        binding: options that say which of a node's processors they get.
        counting: options with the number of ranks.
        needs_whole_hosts: ranks of a host must be successive.
    """

    name: str
    files: str
    label = ""
    placing: frozenset[str]
    binding: frozenset[str]
    counting = frozenset({"n", "np"})
    needs_whole_hosts = False

    @abstractmethod
    def file(self, job: Job) -> Written:
        """Return the file that tells it places."""

    @abstractmethod
    def hosts_only(self, options: Sequence[Option], environment: Mapping[str, str]) -> bool:
        """Tell whether the user wants ranks that are bound to no processor, or to several each."""

    def check(self, options: Sequence[Option]) -> None:  # noqa: B027 - most have nothing to refuse
        """Raise RankwiseError if the options ask for what can't be told together with places."""

    def option_name(self, option: Option) -> str:
        """Return the name that counts."""
        return option.name

    def replaces(self, option: Option, *, binds: bool) -> bool:
        """Tell whether an option has to go.

        Args:
            option: of the user's launch.
            binds: ranks are bound to cores.
        """
        name = self.option_name(option)
        return name in self.placing or (binds and name in self.binding)

    def binds(self, option: Option) -> bool:
        """Tell whether an option of ours gives ranks their processors."""
        return self.replaces(option, binds=True) and not self.replaces(option, binds=False)

    def counts(self, option: Option) -> bool:
        """Tell whether an option gives the number of ranks."""
        return self.option_name(option) in self.counting


def names(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


def is_off(value: str) -> bool:
    """Tell whether a setting's value means that something is not wanted."""
    return value.lower() in ("0", "no", "off", "none", "disable", "false")
