"""What `rankwise links` answers: of a run, or of traffic that is made up."""

from __future__ import annotations

import argparse
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from rankwise.analysis.messages.kinds import BY_OPTION, SENTENCE
from rankwise.analysis.opened import opened_messages, opened_profile
from rankwise.analysis.overview import trust
from rankwise.analysis.selection import Selection, select
from rankwise.commands.default_fabric import needed_fabric
from rankwise.commands.fabric_options import lid_offset_of
from rankwise.errors import RankwiseError
from rankwise.network.answer import Answer, answer
from rankwise.network.everyone import everyone, everyone_split
from rankwise.network.fabric.model import Fabric
from rankwise.network.job.flows import Flows, flows
from rankwise.network.job.given_hosts import GivenHost, given_hosts
from rankwise.network.job.hosts import HostsByName
from rankwise.network.job.phases import flows_by_phase
from rankwise.network.job.rank_ports import Places, given_places, places_of_run, places_on
from rankwise.network.loads import job_loads
from rankwise.network.phases import LoadsByPhase, loads_by_phase
from rankwise.network.share import mean_mpi_seconds, share_of_loads
from rankwise.network.what_if import AS_IT_RAN, Scenario, alternatives, placed
from rankwise.text.names import call_name
from rankwise.text.trust import partial_line
from rankwise.text.units import byte_text


@dataclass(frozen=True, kw_only=True)
class Request:
    """What the command line asks of a fabric.

    Attributes:
        profile: of the job; '' = none, its traffic is synthetic.
        fabric: words of --fabric, or of the default.
        is_default: the fabric was not given by --fabric.
        routing: rule for routes of cables without forwarding tables; None = the default.
        place: file with the hosts of the ranks; None = the hosts of the run.
        rail: policy for choosing among several rails.
        lid: policy for choosing among several LIDs of a port.
        call: procedures whose messages count; empty = all.
        kind: of messages, a key of `BY_OPTION`.
        communicator: whose messages count; '' = all.
        all_to_all: bytes that each rank sends to each other, of synthetic traffic.
        limit: rows of each table; 0 = all.
        by: the table in place of the summary; None = the summary.
        json: print JSON.
    """

    profile: str
    fabric: tuple[str, ...]
    is_default: bool
    routing: str | None
    place: str | None
    rail: str
    lid: str
    call: list[str]
    kind: str
    communicator: str
    all_to_all: int
    limit: int
    by: str | None
    json: bool


def request(arguments: argparse.Namespace) -> Request:
    """Return what the command line asks for; RankwiseError if there is no fabric."""
    fabric = needed_fabric(arguments.fabric)
    return Request(
        profile=arguments.profile or "",
        fabric=fabric.words,
        is_default=bool(fabric.origin),
        routing=arguments.routing,
        place=arguments.place,
        rail=arguments.rail,
        lid=arguments.lid,
        call=arguments.call.split(",") if arguments.call else [],
        kind=arguments.kind,
        communicator=arguments.communicator or "",
        all_to_all=arguments.all_to_all or 0,
        limit=arguments.limit,
        by=arguments.by,
        json=arguments.json,
    )


def of_run(fabric: Fabric, asked: Request) -> tuple[Answer, str, list[str]]:
    """Send the messages of a profile over the fabric.

    Returns:
        The answer, a description of the messages, and notes on the profile.
    """
    lid_offset = lid_offset_of(asked.lid, fabric)
    with opened_messages(Path(asked.profile)) as opened:
        connection = opened.connection
        if opened.matrix is not None and asked.place is None:
            raise RankwiseError(
                f"{asked.profile} does not tell where the ranks are: give a file with the host of each by "
                "--place"
            )
        mpi_seconds = mean_mpi_seconds(connection)
        sent, places, notes = _job(connection, fabric, asked)
        notes = opened.notes() or notes
        others: list[Scenario] = []
        if asked.place is not None:
            others = _as_it_ran(connection, fabric, sent, asked.rail, lid_offset)
        loads = job_loads(fabric, sent, places, lid_offset=lid_offset)
        share = share_of_loads(connection, mpi_seconds, loads, is_part=bool(asked.communicator))
    others += alternatives(fabric, sent, places, lid_offset=lid_offset)
    return answer(loads, others, asked.limit, share), _messages(sent, asked), notes


def of_phases(fabric: Fabric, asked: Request) -> tuple[LoadsByPhase, str, list[str]]:
    """Send the messages of each phase of a profile over the fabric; returns as `of_run`."""
    with opened_profile(Path(asked.profile)) as connection:
        mpi_seconds = mean_mpi_seconds(connection)
        sent, places, notes = _job(connection, fabric, asked)
        parts = flows_by_phase(connection, sent)
        loads = job_loads(fabric, sent, places, lid_offset=lid_offset_of(asked.lid, fabric))
        share = share_of_loads(connection, mpi_seconds, loads, is_part=bool(asked.communicator))
    return loads_by_phase(loads, parts, asked.limit, share), _messages(sent, asked), notes


def _job(connection: sqlite3.Connection, fabric: Fabric, asked: Request) -> tuple[Flows, Places, list[str]]:
    """Return what the job sends, where its ranks are, and notes on the profile."""
    trusted = trust(connection)
    if asked.communicator:
        select(connection, Selection(communicator=asked.communicator))
    sent = flows(connection, asked.call, BY_OPTION[asked.kind])
    if asked.place is None:
        places = places_of_run(connection, fabric, asked.rail)
    else:
        places = given_places(connection, fabric, asked.place, asked.rail)
    return sent, places, [] if trusted.complete else [partial_line(trusted)]


def _messages(sent: Flows, asked: Request) -> str:
    """Return which messages these are."""
    calls = f" of {', '.join(map(call_name, sent.only))}" if sent.only else ""
    on = f" on {asked.communicator}" if asked.communicator else ""
    return f"{SENTENCE[asked.kind]}{calls}{on}"


def _as_it_ran(
    connection: sqlite3.Connection, fabric: Fabric, sent: Flows, rail: str, lid_offset: int | None
) -> list[Scenario]:
    """Return the loads with the ranks where the job ran, if it ran on this fabric."""
    try:
        places = places_of_run(connection, fabric, rail)
    except RankwiseError:
        return []
    return [] if places.absent else [placed(AS_IT_RAN, fabric, sent, places, lid_offset=lid_offset)]


def made_up(fabric: Fabric, asked: Request) -> tuple[Answer, str, list[str]]:
    """Let all ranks send to all others; returns as `of_run`."""
    loads = everyone(
        fabric,
        _hosts(fabric, asked),
        asked.all_to_all,
        lid_offset=lid_offset_of(asked.lid, fabric),
    )
    others = [everyone_split(loads, asked.all_to_all)]
    what = f"synthetic: each rank sends {byte_text(asked.all_to_all)} to every other"
    return answer(loads, others, asked.limit), what, []


def _hosts(fabric: Fabric, asked: Request) -> Places:
    if asked.place is None:
        return everywhere(fabric, asked.rail)
    return places_on(fabric, given_hosts(asked.place, None, HostsByName(fabric)), asked.rail)


def everywhere(fabric: Fabric, rail: str) -> Places:
    """Return places of one rank on each host."""
    return places_on(fabric, [GivenHost(name) for name in HostsByName(fabric).ports], rail)
