"""Settings as a library reads them: variables of the ranks, and its own file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Translation:
    """Settings as a library reads them.

    Attributes:
        variables: for the ranks.
        suffix: of the file's name, such as .rules; '': no file.
        text: of the file.
        file_variable: whose value is the file's path.
        notes: for people, on changes to other calls than those of the rules, a line each.
    """

    variables: Mapping[str, str] = field(default_factory=dict)
    suffix: str = ""
    text: str = ""
    file_variable: str = ""
    notes: tuple[str, ...] = ()

    def variables_for(self, path: str) -> dict[str, str]:
        """Return all variables, with the file at this path."""
        return {**self.variables, **({self.file_variable: path} if self.suffix else {})}
