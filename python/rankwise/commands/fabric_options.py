"""Options that put a job on a fabric, for the verbs that look at the links of one."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from rankwise.network.fabric.model import Fabric


def add_fabric(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """Declare --fabric."""
    parser.add_argument(
        "--fabric",
        action="extend",  # the option may be there several times: once for each rail
        nargs="+",
        required=required,
        metavar="PATH",
        help="files of the network's cables and forwarding tables, directories of them, or words to make one",
    )
    add_routing(parser)


def add_routing(parser: argparse.ArgumentParser) -> None:
    """Declare --routing."""
    parser.add_argument(
        "--routing",
        choices=("even", "minhop", "dmodk"),
        help="how messages go where forwarding tables are not known: even (equally over all shortest ways),"
        " minhop, dmodk (default: even)",
    )


def add_places(group: Any) -> None:
    """Declare the options that say where the ranks are, in a parser or a group of its arguments."""
    group.add_argument(
        "--place",
        metavar="FILE|LIST",
        help="put the ranks on these hosts: placement.csv of `rankwise map`, a host file, a rankfile,"
        " or a list such as node[001-064]*2 (default: the hosts of the run)",
    )
    group.add_argument(
        "--rail",
        default="split",
        metavar="POLICY",
        help="which ports of its host a rank takes: split (evenly over all), first, by-local-rank, env"
        " (those that its environment chose), or the name of a rail or an adapter (default: %(default)s)",
    )
    add_lid(group)


def add_lid(group: Any) -> None:
    """Declare --lid, in a parser or a group of its arguments."""
    group.add_argument(
        "--lid",
        default="0",
        metavar="N|split",
        help="which of a port's LIDs messages are sent to, if it has several (LMC), from 0; split: all alike"
        " (default: %(default)s)",
    )


def lid_offset_of(text: str, fabric: Fabric) -> int | None:
    """Return what --lid says; RankwiseError if that is nothing, or no port of the fabric has such a LID."""
    from rankwise.network.job.lids import check_lids

    if text == "split":
        return None
    if not text.isdecimal() or len(text) > 3:
        raise RankwiseError(f"--lid {text}: give split, or which LID of a port, from 0 to 127")
    try:
        check_lids(fabric, int(text))
    except RankwiseError as error:
        raise RankwiseError(f"--lid {text}: {error}") from None
    return int(text)
