"""`rankwise map --fabric`: the machine is the job's part of a fabric."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankwise.commands.fabric_options import add_fabric, add_lid, add_rail, lid_offset_of
from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    import sqlite3

    from rankwise.topology.machine.model import Machine


@dataclass(frozen=True)
class OnFabric:
    """The options that choose a fabric, routes and ports, as `rankwise links` has them.

    Attributes:
        fabric: words of --fabric.
        routing: of --routing.
        rail: of --rail.
        lid: of --lid.
    """

    fabric: tuple[str, ...]
    routing: str | None
    rail: str
    lid: str

    def machine(self, connection: sqlite3.Connection) -> Machine:
        """Return the hosts of a run, with the routes between them.

        Raises:
            RankwiseError: the fabric can't be read, or has not all hosts of the run.
        """
        from rankwise.commands.messages import say
        from rankwise.network.job.rank_ports import places_of_run
        from rankwise.network.machine.of_job import machine_of_job
        from rankwise.network.sources.open import open_fabric

        fabric = open_fabric(self.fabric, self.routing)
        places = places_of_run(connection, fabric, self.rail)
        lid_offset = lid_offset_of(self.lid, fabric)
        return machine_of_job(fabric, places, rail=self.rail, lid_offset=lid_offset, warn=say)


def add_on_fabric(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_fabric(parser)
    add_rail(parser)
    add_lid(parser)


def on_fabric(arguments: argparse.Namespace) -> OnFabric | None:
    """Return what the options say, None without a fabric; RankwiseError if they contradict each other."""
    if not arguments.fabric:
        if arguments.routing is not None:
            raise RankwiseError("--routing needs --fabric PATH ...")
        return None
    if arguments.machine:
        raise RankwiseError("--fabric and --machine each describe the machine: remove one of them")
    return OnFabric(tuple(arguments.fabric), arguments.routing, arguments.rail, arguments.lid)
