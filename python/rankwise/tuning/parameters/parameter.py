"""A parameter for a whole run, and the values to try."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Shows = Literal["", "variable", "pml", "processors"]


@dataclass(frozen=True)
class Setting:
    """An environment variable with a value; None = as it is without Rankwise."""

    variable: str
    value: str | None

    @property
    def label(self) -> str:
        """For people, and the name of the arm in a race."""
        return "current" if self.value is None else f"{self.variable}={self.value}"


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A parameter and its values.

    Attributes:
        name: as the MPI library calls it: btl_sm_eager_limit.
        variable: of the environment that sets it: OMPI_MCA_btl_sm_eager_limit.
        values: to try; the first is None: current.
        why: it may help, a clause for people.
        expected_seconds: the most that can be gained, averaged over ranks; only their order counts.
        shows: which part of the layers shows that a value is in force: the library's own variable, the
            point-to-point layer, the processors that a rank may use; '' = nothing.
        control: name of that variable in MPI_T; '' = the parameter's name.
        present: its present value; '' if unknown.
        needs: values that other variables must have for it to take effect; None: as they are now.
    """

    name: str
    variable: str
    values: tuple[str | None, ...]
    why: str = ""
    expected_seconds: float = 0.0
    shows: Shows = ""
    control: str = ""
    present: str = ""
    needs: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The arms of its race, the baseline first."""
        return tuple(Setting(self.variable, value) for value in self.values)

    @property
    def asked(self) -> str:
        """The variable of MPI_T with its value; '': no such variable."""
        return (self.control or self.name) if self.shows == "variable" else ""
