"""A parameter that holds for a whole run, and the values that are tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Shows = Literal["", "variable", "pml", "processors"]


@dataclass(frozen=True)
class Setting:
    """A variable of the environment with a value, or without: None = as it is without us."""

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
        values: that are tried; the first is None: current.
        why: it is thought to help, a clause for people.
        expected_seconds: of the run that can be gained at most, mean over the ranks; only their order counts.
        shows: what of the layers tells whether a value is in force: the library's own variable, the
            point-to-point layer, the processors that a rank may use; '' = nothing.
        control: name of that variable in MPI_T; '' = that of the parameter.
        present: its value now, as far as it is known; '' if it isn't.
        needs: values that other variables must have for it to mean anything; None: as they are now.
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
        """The variable of MPI_T that tells its value; '' if there is none."""
        return (self.control or self.name) if self.shows == "variable" else ""
