"""Write a report of a profile: one HTML file that works offline, without a server.

  rankwise report F.rankwise
  rankwise report BEFORE.rankwise AFTER.rankwise
  rankwise report B1.rankwise B2.rankwise B3.rankwise -- A1.rankwise A2.rankwise A3.rankwise
  rankwise report --names ring,bruck,pairwise r*.rankwise -- b*.rankwise -- p*.rankwise
  rankwise report F.rankwise -o F.html --fabric /var/log/opensm-subnet.lst /var/log/opensm.fdbs
  rankwise report F.rankwise --fabric fabric/ --place 'node[001-064]*2'

Two profiles, several per side, and three sides or more are compared as by `rankwise diff`; the report also
shows each of them.

With --fabric, or if the default fabric has the hosts of the run, the report has the page Network:
the links of a fabric and their loads, drawn by levels and as matrices, with the ranks, communicators
and calls behind each of them. --fabric takes files written by subnet managers and diagnostic tools,
or directories of them; the default is RANKWISE_FABRIC, or the fabric of the centre.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rankwise.commands.default_fabric import default_fabric, given_or_default
from rankwise.commands.fabric_options import add_fabric, add_places, lid_offset_of
from rankwise.commands.messages import say
from rankwise.commands.sides import add_profiles_of_sides, are_several, named_sides, sides
from rankwise.errors import RankwiseError
from rankwise.whole_files import appearing, refuse_existing

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankwise.render.page.contents.subject import Subject

    Network = Callable[[Subject], dict[str, Any] | None]
    """Makes what the page Network shows of a run; None: the run has no such page."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `rankwise report`."""
    add_profiles_of_sides(parser, one="the profile")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="F.html",
        help="the report (default: F.html beside the profile, BEFORE-AFTER.html of two sides, A-B-C.html of"
        " three)",
    )
    parser.add_argument("--force", action="store_true", help="replace the report if it exists")
    add_fabric(parser)
    add_places(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the report; 0, or RankwiseError if something can't be read or written."""
    wanted = _wanted(arguments)
    output = arguments.output or wanted.path
    if output.suffix.lower() not in (".html", ".htm"):
        raise RankwiseError(f"{output}: a report is an HTML page: give it the ending .html")
    given = given_or_default(arguments.fabric)
    if arguments.place is not None and given is None:
        raise RankwiseError("--place needs --fabric PATH ...")
    if arguments.routing is not None and given is None:
        raise RankwiseError("--routing needs --fabric PATH ...")
    refuse_existing(output, force=arguments.force)
    network = None
    if given is not None:
        options = arguments.routing, arguments.lid, arguments.place, arguments.rail
        is_needed = not given.origin or arguments.place is not None
        network = partial(_network if is_needed else _network_if_known, _Fabric(given.words, *options))
    _write(output, wanted, network)
    return 0


def write_beside(profile: Path) -> Path:
    """Write the report next to its profile, and return its path; RankwiseError if that fails."""
    output, given = beside(profile), default_fabric()
    network = partial(_network_if_known, _Fabric(given.words)) if given else None
    _write(output, _Wanted({profile.stem: [profile]}), network)
    return output


def beside(first: Path, *names: str) -> Path:
    """Return the path of the report of a profile, or of sides with these names."""
    stem = "-".join(name.replace("/", "_") for name in names or (first.stem,))
    return first.with_name(f"{stem}.html")


class _Wanted(NamedTuple):
    """What a report is of.

    Attributes:
        sides: profiles by the names of their sides; a single profile is compared with nothing.
        reference: name of the side that the others are compared with; None = before and after.
    """

    sides: dict[str, list[Path]]
    reference: str | None = None

    @property
    def profiles(self) -> list[Path]:
        """All, each once."""
        return list(dict.fromkeys(path for side in self.sides.values() for path in side))

    @property
    def path(self) -> Path:
        """The default place of the report."""
        firsts = [side[0] for side in self.sides.values()]
        return beside(firsts[0], *([path.stem for path in firsts] if self.reference is None else self.sides))


def _wanted(arguments: argparse.Namespace) -> _Wanted:
    if are_several(arguments):
        named = named_sides("report", arguments)
        return _Wanted(named, arguments.reference or next(iter(named)))
    if len(arguments.profiles) == 1 and arguments.other_side is None:
        return _Wanted({"": arguments.profiles})
    before, after = sides("report", arguments.profiles, arguments.other_side)
    return _Wanted({"before": before, "after": after})


def _write(output: Path, wanted: _Wanted, network: Network | None) -> None:
    from rankwise.render.terminal.progress import Activity

    with Activity("making the report"):
        content = _report(wanted, network)
    with appearing(output) as [unfinished]:
        unfinished.write_bytes(content)


def _report(wanted: _Wanted, network: Network | None) -> bytes:
    from rankwise.analysis.opened import damage_told, opened_profile
    from rankwise.render.page.container import Container
    from rankwise.render.page.contents.run import run_data, run_names, run_title
    from rankwise.render.page.contents.subject import subject
    from rankwise.render.page.html import report_page

    container, runs, titles, names = Container(), [], {}, {}
    for path, name in run_names(wanted.profiles):
        with opened_profile(path) as connection:
            of = subject(path, connection, container)
            run = run_data(of, name)
            if network is not None and (shown := network(of)) is not None:
                run["network"] = shown
            runs.append(run)
            titles[path], names[path] = run_title(of), name
    with damage_told(*wanted.profiles):
        if len(wanted.sides) == 1:
            return report_page(titles[wanted.profiles[0]], runs, container)
        if wanted.reference is not None:
            page = _sides(wanted.sides, wanted.reference, names)
            return report_page(" / ".join(wanted.sides), runs, container, sides=page)
        page = _before_and_after(wanted.sides, titles)
        return report_page(_arrow(wanted.sides, names), runs, container, comparison=page)


def _sides(sides: dict[str, list[Path]], reference: str, names: dict[Path, str]) -> dict[str, Any]:
    """Return the comparison of sides with names; the names of their profiles lead to the pages of each."""
    from urllib.parse import urlencode

    from rankwise.reading.difference import diff_sides

    pages = {str(path): f"#{urlencode({'page': 'overview', 'run': name})}" for path, name in names.items()}
    return diff_sides(sides, reference=reference).page_data(lambda profile: pages[profile])


def _before_and_after(sides: dict[str, list[Path]], titles: dict[Path, str]) -> dict[str, Any]:
    from rankwise.reading.difference import diff
    from rankwise.render.page.contents.comparison import comparison_data

    return comparison_data(diff(sides["before"], sides["after"]).found, _arrow(sides, titles))


def _arrow(sides: dict[str, list[Path]], texts: dict[Path, str]) -> str:
    from rankwise.render.page.contents.run import both_sides

    before, after = ([texts[path] for path in side] for side in sides.values())
    return both_sides(before, after)


class _Fabric(NamedTuple):
    """The fabric that the options name, and how the run is placed on it."""

    words: tuple[str, ...]
    routing: str | None = None
    lid: str = "0"
    place: str | None = None
    rail: str = "split"


def _network_if_known(asked: _Fabric, of: Subject) -> dict[str, Any] | None:
    """Return the same on the default fabric; None for a run on one host, or if its hosts are not there."""
    (hosts,) = of.connection.execute("SELECT COUNT(DISTINCT host) FROM ranks").fetchone()
    if hosts < 2:
        return None
    try:
        return _network(asked, of)
    except RankwiseError as error:
        say(f"no page Network: {error}")
        return None


def _network(asked: _Fabric, of: Subject) -> dict[str, Any]:
    """Return what the page Network shows of a run, on the fabric that the options name."""
    from rankwise.network.job.rank_ports import given_places, places_of_run
    from rankwise.network.sources.open import open_fabric
    from rankwise.render.network.page_data import network_data
    from rankwise.render.network.traffic import traffic_of_run

    fabric = open_fabric(asked.words, asked.routing)
    lid_offset = lid_offset_of(asked.lid, fabric)
    if asked.place is None:
        places = places_of_run(of.connection, fabric, asked.rail)
    else:
        places = given_places(of.connection, fabric, asked.place, asked.rail)
    return network_data(traffic_of_run(of.connection, fabric, places, lid_offset), of.container)
