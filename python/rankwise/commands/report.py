"""Write a report of a profile: one HTML file, which needs no network and no server.

  rankwise report F.rankwise
  rankwise report F.rankwise -o F.html --fabric /var/log/opensm-subnet.lst /var/log/opensm.fdbs
  rankwise report F.rankwise --fabric fabric/ --place 'node[001-064]*2'

With --fabric it has the page Network, too: the links of a fabric and what they carry, drawn by levels
and as matrices, with the ranks, communicators and calls behind each of them. --fabric takes what subnet
managers and diagnostic tools write: files, or directories of them.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwise.commands.fabric_options import add_fabric, add_places, lid_offset_of
from rankwise.errors import RankwiseError
from rankwise.whole_files import appearing, refuse_existing

if TYPE_CHECKING:
    from rankwise.report.contents.subject import Subject


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
    output = arguments.output or arguments.profile.with_suffix(".html")
    if output.suffix.lower() not in (".html", ".htm"):
        raise RankwiseError(f"{output}: a report is a page: give it the ending .html")
    if arguments.place is not None and arguments.fabric is None:
        raise RankwiseError("--place puts ranks on a fabric: give it with --fabric PATH ...")
    refuse_existing(output, force=arguments.force)
    content = _report(arguments)
    with appearing(output) as [unfinished]:
        unfinished.write_bytes(content)
    return 0


def _report(arguments: argparse.Namespace) -> bytes:
    from rankwise.analysis.opened import opened_profile
    from rankwise.report.contents.run import run_data, run_title
    from rankwise.report.contents.subject import subject
    from rankwise.report.page.container import Container
    from rankwise.report.page.report import report_page

    container = Container()
    with opened_profile(arguments.profile) as connection:
        of = subject(arguments.profile, connection, container)
        run = run_data(of)
        if arguments.fabric is not None:
            run["network"] = _network(arguments, of)
        return report_page(run_title(of), [run], container)


def _network(arguments: argparse.Namespace, of: Subject) -> dict[str, Any]:
    from rankwise.network.job.flows import flows
    from rankwise.network.job.places import given_places, places_of_run
    from rankwise.network.sources.open import open_fabric
    from rankwise.report.network.page_data import network_data
    from rankwise.report.network.traffic import traffic

    fabric = open_fabric(arguments.fabric)
    lid_offset = lid_offset_of(arguments.lid, fabric)
    sent = flows(of.connection)
    if arguments.place is None:
        places = places_of_run(of.connection, fabric, arguments.rail)
    else:
        places = given_places(of.connection, fabric, arguments.place, arguments.rail)
    return network_data(traffic(fabric, sent, places, lid_offset), of.container)
