"""Write a report of a profile: one HTML file, which needs no network and no server.

  rankwise report F.rankwise --fabric /var/log/opensm-subnet.lst /var/log/opensm.fdbs -o F.html
  rankwise report F.rankwise --fabric fabric/ --place 'node[001-064]*2'

So far it has one page, Network: the links of a fabric and what they carry, drawn by levels and as
matrices, with the ranks, communicators and calls behind each of them. --fabric takes what subnet
managers and diagnostic tools write: files, or directories of them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rankwise.commands.fabric_options import add_fabric, add_places, lid_offset_of
from rankwise.errors import RankwiseError
from rankwise.whole_files import appearing, refuse_existing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise report`."""
    parser.add_argument("profile", type=Path, metavar="F.rankwise", help="the profile to read")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="F.html", help="the report (default: F.html beside the profile)"
    )
    parser.add_argument("--force", action="store_true", help="replace the report if it exists")
    add_fabric(parser, required=False)
    add_places(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the report; 0, or RankwiseError if something can't be read or written."""
    if arguments.fabric is None:
        raise RankwiseError(
            "a report has only the page of the network so far: give the fabric with --fabric PATH ..."
        )
    output = arguments.output or arguments.profile.with_suffix(".html")
    if output.suffix.lower() not in (".html", ".htm"):
        raise RankwiseError(f"{output}: a report is a page: give it the ending .html")
    refuse_existing(output, force=arguments.force)
    content = _report(arguments)
    with appearing(output) as [unfinished]:
        unfinished.write_bytes(content)
    return 0


def _report(arguments: argparse.Namespace) -> bytes:
    from rankwise.analysis.opened import opened_profile
    from rankwise.analysis.overview import run_facts, trust
    from rankwise.network.job.flows import flows
    from rankwise.network.job.places import given_places, places_of_run
    from rankwise.network.sources.open import open_fabric
    from rankwise.report.names import library_name, program_text
    from rankwise.report.network import sentences
    from rankwise.report.network.page_data import network_data
    from rankwise.report.network.traffic import traffic
    from rankwise.report.page.report import Report
    from rankwise.report.trust_lines import partial_line

    fabric = open_fabric(arguments.fabric)
    lid_offset = lid_offset_of(arguments.lid, fabric)
    with opened_profile(arguments.profile) as connection:
        facts, trusted = run_facts(connection), trust(connection)
        sent = flows(connection)
        if arguments.place is None:
            places = places_of_run(connection, fabric, arguments.rail)
        else:
            places = given_places(connection, fabric, arguments.place, arguments.rail)
    found = traffic(fabric, sent, places, lid_offset)
    program = program_text(facts.programs) if facts.programs else " ".join(facts.command)
    when = facts.started.replace("T", " ")[:16]
    about = [program, library_name(facts.mpi_library), when]
    report = Report(sentences.finding(found), sentences.lead(found), about)
    warnings = [] if trusted.complete else [partial_line(trusted)]
    report.add(
        "network",
        network_data(found, report.container),
        sentences.about(found),
        [*warnings, *sentences.warnings(found)],
    )
    return report.html()
