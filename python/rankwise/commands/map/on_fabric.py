"""`rankwise map --fabric PATH`: the machine is the job's part of a fabric."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankwise.commands.default_fabric import given_or_default
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
        origin: of the default fabric; '' = given by --fabric.
    """

    fabric: tuple[str, ...]
    routing: str | None
    rail: str
    lid: str
    origin: str

    def machine(self, connection: sqlite3.Connection) -> tuple[Machine | None, str]:
        """Return the hosts of a run with the routes between them, and a note on a default fabric.

        Returns:
            None for a run on one host, and if its hosts are not in the default fabric.

        Raises:
            RankwiseError: the fabric of --fabric can't be read, or lacks hosts of the run.
        """
        if not self.origin:
            return self._machine(connection), ""
        (hosts,) = connection.execute("SELECT COUNT(DISTINCT host) FROM ranks").fetchone()
        if hosts < 2:
            return None, ""
        try:
            return self._machine(connection), f"The network between the nodes is from {self.origin}."
        except RankwiseError as error:
            return None, f"The fabric of {self.origin} is not used: {error}."

    def _machine(self, connection: sqlite3.Connection) -> Machine:
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
    if arguments.machine:
        if arguments.fabric:
            raise RankwiseError("--fabric and --machine each describe the machine: remove one of them")
        return None
    given = given_or_default(arguments.fabric)
    if given is None:
        if arguments.routing is not None:
            raise RankwiseError("--routing needs --fabric PATH ...")
        return None
    return OnFabric(given.words, arguments.routing, arguments.rail, arguments.lid, given.origin)
