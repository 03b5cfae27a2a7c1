"""What `rankwise links` answers: of a run, or of traffic that is made up."""

from __future__ import annotations

import argparse
import sqlite3
from pathlib import Path

from rankwise.analysis.messages.kinds import BY_OPTION
from rankwise.analysis.opened import opened_profile
from rankwise.analysis.overview import trust
from rankwise.analysis.selection import Selection, select
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
from rankwise.network.what_if import AS_IT_RAN, Scenario, alternatives, placed
from rankwise.text.names import call_name
from rankwise.text.trust import partial_line
from rankwise.text.units import byte_text


def of_run(fabric: Fabric, arguments: argparse.Namespace) -> tuple[Answer, str, list[str]]:
    """Send the messages of a profile over the fabric.

    Returns:
        The answer, what the messages are, and what is to be said of the profile.
    """
    lid_offset = lid_offset_of(arguments.lid, fabric)
    with opened_profile(Path(arguments.profile)) as connection:
        sent, places, notes = _job(connection, fabric, arguments)
        others: list[Scenario] = []
        if arguments.place is not None:
            others = _as_it_ran(connection, fabric, sent, arguments.rail, lid_offset)
    loads = job_loads(fabric, sent, places, lid_offset=lid_offset)
    others += alternatives(fabric, sent, places, lid_offset=lid_offset)
    return answer(loads, others, arguments.top), _messages(sent, arguments), notes


def of_phases(fabric: Fabric, arguments: argparse.Namespace) -> tuple[LoadsByPhase, str, list[str]]:
    """Send the messages of each phase of a profile over the fabric; returns as `of_run`."""
    with opened_profile(Path(arguments.profile)) as connection:
        sent, places, notes = _job(connection, fabric, arguments)
        parts = flows_by_phase(connection, sent)
    loads = job_loads(fabric, sent, places, lid_offset=lid_offset_of(arguments.lid, fabric))
    return loads_by_phase(loads, parts, arguments.top), _messages(sent, arguments), notes


def _job(
    connection: sqlite3.Connection, fabric: Fabric, arguments: argparse.Namespace
) -> tuple[Flows, Places, list[str]]:
    """Return what the job sends, where its ranks are, and what is to be said of the profile."""
    trusted = trust(connection)
    if arguments.communicator:
        select(connection, Selection(communicator=arguments.communicator))
    only = arguments.only.split(",") if arguments.only else []
    sent = flows(connection, only, BY_OPTION[arguments.only_kind])
    if arguments.place is None:
        places = places_of_run(connection, fabric, arguments.rail)
    else:
        places = given_places(connection, fabric, arguments.place, arguments.rail)
    return sent, places, [] if trusted.complete else [partial_line(trusted)]


def _messages(sent: Flows, arguments: argparse.Namespace) -> str:
    """Return which messages these are."""
    calls = f" of {', '.join(map(call_name, sent.only))}" if sent.only else ""
    on = f" on {arguments.communicator}" if arguments.communicator else ""
    kind = {"user": " of the program itself", "inside": " inside collectives"}.get(arguments.only_kind, "")
    return f"messages{calls}{kind}{on}"


def _as_it_ran(
    connection: sqlite3.Connection, fabric: Fabric, sent: Flows, rail: str, lid_offset: int | None
) -> list[Scenario]:
    """Return what was where the job ran, if that was on this fabric."""
    try:
        places = places_of_run(connection, fabric, rail)
    except RankwiseError:
        return []
    return [] if places.absent else [placed(AS_IT_RAN, fabric, sent, places, lid_offset=lid_offset)]


def made_up(fabric: Fabric, arguments: argparse.Namespace) -> tuple[Answer, str, list[str]]:
    """Let all ranks send to all others; returns as `of_run`."""
    loads = everyone(
        fabric,
        _hosts(fabric, arguments),
        arguments.all_to_all,
        lid_offset=lid_offset_of(arguments.lid, fabric),
    )
    others = [everyone_split(loads, arguments.all_to_all)]
    what = f"made up, each rank sends {byte_text(arguments.all_to_all)} to each other"
    return answer(loads, others, arguments.top), what, []


def _hosts(fabric: Fabric, arguments: argparse.Namespace) -> Places:
    if arguments.place is None:
        return everywhere(fabric, arguments.rail)
    return places_on(fabric, given_hosts(arguments.place, None, HostsByName(fabric)), arguments.rail)


def everywhere(fabric: Fabric, rail: str) -> Places:
    """Return places of one rank on each host."""
    return places_on(fabric, [GivenHost(name) for name in HostsByName(fabric).ports], rail)
