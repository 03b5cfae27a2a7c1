"""The order of MPI_COMM_WORLD that `rankwise run` is asked for: by --place, or by the settings of --with."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rankwise.errors import RankwiseError
from rankwise.launch.world_order import WorldOrder, given, refusal

if TYPE_CHECKING:
    from rankwise.launch.plan import Plan
    from rankwise.tuning.settings.model import Settings


class AskedOrder(NamedTuple):
    """The options that choose ranks.

    Attributes:
        place: file of --place; None = not given, here and below.
        machine: file of --machine.
        settings: file of --with.
        renumber: the variables of the launcher have the new rank for the program.
        reorder: communicators of the program get ranks that suit the machine.
    """

    place: Path | None
    machine: Path | None
    settings: Path | None
    renumber: bool
    reorder: bool

    @classmethod
    def by(cls, arguments: argparse.Namespace) -> AskedOrder:
        """Return what the command line says."""
        return cls(
            place=arguments.place,
            machine=arguments.machine,
            settings=arguments.with_settings,
            renumber=arguments.renumber,
            reorder=arguments.reorder,
        )

    def of_place(self, planned: Plan) -> WorldOrder | None:
        """Return the order of --place; None without it.

        Args:
            planned: the command.

        Raises:
            RankwiseError: --place can't take the file, the options do not go together, or the program can't
                participate.
        """
        if self.place is None:
            if self.renumber and self.settings is None:
                raise RankwiseError("--renumber is for an order of MPI_COMM_WORLD: add --place FILE")
            return None
        if self.reorder:
            raise RankwiseError("--place and --reorder each choose the ranks: remove one of them")
        _check_programs("--place", planned)
        from rankwise.placement import world_order  # not above: it loads NumPy

        return world_order.asked(self.place, self.machine, renumber=self.renumber)

    def of_settings(self, planned: Plan, settings: Settings) -> WorldOrder | None:
        """Return the order in the settings of --with; None if they have none.

        Args:
            planned: the command.
            settings: in the file.

        Raises:
            RankwiseError: the options do not go together, or the program can't participate.
        """
        option = f"--with {self.settings}"
        if self.place is not None and (settings.order or settings.bindings):
            has, key = "places of ranks", "bindings"
            if settings.order:
                has, key = "an order of MPI_COMM_WORLD", "order"
            raise RankwiseError(
                f'{option} has {has}, and --place gives other ranks: remove --place, or take "{key}" out'
            )
        if settings.order is None:
            if self.renumber and self.place is None:
                raise RankwiseError(
                    f"--renumber is for an order of MPI_COMM_WORLD, and {option} has none: remove it"
                )
            return None
        if self.reorder:
            raise RankwiseError(f"{option} and --reorder each choose the ranks: remove --reorder")
        _check_programs(option, planned)
        return given(settings.order.new_rank, renumber=self.renumber)


def _check_programs(option: str, planned: Plan) -> None:
    if why := refusal(planned):
        raise RankwiseError(f"{option}: {why}")
