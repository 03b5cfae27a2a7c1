"""Lazily computed, cached results about a profile."""

from __future__ import annotations

import sqlite3
from functools import cached_property
from typing import TYPE_CHECKING

from rankwise.analysis.calls.communicators import Communicator, communicators
from rankwise.analysis.calls.families import Family, families
from rankwise.analysis.calls.files import File, files
from rankwise.analysis.calls.procedures import ProcedureRow, procedures
from rankwise.analysis.calls.ranks import Rank, ranks
from rankwise.analysis.hangs.at_end import hang_at_end
from rankwise.analysis.hangs.model import Hang
from rankwise.analysis.messages.locality import Locality, locality
from rankwise.analysis.nodes.binding import NodePlace, node_places
from rankwise.analysis.nodes.network import NetworkUse, network_use
from rankwise.analysis.nodes.processors import Shortages, shortages
from rankwise.analysis.overview import Run, run_facts
from rankwise.analysis.selection import is_part
from rankwise.analysis.timing.efficiency import Efficiency, efficiency, region_efficiencies
from rankwise.analysis.timing.time_in_mpi import TimeInMpi, time_in_mpi
from rankwise.analysis.waiting.chains import Chains, chains_in
from rankwise.analysis.waiting.ideal import Delayed, delayed
from rankwise.analysis.waiting.late import LateGroup, late_group
from rankwise.analysis.waiting.messages import MessageWaits, message_waits
from rankwise.analysis.waiting.unknown import Unknown, unknown_collectives

if TYPE_CHECKING:
    from rankwise.analysis.collectives.patterns import Algorithm
    from rankwise.analysis.waiting.collectives import Collectives, Waiting
    from rankwise.analysis.waiting.propagation import Propagation


class Evidence:
    """The results about a profile.

    Attributes:
        connection: to the open profile.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Read from this open profile; results are computed on first use."""
        self.connection = connection

    @cached_property
    def run(self) -> Run:
        """The facts of the run."""
        return run_facts(self.connection)

    @cached_property
    def ranks(self) -> list[Rank]:
        """The ranks, most time in MPI first."""
        return ranks(self.connection)

    @cached_property
    def seconds(self) -> float:
        """Time between MPI_Init and MPI_Finalize, summed over all ranks."""
        return sum(rank.run_seconds for rank in self.ranks)

    @cached_property
    def efficiency(self) -> Efficiency | None:
        """Efficiency of the run."""
        return efficiency(self.connection, self.time_in_mpi.before_hang, self.delayed)

    @cached_property
    def time_in_mpi(self) -> TimeInMpi:
        """The parts of the time in MPI."""
        # (In a selected part it is unknown which ranks wait for which.)
        hang = None if is_part(self.connection) else self.hang
        return time_in_mpi(self.connection, self.waiting, self.messages, hang)

    @cached_property
    def delayed(self) -> Delayed:
        """The part of the waiting that an ideal network would avoid."""
        tables = self.collectives.tables if self.waiting else ()
        return delayed(self.connection, tables, self.time_in_mpi.before_hang)

    @cached_property
    def network(self) -> NetworkUse:
        """The use of the nodes' network ports."""
        return network_use(self.connection)

    @cached_property
    def regions(self) -> list[Efficiency]:
        """Efficiency of each region."""
        return region_efficiencies(self.connection)

    @cached_property
    def waiting(self) -> Waiting | None:
        """Which ranks waited for which in blocking collectives; None = no arrivals are known."""
        if not self.connection.execute("SELECT 1 FROM arrivals LIMIT 1").fetchone():
            return None
        # Imported here: loading numpy takes longer than the rest of the summary.
        from rankwise.analysis.waiting.collectives import waiting

        return waiting(self.connection, self.collectives, self.propagation)

    @cached_property
    def unknown(self) -> Unknown:
        """Blocking collectives for which the waiting ranks are unknown, and why."""
        return unknown_collectives(self.connection)

    @cached_property
    def collectives(self) -> Collectives:
        """Blocking collectives, and the waiting in them."""
        from rankwise.analysis.waiting.collectives import collectives_in

        return collectives_in(self.connection)

    @cached_property
    def propagation(self) -> Propagation:
        """Which ranks made others wait in blocking collectives, and why they were late."""
        from rankwise.analysis.waiting.collectives import propagation

        return propagation(self.collectives, self.chains)

    @cached_property
    def late(self) -> LateGroup | None:
        """The ranks that caused most waiting; None = none stand out, or most waiting is unknown."""
        if self.time_in_mpi.is_mostly_unknown:
            return None
        known = self.waiting is not None
        return late_group(
            self.connection,
            self.waiting,
            self.messages,
            self.collectives if known else None,
            self.propagation if known else None,
        )

    @cached_property
    def messages(self) -> MessageWaits:
        """Which ranks waited for which in point-to-point communication."""
        return message_waits(self.connection, self.chains)

    @cached_property
    def chains(self) -> Chains:
        """The waits of the whole run, linked so that they can be followed from rank to rank."""
        return chains_in(self.connection)

    @cached_property
    def hang(self) -> Hang | None:
        """Why the run hung when it ended; None if it did not."""
        return hang_at_end(self.connection)

    @cached_property
    def procedures(self) -> list[ProcedureRow]:
        """MPI procedures, most time first."""
        return procedures(self.connection)

    @cached_property
    def families(self) -> list[Family]:
        """Families of communicators, most time first."""
        return families(self.connection)

    @cached_property
    def communicators(self) -> list[Communicator]:
        """Communicators and windows."""
        return communicators(self.connection)

    @cached_property
    def algorithms(self) -> list[Algorithm]:
        """Shapes of collectives, and how they were carried out."""
        from rankwise.analysis.collectives.patterns import algorithms

        return algorithms(self.connection)

    @cached_property
    def places(self) -> list[NodePlace]:
        """The nodes, and the placement of the ranks on them."""
        return node_places(self.connection)

    @cached_property
    def shortages(self) -> Shortages:
        """Where ranks lacked processors."""
        return shortages(self.connection, self.places, self.ranks)

    @cached_property
    def locality(self) -> Locality:
        """The traffic between nodes."""
        return locality(self.connection)

    @cached_property
    def files(self) -> list[File]:
        """Files, most time first."""
        return files(self.connection)
