"""What a library is told: variables of the ranks, and a file of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Told:
    """What a library is told.

    Attributes:
        variables: that the ranks get.
        suffix: of the file's name, such as .rules; '' if there is none.
        text: of the file.
        file_variable: whose value is the file's path.
        notes: what it changes beside what the rules are for, for people, a line each; none if nothing.
    """

    variables: Mapping[str, str] = field(default_factory=dict)
    suffix: str = ""
    text: str = ""
    file_variable: str = ""
    notes: tuple[str, ...] = ()

    def variables_for(self, path: str) -> dict[str, str]:
        """Return all variables, with the file at this path."""
        return {**self.variables, **({self.file_variable: path} if self.suffix else {})}
